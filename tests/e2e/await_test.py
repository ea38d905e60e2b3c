"""Busy waiting is explored once per outcome: the same classes for every search, known by hand or by brute force.

    await_test.py HEDDLE SCRATCH

HEDDLE_TEST_PROGRAMS=N makes it N random programs.
"""
import itertools
import math
import os
import random
import subprocess

import tool

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = int(os.environ.get("HEDDLE_TEST_PROGRAMS", "8"))
STRATEGIES = ("dfs", "baseline", "dpor", "optimal-dpor")


class BruteForce:
    """All runs of a random program without a round that is for nothing.

    A run is known by the order of groups of commuting events on every object.
    """

    def __init__(self, program):
        self.program = program
        self.classes, self.states, self.stuck = set(), set(), False
        self.visit([0] * 4, [(0, 0)] * len(program), [""] * len(program), [()] * 4, [0] * len(program))

    def event(self, orders, counts, thread, thing, writes):
        orders, counts = list(orders), list(counts)
        order, name = orders[thing], (thread, counts[thread])
        counts[thread] += 1
        if order and not writes and order[-1][0] == "r":
            orders[thing] = order[:-1] + (("r", tuple(sorted(order[-1][1] + (name,)))),)
        else:
            orders[thing] = order + (("w" if writes else "r", (name,)),)
        return orders, counts

    def visit(self, values, places, read, orders, counts):
        """`places`: the step of each thread, and whether it is in the middle of it."""
        if all(at == len(self.program[t]) for t, (at, _) in enumerate(places)):
            self.classes.add(tuple(orders))
            self.states.add("/".join(["".join(map(str, values))] + read))
            return
        moved = False
        for t, (at, middle) in enumerate(places):
            if at == len(self.program[t]):
                continue
            kind, thing, value, other, wanted = self.program[t][at]
            next_places, next_read, next_values = list(places), list(read), list(values)
            next_places[t] = (at + 1, 0)
            writes = kind in "sfc"
            if kind == "b" and middle:
                thing, value = other, wanted
                if values[thing] != value:
                    moved = True  # the round was for nothing, so it is no event; another run has what comes of it
                    continue
            elif kind in "abcy" and values[thing] != value:
                continue
            elif kind == "b":
                next_places[t] = (at, 1)
            if kind in "lf":
                next_read[t] += str(values[thing])
            if kind in "sc":
                next_values[thing] = value if kind == "s" else wanted
            if kind == "f":
                next_values[thing] += 1
            moved = True
            self.visit(next_values, next_places, next_read, *self.event(orders, counts, t, thing, writes))
        self.stuck |= not moved


def random_program(rng):
    threads = []
    for _ in range(rng.choice((2, 2, 3))):
        steps = []
        for _ in range(rng.randint(1, 3)):
            steps.append((rng.choice("lsssfaaybc"), rng.randint(0, 1), rng.randint(0, 2), rng.randint(0, 1),
                          rng.randint(0, 2)))
        threads.append(steps)
    return threads


def is_fit(program):
    """What brute force says of it, if it waits anywhere and is small."""
    flat = [step for steps in program for step in steps]
    if not any(step[0] in "aybc" for step in flat):
        return None
    found = BruteForce(program)
    return found if 0 < len(found.classes) <= 60 else None


class AwaitTest(tool.ToolTest):
    def search(self, strategy, name, *count, code=tool.FINE, compiler="g++"):
        program = self.tool.compile(os.path.join(HERE, "awaits.cpp"), compiler)
        return self.explore(strategy, program, name, *map(str, count), code=code)

    def explore(self, strategy, program, *arguments, code=tool.FINE):
        ended = self.tool.call("run", f"--strategy={strategy}", "--workers=1", "--runs=200000", "--time=10m",
                               "--keep-going", "--races=off", "--", program, *arguments, out=self.out)
        self.assertEqual((ended.code, ended.result["complete"]), (code, True), ended.output)
        return ended

    def check(self, classes, name, *count, strategies=STRATEGIES):
        for strategy in strategies:
            for compiler in ("g++", "clang++") if strategy == "optimal-dpor" else ("g++",):
                ended = self.search(strategy, name, *count, compiler=compiler).result
                self.assertEqual(ended["classes"], classes, (strategy, compiler, name, count))
                if strategy == "optimal-dpor":
                    self.assertEqual(ended["runs"] - ended["blocked_runs"], classes, (compiler, name, count))

    def test_a_flag_that_is_awaited_has_one_outcome(self):
        self.check(1, "flag", 1)
        self.check(1, "two-flags")
        for name, n in (("flag", 3), ("flag-first", 2), ("yielding", 2), ("message", 1), ("ping-pong", 2)):
            self.check(1, name, n, strategies=("dfs", "optimal-dpor"))

    def test_loops_of_a_program_that_was_not_rebuilt_let_the_others_go_on(self):
        program = os.path.join(self.out, "plain_spins")
        subprocess.run(["g++", "-O2", "-pthread", os.path.join(HERE, "plain_spins.cpp"), "-o", program], check=True)
        for options in (["--strategy=random"], ["--strategy=pct", "--backend=baton"]):
            ended = self.tool.call("run", *options, "--workers=1", "--runs=300", "--", program, out=self.out)
            self.assertEqual((ended.code, ended.result["complete"], ended.result["step_limited_runs"]),
                             (tool.FINE, False, 0), ended.output)
            self.assertEqual([item["what"] for item in ended.result["uncontrolled"]],
                             ["waiting in a loop that heddle does not see"], ended.output)
            self.assertGreater(ended.result["classes"], 10, ended.output)
        # Few orders are seen, so auto does not leave it at those.
        ended = self.tool.call("run", "--strategy=auto", "--workers=1", "--runs=3000", "--", program, out=self.out)
        self.assertEqual((ended.code, ended.result["stopped_by"]), (tool.FINE, "runs"), ended.output)
        ended = self.tool.call("run", "--strategy=random", "--workers=1", "--runs=300", "--", program, "never",
                               out=self.out)
        self.assertEqual((ended.kinds(), ended.result["findings"][0]["replayed"]), (["livelock"], True), ended.output)

    def test_a_lock_made_of_a_loop_has_the_classes_of_a_mutex(self):
        self.check(2, "exchange-lock", 1)
        for n in (2, 3):
            for name in ("mutex", "exchange-lock", "yielding-lock", "try-lock"):
                self.check(math.comb(2 * n, n), name, n, strategies=("optimal-dpor",))

    def test_who_comes_first_to_a_lock_is_the_outcome(self):
        for n in (2, 3):
            strategies = ("dpor", "optimal-dpor")
            self.check(math.factorial(n), "exchange-lock-once", n, strategies=strategies)
            self.check(math.factorial(n), "ticket-lock", n, strategies=strategies)

    def test_petersons_lock_keeps_its_promise(self):
        # dfs makes thousands of runs of it.
        counts = {self.search(strategy, "peterson", 1).result["classes"] for strategy in STRATEGIES[1:]}
        self.assertEqual(len(counts), 1, counts)

    def test_rubbish_that_a_compiler_leaves_makes_no_difference(self):
        """A read that shows a free lock and the exchange are two events: more classes than a mutex has."""
        def ttas(n):
            section = [("a", 0, 0, 0, 0), ("c", 0, 0, 0, 1), ("s", 0, 0, 0, 0)]
            return len(BruteForce([section * n] * 2).classes)

        self.assertEqual([ttas(1), ttas(2)], [4, 34])
        expected = {("ttas", 1): 4, ("ttas", 2): 34, ("peterson", 1): 4}
        for compiler, level in itertools.product(("g++", "clang++"), ("-O0", "-O2")):
            program = self.tool.compile(os.path.join(HERE, "spin_locks.cpp"), compiler, (level,), "spin_locks" + level)
            for (name, n), classes in expected.items():
                ended = self.explore("optimal-dpor", program, name, str(n)).result
                self.assertEqual((ended["classes"], ended["runs"] - ended["blocked_runs"]), (classes, classes),
                                 (compiler, level, name, n))
            ended = self.explore("optimal-dpor", program, "remembers", code=tool.FINDING)
            self.assertEqual([f["kind"] for f in ended.result["findings"]], ["crash"], (compiler, level))

    def test_a_round_that_succeeds_only_between_two_writes_is_found(self):
        for strategy in STRATEGIES:
            ended = self.search(strategy, "between-two-reads", code=tool.FINDING)
            self.assertEqual({f["kind"] for f in ended.result["findings"]}, {"assertion", "livelock"}, strategy)

    def test_who_waits_with_a_lock_in_hand_is_no_deadlock(self):
        self.check(2, "holds-a-lock", strategies=("dfs", "optimal-dpor"))

    def test_a_spin_that_counts_or_remembers_keeps_its_other_path(self):
        for name in ("bounded", "remembers"):
            for strategy in ("dfs", "optimal-dpor"):
                ended = self.search(strategy, name, code=tool.FINDING)
                self.assertEqual([f["kind"] for f in ended.result["findings"]], ["assertion"], (strategy, name))

    def test_a_loop_that_never_ends_is_a_livelock_once_and_replays(self):
        for strategy in ("dfs", "optimal-dpor"):
            ended = self.search(strategy, "forever", code=tool.FINDING)
            self.assertEqual([(f["kind"], f["replayed"]) for f in ended.result["findings"]], [("livelock", True)])
            self.assertEqual(ended.result["classes"], 1, strategy)
            again = self.tool.call("replay", "last", "--backend=baton", out=self.out)
            self.assertEqual(again.result["status"], "reproduced", again.output)

    def test_random_programs_have_the_classes_and_states_of_brute_force(self):
        rng, programs = random.Random(7), []
        while len(programs) < PROGRAMS:
            program = random_program(rng)
            found = is_fit(program)
            # Whoever reports a livelock reads all of the program's symbols, which takes long.
            if found is not None and (not found.stuck or sum(f.stuck for _, f in programs) < PROGRAMS // 4):
                programs.append((program, found))
        text = "".join(" ".join("| " + " ".join(" ".join(map(str, step)) for step in steps) for steps in program) + "\n"
                       for program, _ in programs)
        executable = self.tool.compile(os.path.join(HERE, "awaits.cpp"))
        wrong = []
        for strategy in STRATEGIES:
            done = subprocess.run([executable, strategy, "--random"], cwd=self.out, input=text, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=tool.HUNG_AFTER, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stdout.splitlines()
            self.assertEqual(len(lines), len(programs), done.stdout + done.stderr)
            for (program, expected), line in zip(programs, lines):
                words = line.split()
                runs, classes, blocked, complete, stuck = map(int, words[:5])
                what = (complete, stuck, set(words[5:]))
                right = (1, int(expected.stuck), expected.states)
                # Runs that end in a livelock have classes, too: of the rounds that were the last.
                if not expected.stuck:
                    what, right = what + (classes,), right + (len(expected.classes),)
                    if strategy == "optimal-dpor":
                        what, right = what + (runs - blocked,), right + (len(expected.classes),)
                if what != right:
                    wrong.append(f"{strategy}: {program}: {runs} runs: {what}, not {right}")
        self.assertFalse(wrong, "\n".join(wrong[:10]) + f"\n{len(wrong)} of {4 * len(programs)}")


if __name__ == "__main__":
    tool.main()
