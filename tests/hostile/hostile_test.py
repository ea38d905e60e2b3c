"""heddle survives whatever the program under test does, and says what happened.

    hostile_test.py HEDDLE SCRATCH
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import tool  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile.cpp")


def processes_of(program):
    """The living processes that run this program."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{name}/exe") != os.path.realpath(program):
                continue
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                if file.read().rpartition(")")[2].split()[0] not in "ZX":
                    found.append(int(name))
        except OSError:
            continue
    return found


def wait_until(condition, seconds=300):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class HostileTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        # A program of its own per test: who is left behind is known by its name.
        compiled = self.tool.compile(SOURCE)
        self.program = os.path.join(self.out, "hostile")
        shutil.copy(compiled, self.program)
        self.addCleanup(self.leave_nobody)

    def leave_nobody(self):
        left = processes_of(self.program)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "processes of the program outlive heddle")

    def meet(self, what, *options, backends=tool.BACKENDS, runs=50, hang_time="10s"):
        """The search of one hostile program; heddle ends by itself, with a code that is not its own bug."""
        for backend in backends:
            ended = self.search(self.program, f"--runs={runs}", f"--hang-time={hang_time}",
                                f"--backend={backend}", *options, arguments=[what])
            self.assertIn(ended.code, (tool.FINE, tool.FINDING, tool.ENVIRONMENT), ended.output)
            self.assertTrue(wait_until(lambda: not processes_of(self.program)), "a worker is left")
            yield ended

    def expect(self, what, kind, text, *options, **how):
        for ended in self.meet(what, *options, **how):
            self.assertEqual((ended.code, ended.failures()), (tool.FINDING, [kind]), ended.output)
            self.assertIn(text, ended.output)

    def expect_clean(self, what, **how):
        for ended in self.meet(what, **how):
            self.assertEqual((ended.code, ended.kinds()), (tool.FINE, []), ended.output)

    def expect_survival(self, what):
        for ended in self.meet(what, hang_time="1s"):
            self.assertTrue(ended.output.strip(), "heddle says nothing")

    def test_a_crash_before_main_is_a_finding(self):
        self.expect("crash-before-main", "crash", "before main")

    def test_an_exit_before_main_is_an_exit(self):
        self.expect("exit-before-main", "exit", "status 4")

    def test_a_loop_before_main_is_said(self):
        for ended in self.meet("loop-before-main", hang_time="1s"):
            self.assertEqual(ended.code, tool.ENVIRONMENT, ended.output)

    def test_a_program_that_closes_all_descriptors_is_searched(self):
        self.expect("close-all", "assertion", "counter == 2")

    def test_a_program_that_closes_its_standard_streams_is_searched(self):
        self.expect("close-stdio", "assertion", "counter == 2")

    def test_a_program_that_takes_its_own_limits_away_is_searched(self):
        self.expect("limits", "assertion", "counter == 2")

    def test_a_loop_without_a_scheduling_point_ends_by_the_watchdog(self):
        for ended in self.meet("loop", hang_time="1s"):
            self.assertNotEqual(ended.code, tool.FINE, ended.output)
            self.assertIn("--hang-time", ended.output)

    def test_a_loop_of_events_ends_by_the_step_limit(self):
        for ended in self.meet("loop-with-events", "--max-steps=20000", runs=3):
            self.assertIn("--max-steps", ended.output)

    def test_a_read_that_blocks_for_ever_ends_by_the_watchdog(self):
        for ended in self.meet("block", hang_time="1s"):
            self.assertNotEqual(ended.code, tool.FINE, ended.output)
            self.assertIn("hostile.cpp", ended.output)

    def test_allocating_until_the_end_is_a_finding(self):
        for what in ("allocate", "allocate-mmap"):
            for ended in self.meet(what, "--memory=256M"):
                self.assertEqual(ended.code, tool.FINDING, ended.output)
                self.assertIn("--memory", ended.output)

    def test_writing_over_its_heap_ends_in_order(self):
        self.expect_survival("scribble-heap")

    def test_writing_over_everything_ends_in_order(self):
        self.expect_survival("scribble-everything")

    def test_writing_over_what_it_shares_with_heddle_ends_in_order(self):
        for what in ("scribble-channel", "scribble-channel-rarely", "zero-channel", "ones-channel",
                     "unmap-channel"):
            with self.subTest(what=what):
                self.expect_survival(what)

    def test_a_program_that_forks_is_searched_and_the_fork_named(self):
        for ended in self.meet("fork"):
            self.assertEqual((ended.code, ended.failures()), (tool.FINDING, ["assertion"]), ended.output)
            self.assertIn("fork", [item["what"] for item in ended.result["uncontrolled"]])

    def test_a_program_that_becomes_another_one_ends_as_that_one(self):
        self.expect_clean("exec")
        for ended in self.meet("exec"):
            self.assertFalse(ended.result["starts_no_thread"], ended.output)
        self.expect("exec-fails", "exit", "status 1")

    def test_a_killed_run_is_a_crash(self):
        self.expect("kill-itself", "crash", "SIGKILL")

    def test_a_stopped_run_is_not_waited_for(self):
        for ended in self.meet("stop-itself", hang_time="1s"):
            self.assertNotEqual(ended.code, tool.FINE, ended.output)

    def test_a_program_that_kills_the_worker_is_reported(self):
        for what in ("kill-the-worker", "kill-the-group"):
            with self.subTest(what=what):
                for ended in self.meet(what, hang_time="1s"):
                    self.assertNotEqual(ended.code, tool.FINE, ended.output)

    def test_leaving_by_a_raw_system_call_is_an_exit(self):
        self.expect("raw-exit", "exit", "status 5")

    def test_a_thread_that_leaves_by_a_raw_system_call_is_not_waited_for(self):
        for ended in self.meet("raw-exit-of-thread", hang_time="1s"):
            self.assertIn("syscall(SYS_exit)", [item["what"] for item in ended.result["uncontrolled"]])
            self.assertFalse(ended.result["starts_no_thread"], ended.output)

    def test_100_megabytes_of_output_are_bounded(self):
        for ended in self.meet("print", runs=4, backends=("fiber",)):
            self.assertLess(len(ended.output), 1 << 20)
            size = sum(os.path.getsize(os.path.join(folder, name))
                       for folder, _, names in os.walk(self.out) for name in names if name != "hostile")
            self.assertLess(size, 20 << 20)

    def test_a_fault_that_the_program_handles_is_no_crash(self):
        self.expect_clean("jump-out")

    def test_a_stack_overflow_is_a_crash(self):
        self.expect("overflow", "crash", "SIGSEGV")
        self.expect("overflow-in-thread", "crash", "SIGSEGV")

    def test_500_threads_are_fine(self):
        self.expect_clean("many-threads", runs=3)

    def test_a_detached_thread_may_still_run_at_the_end(self):
        self.expect_clean("detached-at-exit")


class InterruptTest(tool.ToolTest):
    """Ends of heddle itself, in the middle of a search."""

    def start(self):
        """A heddle that has found something, and that would go on for hours."""
        compiled = self.tool.compile(os.path.join(tool.SOURCES, "examples", "lost_update.cpp"))
        self.program = os.path.join(self.out, "lost_update")
        shutil.copy(compiled, self.program)
        self.json = os.path.join(self.out, "result.json")
        command = [self.tool.heddle, "run", "--strategy=random", "--runs=1000000000", "--time=10h", "--keep-going", "--out",
                   self.out, "--json", self.json, "--", self.program]
        heddle = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        self.addCleanup(heddle.stdout.close)
        self.addCleanup(heddle.wait)
        self.addCleanup(heddle.kill)
        last = os.path.join(self.out, "last")
        self.assertTrue(wait_until(lambda: os.path.exists(last)), "nothing was stored during the search")
        return heddle

    def interrupt(self, number):
        heddle = self.start()
        heddle.send_signal(number)
        output, _ = heddle.communicate(timeout=tool.HUNG_AFTER)
        self.assertEqual(heddle.returncode, tool.FINDING, output)
        with open(self.json, encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual(result["stopped_by"], "interrupted")
        kinds = [finding["kind"] for finding in result["findings"]]
        self.assertEqual([kind for kind in kinds if kind != "race"], ["assertion"])
        again = self.tool.call("replay", "last", out=self.out)
        self.assertEqual(again.code, tool.FINDING, again.output)
        self.assertTrue(wait_until(lambda: not processes_of(self.program)), "a worker is left")

    def test_an_interrupt_writes_the_json_and_keeps_what_was_found(self):
        self.interrupt(signal.SIGINT)

    def test_a_termination_writes_the_json_and_keeps_what_was_found(self):
        self.interrupt(signal.SIGTERM)

    def test_a_killed_heddle_keeps_what_it_found_and_leaves_no_worker_behind(self):
        heddle = self.start()
        heddle.kill()
        heddle.wait()
        self.assertTrue(wait_until(lambda: not processes_of(self.program)), "a worker is left")
        again = self.tool.call("replay", "last", out=self.out)
        self.assertEqual(again.code, tool.FINDING, again.output)


if __name__ == "__main__":
    tool.main()
