"""optimal-dpor makes as many runs as a program has classes, which are known by hand.

    class_count_test.py HEDDLE SCRATCH
"""
import math
import os
import re
import subprocess
import time

import tool


class ClassCountTest(tool.ToolTest):
    def program(self):
        return self.tool.compile(os.path.join(tool.SOURCES, "bench", "programs", "class_counts.cpp"))

    def run_heddle(self, *arguments, options=()):
        return self.tool.call("run", "--strategy=optimal-dpor", "--keep-going", *options, "--",
                              self.program(), *[str(word) for word in arguments], out=self.out)

    def explore(self, *arguments, code=tool.FINE, options=("--workers=1",)):
        ended = self.run_heddle(*arguments, options=("--runs=200000",) + tuple(options))
        self.assertEqual(ended.code, code, ended.output)
        self.assertTrue(ended.result["complete"], ended.output)
        self.assertEqual(ended.result["blocked_runs"], 0)
        self.assertEqual(ended.result["classes"], ended.result["runs"])
        return ended

    def runs(self, *arguments, options=("--workers=1",)):
        return self.explore(*arguments, options=options).result["runs"]

    def test_store_buffering(self):
        self.assertEqual(self.runs("store-buffering"), 3)

    def test_increments_behind_a_lock(self):
        for n in range(1, 5):
            self.assertEqual(self.runs("increments", n), math.comb(2 * n, n))

    def test_one_writer_and_readers(self):
        for n in range(1, 7):
            self.assertEqual(self.runs("readers", n), 2 ** n)

    def count(self, strategy, *arguments):
        """Classes, by a search that need not run each once only."""
        ended = self.tool.call("run", f"--strategy={strategy}", "--workers=1", "--runs=200000", "--", self.program(),
                               *[str(word) for word in arguments], out=self.out)
        self.assertEqual((ended.code, ended.result["complete"]), (tool.FINE, True), ended.output)
        return ended.result["classes"]

    def test_readers_of_a_read_write_lock_commute(self):
        for n in range(1, 7):
            self.assertEqual(self.runs("shared", n), 2 ** n)
        for strategy, most in (("dpor", 3), ("dfs", 2)):
            for n in range(1, most + 1):
                self.assertEqual(self.count(strategy, "shared", n), 2 ** n, (strategy, n))

    def test_posts_of_a_semaphore_commute(self):
        # One that waits for all of N posts: N = 2: behind the first, behind the second, behind both.
        for strategy in ("optimal-dpor", "dpor", "dfs"):
            self.assertEqual([self.count(strategy, "posts", n) for n in (1, 2)], [1, 3])

    def test_fib_bench(self):
        self.assertEqual(self.runs("fib", 3), 141)

    def test_philosophers_in_order(self):
        for n in (3, 4):
            self.assertEqual(self.runs("philosophers", n), 2 ** n - 2)

    def test_philosophers_who_take_the_left_fork_first(self):
        for n in (3, 4):
            ended = self.explore("left-first", n, code=tool.FINDING)
            self.assertEqual(ended.result["runs"], 2 ** n - 1)
            self.assertEqual([(f["kind"], f["hits"]) for f in ended.result["findings"]], [("deadlock", 1)])

    def test_two_locks_in_opposite_orders(self):
        ended = self.explore("opposite", code=tool.FINDING)
        self.assertEqual(ended.result["runs"], 3)
        self.assertEqual([(f["kind"], f["hits"]) for f in ended.result["findings"]], [("deadlock", 1)])

    def test_behind_a_failed_assertion_the_others_go_on(self):
        # Who fails is left behind; the search is complete all the same.
        for n in (1, 2, 4):
            ended = self.explore("failing-readers", n, code=tool.FINDING)
            self.assertEqual(ended.result["runs"], 2 ** n)
            self.assertEqual([f["kind"] for f in ended.result["findings"]], ["assertion"])
            self.assertTrue(ended.result["findings"][0]["replayed"], ended.output)

    def test_cancellation_and_signals_are_ordered_against_all_that_their_thread_does(self):
        # Before each of four operations (two stores, two looks for a cancellation), or behind all.
        self.assertEqual(self.runs("cancel"), 5)
        for strategy, shape in (("dfs", "cancel"), ("dpor", "cancel"), ("dfs", "signal")):
            ended = self.tool.call("run", f"--strategy={strategy}", "--workers=1", "--keep-going", "--",
                                   self.program(), shape, out=self.out)
            self.assertEqual((ended.result["classes"], ended.result["complete"]), (5, True), ended.output)

    def test_where_a_signal_is_sent_only_dfs_claims_to_be_complete_and_auto_goes_on_sampling(self):
        for strategy in ("dpor", "optimal-dpor"):
            ended = self.tool.call("run", f"--strategy={strategy}", "--", self.program(), "signal", out=self.out)
            self.assertFalse(ended.result["complete"], ended.output)
        ended = self.tool.call("run", "--runs=300", "--", self.program(), "signal", out=self.out)
        self.assertEqual((ended.result["runs"], ended.result["classes"]), (300, 5), ended.output)

    def test_waiting_in_a_loop_is_explored_once_per_outcome_not_once_per_round(self):
        for strategy in ("optimal-dpor", "dpor", "dfs"):
            ended = self.tool.call("run", f"--strategy={strategy}", "--workers=1", "--", self.program(), "await", "1",
                                   out=self.out)
            self.assertEqual((ended.result["classes"], ended.result["complete"]), (1, True), ended.output)
        # Without that there is a class for every number of rounds, up to the limit of steps.
        counts = []
        for steps in (30, 60):
            ended = self.tool.call("run", "--strategy=optimal-dpor:await=off", f"--max-steps={steps}", "--workers=1",
                                   "--", self.program(), "await", "1", out=self.out)
            self.assertFalse(ended.result["complete"])
            counts.append(ended.result["runs"])
        self.assertEqual(counts[1] - counts[0], 30, counts)

    def test_what_fails_behind_a_failure_in_the_same_run_is_found_too(self):
        ended = self.explore("both-fail", code=tool.FINDING)
        self.assertEqual(ended.result["runs"], 1)
        self.assertEqual([(f["kind"], f["replayed"]) for f in ended.result["findings"]],
                         [("assertion", True)] * 2, ended.output)
        for which in ("the first", "the second"):
            self.assertIn(which, ended.output)

    def test_what_fails_only_behind_a_failure_is_found_too(self):
        """The first thread fails right behind what the second one needs: no schedule shows the second failure alone."""
        ended = self.run_heddle("second-behind-first", 0, options=("--workers=1", "--keep-going"))
        self.assertEqual([(f["kind"], f["replayed"]) for f in ended.result["findings"]],
                         [("assertion", True)] * 2, ended.output)
        for which in ("the first", "the second"):
            self.assertTrue(any(which in f["message"] for f in ended.result["findings"]), ended.output)

    def test_every_search_that_is_complete_has_looked_behind_failures(self):
        for strategy in ("dfs", "baseline", "pcb:bound=9", "delay:bound=99", "dpor", "optimal-dpor"):
            for shape, kinds in (("second-behind-first", ["assertion", "assertion"]),
                                 ("opposite-behind-first", ["assertion", "deadlock"])):
                ended = self.tool.call("run", f"--strategy={strategy}", "--workers=1", "--keep-going", "--races=off", "--",
                                       self.program(), shape, out=self.out)
                self.assertEqual(sorted(f["kind"] for f in ended.result["findings"]), kinds, ended.output)
                self.assertTrue(ended.result["complete"], ended.output)

    def test_how_many_runs_there_are_is_estimated(self):
        cut = self.run_heddle("readers", 12, options=("--workers=1", "--runs=1500"))
        estimate = cut.result["estimated_runs"]
        self.assertLessEqual(estimate["low"], 4096)
        self.assertGreaterEqual(estimate["high"], 4096)
        self.assertGreater(estimate["seconds_left"], 0)
        self.assertIn("In all there are about", cut.output)
        done = self.explore("readers", 5).result["estimated_runs"]
        self.assertEqual((done["low"], done["runs"], done["high"], done["seconds_left"]), (32, 32, 32, 0))

    def test_a_search_that_was_cut_off_is_resumed(self):
        cut = self.run_heddle("fib", 3, options=("--workers=1", "--runs=50"))
        self.assertFalse(cut.result["complete"])
        rest = self.explore("fib", 3, options=("--workers=1", "--resume"))
        self.assertEqual(cut.result["runs"] + rest.result["runs"], 141)
        self.assertIn("resumed behind 50 runs", rest.output)

    def test_a_search_that_was_killed_is_resumed(self):
        # Where a search is over before its state is on disk, which takes seconds, the next one is twice as long.
        size = next(n for n in range(13, 18) if self.kill_in_the_middle("readers", n))
        rest = self.explore("readers", size, options=("--workers=1", "--resume"))
        before = int(re.search(r"resumed behind ([\d,]+) runs", rest.output)[1].replace(",", ""))
        self.assertGreater(before, 0)
        self.assertEqual(before + rest.result["runs"], 2 ** size)

    def kill_in_the_middle(self, *arguments):
        """Whether the search was killed behind its first saving; if not, it came to its end."""
        killed = subprocess.Popen([self.tool.heddle, "run", "--strategy=optimal-dpor", "--runs=100000000", "--time=10h", "--workers=1",
                                   "--out", self.out, "--", self.program(), *map(str, arguments)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(killed.wait)
        self.addCleanup(killed.kill)
        while killed.poll() is None:
            if self.saved_states():
                killed.kill()
                killed.wait()
                return bool(self.saved_states())
            time.sleep(0.02)
        return False

    def saved_states(self):
        return [name for name in os.listdir(self.out) if name.startswith("search-") and ".tmp." not in name]

    def test_a_search_of_other_options_is_not_resumed(self):
        self.run_heddle("fib", 3, options=("--workers=1", "--runs=50"))
        other = self.run_heddle("fib", 3, options=("--workers=1", "--seed=2", "--resume"))
        self.assertEqual(other.code, tool.ENVIRONMENT)
        self.assertIn("--seed=1", other.output)

    def test_two_workers_and_the_baton_explore_the_same(self):
        for options in (("--workers=2",), ("--workers=1", "--backend=baton")):
            self.assertEqual(self.runs("fib", 3, options=options), 141)


if __name__ == "__main__":
    tool.main()
