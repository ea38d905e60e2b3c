"""heddle-cc and heddle-c++ as drop-in compilers: every kind of command line, as CC and CXX of build systems."""
import os
import shutil

import support
from support import WrapperTest

# C++ headers would make most of these tests a test of patience.
MAIN = """#include <pthread.h>
#include <stdio.h>
int shared_value;
int Value();
static void* Run(void*) {
  ++shared_value;
  return nullptr;
}
int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, Run, nullptr);
  pthread_join(thread, nullptr);
  printf("%d %d\\n", shared_value, Value());
}
"""
VALUE = "int Value() { static int calls; return ++calls + 40; }\n"
EXPECTED = "1 41\n"


class DropInTest(WrapperTest):
    def setUp(self):
        super().setUp()
        self.write("main.cc", MAIN)
        self.write("value.cc", VALUE)

    def assert_instrumented(self, file):
        self.assertRegex(self.symbols_of(file), r"__tsan_func_entry")

    def assert_runs(self, program="./prog"):
        """Dormant: the plain program's output and nothing else; with the engine: events, same output."""
        done = self.try_run(program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, EXPECTED, ""))
        self.assertEqual(self.run_ok(program, FAKE_ENGINE_LOG=self.path("log")), EXPECTED)
        self.assertIn("write 4", self.read("log"))
        libraries = self.run_ok("ldd", program)
        self.assertNotIn("libtsan", libraries)
        self.assertIn("libheddle_engine.so", libraries)


class CommandLineTest(DropInTest):
    def test_several_sources_compile_and_link_at_once(self):
        self.run_ok("heddle-c++", "main.cc", "value.cc", "-o", "prog")
        self.assert_runs()

    def test_sources_and_objects_mix(self):
        self.run_ok("heddle-c++", "-c", "value.cc")
        self.run_ok("heddle-c++", "main.cc", "value.o", "-o", "prog")
        self.assert_instrumented("value.o")
        self.assert_runs()

    def test_the_default_output_name_stays(self):
        self.run_ok("heddle-c++", "main.cc", "value.cc")
        self.assert_runs("./a.out")

    def test_position_dependent_programs_work(self):
        self.run_ok("heddle-c++", "-no-pie", "-fno-pie", "main.cc", "value.cc", "-o", "prog")
        self.assert_runs()

    def test_the_cxx_library_may_be_linked_statically(self):
        self.run_ok("heddle-c++", "-static-libstdc++", "-static-libgcc", "main.cc", "value.cc", "-o", "prog")
        self.assert_runs()

    def test_archives_are_taken_in(self):
        self.run_ok("heddle-c++", "-c", "value.cc")
        self.run_ok("ar", "rcs", "libvalue.a", "value.o")
        self.run_ok("heddle-c++", "main.cc", "-L.", "-lvalue", "-o", "prog")
        self.assert_runs()

    def test_relocatable_links_take_in_no_runtime(self):
        self.run_ok("heddle-c++", "-c", "main.cc", "value.cc")
        self.run_ok("heddle-c++", "-r", "-nostdlib", "main.o", "value.o", "-o", "both.o")
        self.assertNotRegex(self.symbols_of("both.o"), r" [TW] __tsan")
        self.run_ok("heddle-c++", "both.o", "-o", "prog")
        self.assert_runs()

    def test_shared_libraries_leave_the_hooks_to_the_executable(self):
        for flags in ([], ["-Wl,-z,defs"], ["-Wl,--no-undefined", "-Wl,--as-needed"]):
            self.run_ok("heddle-c++", "-shared", "-fPIC", *flags, "value.cc", "-o", "libvalue.so")
            self.run_ok("heddle-c++", "main.cc", "-L.", "-lvalue", "-Wl,-rpath," + self.folder, "-o", "prog")
            self.assertRegex(self.symbols_of("libvalue.so", "-D"), r" U __tsan_func_entry")
            self.assertRegex(self.symbols_of("prog", "-D"), r" T __tsan_func_entry")
            self.assert_runs()

    def test_the_executable_exports_the_hooks_and_nothing_else_of_its_own(self):
        self.run_ok("heddle-c++", "main.cc", "value.cc", "-o", "prog")
        exported = self.symbols_of("prog", "-D", "--defined-only")
        self.assertNotIn("Value", exported)
        self.assertNotIn("heddle_hot", exported)

    def test_a_plain_executable_may_load_an_instrumented_library(self):
        self.write("load.c", """#include <dlfcn.h>
            #include <stdio.h>
            int main(void) {
              void* library = dlopen("./libvalue.so", RTLD_NOW);
              int (*value)(void) = library ? (int (*)(void))dlsym(library, "Number") : 0;
              if (value == 0) { puts(dlerror()); return 1; }
              printf("%d\\n", value());
              return 0;
            }""")
        self.write("number.c", "int calls; int Number(void) { return ++calls; }")
        self.run_ok("heddle-cc", "-shared", "-fPIC", "number.c", "-o", "libvalue.so")
        self.run_ok(support.c_compiler_of(support.cxx), "load.c", "-o", "plain", "-ldl")
        self.assertEqual(self.run_ok("./plain"), "1\n")
        self.run_ok("heddle-cc", "load.c", "-o", "seen", "-ldl")
        self.assertEqual(self.run_ok("./seen", FAKE_ENGINE_LOG=self.path("log")), "1\n")

    def test_response_files_are_followed(self):
        self.write("objects.rsp", "main.o\n'value.o'\n")
        self.write("all.rsp", "@objects.rsp -o \"prog\"\n")
        self.run_ok("heddle-c++", "-c", "main.cc", "value.cc")
        self.run_ok("heddle-c++", "@all.rsp")
        self.assert_runs()

    def test_preprocessing_and_dependencies_reach_standard_output(self):
        self.assertIn("int Value()", self.run_ok("heddle-c++", "-E", "value.cc"))
        self.assertIn("value.o: value.cc", self.run_ok("heddle-c++", "-MM", "value.cc"))
        self.run_ok("heddle-c++", "-MMD", "-MF", "value.d", "-c", "value.cc")
        self.assertEqual(self.read("value.d"), "value.o: value.cc\n")

    def test_assembly_comes_out_and_goes_in(self):
        self.run_ok("heddle-c++", "-S", "value.cc", "-o", "value.s")
        self.assertIn("__tsan_func_entry", self.read("value.s"))
        self.run_ok("heddle-c++", "-Werror", "main.cc", "value.s", "-o", "prog")
        self.assert_runs()
        self.run_ok("heddle-c++", "-Wall", "-Werror", "-c", "value.s")

    def test_preprocessed_sources_are_instrumented_too(self):
        self.write("value.ii", self.run_ok("heddle-c++", "-E", "value.cc"))
        self.run_ok("heddle-c++", "main.cc", "value.ii", "-o", "prog")
        self.assert_runs()
        self.run_ok("heddle-c++", "-save-temps", "value.cc", "-c", "-o", "saved.o")
        self.assert_instrumented("saved.o")

    def test_the_language_option_is_obeyed(self):
        os.rename(self.path("value.cc"), self.path("value.txt"))
        self.run_ok("heddle-c++", "-x", "c++", "value.txt", "main.cc", "-x", "none", "-o", "prog")
        self.assert_runs()

    def test_sources_come_from_standard_input(self):
        self.run_ok("sh", "-c", "heddle-c++ -x c++ -c - -o value.o < value.cc")
        self.assert_instrumented("value.o")

    def test_questions_get_the_compilers_own_answer(self):
        for question in (["--version"], ["-dumpversion"], ["-dumpmachine"], ["-print-search-dirs"],
                         ["-print-file-name=libstdc++.so"]):
            self.assertEqual(self.run_ok("heddle-c++", *question), self.run_ok(support.cxx, *question))
        plain, ours = self.try_run(support.cxx, "-v"), self.try_run("heddle-c++", "-v")
        self.assertEqual((ours.returncode, ours.stdout), (plain.returncode, plain.stdout))
        verbose = self.try_run("heddle-c++", "-v", "-c", "value.cc")
        self.assertIn("-fsanitize=thread", verbose.stderr)

    def test_failures_pass_through_untouched(self):
        self.write("wrong.cc", "int main() { return missing; }\n")
        plain = self.try_run(support.cxx, "-c", "wrong.cc")
        ours = self.try_run("heddle-c++", "-c", "wrong.cc")
        self.assertEqual((ours.returncode, ours.stderr), (plain.returncode, plain.stderr))
        self.assertNotEqual(self.try_run("heddle-c++").returncode, 0)

    def test_warnings_as_errors_do_not_trip_over_our_flags(self):
        self.write("fence.cc", "#include <atomic>\nvoid F() { std::atomic_thread_fence(std::memory_order_acquire); }\n")
        for flags in (["-c"], ["-E"], ["-S", "-o", "-"], ["-M"], ["-fsyntax-only"]):
            self.run_ok("heddle-c++", "-Wall", "-Wextra", "-Werror", "-O2", "-pedantic", *flags, "fence.cc")
        done = self.try_run("heddle-c++", "-Wall", "-Wextra", "-Werror", "-O2", "main.cc", "value.cc", "-o", "prog")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_precompiled_headers_work(self):
        self.write("all.h", "#include <pthread.h>\n#include <stdio.h>\n")
        self.write("main.cc", '#include "all.h"\n' + MAIN)
        output = "all.h.gch" if self.is_gcc else "all.h.pch"
        self.run_ok("heddle-c++", "-O1", "-x", "c++-header", "all.h", "-o", output)
        use = ["-Winvalid-pch", "-Werror"] if self.is_gcc else ["-include-pch", "all.h.pch"]
        self.run_ok("heddle-c++", "-O1", *use, "-c", "main.cc")
        self.run_ok("heddle-c++", "main.o", "value.cc", "-o", "prog")
        self.assert_runs()

    def test_link_time_optimisation_does_not_hide_anything(self):
        self.write("set.c", "#include <string.h>\nextern char b[64];\nvoid Set(void) { memset(b, 1, 64); }\n")
        self.write("use.c", "char b[64];\nvoid Set(void);\nint main(void) { Set(); return b[3] - 1; }\n")
        self.run_ok("heddle-cc", "-O2", "-flto", "-c", "set.c", "use.c")
        self.run_ok("heddle-cc", "-O2", "-flto", "set.o", "use.o", "-o", "lto")
        self.assertIn("write-range 64", self.events_of("./lto"))

    def test_the_undefined_behaviour_sanitizer_works_beside(self):
        self.write("overflow.cc", "#include <climits>\nint main(int argc, char**) { return (INT_MAX - 1 + argc + argc) == 0; }\n")
        plain = self.try_run(support.cxx, "-fsanitize=undefined", "overflow.cc", "-o", "plain")
        if plain.returncode != 0:
            self.skipTest(f"what {support.cxx} links for it is not installed")
        self.run_ok("heddle-c++", "-fsanitize=undefined", "overflow.cc", "-o", "overflow")
        self.assertIn("signed integer overflow", self.try_run("./overflow").stderr)
        self.run_ok("heddle-c++", "-fsanitize=undefined", "main.cc", "value.cc", "-o", "prog")
        self.assert_runs()

    def test_coverage_works_beside(self):
        plain = self.try_run(support.cxx, "--coverage", "main.cc", "value.cc", "-o", "plain")
        if plain.returncode != 0:
            self.skipTest(f"what {support.cxx} links for it is not installed")
        self.run_ok("heddle-c++", "--coverage", "-c", "main.cc", "value.cc")
        self.run_ok("heddle-c++", "--coverage", "main.o", "value.o", "-o", "prog")
        self.assert_runs()
        self.assertTrue(os.path.exists(self.path("value.gcda")))

    def test_every_linker_will_do(self):
        for linker in ("bfd", "gold", "lld"):
            if shutil.which("ld." + linker) is None:
                continue
            self.run_ok("heddle-c++", "-fuse-ld=" + linker, "main.cc", "value.cc", "-o", "prog")
            self.assert_runs()

    def test_a_path_with_blanks_is_no_trouble(self):
        self.write("my files/value.cc", VALUE)
        self.run_ok("heddle-c++", "main.cc", "my files/value.cc", "-o", "my files/prog")
        self.assert_runs("./my files/prog")


class SanitizerTest(DropInTest):
    def test_the_users_thread_sanitizer_is_dropped_with_a_note(self):
        done = self.try_run("heddle-c++", "-fsanitize=thread", "main.cc", "value.cc", "-o", "prog", "-ltsan")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("note: left out -fsanitize=thread", done.stderr)
        self.assert_runs()

    def test_other_sanitizers_are_refused_with_a_reason(self):
        for name in ("address", "leak", "memory", "hwaddress", "undefined,address"):
            done = self.try_run("heddle-c++", "-fsanitize=" + name, "-c", "value.cc")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn("only one can", done.stderr)

    def test_a_static_program_is_refused_with_a_reason(self):
        for flag in ("-static", "-static-pie"):
            done = self.try_run("heddle-c++", flag, "main.cc", "value.cc", "-o", "prog")
            self.assertEqual(done.returncode, 2)
            self.assertIn("link without -static", done.stderr)
            self.assertFalse(os.path.exists(self.path("prog")))
        self.run_ok("heddle-c++", "-static", "-c", "value.cc")

    def test_a_file_can_be_left_out(self):
        self.run_ok("heddle-c++", "-fno-sanitize=thread", "-c", "value.cc")
        self.assertNotIn("__tsan", self.symbols_of("value.o"))

    def test_a_missing_compiler_is_named(self):
        done = self.try_run("heddle-c++", "-c", "value.cc", HEDDLE_CXX="g++-0")
        self.assertEqual(done.returncode, 3)
        self.assertIn("g++-0", done.stderr)

    def test_the_wrapper_does_not_call_itself(self):
        done = self.try_run("heddle-c++", "-c", "value.cc", HEDDLE_CXX="heddle-c++")
        self.assertEqual(done.returncode, 3)
        self.assertIn("heddle itself", done.stderr)


class BuildSystemTest(DropInTest):
    def test_make_needs_only_the_variables(self):
        self.write("Makefile", "prog: main.o value.o\n\t$(CXX) $(LDFLAGS) $^ -o $@\n")
        self.run_ok("make", "CXX=heddle-c++", "CXXFLAGS=-O1 -MMD")
        self.assert_runs()

    def test_cmake_recognises_the_compiler_and_builds_with_it(self):
        self.write("CMakeLists.txt", """
            cmake_minimum_required(VERSION 3.13)
            project(sample C CXX)
            include(CheckCXXCompilerFlag)
            include(CheckFunctionExists)
            check_cxx_compiler_flag(-Wall HAS_WALL)
            check_cxx_compiler_flag(-fno-such-flag-at-all HAS_NONSENSE)
            check_function_exists(strnlen HAS_STRNLEN)
            if(NOT HAS_WALL OR HAS_NONSENSE OR NOT HAS_STRNLEN)
              message(FATAL_ERROR "wrong answers: ${HAS_WALL} ${HAS_NONSENSE} ${HAS_STRNLEN}")
            endif()
            find_package(Threads REQUIRED)
            add_library(value SHARED value.cc)
            add_library(unused STATIC other.c)
            add_executable(prog main.cc)
            target_link_libraries(prog value unused Threads::Threads)
            # A tool that the build itself runs.
            add_custom_command(OUTPUT made.txt COMMAND prog > made.txt)
            add_custom_target(made ALL DEPENDS made.txt)
            file(WRITE ${CMAKE_BINARY_DIR}/id ${CMAKE_CXX_COMPILER_ID})""")
        self.write("other.c", "int other(int x) { return x; }\n")
        self.run_ok("cmake", "-S", ".", "-B", "b", "-DCMAKE_CXX_COMPILER=heddle-c++", "-DCMAKE_C_COMPILER=heddle-cc")
        self.run_ok("cmake", "--build", "b")
        self.assertEqual(self.read("b/id"), "GNU" if self.is_gcc else "Clang")
        self.assertEqual(self.read("b/made.txt"), EXPECTED)
        self.assert_runs("./b/prog")

    def test_cmake_may_use_the_wrapper_as_a_launcher(self):
        self.write("CMakeLists.txt", """
            cmake_minimum_required(VERSION 3.21)
            project(sample CXX)
            add_executable(prog main.cc value.cc)""")
        self.run_ok("cmake", "-S", ".", "-B", "b", "-DCMAKE_CXX_COMPILER=" + support.cxx,
                    "-DCMAKE_CXX_COMPILER_LAUNCHER=heddle-c++", "-DCMAKE_CXX_LINKER_LAUNCHER=heddle-c++")
        self.run_ok("cmake", "--build", "b")
        self.assert_runs("./b/prog")

    def test_a_configure_script_gets_the_answers_it_expects(self):
        self.write("configure", r"""#!/bin/sh
            # The probes of an autoconf script, by hand.
            set -e
            echo 'int main(void) { return 0; }' > conftest.c
            $CC conftest.c && ./a.out && rm a.out                       # the compiler makes executables
            $CC -c conftest.c && test -f conftest.o                     # the suffix of objects
            ! $CC -qversion > /dev/null 2>&1                            # not IBM's
            echo '#ifndef __GNUC__' > g.c; echo 'choke me' >> g.c; echo '#endif' >> g.c
            $CC -c g.c                                                  # GNU C
            echo 'choke me' > w.c; ! $CC -c w.c 2> /dev/null            # rejects nonsense
            printf 'char strlcpyx(); int main(void) { return strlcpyx(); }' > f.c
            ! $CC f.c -o f 2> /dev/null                                 # a function that is missing
            printf 'char strchr(); int main(void) { return (int)(long)strchr; }' > f.c
            $CC -w f.c -o f                                             # a function that is there
            printf '#include <pthread.h>\nint main(void) { return pthread_self() == 0; }' > p.c
            $CC p.c -o p -lpthread && ./p
            printf '#include <stdio.h>\nint main(void) { printf("%%d", (int)sizeof(long)); return 0; }' > s.c
            $CC s.c -o s && test "`./s`" = 8                            # a program it runs
            $CC -E conftest.c > conftest.i
            echo '#include <no_such_header.h>' > h.c; ! $CC -E h.c > /dev/null 2>&1
            echo configured
            """)
        os.chmod(self.path("configure"), 0o755)
        self.assertEqual(self.run_ok("./configure", CC="heddle-cc"), "configured\n")

    def test_autoconf_recognises_the_compiler(self):
        if shutil.which("autoconf") is None:
            self.skipTest("autoconf is not installed")
        self.write("configure.ac", """
            AC_INIT([sample], [1])
            AC_PROG_CC
            AC_PROG_CXX
            AC_LANG([C++])
            AC_SEARCH_LIBS([pthread_create], [pthread])
            AC_CHECK_FUNCS([memcpy strlcpyx])
            AC_CONFIG_FILES([Makefile])
            AC_OUTPUT""")
        self.write("Makefile.in", "prog: main.o value.o\n\t@CXX@ @LDFLAGS@ main.o value.o @LIBS@ -o $@\n"
                                  ".cc.o:\n\t@CXX@ @CXXFLAGS@ -c $<\n.SUFFIXES: .cc .o\n")
        self.run_ok("autoconf")
        output = self.run_ok("./configure", CC="heddle-cc", CXX="heddle-c++")
        self.assertIn("for memcpy... yes", output)
        self.assertIn("for strlcpyx... no", output)
        self.run_ok("make")
        self.assert_runs()

    def test_ccache_works_before_and_behind_the_wrapper(self):
        if shutil.which("ccache") is None:
            self.skipTest("ccache is not installed")

        def hits():
            counters = dict(line.split() for line in self.run_ok("ccache", "--print-stats").splitlines())
            return int(counters["direct_cache_hit"]) + int(counters["preprocessed_cache_hit"])

        before = [["ccache", "heddle-c++"], {}]
        behind = [["heddle-c++"], {"HEDDLE_CXX": "ccache " + support.cxx}]
        prefix = [["ccache", support.cxx], {"CCACHE_PREFIX": "heddle-c++"}]
        for command, variables in (before, behind, prefix):
            earlier = hits()
            for _ in range(2):
                self.run_ok(*command, "-c", "main.cc", "-o", "main.o", **variables)
                self.run_ok(*command, "-c", "value.cc", "-o", "value.o", **variables)
            self.assertEqual(hits() - earlier, 2, command)
            self.assert_instrumented("main.o")
            self.run_ok("heddle-c++", "main.o", "value.o", "-o", "prog")
            self.assert_runs()
            self.run_ok("ccache", "--clear")

    def test_the_printed_flags_are_enough_for_any_build_system(self):
        compile_flags = self.run_ok("heddle-c++", "--heddle-print-compile-flags")
        link_flags = self.run_ok("heddle-c++", "--heddle-print-link-flags")
        self.run_ok("sh", "-c", f"{support.cxx} {compile_flags.strip()} -c main.cc value.cc")
        self.run_ok("sh", "-c", f"{support.cxx} main.o value.o {link_flags.strip()} -o prog")
        self.assert_runs()


if __name__ == "__main__":
    support.main()
