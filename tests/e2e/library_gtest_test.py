"""heddle::Explore in GoogleTest, Catch2 and doctest (where these are installed).

    library_gtest_test.py HEDDLE SCRATCH
"""
import os
import shutil
import subprocess

import catch3
import tool

HERE = os.path.dirname(os.path.abspath(__file__))


class FrameworkTest(tool.ToolTest):
    def build(self, name, *libraries, called=None):
        program = os.path.join(self.tool.scratch, called or name)
        source = os.path.join(HERE, name + ".cpp")
        newest = max(os.path.getmtime(path) for path in [source] + self.tool.parts())
        if not os.path.exists(program) or os.path.getmtime(program) < newest:
            subprocess.run([self.tool.heddle, "c++", "-std=c++20", "-O1", "-g1", f"-I{tool.SOURCES}/include", source,
                            "-o", program, *libraries, "-pthread"], check=True)
        return program

    def run_tests(self, program, *options):
        return subprocess.run([program, *options], cwd=self.out, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=tool.HUNG_AFTER,
                              check=False)

    def test_googletest(self):
        done = self.run_tests(self.build("library_gtest", "-lgmock", "-lgtest", "-lgtest_main"))
        failed = sorted(line.split()[3] for line in done.stdout.splitlines()
                        if line.startswith("[  FAILED  ]") and " ms)" not in line and "." in line)
        self.assertEqual(failed, ["Explore.AssertInAThreadFails", "Explore.ExpectFails", "Macro.Fails"], done.stdout)
        self.assertEqual(done.returncode, 1)
        # Once, at Explore's own place, with the table and the way to replay it.
        with open(os.path.join(HERE, "library_gtest.cpp"), encoding="utf-8") as file:
            line = file.read().splitlines().index("TEST(Explore, ExpectFails) {") + 2
        self.assertEqual(done.stdout.count(f"library_gtest.cpp:{line}: Failure"), 1, done.stdout)
        self.assertIn("How it happened", done.stdout)
        self.assertIn("heddle replay assertion-", done.stdout)
        self.assertIn("lost", done.stdout)
        self.assertIn("in the second thread", done.stdout)
        self.assertIn("[  SKIPPED ] Explore.Skips", done.stdout)
        self.assertIn("not on this machine", done.stdout)

    def test_googletest_before_cxx20_and_with_all_warnings(self):
        source = os.path.join(self.out, "warnings.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <heddle/gtest.h>\n"
                       "struct F : testing::Test {};\n"
                       "struct P : testing::TestWithParam<int> {};\n"
                       "HEDDLE_TEST(Suite, Name) {}\nHEDDLE_TEST_F(F, Name) {}\nHEDDLE_TEST_P(P, Name) {}\n"
                       "INSTANTIATE_TEST_SUITE_P(Some, P, testing::Values(1));\n")
        for compiler in filter(shutil.which, ("g++", "clang++")):
            self.check_syntax(compiler, source, "-DGTEST_DONT_DEFINE_TEST=1")

    def check_syntax(self, compiler, source, *options):
        subprocess.run([compiler, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
                        "-Werror", f"-I{tool.SOURCES}/include", *options, source], check=True)

    def test_catch2(self):
        if not os.path.exists("/usr/include/catch2/catch.hpp"):
            self.skipTest("Catch2 2 is not installed")
        self.check_catch2(self.build("library_catch2"))

    def test_catch2_version_3(self):
        directory = catch3.fetch(self.tool.scratch)
        if directory is None:
            self.skipTest("Catch2 3 is not installed, nor can it be fetched")
        self.check_catch2(self.build("library_catch2", *catch3.options(directory), called="library_catch3"))

    def check_catch2(self, program):
        done = self.run_tests(program)
        self.assertIn("2 failed", done.stdout)
        self.assertIn("heddle replay assertion-", done.stdout)
        self.assertIn("in operator()", " ".join(done.stdout.split()))

    def test_doctest(self):
        if not os.path.exists("/usr/include/doctest"):
            self.skipTest("doctest is not installed")
        source = os.path.join(self.out, "names.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <heddle/doctest.h>\n")
        for setting in ("NO_SHORT_MACRO_NAMES", "DISABLE"):
            self.check_syntax("g++", source, f"-DDOCTEST_CONFIG_{setting}")
        done = self.run_tests(self.build("library_doctest"))
        self.assertIn("2 failed", done.stdout)
        self.assertIn("heddle replay assertion-", done.stdout)


if __name__ == "__main__":
    tool.main()
