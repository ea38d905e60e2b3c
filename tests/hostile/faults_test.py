"""Faults of the machinery itself: heddle or a worker killed at any moment, and searches that are long.

    faults_test.py HEDDLE SCRATCH

HEDDLE_FAULTS=N kills N times. HEDDLE_FAULT_RUNS=N makes N runs of a program, and ten times as many of a body of a test, or more
where that is over before anybody has looked; both print what they used at most in their first and their second half.
"""
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import tool  # noqa: E402
from hostile_test import processes_of, wait_until  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults.cpp")
FAULTS = int(os.environ.get("HEDDLE_FAULTS", "6"))
RUNS = int(os.environ.get("HEDDLE_FAULT_RUNS", "6000"))
LOOKS = 40  # at a search, at least


def process_table():
    """All processes: id, parent, command's name."""
    table = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                head, _, rest = file.read().rpartition(")")
            table.append((int(name), int(rest.split()[1]), head.partition("(")[2]))
        except OSError:
            continue
    return table


def descendants(pid, table=None):
    """The processes below this one, with their commands' names."""
    found, parents = {}, [pid]
    table = table or process_table()
    while parents:
        above = parents.pop()
        for child, parent, command in table:
            if parent == above:
                found[child] = command
                parents.append(child)
    return found


class FaultsTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        compiled = self.tool.compile(SOURCE)
        self.program = os.path.join(self.out, "faults")
        shutil.copy(compiled, self.program)
        self.temporary = os.path.join(self.out, "tmp")
        os.mkdir(self.temporary)
        self.store = os.path.join(self.out, "store")
        self.json = os.path.join(self.out, "result.json")
        self.log = os.path.join(self.out, "log")

    def said(self):
        """What the command that was started last printed."""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()[-4000:]

    def start(self, what, *options, strategy="random"):
        return self.start_command([self.tool.heddle, "run", "--keep-going", f"--strategy={strategy}", "--out", self.store,
                                   "--json", self.json, "--hang-time=2m", *options, "--", self.program, *what.split()])

    def start_command(self, words):
        with open(self.log, "w", encoding="utf-8") as log:
            process = subprocess.Popen(words, cwd=self.out, env=dict(os.environ, TMPDIR=self.temporary),
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def stored(self):
        """Every finding that is in the store; each must read."""
        done = subprocess.run([self.tool.heddle, "list", "--out", self.store, "--json", "-"], stdout=subprocess.PIPE,
                              text=True, check=True)
        rows = json.loads(done.stdout)
        rows = rows["findings"] if isinstance(rows, dict) else rows
        for row in rows:
            self.assertFalse(row.get("damage"), row)
        return {row["id"] for row in rows}

    def test_killing_heddle_at_any_moment_loses_no_stored_finding(self):
        rng = random.Random(1)
        known = set()
        for i in range(FAULTS):
            heddle = self.start("find", "--runs=100000000", "--time=10h", f"--seed={i + 1}", "--workers=2")
            if i == 0:  # on a busy machine the first finding takes its time
                last = os.path.join(self.store, "last")
                self.assertTrue(wait_until(lambda path=last: os.path.exists(path)), "nothing was stored")
            else:
                time.sleep(0.1 + rng.random() * 1.5)
            heddle.kill()
            heddle.wait()
            now = self.stored()
            self.assertLessEqual(known, now, "a finding that was stored is gone")
            known = now
        self.assertTrue(wait_until(lambda: not processes_of(self.program)), "a worker is left")
        self.assertTrue(known, "nothing was ever stored; the test shows nothing")
        for finding in sorted(known):
            again = self.tool.call("replay", finding, out=self.store)
            self.assertEqual(again.code, tool.FINDING, again.output)

    def test_a_worker_that_is_killed_is_started_again(self):
        hold = os.path.join(self.out, "hold")
        heddle = None

        def kill_a_worker_in_its_run():
            workers = [pid for pid in processes_of(self.program) if self.parent(pid) == heddle.pid]
            if not workers or not descendants(workers[0]):
                return False
            os.kill(workers[0], signal.SIGKILL)
            return True

        killed = 0
        for _ in range(3):
            # Runs wait while they are held: the first kill is in the middle of one, however fast the machine is.
            with open(hold, "w", encoding="utf-8"):
                pass
            if heddle is None:
                heddle = self.start(f"held {hold}", "--runs=1500", "--time=10m", "--workers=1")
            self.assertTrue(wait_until(lambda: heddle.poll() is not None or kill_a_worker_in_its_run()), self.said())
            killed += heddle.poll() is None
            os.remove(hold)
            time.sleep(0.1)  # some runs in between; if the search ends meanwhile, fewer workers are killed
        self.assertGreater(killed, 0, self.said())
        heddle.wait(timeout=300)
        with open(self.json, encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual((heddle.returncode, result["runs"], result["stopped_by"]), (tool.FINE, 1500, "runs"))
        self.assertIn("was lost and replaced", self.said())

    def kill_the_run(self, heddle):
        """Kills the run that is held, if there is one; it has no threads yet."""
        workers = [pid for pid in processes_of(self.program) if self.parent(pid) == heddle.pid]
        runs = [pid for worker in workers for pid in descendants(worker)]
        for pid in runs:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return runs

    def test_a_first_run_that_is_killed_is_made_again(self):
        for strategy in ("random", "dfs"):
            hold = os.path.join(self.out, f"hold-{strategy}")
            with open(hold, "w", encoding="utf-8"):
                pass
            heddle = self.start(f"held {hold}", "--runs=6", "--time=10m", "--workers=1", strategy=strategy)
            self.assertTrue(wait_until(lambda: heddle.poll() is not None or self.kill_the_run(heddle)), self.said())
            os.remove(hold)
            heddle.wait(timeout=300)
            with open(self.json, encoding="utf-8") as file:
                result = json.load(file)
            self.assertEqual((heddle.returncode, result["findings"], result["starts_no_thread"]), (tool.FINE, [], False),
                             self.said())
            self.assertGreater(result["runs"], 1, self.said())
            self.assertIn("was killed by SIGKILL from outside", self.said())

    def test_a_first_run_that_is_killed_again_and_again_is_an_error(self):
        hold = os.path.join(self.out, "hold")
        with open(hold, "w", encoding="utf-8"):
            pass
        heddle = self.start(f"held {hold}", "--runs=6", "--time=10m", "--workers=1")
        while heddle.poll() is None:
            self.kill_the_run(heddle)
        self.assertEqual(heddle.returncode, tool.ENVIRONMENT, self.said())
        self.assertIn("run 1 can't be made", self.said())
        self.assertIn("was killed by SIGKILL from outside", self.said())

    def test_a_program_of_another_heddle_is_refused(self):
        """Another heddle: this one, with another hash of its sources."""
        root = os.path.dirname(os.path.dirname(self.tool.heddle))
        for hashed in ("src/trace/generated/source_hash_value.h", "src/runtime/hooks/generated/abi_hash_value.h"):
            with open(os.path.join(root, hashed), encoding="utf-8") as file:
                value = int(file.read().split("0x")[1][:16], 16).to_bytes(8, "little")
            other = os.path.join(self.out, "other")
            shutil.rmtree(other, ignore_errors=True)
            os.makedirs(os.path.join(other, "bin"))
            for name in ("heddle", "heddle-c++"):
                shutil.copy(os.path.join(root, "bin", name), os.path.join(other, "bin", name))
            shutil.copytree(os.path.join(root, "lib", "heddle"), os.path.join(other, "lib", "heddle"))
            os.symlink(os.path.join(root, "include"), os.path.join(other, "include"))
            engine = os.path.join(other, "lib", "heddle", "libheddle_engine.so")
            with open(engine, "rb") as file:
                code = file.read()
            self.assertTrue(value in code)  # not assertIn, which would print all of it
            with open(engine, "wb") as file:
                file.write(code.replace(value, bytes(byte ^ 0x55 for byte in value)))
            program = os.path.join(self.out, "strange")
            subprocess.run([os.path.join(other, "bin", "heddle"), "c++", "-std=c++20", "-g", f"-I{tool.SOURCES}/include",
                            SOURCE, "-o", program, "-pthread"], check=True)
            ended = self.tool.call("run", "--runs=10", "--", program, "find", out=self.out)
            self.assertEqual(ended.code, tool.ENVIRONMENT, ended.output)
            self.assertIn("was built with another heddle", ended.output)
            self.assertIn("build it again", ended.output)

    @staticmethod
    def parent(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                return int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            return -1

    @staticmethod
    def usage(pid):
        """(descriptors, resident megabytes, processes) of a process and all below it."""
        descriptors = pages = 0
        processes = [pid, *descendants(pid)]
        for one in processes:
            try:
                with open(f"/proc/{one}/statm", encoding="utf-8") as file:
                    _, resident, shared, *_ = map(int, file.read().split())
                descriptors += len(os.listdir(f"/proc/{one}/fd"))
                pages += resident - shared
            except OSError:
                if one == pid:
                    return None
        return descriptors, pages // 256, len(processes)

    def watch(self, start, runs, what):
        """Until its end: it must not use more and more. Returns how many runs it took to see that."""
        process, seen = start(runs), []
        while process.poll() is None:
            usage = self.usage(process.pid)
            if usage is not None:
                seen.append(usage)
            time.sleep(0.2 if RUNS > 100000 else 0.005)
        self.assertEqual(process.returncode, tool.FINE, self.said())
        if len(seen) < LOOKS:
            return self.watch(start, 8 * runs, what)
        # The first looks see it start.
        steady = seen[len(seen) // 4:]
        half = len(steady) // 2
        for name, index, slack in (("descriptors", 0, 16), ("megabytes", 1, 16), ("processes", 2, 2)):
            first, second = (max(usage[index] for usage in part) for part in (steady[:half], steady[half:]))
            print(f"{runs} {what}: at most {first}, then {second} {name}")
            self.assertLessEqual(second, first + slack, f"{name} grow: {first}, then {second}")
        self.assertTrue(wait_until(lambda: not processes_of(self.program)), "a process is left")
        self.assertEqual(os.listdir(self.temporary), [], "files are left behind")
        return runs

    def test_many_runs_leave_nothing_behind(self):
        runs = self.watch(lambda n: self.start("run", f"--runs={n}", "--time=10h", "--workers=1"), RUNS, "runs of a program")
        with open(self.json, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["runs"], runs)

    def test_many_runs_of_a_body_leave_nothing_behind(self):
        self.watch(lambda n: self.start_command([self.program, "explore", str(n)]), RUNS * 10, "runs of a body")


if __name__ == "__main__":
    tool.main()
