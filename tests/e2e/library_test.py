"""heddle::Explore in a plain program: what it finds, what it survives, what a run must not see of another.

    library_test.py HEDDLE SCRATCH
"""
import glob
import json
import os
import shutil
import subprocess
import time

import tool

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "library.cpp")


class LibraryTest(tool.ToolTest):
    def program(self):
        # Lines are enough: every finding is symbolized.
        return self.tool.compile(SOURCE, flags=["-g1"])

    def explore(self, body, *options, code=0, environment=None, program=None, races="off"):
        done = subprocess.run([program or self.program(), body, *options, f"races={races}"], cwd=self.out,
                              env=dict(os.environ, **(environment or {})), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                              timeout=tool.HUNG_AFTER, check=False)
        self.output = done.stdout + done.stderr
        self.assertEqual(done.returncode, code, self.output)
        if code != 0:
            return None
        result = json.loads(done.stdout.splitlines()[0])
        self.assertEqual(result["error"], "", self.output)
        result["kinds"] = [finding["kind"] for finding in result["findings"]]
        return result

    def test_finds_and_replays_a_lost_update(self):
        for isolation in ([], ["isolation=process"]):
            result = self.explore("lost-update", *isolation)
            self.assertEqual((result["ok"], result["kinds"]), (False, ["assertion"]), self.output)
            self.assertTrue(result["findings"][0]["replayed"], self.output)
            self.assertIn("heddle replay assertion-", self.output)

    def test_races_are_findings_that_end_nothing(self):
        # Two threads that read and write: a read races with the other's write, the writes with each other.
        for isolation in ([], ["isolation=process"]):
            result = self.explore("lost-update", "strategy=dfs", "keep-going=1", *isolation, races="on")
            self.assertEqual([(f["kind"], f["hits"], f["replayed"]) for f in result["findings"]],
                             [("assertion", 4, True), ("race", 6, True), ("race", 6, True)], self.output)
            self.assertEqual(result["runs"], 6)
            self.assertIn("nothing orders the two", self.output)
        result = self.explore("locked", "strategy=dfs", races="on")
        self.assertEqual((result["ok"], result["complete"]), (True, True), self.output)

    def test_a_lock_that_nobody_sees_is_waited_for(self):
        # The warm-up meets no lock that is taken; whichever run does ends there, and the search begins anew.
        for strategy in ("random", "optimal-dpor"):
            result = self.explore("unseen-lock", f"strategy={strategy}", "runs=500", races="on")
            self.assertEqual((result["ok"], result["complete"]), (True, False), self.output)
            self.assertGreater(result["runs"], 1, self.output)
            self.assertIn("waiting in a loop that heddle does not see at library.cpp", self.output)
            self.assertNotIn("lost its place", self.output)

    def test_a_body_that_hangs_is_found_within_its_time(self):
        # 10 s without an event are a hang; whoever makes it again knows, and waits less.
        started = time.monotonic()
        result = self.explore("hang-at-once", "time=20s", environment={"HEDDLE_TIME": ""})
        self.assertEqual((result["kinds"], result["findings"][0]["replayed"]), (["livelock"], True), self.output)
        self.assertLess(time.monotonic() - started, 40)

    def test_a_run_that_does_not_get_on_when_the_time_is_over_is_cut_off_and_told(self):
        result = self.explore("hang-late", "time=3s", environment={"HEDDLE_TIME": ""})
        self.assertEqual(result["kinds"], [], self.output)
        self.assertIn("The time was over while a run did not get on", self.output)

    def test_a_body_may_forbid_itself_more_memory(self):
        for isolation in ([], ["isolation=process"]):
            for backend in tool.BACKENDS:
                result = self.explore("no-more-memory", "runs=100", *isolation, environment={"HEDDLE_BACKEND": backend})
                self.assertEqual(result["kinds"], [], self.output)

    def test_random_samples_the_same_runs_on_both_backends(self):
        fiber, baton = [self.explore("lost-update", "runs=400", "keep-going=1", "strategy=random",
                                     environment={"HEDDLE_BACKEND": backend}) for backend in tool.BACKENDS]
        self.assertEqual(fiber, baton)
        self.assertEqual((fiber["runs"], sum(fiber["outcomes"].values())), (400, 400))

    def test_runs_in_process_are_those_of_processes_of_their_own(self):
        # The first run of a process learns the scheduling points; in process the warm-up has done that.
        batch, process = [self.explore("lost-update", "runs=400", "keep-going=1", "strategy=random", *isolation)
                          for isolation in ([], ["isolation=process"])]
        self.assertEqual((batch["classes"], batch["findings"][0]["fingerprint"]),
                         (process["classes"], process["findings"][0]["fingerprint"]))
        self.assertLessEqual(abs(batch["outcomes"]["1"] - process["outcomes"]["1"]), 1)

    def test_dfs_counts_exactly_and_goes_on_after_every_failure(self):
        # Two threads with a read and a write each: 6 interleavings, 4 of them lose an update.
        result = self.explore("lost-update", "strategy=dfs", "keep-going=1")
        self.assertEqual((result["runs"], result["complete"]), (6, True), self.output)
        self.assertEqual([(f["kind"], f["hits"]) for f in result["findings"]], [("assertion", 4)])
        self.assertEqual(result["outcomes"], {"1": 4, "2": 2})

    def test_behind_a_failure_the_others_go_on(self):
        for isolation in ([], ["isolation=process"]):
            result = self.explore("failing-readers", "strategy=optimal-dpor", "keep-going=1", *isolation)
            self.assertEqual((result["runs"], result["classes"], result["complete"]), (8, 8, True), self.output)
            self.assertEqual(result["kinds"], ["assertion"], self.output)

    def test_what_fails_behind_a_failure_in_the_same_run_is_found_too(self):
        for isolation in ([], ["isolation=process"]):
            result = self.explore("both-fail", "strategy=optimal-dpor", "keep-going=1", *isolation)
            self.assertEqual((result["runs"], result["complete"]), (1, True), self.output)
            self.assertEqual([(f["kind"], f["replayed"]) for f in result["findings"]],
                             [("assertion", True)] * 2, self.output)

    def test_what_fails_only_behind_a_failure_is_found_too(self):
        for isolation in ([], ["isolation=process"]):
            with self.subTest(isolation=isolation):
                folder = os.path.join(self.out, "behind" + "".join(isolation))
                result = self.explore("fails-behind", "strategy=optimal-dpor", "keep-going=1", f"regressions={folder}",
                                      *isolation, environment={"HEDDLE_SAVE": "1"})
                self.assertEqual((result["runs"], result["complete"]), (2, True), self.output)
                self.assertEqual([(f["kind"], f["replayed"]) for f in result["findings"]],
                                 [("assertion", True)] * 2, self.output)
                self.assertIn("before it another thread fails", self.output)
                schedules = [os.path.join(folder, name) for name in os.listdir(folder)]
                self.assertEqual(len(schedules), 2)
                for schedule in schedules:
                    self.explore("fails-behind", *isolation, environment={"HEDDLE_REPLAY": schedule}, code=1)
                    self.assertIn("heddle: reproduced", self.output)

    def test_a_correct_body_is_proved(self):
        result = self.explore("locked", "strategy=dfs", "require-complete=1", "on-finding=fail")
        self.assertTrue(result["ok"] and result["complete"], self.output)

    def test_whatever_ends_a_run_ends_only_its_batch(self):
        for body, kind in (("deadlock", "deadlock"), ("crash", "crash"), ("throw", "exception"),
                           ("exit", "exit")):
            with self.subTest(body=body):
                result = self.explore(body, "strategy=dfs", "keep-going=1")
                self.assertEqual(result["kinds"], [kind], self.output)
                self.assertTrue(result["findings"][0]["replayed"], self.output)
                self.assertGreater(result["runs"], 1)

    def test_a_loop_that_the_last_thread_never_leaves_is_a_livelock(self):
        for body in ("spin-alone", "spin-last"):
            result = self.explore(body, "runs=300", "strategy=random")
            self.assertEqual(result["kinds"], ["livelock"], self.output)

    def test_threads_that_outlive_the_body_are_a_finding(self):
        result = self.explore("leave-thread")
        self.assertEqual(result["ok"], False, self.output)
        self.assertIn("still running", self.output)

    def test_no_search_is_complete_without_the_order_in_which_a_thread_outlives_the_body(self):
        for strategy in ("dfs", "baseline", "dpor", "optimal-dpor"):
            for isolation in ([], ["isolation=process"]):
                result = self.explore("leave-thread-late", f"strategy={strategy}", "keep-going=1", *isolation)
                self.assertEqual((result["kinds"], result["complete"]), (["misuse"], True), self.output)
                self.assertIn("still running", self.output)

    def test_what_would_come_behind_the_end_of_a_body_makes_no_runs(self):
        # The thread counts, waits twice and counts: the body's end comes before all that, behind it, or in between.
        for strategy in ("dfs", "dpor", "optimal-dpor"):
            result = self.explore("leave-waiting-thread", f"strategy={strategy}", "keep-going=1")
            self.assertEqual((result["runs"], result["classes"], result["complete"]), (5, 5, True), self.output)

    def test_a_body_that_ends_the_process_well_has_not_passed(self):
        for isolation in ([], ["isolation=process"]):
            result = self.explore("exit-with-zero", "strategy=dfs", "keep-going=1", *isolation)
            self.assertEqual(result["kinds"], ["misuse"], self.output)
            self.assertIn("the body ends the process with status 0 instead of returning", self.output)

    def test_a_lock_that_a_run_leaves_locked_is_leaked_state(self):
        result = self.explore("leave-locked", "runs=50")
        self.assertEqual((result["ok"], result["leaks"], result["runs"]), (True, True, 50), self.output)
        self.assertIn("a mutex that one run locked was still locked in another", self.output)
        self.assertNotIn("behind heddle's back", self.output)

    def test_every_outcome_is_counted(self):
        result = self.explore("many-outcomes", "runs=300", "strategy=random")
        self.assertEqual((len(result["outcomes"]), sum(result["outcomes"].values())), (128, 300), self.output)
        self.assertEqual(result["outcomes"]["(others)"], 300 - 127)

    def test_slow_runs_keep_to_the_time(self):
        # At least a tenth of a second each: ten of them, and the one that is under way.
        result = self.explore("slow", "strategy=random", environment={"HEDDLE_TIME": "1s"})
        self.assertLess(result["runs"], 16, self.output)

    def test_what_may_hide_a_failure_is_said_though_the_test_passes(self):
        self.explore("locked", "on-finding=fail", "max-steps=3", "runs=10")
        self.assertIn("10 of 10 runs were cut off after 3 events", self.output)
        self.explore("locked", "on-finding=fail", "runs=10")
        self.assertNotIn("cut off", self.output)

    def test_a_wrong_option_is_said_in_the_test(self):
        self.explore("locked", "on-finding=fail", races="maybe", code=1)
        self.assertIn("heddle::Explore failed\n--races: maybe not in {on,off}\n", self.output)
        self.explore("locked", "on-finding=fail", environment={"HEDDLE_RUNS": "10k"}, code=1)
        self.assertIn("heddle::Explore failed\nHEDDLE_RUNS=10k is not a number\n", self.output)

    def test_a_body_without_threads_runs_once(self):
        result = self.explore("one-thread")
        self.assertEqual((result["runs"], result["ok"], result["complete"]), (1, True, True), self.output)

    def test_a_run_sees_nothing_of_the_one_before(self):
        # A late scheduling point must not be taken for leaked state: random goes on with the same search behind it.
        for body, *how in (["thread-locals"], ["rounding"], ["addresses"], ["initialisation"], ["streams"], ["leak-memory"], ["late-points"],
                           ["late-points", "strategy=random"]):
            with self.subTest(body=body, how=how):
                result = self.explore(body, "runs=3000", *how)
                self.assertEqual((result["ok"], result["leaks"]), (True, False), self.output)

    def test_leaked_state_is_noticed_and_named(self):
        for body, runs in (("leak-global", 300), ("leak-seldom", 2000)):
            with self.subTest(body=body):
                result = self.explore(body, f"runs={runs}", "strategy=random")
                self.assertTrue(result["leaks"], self.output)
                self.assertIn("kProcess", self.output)
                self.assertEqual(result["runs"], runs)

    def test_a_failure_that_only_an_earlier_run_causes_is_none(self):
        for going_on in ([], ["keep-going=1"]):
            with self.subTest(going_on=going_on):
                result = self.explore("fail-after-itself", "runs=50", "strategy=random", *going_on)
                self.assertEqual((result["ok"], result["leaks"], result["runs"]), (True, True, 50), self.output)
                self.assertIn("but not in the first run of a process", self.output)

    def test_explore_fails_a_plain_program_at_its_place(self):
        self.explore("lost-update", "on-finding=fail", code=1)
        self.assertIn("library.cpp:", self.output)
        self.assertIn("heddle::Explore failed", self.output)

    def test_the_environment_overrides_the_source(self):
        result = self.explore("locked", "runs=7", environment={"HEDDLE_RUNS": "123", "HEDDLE_STRATEGY": "pos"})
        self.assertEqual(result["runs"], 123, self.output)
        self.assertIn("with pos", self.output)

    def test_committed_schedules_go_first(self):
        for isolation in ([], ["isolation=process"]):
            with self.subTest(isolation=isolation):
                folder = os.path.join(self.out, "committed" + "".join(isolation))
                # The first search saves what it finds, for whoever commits it.
                self.explore("lost-update", f"regressions={folder}", *isolation, environment={"HEDDLE_SAVE": "1"})
                saved = os.listdir(folder)
                self.assertEqual(len(saved), 1, self.output)
                # Without a search: a correct seed would find nothing in one run.
                result = self.explore("lost-update", f"regressions={folder}", *isolation)
                self.assertEqual((result["ok"], result["kinds"]), (False, ["assertion"]), self.output)
                self.assertIn(f"heddle replay {folder}/{saved[0]}", self.output)
                self.assertIn("nothing else was searched", self.output)
                # Not another test's.
                result = self.explore("locked", f"regressions={folder}", "runs=5", *isolation)
                self.assertEqual((result["ok"], result["runs"]), (True, 5), self.output)

    def test_a_committed_schedule_of_another_build_is_replayed_by_its_lines(self):
        folder = os.path.join(self.out, "committed")
        self.explore("lost-update", f"regressions={folder}", environment={"HEDDLE_SAVE": "1"})
        other = self.tool.compile(SOURCE, flags=["-g1", "-O2"], name="library_other")
        result = self.explore("lost-update", f"regressions={folder}", program=other)
        self.assertEqual(result["kinds"], ["assertion"], self.output)
        self.assertIn("nothing else was searched", self.output)

    def test_a_committed_race_is_seen_again(self):
        for isolation in ([], ["isolation=process"]):
            folder = os.path.join(self.out, "races" + "".join(isolation))
            self.explore("race", f"regressions={folder}", "runs=50", *isolation, environment={"HEDDLE_SAVE": "1"}, races="on")
            self.assertTrue(os.listdir(folder), self.output)
            result = self.explore("race", f"regressions={folder}", *isolation, races="on")
            self.assertEqual(set(result["kinds"]), {"race"}, self.output)
            self.assertIn("nothing else was searched", self.output)

    def test_a_damaged_committed_schedule_is_named_and_passed_over(self):
        folder = os.path.join(self.out, "committed")
        os.mkdir(folder)
        with open(os.path.join(folder, "broken.heddle"), "w", encoding="utf-8") as file:
            file.write("nothing\n")
        result = self.explore("locked", f"regressions={folder}", "runs=5")
        self.assertEqual(result["runs"], 5, self.output)
        self.assertIn("broken.heddle", self.output)

    def test_replays_inside_the_test_process(self):
        for body, isolation in (("lost-update", []), ("deadlock", []), ("lost-update", ["isolation=process"])):
            with self.subTest(body=body, isolation=isolation):
                folder = os.path.join(self.out, body + "".join(isolation))
                self.explore(body, f"regressions={folder}", *isolation, environment={"HEDDLE_SAVE": "1"})
                schedule = os.path.join(folder, os.listdir(folder)[0])
                self.explore(body, *isolation, environment={"HEDDLE_REPLAY": schedule}, code=1)
                self.assertIn("heddle: reproduced", self.output)
                # Other tests are passed over.
                result = self.explore("locked", *isolation, environment={"HEDDLE_REPLAY": schedule})
                self.assertEqual(result["runs"], 0)

    def test_replays_every_kind_inside_the_test_process(self):
        bodies = {"lost-update": "assertion", "crash": "crash", "throw": "exception", "exit": "exit",
                  "leave-thread": "misuse", "race": "race", "lock-order": "lock-order",
                  "use-after-free": "use-after-free", "double-free": "double-free", "livelock": "livelock",
                  "liveness": "liveness"}
        for body, kind in bodies.items():
            for isolation in ([], ["isolation=process"]) if kind in ("race", "exit") else ([],):
                with self.subTest(body=body, isolation=isolation):
                    shutil.rmtree(os.path.join(self.out, ".heddle"), ignore_errors=True)
                    result = self.explore(body, "runs=300", "strategy=random", *isolation, races="on")
                    self.assertIn(kind, result["kinds"], self.output)
                    schedule, = glob.glob(os.path.join(self.out, f".heddle/findings/{kind}-*/schedule.heddle"))[:1]
                    self.explore(body, *isolation, environment={"HEDDLE_REPLAY": schedule},
                                 code=3 if body == "exit" else 1, races="on")
                    self.assertIn("heddle: reproduced", self.output)

    def test_replays_in_a_debugger(self):
        if shutil.which("gdb") is None:
            self.skipTest("gdb is not installed")
        self.explore("lost-update")
        done = subprocess.run([self.tool.heddle, "replay", "last", "--gdb", "--out", os.path.join(self.out, ".heddle")],
                              input="bt\nquit\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=tool.HUNG_AFTER, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("LostUpdate", done.stdout)
        self.assertIn("this is the failure", done.stdout)

    def test_without_instrumentation_the_body_runs_once_natively(self):
        program = os.path.join(self.out, "native")
        subprocess.run(["g++", "-std=c++20", f"-I{tool.SOURCES}/include", SOURCE, "-o", program, "-pthread"],
                       check=True)
        result = self.explore("locked", program=program)
        self.assertEqual((result["runs"], result["explored"]), (1, False), self.output)
        self.assertIn("natively", self.output)

    def test_under_heddle_run_the_outer_search_owns_the_schedule(self):
        ended = self.search(self.program(), "--strategy=dfs", arguments=["lost-update"])
        self.assertEqual(ended.failures(), ["assertion"], ended.output)


if __name__ == "__main__":
    tool.main()
