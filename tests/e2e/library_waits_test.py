"""heddle::Explore of bodies that wait in loops: a run that is given up as redundant leaves nothing to the next.

    library_waits_test.py HEDDLE SCRATCH
"""
import json
import math
import os
import subprocess

import tool

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "library_waits.cpp")


class LibraryWaitsTest(tool.ToolTest):
    def explore(self, body, strategy, isolation="batch", environment=None):
        program = self.tool.compile(SOURCE, flags=["-g1"])
        done = subprocess.run([program, body, strategy, isolation], cwd=self.out, stdin=subprocess.DEVNULL,
                              env=dict(os.environ, **(environment or {})), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=tool.HUNG_AFTER, check=False)
        self.output = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, self.output)
        result = json.loads(done.stdout.splitlines()[0])
        self.assertEqual((result["error"], result["leaks"]), ("", False), self.output)
        return result

    def check_like_processes(self, body, strategy):
        """The search in one process, after it was compared with one of a process for each run."""
        batch, process = [self.explore(body, strategy, isolation) for isolation in ("batch", "process")]
        self.assertGreaterEqual(process["processes"], process["runs"])
        for key in ("runs", "blocked", "classes", "complete"):
            self.assertEqual(batch[key], process[key], (body, strategy, key, self.output))
        # How often is another thing: what the points and loops are, each learns in its own way.
        self.assertEqual(batch["outcomes"].keys(), process["outcomes"].keys(), self.output)
        self.assertEqual(sorted(finding[0] for finding in batch["findings"]),
                         sorted(finding[0] for finding in process["findings"]), self.output)
        return batch

    def test_redundant_runs_follow_each_other_in_one_process(self):
        for strategy in ("optimal-dpor", "dpor"):
            with self.subTest(strategy=strategy):
                found = self.check_like_processes("global-lock", strategy)
                orders = math.comb(6, 3)
                self.assertEqual((found["classes"], found["complete"], found["findings"]), (orders, True, []))
                self.assertEqual(len(found["outcomes"]), orders)
                self.assertGreater(found["blocked"], 10)
                # One per set of scheduling points and loops, which is learnt first.
                self.assertLess(found["processes"], 5, self.output)

    def test_backends_agree(self):
        fiber, baton = [self.explore("global-lock", "optimal-dpor", environment={"HEDDLE_BACKEND": backend})
                        for backend in tool.BACKENDS]
        self.assertEqual(fiber, baton)

    def test_loops_of_several_reads(self):
        found = self.check_like_processes("turns", "optimal-dpor")
        self.assertTrue(found["complete"] and not found["findings"], self.output)
        self.assertGreater(found["blocked"], 0)
        self.assertLess(found["processes"], 6, self.output)

    def test_what_fails_behind_a_redundant_run_ends_only_its_process(self):
        found = self.check_like_processes("fails-inside", "optimal-dpor")
        self.assertEqual({(kind, replayed) for kind, _, replayed in found["findings"]},
                         {("assertion", True), ("deadlock", True)}, self.output)
        self.assertTrue(found["complete"], self.output)

    def test_a_wait_for_a_plain_variable_is_seen(self):
        for strategy in ("optimal-dpor", "dfs", "random"):
            for isolation in ("batch", "process"):
                with self.subTest(strategy=strategy, isolation=isolation):
                    found = self.explore("plain-flag", strategy, isolation, environment={"HEDDLE_RUNS": "200"})
                    self.assertEqual((found["findings"], list(found["outcomes"])), ([], ["7"]), self.output)
                    if strategy != "random":
                        self.assertEqual((found["classes"], found["complete"]), (1, True), self.output)


if __name__ == "__main__":
    tool.main()
