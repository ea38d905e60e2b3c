"""heddle run --each-test: every case of a test program searched by itself.

    each_test_test.py HEDDLE SCRATCH
"""
import os
import pathlib
import subprocess

import catch3
import tool

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "each_test.cpp")


class EachTestTest(tool.ToolTest):
    def build(self, framework, *libraries):
        program = os.path.join(self.tool.scratch, "each_" + framework.lower())
        newest = max(os.path.getmtime(path) for path in [SOURCE] + self.tool.parts())
        if not os.path.exists(program) or os.path.getmtime(program) < newest:
            subprocess.run([self.tool.heddle, "c++", "-std=c++20", "-O1", "-g1", f"-DFRAMEWORK_{framework}", SOURCE,
                            "-o", program, *libraries, "-pthread"], check=True)
        return program

    def each(self, program, *options, arguments=()):
        return self.tool.call("run", "--each-test", "--workers=1", "--races=off", "--runs=600", *options, "--", program, *arguments,
                              out=self.out)

    def check(self, program, others=None):
        ended = self.each(program)
        self.assertEqual(ended.code, tool.FINDING, ended.output)
        status = {test["name"].split(",")[0]: test["status"] for test in ended.result["tests"]}
        self.assertEqual(status, {"Each.LosesAnUpdate": "failed", "Each.KeepsAnUpdate": "passed",
                                  "Each.StartsNoThread": "skipped", **(others or {})}, ended.output)
        self.assertEqual(len(ended.result["findings"]), 1)
        self.assertEqual(ended.result["runs"], sum(test["runs"] for test in ended.result["tests"]))
        self.assertLessEqual(ended.result["runs"], 600)
        lines = [line for line in ended.output.splitlines() if line.startswith("Each.")]
        self.assertGreaterEqual(len(lines), 3, ended.output)
        self.assertIn("it starts no thread", ended.output)
        # The finding is that one test's.
        replayed = self.tool.call("replay", ended.result["findings"][0]["id"], out=self.out)
        self.assertEqual((replayed.code, replayed.result["identical"]), (tool.FINDING, 1), replayed.output)
        return ended

    def test_googletest(self):
        program = self.build("GTEST", "-lgtest", "-lgtest_main")
        self.check(program)
        one = self.each(program, arguments=["--gtest_filter=*Keeps*"])
        self.assertEqual((one.code, [test["name"] for test in one.result["tests"]]),
                         (tool.FINE, ["Each.KeepsAnUpdate"]), one.output)
        none = self.each(program, arguments=["--gtest_filter=Nothing.*"])
        self.assertEqual(none.code, tool.ENVIRONMENT, none.output)

    def test_what_does_not_count_does_not_fail_a_test(self):
        program = self.build("GTEST", "-lgtest", "-lgtest_main")
        baseline = os.path.join(self.tool.scratch, "each_baseline.json")
        pathlib.Path(baseline).unlink(missing_ok=True)  # of an earlier call of this test
        made = self.each(program, "--baseline", baseline, "--update-baseline")
        self.assertEqual(made.code, tool.FINDING, made.output)
        for options in (["--baseline", baseline], ["--fail-on", "deadlock"]):
            ended = self.each(program, *options)
            self.assertEqual(ended.code, tool.FINE, ended.output)
            self.assertEqual([test["status"] for test in ended.result["tests"]], ["passed", "passed", "skipped"])
            self.assertEqual(len(ended.result["findings"]), 1)
        with open(os.path.join(self.tool.scratch, "each_quiet.txt"), "w") as file:
            file.write("race:LosesAnUpdate\n")
        raced = self.tool.call("run", "--each-test", "--workers=1", "--runs=100", "--fail-on", "race", "--suppressions", file.name,
                               "--", program, out=self.out)
        self.assertEqual((raced.code, raced.result["suppressed"] > 0), (tool.FINE, True), raced.output)

    def test_catch2(self):
        if not os.path.exists("/usr/include/catch2/catch.hpp"):
            self.skipTest("Catch2 2 is not installed")
        self.check(self.build("CATCH2"))

    def test_catch2_version_3(self):
        directory = catch3.fetch(self.tool.scratch)
        if directory is None:
            self.skipTest("Catch2 3 is not installed, nor can it be fetched")
        self.check_version_3(self.build("CATCH3", *catch3.options(directory)))

    def test_like_catch2_version_3(self):
        """A program that lists and selects its tests as version 3 does, for machines that can't have it."""
        self.check_version_3(self.build("LIKE_CATCH3"))

    def check_version_3(self, program):
        quiet = ["--list-tests", "--verbosity", "quiet"]
        self.assertIn('"#Each.Hash', subprocess.run([program, *quiet], stdout=subprocess.PIPE, text=True, check=True).stdout)
        ended = self.check(program, {"#Each.Hash": "passed"})
        self.assertNotIn("unknown", ended.output)
        one = self.each(program, arguments=["Each.Keeps*"])
        self.assertEqual((one.code, [test["name"] for test in one.result["tests"]]),
                         (tool.FINE, ["Each.KeepsAnUpdate, [x]"]), one.output)

    def test_doctest(self):
        if not os.path.exists("/usr/include/doctest"):
            self.skipTest("doctest is not installed")
        self.check(self.build("DOCTEST"))

    def test_other_programs_are_refused_with_a_sentence(self):
        ended = self.each("/bin/true")
        self.assertEqual(ended.code, tool.ENVIRONMENT)
        self.assertIn("GoogleTest, Catch2 and doctest", ended.output)


if __name__ == "__main__":
    tool.main()
