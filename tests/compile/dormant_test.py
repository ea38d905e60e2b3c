"""A program built for heddle but started without it behaves like the plain one. TREE holds the real engine."""
import os
import re

import support
from support import SOURCES, WrapperTest


class EngineTest(WrapperTest):
    def test_the_engine_offers_every_hook_of_the_archive(self):
        runtime = os.path.join(support.tree, "lib", "heddle")
        with open(os.path.join(runtime, "exports.list")) as exports:
            patterns = re.findall(r"^  (\S+);", exports.read(), re.MULTILINE)
        is_hook = re.compile("|".join(pattern.replace("*", ".*") for pattern in patterns))

        def hooks(file, *options):
            symbols = re.findall(r" [TW] (\S+)$", self.symbols_of(file, "--defined-only", *options), re.MULTILINE)
            return {symbol for symbol in symbols if is_hook.fullmatch(symbol)}

        archive = hooks(os.path.join(runtime, "libheddle_hooks.a"))
        self.assertGreater(len(archive), 200)
        self.assertEqual(archive - hooks(os.path.join(runtime, "libheddle_engine.so"), "-D"), set())


class DormantTest(WrapperTest):
    def both(self, source, *flags):
        """Builds ./plain and ./ours."""
        self.run_ok(support.cxx, "-std=c++17", "-pthread", source, "-o", "plain", *flags)
        self.run_ok("heddle-c++", "-std=c++17", "-pthread", source, "-o", "ours", *flags)

    def assert_same(self, *arguments):
        plain, ours = self.try_run("./plain", *arguments), self.try_run("./ours", *arguments)
        self.assertEqual((ours.returncode, ours.stdout, ours.stderr),
                         (plain.returncode, plain.stdout, plain.stderr))
        return ours

    def test_output_exit_code_and_kernel_threads_are_the_plain_programs(self):
        self.both(SOURCES + "/dormant.cc")
        done = self.assert_same("a", "b c")
        self.assertEqual((done.returncode, done.stderr), (7, ""))
        self.assertIn("4 kernel threads", done.stdout)

    def test_every_hook_computes_what_the_plain_program_does(self):
        self.both(SOURCES + "/every_hook.cc", "-O1", "-mcx16", "-latomic")
        self.assert_same()

    def test_a_crash_is_the_same_crash(self):
        self.write("crash.cc", "#include <cstdlib>\nint main() { std::abort(); }\n")
        self.both("crash.cc")
        self.assertEqual(self.assert_same().returncode, -6)

    def test_child_processes_work(self):
        self.write("fork.cc", """
            #include <cstdio>
            #include <cstdlib>
            #include <sys/wait.h>
            #include <thread>
            #include <unistd.h>
            int main() {
              std::thread([] {}).join();
              const pid_t child = fork();
              if (child == 0) _exit(5);
              int status = 0;
              waitpid(child, &status, 0);
              std::printf("%d\\n", WEXITSTATUS(status));
              std::fflush(stdout);
              return std::system("echo from the shell");
            }""")
        self.both("fork.cc")
        self.assertEqual(self.assert_same().stdout, "5\nfrom the shell\n")

    def test_an_instrumented_library_works_in_a_plain_program(self):
        self.write("part.cc", 'extern "C" int Part() { static int calls; return ++calls; }\n')
        self.write("load.cc", """
            #include <cstdio>
            #include <dlfcn.h>
            int main() {
              void* const library = dlopen("./libpart.so", RTLD_NOW);
              if (library == nullptr) { std::puts(dlerror()); return 1; }
              std::printf("%d\\n", reinterpret_cast<int (*)()>(dlsym(library, "Part"))());
            }""")
        self.run_ok("heddle-c++", "-shared", "-fPIC", "part.cc", "-o", "libpart.so")
        self.both("load.cc", "-ldl")
        self.assertEqual(self.assert_same().stdout, "1\n")

    def test_tests_can_be_listed(self):
        self.write("listed.cc", "#include <gtest/gtest.h>\nTEST(A, B) {}\nTEST(A, C) {}\n")
        flags = ("-lgtest_main", "-lgtest")
        probe = self.try_run(support.cxx, "-std=c++17", "listed.cc", "-o", "probe", *flags)
        if probe.returncode != 0:
            self.skipTest("GoogleTest is not installed")
        self.both("listed.cc", *flags)
        self.assertIn("A.\n  B\n  C\n", self.assert_same("--gtest_list_tests").stdout)


if __name__ == "__main__":
    support.main()
