"""The examples keep their promises: bugs are found, the correct one is clean and proved, findings replay.

    examples_test.py HEDDLE SCRATCH
"""
import os
import shutil
import subprocess

import tool

KINDS = {"lost_update": "assertion", "abba_deadlock": "deadlock", "lost_wakeup": "deadlock",
         "use_before_init": "crash", "check_then_act": "crash"}
TIMES = 1000


class ExamplesTest(tool.ToolTest):
    def source(self, name):
        return os.path.join(tool.SOURCES, "examples", name + ".cpp")

    def build(self, name):
        return self.tool.compile(self.source(name))

    def find(self, name, *options):
        ended = self.search(self.build(name), "--strategy=random", "--runs=10000", *options)
        # Most of these bugs are data races too, which do not end the search.
        self.assertEqual((ended.code, ended.failures()), (tool.FINDING, [KINDS[name]]), ended.output)
        self.assertEqual(ended.result["findings"][0]["kind"], KINDS[name])
        self.assertTrue(ended.result["findings"][0]["replayed"], ended.output)
        return ended

    def replay(self, *options, times=TIMES, status="reproduced", code=tool.FINDING, **how):
        ended = self.tool.call("replay", "last", f"--times={times}", *options, out=self.out, **how)
        self.assertEqual((ended.code, ended.result and ended.result["status"]), (code, status), ended.output)
        if status == "reproduced":
            self.assertEqual(ended.result["replays"], times)
        return ended

    def assert_identical(self, ended, times=TIMES):
        self.assertEqual(ended.result["identical"], times, ended.output)

    def test_random_finds_every_bug_with_five_seeds(self):
        for name in KINDS:
            for seed in range(1, 6):
                with self.subTest(example=name, seed=seed):
                    self.find(name, f"--seed={seed}")

    def test_the_same_seed_finds_the_same_on_both_backends(self):
        for name in KINDS:
            with self.subTest(example=name):
                self.on_both_backends(self.build(name), "--strategy=random", "--runs=300", "--keep-going")

    def test_the_correct_buffer_stays_clean(self):
        ended = self.search(self.build("bounded_buffer"), "--strategy=random", "--runs=20000", "--time=200s")
        self.assertEqual((ended.code, ended.result["runs"], ended.kinds()), (tool.FINE, 20000, []),
                         ended.output)

    def test_dfs_proves_small_buffers_correct(self):
        for items in ("1", "2"):
            with self.subTest(items=items):
                ended = self.search(self.build("bounded_buffer"), "--strategy=dfs", "--runs=1000000",
                                    "--time=200s", arguments=[items])
                self.assertEqual((ended.code, ended.result["complete"]), (tool.FINE, True), ended.output)

    def test_replays_are_identical_on_both_backends(self):
        for name in KINDS:
            self.find(name)
            for backend in tool.BACKENDS:
                with self.subTest(example=name, backend=backend):
                    self.assert_identical(self.replay(f"--backend={backend}"))

    def test_replays_are_identical_in_another_environment(self):
        for name in KINDS:
            self.find(name)
            bare = {"PATH": os.environ["PATH"]}
            crowded = dict(os.environ, **{f"UNRELATED_{i}": "x" * 1000 for i in range(30)})
            for environment in (bare, crowded):
                with self.subTest(example=name, variables=len(environment)):
                    self.assert_identical(self.replay(times=20, environment=environment), times=20)

    def test_replays_are_identical_with_address_space_randomisation(self):
        prefix = [self.refuse_personality()]
        for name in KINDS:
            self.find(name)
            for backend in tool.BACKENDS:
                with self.subTest(example=name, backend=backend):
                    # Each call is a worker of its own, so at addresses of its own.
                    for _ in range(3):
                        self.assert_identical(
                            self.replay(f"--backend={backend}", times=10, prefix=prefix), times=10)

    def test_a_search_with_address_space_randomisation_is_the_same(self):
        prefix = [self.refuse_personality()]
        for name in KINDS:
            with self.subTest(example=name):
                options = ("--strategy=random", "--runs=300", "--keep-going")
                still = self.search(self.build(name), *options)
                moving = self.search(self.build(name), *options, prefix=prefix)
                self.assertEqual(still.behaviour(), moving.behaviour(), moving.output)

    def refuse_personality(self):
        """A command that runs its arguments where nobody can switch randomisation off."""
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "refuse_personality.c")
        program = os.path.join(self.out, "refuse_personality")
        subprocess.run(["cc", source, "-o", program], check=True)
        return program

    def test_a_finding_is_reproduced_after_a_line_was_inserted_above(self):
        for name in KINDS:
            with self.subTest(example=name):
                moved = os.path.join(self.out, "src", name + ".cpp")
                os.makedirs(os.path.dirname(moved), exist_ok=True)
                shutil.copy(self.source(name), moved)
                ended = self.tool.call("run", "--workers=1", moved, out=self.out)
                self.assertEqual(ended.failures(), [KINDS[name]], ended.output)
                with open(moved, encoding="utf-8") as file:
                    text = file.read()
                where = text.index("\nint main")
                with open(moved, "w", encoding="utf-8") as file:
                    file.write("// unrelated\nint unrelated_above = 1;\n" + text[:where] +
                               "\nint Unrelated(int x) { return x + unrelated_above; }\n" + text[where:])
                again = self.replay(times=3)
                self.assertEqual(again.result["kind"], KINDS[name], again.output)


if __name__ == "__main__":
    tool.main()
