"""Random abstract programs and litmus tests as real threads: every search against brute force.

    systematic_test.py HEDDLE SCRATCH

HEDDLE_TEST_PROGRAMS=N makes it N random programs of every family.
"""
import math
import os
import subprocess

import tool

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = int(os.environ.get("HEDDLE_TEST_PROGRAMS", "3"))


def read(text, first_word):
    """By program: the words behind `first_word`, and its states."""
    found, name = {}, None
    for line in text.splitlines():
        words = line.split()
        if words[0] == "program":
            name = words[1]
        elif words[0] == first_word:
            if first_word == "ran":
                name, words = words[1], words[1:]
            found[name] = ([int(word) for word in words[1:]], set())
        elif words[0] == "state" and name in found:
            found[name][1].add(" ".join(words[1:]))
        elif words[0] == "error":
            raise AssertionError(line)
    return found


class SystematicTest(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        describe = os.path.join(cls.tool.scratch, "describe_programs")
        cls.text = subprocess.run([describe, str(PROGRAMS)], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout
        cls.expected = read(cls.text, "expect")

    def run_all(self, strategy):
        program = self.tool.compile(os.path.join(HERE, "interpreted.cpp"), flags=["-O1"])
        done = subprocess.run([program, strategy], cwd=self.out, input=self.text, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=tool.HUNG_AFTER, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = read(done.stdout, "ran")
        self.assertEqual(set(found), set(self.expected), done.stderr)
        return found

    def check(self, strategy, once):
        wrong = []
        for name, ((runs, classes, blocked, complete, fails, stuck), states) in self.run_all(strategy).items():
            (expected_classes, expected_fails, expected_stuck), expected_states = self.expected[name]
            what = (classes, complete, fails, stuck, states)
            right = (expected_classes, 1, expected_fails, expected_stuck, expected_states)
            if what != right or (once and (runs != classes or blocked != 0)):
                wrong.append(f"{strategy}: {name}: {runs} runs, {blocked} redundant: {what}, not {right}")
        self.assertFalse(wrong, "\n".join(wrong[:20]) + f"\n{len(wrong)} of {len(self.expected)}")

    def test_optimal_dpor_runs_every_class_once(self):
        self.check("optimal-dpor", once=True)

    def search(self, strategy, *arguments):
        program = self.tool.compile(os.path.join(HERE, "readers.cpp"))
        ended = self.tool.call("run", f"--strategy={strategy}", "--workers=1", "--runs=200000", "--", program,
                               *[str(word) for word in arguments], out=self.out)
        self.assertEqual((ended.code, ended.result["complete"]), (tool.FINE, True), ended.output)
        return ended.result

    def count(self, *arguments):
        result = self.search("optimal-dpor", *arguments)
        self.assertEqual((result["classes"], result["blocked_runs"]), (result["runs"], 0), arguments)
        return result["runs"]

    def test_each_reader_is_before_or_behind_each_writer(self):
        for lock in ("pthread", "std"):
            for when in ((), ("late",)):
                for n in (1, 4):
                    self.assertEqual(self.count(lock, 1, n, *when), 2 ** n, (lock, n, when))
                # One of two writers is first; a reader is before it, between them, or behind the other.
                self.assertEqual(self.count(lock, 2, 3, *when), 2 * 3 ** 3, (lock, when))

    def test_readers_that_take_a_mutex_inside_are_ordered_by_it(self):
        # Any order of the readers, the writer anywhere in it.
        for when in ((), ("late",)):
            for n in (2, 3):
                self.assertEqual(self.count("pthread", 1, n, "nested", *when), math.factorial(n) * (n + 1), (n, when))

    def test_where_writers_come_first_each_class_is_run_once_too(self):
        # A writer that can't get in queues, which is an event of its own; dpor knows how many classes that makes.
        for arguments in ((1, 2), (1, 2, "late"), (2, 1), (2, 2)):
            classes = self.search("dpor", "writers-first", *arguments)["classes"]
            self.assertEqual(self.count("writers-first", *arguments), classes, arguments)

    def test_dpor_sees_the_same(self):
        self.check("dpor", once=False)

    def test_baseline_sees_the_same(self):
        self.check("baseline", once=False)

    def test_dfs_sees_the_same_states_and_failures(self):
        # It does not go on behind a failure: classes are of what came before.
        for name, ((_, _, _, complete, fails, stuck), states) in self.run_all("dfs").items():
            (_, expected_fails, expected_stuck), expected_states = self.expected[name]
            self.assertEqual((complete, fails, stuck, states),
                             (1, expected_fails, expected_stuck, expected_states), name)


if __name__ == "__main__":
    tool.main()
