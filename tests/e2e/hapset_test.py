"""A search guided by HaPSets finds the bugs of `heddle bench hapset` in few runs: a small version of that table.

    hapset_test.py HEDDLE SCRATCH
"""
import os
import re

import tool

SMALL = ("mysql_log", "node_state", "load_script", "seek_to_item", "file_transport", "create_thread", "read_write_proc",
         "timer_thread")


class HapsetTest(tool.ToolTest):
    def program(self, source, **defines):
        flags = ["-O0"] + [f"-D{name}={value}" for name, value in defines.items()]
        name = "hapset_" + os.path.basename(source) + "".join(f"_{value}" for value in defines.values())
        return self.tool.compile(os.path.join(tool.SOURCES, "bench", "hapset", source + ".cpp"), flags=flags, name=name)

    def runs_to_the_bug(self, program, strategy, most):
        """None: not found."""
        ended = self.tool.call("run", f"--strategy={strategy}", f"--runs={most}", "--workers=1", "--races=off",
                               "--max-steps=20000", "--", program, out=self.out)
        return ended.result["findings"][0]["first_run"] if ended.result["findings"] else None

    def test_no_more_runs_than_dpor_or_two_preemptions(self):
        for source in SMALL:
            program = self.program(source)
            found = self.runs_to_the_bug(program, "hapset", 100)
            self.assertIsNotNone(found, source)
            for other in ("dpor", "pcb:bound=2"):
                self.assertTrue(self.runs_to_the_bug(program, other, found - 1) is None, (source, other))

    def test_a_ring_of_three_locks_in_one_function_is_found_within_a_bound_too(self):
        program = self.program("held_out/three_locks")
        for strategy in ("hapset", "hapset:over=pcb"):
            self.assertIsNotNone(self.runs_to_the_bug(program, strategy, 15), strategy)

    def test_runs_do_not_grow_faster_than_threads(self):
        few, many = (self.runs_to_the_bug(self.program("aget", THREADS=n), "hapset", 200) for n in (2, 8))
        self.assertLessEqual(many, 4 * few)

    def test_more_workers_take_more_runs_by_a_fixed_number(self):
        two, three, four = (self.runs_to_the_bug(self.program("thread_manager", WORKERS=n), "hapset", 400)
                            for n in (2, 3, 4))
        self.assertLessEqual(four - three, 2 * (three - two))

    def test_what_was_seen_is_kept_and_guides_the_next_search(self):
        program, kept = self.program("timer_thread"), os.path.join(self.out, "seen.hapset")
        command = ("run", "--strategy=hapset", "--keep-going", "--workers=1", "--races=off", f"--hapset={kept}", "--", program)
        first = self.tool.call(*command, out=self.out)
        seen, new = self.counts(first.output)
        self.assertEqual(seen, new)
        self.assertGreater(seen, 0)
        with open(kept, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(len([line for line in lines if line.startswith("seen ")]), seen)
        never = [line for line in lines if line.startswith("never ")]
        self.assertTrue(any("timer_thread.cpp:" in line for line in never), never)
        second = self.tool.call(*command, out=self.out)
        seen_then, new_then = self.counts(second.output)
        self.assertEqual(seen_then, seen + new_then)
        self.assertLess(second.result["runs"], first.result["runs"])

    def counts(self, output):
        found = re.search(r"HaPSets: (\d+) ordered pairs .* so far, (\d+) of them for the first time", output)
        self.assertIsNotNone(found, output)
        return int(found[1]), int(found[2])

    def locks(self):
        return self.tool.compile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hapset_locks.cpp"))

    def seen(self, kept, strategy="hapset", arguments=()):
        """The pairs that the file has after the search, and what the search says of them."""
        ended = self.tool.call("run", f"--strategy={strategy}", "--workers=1", "--races=off", f"--hapset={kept}", "--",
                               self.locks(), *arguments, out=self.out)
        self.assertIn(ended.code, (tool.FINE, tool.FINDING), ended.output)
        with open(kept, encoding="utf-8") as file:
            return [line for line in file.read().splitlines() if line.startswith("seen ")], self.counts(ended.output)

    def test_unlocks_are_statements_of_recursive_locks_only(self):
        pairs, _ = self.seen(os.path.join(self.out, "seen.hapset"))
        statements = {statement for pair in pairs for statement in pair.split(" # ")[1].split(" behind ")}
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hapset_locks.cpp"), encoding="utf-8") as file:
            line_of = {line.strip(): number for number, line in enumerate(file, 1)}

        def statement(call, kind):
            return f"hapset_locks.cpp:{line_of[call]} {kind}"
        self.assertIn(statement("pthread_mutex_lock(&plain);", "lock"), statements)
        self.assertNotIn(statement("pthread_mutex_unlock(&plain);", "unlock"), statements)
        self.assertIn(statement("pthread_mutex_unlock(&recursive);", "unlock"), statements)

    def test_sets_of_different_inputs_are_merged(self):
        kept = os.path.join(self.out, "seen.hapset")
        first, (seen, new) = self.seen(kept)
        self.assertEqual((len(first), len(first)), (seen, new))
        # Another input comes by other call sites: other statements.
        both, (seen, new) = self.seen(kept, arguments=["more"])
        self.assertEqual((len(both), len(both) - len(first)), (seen, new))
        self.assertGreater(new, 0)
        self.assertTrue(set(first) <= set(both))
        again, (_, new) = self.seen(kept)
        self.assertEqual((set(again), new), (set(both), 0))

    def test_statements_are_told_apart_by_as_many_call_sites_as_asked_for(self):
        sizes = [self.seen(os.path.join(self.out, f"{sites}.hapset"), f"hapset:ctx={sites}")[1][0] for sites in (0, 1, 2, 9)]
        self.assertEqual(sizes, sorted(sizes))
        self.assertLess(sizes[0], sizes[-1])
        # They are not mixed.
        kept = os.path.join(self.out, "9.hapset")
        other = self.tool.call("run", "--strategy=hapset", f"--hapset={kept}", "--", self.locks(), out=self.out)
        self.assertEqual(other.code, tool.ENVIRONMENT, other.output)
        self.assertIn("ctx=9", other.output)

    def test_hapsets_of_another_build_are_refused(self):
        kept = os.path.join(self.out, "seen.hapset")
        options = ("run", "--strategy=hapset", "--runs=2", "--workers=1", f"--hapset={kept}", "--")
        self.tool.call(*options, self.program("timer_thread"), out=self.out)
        other = self.tool.call(*options, self.program("mysql_log"), out=self.out)
        self.assertEqual(other.code, tool.ENVIRONMENT, other.output)
        self.assertIn("another build", other.output)

    def refused(self, kept):
        ended = self.tool.call("run", "--strategy=hapset", "--runs=2", "--workers=1", f"--hapset={kept}", "--", self.locks(),
                               out=self.out)
        self.assertEqual(ended.code, tool.ENVIRONMENT, ended.output)
        return ended.output

    def test_a_file_that_was_cut_off_is_refused(self):
        kept = os.path.join(self.out, "seen.hapset")
        self.seen(kept)
        with open(kept, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        for left in (len(lines) - 1, len(lines) // 2, 5):
            with open(kept, "w", encoding="utf-8") as file:
                file.writelines(lines[:left])
            self.assertIn("was cut off", self.refused(kept))
        with open(kept, "w", encoding="utf-8") as file:
            file.write("".join(lines)[:-200])
        self.refused(kept)

    def test_a_file_that_can_not_be_written_is_refused_before_the_search(self):
        self.assertIn("can't be written", self.refused(os.path.join(self.out, "nowhere", "seen.hapset")))
        self.assertIn("Is a directory", self.refused(self.out))
        self.assertIn("no regular file", self.refused("/dev/zero"))

    def test_what_another_search_added_meanwhile_stays(self):
        kept, other = os.path.join(self.out, "seen.hapset"), os.path.join(self.out, "other.hapset")
        self.seen(other, arguments=["more"])
        with open(other, encoding="utf-8") as file:
            added = {line for line in file.read().splitlines() if line.startswith("seen ")}
        # The program puts the other's file in place while it is searched.
        pairs, (seen, new) = self.seen(kept, arguments=["copy", other, kept])
        self.assertTrue(added <= set(pairs))
        self.assertEqual(seen, len(pairs))
        self.assertLess(new, seen)

    def test_pairs_of_a_module_that_is_not_loaded_stay(self):
        kept = os.path.join(self.out, "seen.hapset")
        self.seen(kept)
        with open(kept, encoding="utf-8") as file:
            text = file.read()
        line = "seen 1 fff 10 20 read fff 30 20 write # plugin.cpp:1 read behind plugin.cpp:2 write"
        with open(kept, "w", encoding="utf-8") as file:
            file.write(text.replace("module 0 ", "module fff /usr/lib/plugin.so\nmodule 0 ", 1)[:-len("end\n")] + line + "\nend\n")
        for _ in range(2):
            pairs, (seen, new) = self.seen(kept)
            self.assertEqual((len(pairs), new), (seen, 0))
            found, = [pair for pair in pairs if "plugin.cpp" in pair]
            with open(kept, encoding="utf-8") as file:
                number, = re.findall(r"^module (\w+) /usr/lib/plugin.so$", file.read(), re.M)
            self.assertEqual(found, line.replace("fff", number))

    def test_only_this_strategy_keeps_them(self):
        ended = self.tool.call("run", "--strategy=dpor", "--hapset=x", "--", self.program("mysql_log"), out=self.out)
        self.assertEqual(ended.code, tool.USAGE)

    def test_a_search_that_ends_says_that_it_pruned(self):
        ended = self.tool.call("run", "--strategy=hapset", "--keep-going", "--races=off", "--", self.program("mysql_log"),
                               out=self.out)
        self.assertFalse(ended.result["complete"])
        self.assertIn("pruned, not exhaustive", ended.output)


if __name__ == "__main__":
    tool.main()
