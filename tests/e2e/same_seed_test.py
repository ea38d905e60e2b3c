"""The same seed gives the same search, for every sampler: again and again, on both backends.

    same_seed_test.py HEDDLE SCRATCH

Whole programs: 4 repetitions on each backend for each of 9 samplers, 72 searches of 40 runs. Bodies: 100 repetitions of
8 runs, half of them on each backend, every fifth with a process for each run. What is compared holds every run's events, classes,
failures and their first runs.
"""
import os
import re
import subprocess

import tool

SAMPLERS = ("auto", "random", "pct:depth=3", "pct:depth=2,classic=on", "basic-pos", "pos", "rapos", "urw",
            "surw")
REPETITIONS = 4


class SameSeedTest(tool.ToolTest):
    def test_every_sampler_repeats_itself_on_both_backends(self):
        program = self.tool.compile(os.path.join(tool.SOURCES, "bench", "corpus", "stack.cpp"))
        for sampler in SAMPLERS:
            with self.subTest(sampler=sampler):
                first = None
                for _ in range(REPETITIONS):
                    ended = self.on_both_backends(program, f"--strategy={sampler}", "--runs=40", "--seed=7",
                                                  "--keep-going", "--races=off")
                    seen = (ended.behaviour(), ended.result["verdict"])
                    first = first or seen
                    self.assertEqual(seen, first)

    def test_a_hundred_repetitions_are_the_same_on_both_backends_forked_and_in_process(self):
        program = self.tool.compile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "repetition.cpp"))
        seen = []
        for backend in tool.BACKENDS:
            done = subprocess.run([program, "50", *SAMPLERS], env=dict(os.environ, HEDDLE_BACKEND=backend,
                                                                       HEDDLE_OUT=self.out),
                                  stdout=subprocess.PIPE, text=True, check=False, timeout=tool.HUNG_AFTER)
            self.assertEqual(done.returncode, 0, done.stdout)
            seen.append(done.stdout.splitlines())
            self.assertEqual(len(seen[-1]), 2 * len(SAMPLERS))
            self.assertTrue(all(line.startswith("8 runs") for line in seen[-1][len(SAMPLERS):]), seen[-1])
        self.assertEqual(seen[0], seen[1])

    def test_every_sampler_of_the_registry_is_here(self):
        # What is systematic has no seed to repeat.
        systematic = {"dfs", "baseline", "dpor", "optimal-dpor", "pcb", "delay", "hapset",
                      "reachability"}
        shown = subprocess.run([self.tool.heddle, "run", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
        names = set(re.findall(r"^  ([a-z]\S*)", shown.split("Strategies:")[1], re.MULTILINE))
        self.assertEqual(names - systematic, {sampler.split(":")[0] for sampler in SAMPLERS})

    def test_objects_have_the_same_names_on_both_backends(self):
        # surw draws its object by name; the promise's state lies on the heap, where only the fiber backend's
        # threads exist already when the program starts.
        program = self.tool.compile(os.path.join(tool.SOURCES, "tests", "programs", "std_future.cpp"))
        self.on_both_backends(program, "--strategy=surw", "--runs=60", "--keep-going", "--races=off")

    def test_runs_in_one_process_are_those_of_a_process_each(self):
        program = self.tool.compile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "isolation.cpp"))
        lines = subprocess.run([program, *SAMPLERS], stdout=subprocess.PIPE, text=True, check=True,
                               timeout=tool.HUNG_AFTER).stdout.splitlines()
        self.assertEqual(len(lines), 2 * len(SAMPLERS))
        for sampler, one_process, many in zip(SAMPLERS, lines[::2], lines[1::2]):
            with self.subTest(sampler=sampler):
                self.assertIn("150 runs", one_process)
                self.assertEqual(one_process, many)

    def test_workers_do_not_change_what_a_sampler_finds(self):
        program = self.tool.compile(os.path.join(tool.SOURCES, "bench", "corpus", "stack.cpp"))
        for sampler in ("auto", "pos", "surw"):
            with self.subTest(sampler=sampler):
                ended = [self.tool.call("run", f"--workers={workers}", f"--strategy={sampler}", "--runs=150",
                                        "--keep-going", "--races=off", "--", program, out=self.out)
                         for workers in (1, 3)]
                self.assertEqual(ended[0].behaviour(), ended[1].behaviour())
                self.assertEqual(ended[0].result["verdict"], ended[1].result["verdict"])


if __name__ == "__main__":
    tool.main()
