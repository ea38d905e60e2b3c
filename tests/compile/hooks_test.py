"""What the hooks report for the code that each compiler makes, and that none of it is missing."""
import re

import support
from support import SOURCES, WrapperTest

HEADER = f'#include "{SOURCES}/marker.h"\n'


class EveryHookTest(WrapperTest):
    # Flags that make a compiler emit further hooks.
    def variants(self):
        if self.is_gcc:
            return [[], ["--param=tsan-distinguish-volatile=1"]]
        return [[], ["-mllvm", "-tsan-distinguish-volatile=1"],
                ["-mllvm", "-tsan-compound-read-before-write=1"]]

    def test_every_hook_that_the_compiler_emits_is_defined(self):
        for flags in self.variants():
            for level in ("-O0", "-O2"):
                self.run_ok("heddle-c++", level, "-mcx16", *flags, SOURCES + "/every_hook.cc", "-o", "all")
                undefined = [line for line in self.symbols_of("all", "-u").splitlines()
                             if re.search(r"__tsan|__wrap|Annotate|__atomic_", line)]
                self.assertEqual(undefined, [], f"{flags} {level}")
                self.assertNotIn("tsan", self.run_ok("ldd", "./all"))

    def test_a_program_that_uses_every_hook_computes_what_the_plain_one_does(self):
        plain = ["-O1", "-mcx16", SOURCES + "/every_hook.cc", "-o", "plain"]
        if not self.is_gcc:
            plain.append("-latomic")
        self.run_ok(support.cxx, *plain, *(["-latomic"] if self.is_gcc else []))
        expected = self.run_ok("./plain")
        for flags in self.variants():
            self.run_ok("heddle-c++", "-O1", "-mcx16", *flags, SOURCES + "/every_hook.cc", "-o", "all")
            self.assertEqual(self.run_ok("./all"), expected)
            self.assertEqual(self.run_ok("./all", FAKE_ENGINE_LOG=self.path("log")), expected)


class EventTest(WrapperTest):
    def compile(self, body, *flags, globals="", language="c"):
        self.write("a." + language, HEADER + "#include <string.h>\n#include <stdint.h>\n#include <stdlib.h>\n" +
                   globals + "\nint main(void) {\n" + body + '\n  MARK("end");\n  return 0;\n}\n')
        wrapper = "heddle-cc" if language == "c" else "heddle-c++"
        self.run_ok(wrapper, "-O2", "-Wall", "-Werror", *flags, "a." + language, "-o", "a")

    MEMORY = "char *p, *q; char a[256] __attribute__((aligned(8))), b[256] __attribute__((aligned(8)));"

    def test_memory_functions_of_constant_size_are_ranges(self):
        self.compile("""
            char* volatile keep = a; p = keep; keep = b; q = keep;
            MARK("memset 64"); memset(p, 0, 64);
            MARK("memcpy 64"); memcpy(p, q, 64);
            MARK("memcpy 3"); memcpy(p, q, 3);
            MARK("memmove 17"); memmove(p, q, 17);""", globals=self.MEMORY)
        seen = self.sections_of("./a")
        self.assertIn("write-range 64", seen["memset 64"])
        self.assertEqual(seen["memcpy 64"][-2:], ["read-range 64", "write-range 64"])
        self.assertEqual(seen["memcpy 3"][-2:], ["read 3", "write 3"])
        self.assertEqual(seen["memmove 17"][-2:], ["read-range 17", "write-range 17"])

    def test_string_functions_report_what_they_look_at(self):
        self.compile("""
            char* volatile keep = a; p = keep; keep = b; q = keep;
            MARK("strcpy"); strcpy(p, "hello, world");
            MARK("strlen"); size_t n = strlen(p); keep = p + n;
            MARK("strncpy"); strncpy(q, p, 40);
            MARK("strcat"); strcat(q, "!");
            MARK("strcmp"); int c = strcmp(p, q); keep = p + c;
            MARK("memcmp"); c = memcmp(p, q, 9); keep = p + c;
            MARK("memchr"); keep = memchr(p, 'w', 200);
            MARK("strchr"); keep = strchr(p, ',');""", globals=self.MEMORY)
        seen = self.sections_of("./a")
        self.assertEqual(seen["strcpy"][-1], "write-range 13")
        self.assertIn("read-range 13", seen["strlen"])
        self.assertIn("read-range 13", seen["strncpy"])
        self.assertIn("write-range 40", seen["strncpy"])
        self.assertIn("write 2", " ".join(seen["strcat"]).replace("write-range 2", "write 2"))
        self.assertIn("read-range 13", seen["strcmp"])
        self.assertEqual([e for e in seen["memcmp"] if e.endswith(" 9")], ["read-range 9"] * 2)
        self.assertIn("read 8", seen["memchr"])
        self.assertIn("read 6", seen["strchr"])

    def test_fortified_calls_are_seen_too(self):
        self.compile("""
            char* volatile keep = b; q = keep;
            MARK("memset"); memset(a, 0, 64);
            MARK("memcpy"); memcpy(a, q, (size_t)atoi("65"));
            MARK("strcpy"); strcpy(a, q);""", "-D_FORTIFY_SOURCE=2", globals=self.MEMORY)
        seen = self.sections_of("./a")
        self.assertIn("write-range 64", seen["memset"])
        self.assertIn("write-range 65", seen["memcpy"])
        self.assertIn("write 1", seen["strcpy"])

    def test_a_read_modify_write_is_a_read_and_a_write(self):
        self.compile('MARK("rmw"); ++counter;', globals="int counter;")
        self.assertEqual(self.sections_of("./a")["rmw"], ["read 4", "write 4"])

    def test_unaligned_accesses_that_straddle_granules_are_ranges(self):
        self.compile("""
            struct P* volatile keep = &packed; struct P* p = keep;
            MARK("inside"); p->inside = 1;
            MARK("across"); p->across = 1;""",
                     globals="struct __attribute__((packed)) P { char c; int inside; long across; };"
                             "struct P packed __attribute__((aligned(8)));")
        seen = self.sections_of("./a")
        self.assertEqual([e for e in seen["inside"] if "write" in e], ["write 4"])
        self.assertEqual([e for e in seen["across"] if "write" in e], ["write-range 8"])

    def test_wide_vectors_of_a_loop_are_seen(self):
        with open("/proc/cpuinfo") as processors:
            widest = "-mavx2" if " avx2 " in processors.read() else "-msse2"
        self.compile("""
            int* volatile keep = x; int* a = keep; keep = y; int* b = keep;
            MARK("loop"); for (int i = 0; i < 64; ++i) a[i] += b[i];""",
                     "-O3", widest, globals="int x[64], y[64];")
        seen = self.sections_of("./a")["loop"]
        written = sum(int(e.split()[1]) for e in seen if e.startswith("write"))
        read = sum(int(e.split()[1]) for e in seen if e.startswith("read"))
        self.assertEqual((written, read), (256, 512))

    def test_a_loop_that_is_unrolled_as_a_whole_is_seen(self):
        self.compile('MARK("sum"); int sum = 0; for (int i = 0; i < 16; ++i) sum += x[i]; sink = sum;',
                     globals="int x[16]; volatile int sink;")
        seen = self.sections_of("./a")["sum"]
        self.assertEqual(sum(int(e.split()[1]) for e in seen if e.startswith("read")), 64)

    def test_atomics_report_size_order_value_and_failure(self):
        self.compile("""
            MARK("store"); __atomic_store_n(&x, 7, __ATOMIC_RELEASE);
            MARK("load"); y = __atomic_load_n(&x, __ATOMIC_ACQUIRE);
            MARK("add"); __atomic_fetch_add(&x, 3, __ATOMIC_RELAXED);
            MARK("won"); int expected = 10; __atomic_compare_exchange_n(&x, &expected, 11, 0, 5, 5);
            MARK("lost"); __atomic_compare_exchange_n(&x, &expected, 12, 0, 5, 5);
            MARK("fence"); __atomic_thread_fence(__ATOMIC_SEQ_CST);""", globals="int x, y;")
        seen = self.sections_of("./a")
        self.assertEqual(seen["store"], ["store 4 order=3 value=7 failed=0"])
        self.assertEqual(seen["load"][0], "load 4 order=2 value=7 failed=0")
        self.assertEqual(seen["add"], ["rmw 4 order=0 value=10 failed=0"])
        self.assertIn("rmw 4 order=5 value=11 failed=-1", seen["won"])
        self.assertIn("rmw 4 order=5 value=11 failed=6", seen["lost"])
        self.assertEqual(seen["fence"], ["fence 5"])

    def test_accesses_of_the_owner_take_the_fast_path(self):
        self.compile("""
            long* volatile keep = x; long* p = keep;
            MARK("first"); for (int i = 0; i < 100; ++i) { p[0] += i; __asm__ volatile("" ::: "memory"); }""",
                     globals="long x[2];")
        self.assertEqual(self.sections_of("./a", FAKE_ENGINE_OWN="1")["first"], ["read 8", "write 8"])
        self.assertEqual(len(self.sections_of("./a")["first"]), 200)

    def test_plain_accesses_are_not_looked_at_when_only_synchronisation_counts(self):
        self.compile('MARK("both"); x = 1; __atomic_store_n(&y, 1, 5); memset(z, 0, sizeof z);',
                     globals="int x, y; char z[100];")
        seen = self.sections_of("./a", FAKE_ENGINE_SYNC_ONLY="1")
        self.assertEqual(seen["both"], ["store 4 order=5 value=1 failed=0"])

    def test_the_links_of_lists_and_trees_are_seen(self):
        self.compile("""
            MARK("push"); list.push_back(1);
            MARK("erase"); list.erase(list.begin());
            MARK("insert"); map[3] = 4;
            MARK("second"); map[5] = 6;
            MARK("step"); auto it = map.begin(); ++it; sink = it->second;
            MARK("remove"); map.erase(3);""", "-std=c++17", language="cc",
                     globals="#include <list>\n#include <map>\nstd::list<int> list; std::map<int, int> map; volatile int sink;")
        seen = self.sections_of("./a")
        self.assertIn("write-range 16", seen["push"])
        self.assertGreaterEqual(seen["push"].count("write 8"), 2)
        self.assertIn("read-range 16", seen["erase"])
        self.assertEqual(seen["insert"].count("write-range 32"), 2)
        self.assertEqual(seen["second"].count("write-range 32"), 3)
        self.assertIn("read-range 32", seen["step"])
        self.assertIn("write-range 32", seen["remove"])

    def test_calls_are_counted_in_and_out(self):
        self.compile('MARK("before"); f(); MARK("after");',
                     globals='int x; __attribute__((noinline)) void f(void) { x = 1; MARK("inside"); x = 2; }')
        depths = dict(re.fullmatch(r"name (.*) depth=(\d+)", e).groups()
                      for e in self.events_of("./a") if e.startswith("name"))
        self.assertEqual(int(depths["inside"]), int(depths["before"]) + 1)
        self.assertEqual(depths["after"], depths["before"])

    def test_an_exception_leaves_the_call_depth_right(self):
        self.compile('MARK("before"); try { f(3); } catch (int) {} MARK("after");', language="cc",
                     globals='int x; __attribute__((noinline)) void f(int n) { x = n; if (n == 0) throw 1; f(n - 1); }')
        depths = dict(re.fullmatch(r"name (.*) depth=(\d+)", e).groups()
                      for e in self.events_of("./a") if e.startswith("name"))
        self.assertEqual(depths["after"], depths["before"])


class InterfaceTest(WrapperTest):
    def test_code_that_knows_thread_sanitizer_is_understood(self):
        self.run_ok("heddle-c++", "-Wall", "-Werror", SOURCES + "/annotations.cc", "-o", "a")
        self.run_ok("./a")
        events = self.events_of("./a")
        annotations = {int(e.split()[1]) for e in events if e.startswith("annotate")}
        # All of HeddleAnnotation except the thread name, which is a line of its own.
        self.assertEqual(annotations, set(range(20)))
        self.assertIn("name worker", " ".join(events))
        self.assertEqual([e for e in events if e.startswith("fiber")],
                         ["fiber create", "fiber switch 1", "fiber switch 0", "fiber destroy 1"])

    def test_a_project_may_define_annotations_and_wrappers_itself(self):
        self.write("own.c", """
            #include <string.h>
            int calls;
            void AnnotateHappensBefore(const char* f, int l, const volatile void* a) { ++calls; }
            char* __real_strcpy(char*, const char*);
            char* __wrap_strcpy(char* p, const char* q) { ++calls; return __real_strcpy(p, q); }
            char buffer[1000];
            int main(int argc, char** argv) {
              AnnotateHappensBefore("", 0, buffer);
              strcpy(buffer, argv[0]);
              return calls == 2 ? 0 : 1;
            }""")
        self.run_ok("heddle-cc", "own.c", "-Wl,--wrap=strcpy", "-o", "own")
        self.run_ok("./own")

    def test_the_sanitizer_is_visible_to_the_code(self):
        self.write("see.cc", """
            #if defined(__SANITIZE_THREAD__)
            int main() { return 0; }
            #elif defined(__has_feature)
            #if __has_feature(thread_sanitizer)
            int main() { return 0; }
            #endif
            #endif""")
        self.run_ok("heddle-c++", "see.cc", "-o", "see")
        self.run_ok("heddle-c++", "-c", "see.cc")
        self.run_ok("./see")


if __name__ == "__main__":
    support.main()
