"""Checkpoints: the same runs, wherever they begin; and no process is left behind.

    checkpoint_test.py HEDDLE SCRATCH

HEDDLE_CHECKPOINT_PROGRAMS=all compares on every program of tests/programs.
"""
import os
import random
import re
import signal
import subprocess
import sys
import time

import tool

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(os.path.dirname(HERE), "programs")
STRATEGIES = ("dfs", "pcb:bound=1", "baseline", "dpor", "optimal-dpor", "hapset")
# One of each kind: what its threads wait for, and how it ends.
CHOSEN = ("cond_which_waiter.cpp", "mutex_timed.c", "barrier_rounds.c", "deadlock_three.cpp", "two_bugs.cpp",
          "signal_to_thread.c", "robust_owner_died.c")
MOST_CHECKPOINTS = 8  # of a worker, kMaxCheckpoints

sys.path.insert(0, os.path.join(os.path.dirname(HERE), "hostile"))
from faults_test import descendants, process_table  # noqa: E402
from hostile_test import wait_until  # noqa: E402


def processes_of(program):
    """Ids of the processes that run it."""
    ids = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.samefile(f"/proc/{name}/exe", program):
                ids.append(name)
        except OSError:
            continue
    return ids


def checkpoints_of(heddle):
    """What stands or goes on at a checkpoint: neither the worker nor a run that has left none yet."""
    table = process_table()
    below = descendants(heddle, table)
    parents = {pid: parent for pid, parent, _ in table if pid in below}
    workers = {pid for pid, parent in parents.items() if parent == heddle}
    return sorted(pid for pid, parent in parents.items()
                  if pid not in workers and (parent not in workers or pid in parents.values()))


class CheckpointTest(tool.ToolTest):
    def list_runs(self, program, strategy, mode, *arguments, most=60):
        """A line for each run, and what was said of checkpoints."""
        done = subprocess.run([os.path.join(self.tool.scratch, "list_runs"), strategy, mode, str(most), program, *arguments],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=tool.HUNG_AFTER, check=False)
        self.assertEqual(done.returncode, 0, f"{program} {strategy} {mode}: {done.stdout[-2000:]}")
        *runs, last = done.stdout.splitlines()
        complete, _, said = last.partition(" ")
        return runs + [complete], said

    def compare(self, program, strategy, *arguments, mode="on", most=60):
        """The same runs without and with checkpoints; how many went on from one, and what was said."""
        without, _ = self.list_runs(program, strategy, "off", *arguments, most=most)
        made, said = self.list_runs(program, strategy, mode, *arguments, most=most)
        for one, other in zip(without, made):
            self.assertEqual(one, other, f"{program} {strategy} {arguments}")
        self.assertEqual(len(without), len(made), f"{program} {strategy}")
        used = re.search(r"(\d+) runs went on", said)
        return int(used.group(1)) if used else 0, said

    def test_every_program_has_the_same_runs_with_every_strategy(self):
        everything = os.environ.get("HEDDLE_CHECKPOINT_PROGRAMS") == "all"
        names = CHOSEN if not everything else sorted(
            name for name in os.listdir(PROGRAMS) if name.endswith((".c", ".cpp")))
        used = {}
        for name in names:
            program = self.tool.compile(os.path.join(PROGRAMS, name))
            for strategy in STRATEGIES:
                with self.subTest(program=name, strategy=strategy):
                    used[strategy] = used.get(strategy, 0) + self.compare(program, strategy, most=30)[0]
        for strategy in STRATEGIES:
            self.assertGreater(used[strategy], 20, used)

    def test_everything_a_run_has_comes_along(self):
        program = self.tool.compile(os.path.join(HERE, "checkpoint_state.cpp"))
        for strategy in STRATEGIES:
            used, said = self.compare(program, strategy, "read", most=100)
            self.assertGreater(used, 10, f"{strategy}: {said}")

    def test_what_a_copy_would_share_forbids_it(self):
        file = os.path.join(self.out, "file")
        with open(file, "w", encoding="utf-8"):
            pass
        program = self.tool.compile(os.path.join(HERE, "checkpoint_state.cpp"))
        for what, reason in {"file": "temporary files", "open": "opened, closed", "pipe": "pipes, sockets",
                             "socket": "pipes, sockets", "memory": "memory that it shares", "close": "opened, closed",
                             "write": "written or changed files", f"rename={file}": "written or changed files",
                             f"unlink={file}": "written or changed files", f"touch={file}": "written or changed files"}.items():
            self.compare(program, "dpor", what, most=40)  # before it happens there may be some
            self.assertIn(reason, self.compare(program, "optimal-dpor", what, "early", most=40)[1])

    def test_a_long_beginning_makes_no_difference_either(self):
        """Whether auto leaves checkpoints here depends on the machine; what it finds does not."""
        program = self.tool.compile(os.path.join(HERE, "checkpoint_prologue.cpp"))
        self.compare(program, "dpor", "5000", mode="auto", most=20)
        self.compare(program, "optimal-dpor", "5000", mode="auto", most=20)
        self.assertGreater(self.compare(program, "optimal-dpor", "5000", mode="on", most=20)[0], 10)

    def test_the_command_says_what_was_saved_and_finds_the_same(self):
        program = self.tool.compile(os.path.join(HERE, "checkpoint_prologue.cpp"))
        ended = {}
        for mode in ("off", "on"):
            for workers in (1, 2):
                one = self.tool.call("run", f"--workers={workers}", "--strategy=optimal-dpor", f"--checkpoint={mode}",
                                     "--", program, "50", out=self.out)
                self.assertEqual(one.code, tool.FINE, one.output)
                self.assertTrue(one.result["complete"], one.output)
                ended[mode, workers] = (one.result["classes"], one.result["runs"])
                self.assertEqual("checkpoints" in one.result, mode == "on", one.output)
                self.assertEqual("runs went on from one" in one.output, mode == "on", one.output)
        self.assertEqual(len(set(ended.values())), 1, ended)

    def test_a_finding_from_a_checkpoint_is_replayed_from_the_start(self):
        program = self.tool.compile(os.path.join(PROGRAMS, "two_bugs.cpp"))
        behaviours = [self.search(program, "--strategy=dfs", f"--checkpoint={mode}", "--keep-going", "--runs=300").behaviour()
                      for mode in ("off", "on")]
        self.assertEqual(*behaviours)
        self.assertTrue(behaviours[0]["findings"] and all(finding[4] for finding in behaviours[0]["findings"]))

    def start(self, program, *options, strategy="dfs", arguments=("40",), stdout=subprocess.DEVNULL):
        heddle = subprocess.Popen([self.tool.heddle, "run", f"--strategy={strategy}", "--checkpoint=on", "--workers=1",
                                   "--runs=100000000", "--time=10h", "--out", self.out, *options, "--", program, *arguments],
                                  stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.STDOUT)
        self.addCleanup(heddle.wait)
        self.addCleanup(heddle.kill)
        return heddle

    def own_copy(self):
        """A program that no other test runs, so that its processes are ours."""
        program = os.path.join(self.out, f"prologue{os.getpid()}")
        os.symlink(self.tool.compile(os.path.join(HERE, "checkpoint_prologue.cpp")), program)
        return program

    def test_processes_do_not_pile_up_and_none_outlives_heddle(self):
        heddle = self.start(self.own_copy())
        most = 0
        self.assertTrue(wait_until(lambda: len(descendants(heddle.pid)) >= 3))
        for _ in range(40):
            most = max(most, len(descendants(heddle.pid)))
            time.sleep(0.01)
        below = list(descendants(heddle.pid))
        self.assertLessEqual(most, 2 + MOST_CHECKPOINTS)  # the worker, its checkpoints, a run
        heddle.send_signal(signal.SIGKILL)
        heddle.wait()
        self.assertTrue(wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in below)))

    def test_a_search_that_was_killed_goes_on_with_checkpoints(self):
        program = self.own_copy()
        how = ("--strategy=optimal-dpor", "--checkpoint=on")
        # A search that is over before it can be killed is followed by one of eight times as many runs.
        arguments = next(arguments for arguments in (("40", "4"), ("40", "5"), ("40", "6"))
                         if self.kill_in_the_middle(program, how, arguments))
        rest = self.search(program, *how, "--runs=1000000", "--resume", arguments=arguments)
        self.assertTrue(rest.result["complete"], rest.output)
        before = int(re.search(r"resumed behind ([\d,]+) runs", rest.output)[1].replace(",", ""))
        self.assertGreaterEqual(before, 50)
        self.assertEqual(rest.result["classes"], rest.result["runs"])
        self.assertGreater(rest.result["checkpoints"]["runs"], 0, rest.output)
        whole = self.search(program, "--strategy=optimal-dpor", "--runs=1000000", arguments=arguments).result["runs"]
        self.assertEqual(before + rest.result["runs"], whole, rest.output)

    def kill_in_the_middle(self, program, how, arguments):
        """Whether a search that had made 50 runs before was killed while it made more; if not, it came to its end."""
        self.search(program, *how, "--runs=50", arguments=arguments)
        heddle = self.start(program, "--resume", strategy="optimal-dpor", arguments=arguments)
        below = {}
        self.assertTrue(wait_until(lambda: len(below.update(descendants(heddle.pid)) or below) >= 3 or heddle.poll() is not None))
        heddle.send_signal(signal.SIGKILL)
        heddle.wait()
        self.assertTrue(wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in below)))
        return any(name.startswith("search-") for name in os.listdir(self.out))

    def test_a_hang_behind_a_checkpoint_is_a_finding_and_the_search_goes_on(self):
        program = self.tool.compile(os.path.join(HERE, "checkpoint_hang.c"))
        ended = {mode: self.search(program, "--strategy=optimal-dpor", f"--checkpoint={mode}", "--keep-going",
                                   "--hang-time=1s") for mode in ("off", "on")}
        for one in ended.values():
            self.assertEqual(one.code, tool.FINDING, one.output)
            self.assertIn("--hang-time", one.output)
        self.assertEqual(ended["off"].behaviour(), ended["on"].behaviour())
        self.assertGreater(ended["on"].result["checkpoints"]["runs"], 0, ended["on"].output)
        self.assertFalse(processes_of(program))

    def test_a_search_survives_the_death_of_its_checkpoints(self):
        # A run that is killed is a crash, or is made again: the search goes on behind it.
        output = os.path.join(self.out, "killed")
        with open(output, "w", encoding="utf-8") as file:
            heddle = self.start(self.own_copy(), "--keep-going", stdout=file)
        rng = random.Random(1)
        for _ in range(20):
            chosen = []
            self.assertTrue(wait_until(lambda: chosen.extend(checkpoints_of(heddle.pid)) or chosen or heddle.poll() is not None))
            if not chosen:
                break
            try:
                os.kill(rng.choice(chosen), signal.SIGKILL)
            except ProcessLookupError:
                continue
        with open(output, encoding="utf-8") as file:
            self.assertIsNone(heddle.poll(), file.read())
        heddle.send_signal(signal.SIGINT)
        self.assertIn(heddle.wait(), (tool.FINE, tool.FINDING))
        # However early it was killed: nothing of the run before is in its record.
        with open(output, encoding="utf-8") as file:
            self.assertNotIn("is damaged", file.read())


if __name__ == "__main__":
    tool.main()
