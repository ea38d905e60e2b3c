"""Programs on code that is not ours, unchanged: they build, run under heddle, and replay.

real_test.py HEDDLE CASE   (one of the functions named test_CASE below)
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from tool import HUNG_AFTER, unhurried  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
FINE, FINDING = 0, 1


class Bench:
    """A temporary directory with heddle in it."""

    def __init__(self, heddle, directory):
        self.heddle = heddle
        self.directory = directory

    def call(self, words, environment=None, expect=None):
        done = subprocess.run(words, cwd=self.directory, env={**os.environ, **(environment or {})},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=HUNG_AFTER)
        text = done.stdout.decode(errors="replace")
        if expect is not None and done.returncode != expect:
            sys.exit(f"{' '.join(words)}\nended with {done.returncode} instead of {expect}:\n{text}")
        return text

    def compile(self, source, output, flags=(), libraries=()):
        compiler = ["cc"] if source.endswith(".c") else ["c++", "-std=c++17"]
        self.call([self.heddle, *compiler, "-g", "-O1", *flags,
                   os.path.join(HERE, source), "-o", output, "-pthread", *libraries], expect=0)

    def run(self, program, options, expect):
        """The JSON of a search of ./program."""
        self.call([self.heddle, *unhurried(["run", "--color", "never", "--json", "result.json", "--out", "out",
                                            *options, "--", *program])], expect=expect)
        with open(os.path.join(self.directory, "result.json"), encoding="utf-8") as file:
            return json.load(file)

    def stays_clean(self, program, options):
        result = self.run(program, options, FINE)
        check(result["stopped_by"] == "runs", f"stopped by {result['stopped_by']}", result)
        check(result["events"] > 0, "nothing was seen of it", result)
        return result

    def is_found_and_replays(self, program, options, kind, times=20):
        result = self.run(program, options, FINDING)
        finding = result["findings"][0]
        check(finding["kind"] == kind, f"found {finding['kind']} instead of {kind}", result)
        check(finding["replayed"], "heddle itself could not replay it", result)
        for backend in ("fiber", "baton"):
            replay = self.replay(backend, times)
            check(replay["status"] == "reproduced", f"not reproduced on {backend}", replay)
            check(replay["identical"] == times, f"not identical on {backend}", replay)
        return result

    def replay(self, backend, times):
        """The JSON of replays of the last finding."""
        text = self.call([self.heddle, *unhurried(["replay", "last", "--out", "out", "--backend", backend,
                                                   "--times", str(times), "--json", "-"])])
        return json.loads(text[text.index("{\n"):])


def check(holds, what, shown):
    if not holds:
        sys.exit(f"{what}:\n{json.dumps(shown, indent=1)}")


def test_openmp(bench):
    bench.compile("openmp.cpp", "sums", ["-fopenmp"])
    result = bench.run(["./sums"], ["--runs", "20"], FINE)
    check(any(one["what"].startswith("GOMP_") for one in result["uncontrolled"]), "OpenMP is not named", result)
    # A test that has used OpenMP already, with all its threads, before it explores anything.
    text = bench.call(["./sums", "explore"], expect=0)
    check("exhausted" in text and "GOMP_" in text, "not explored", text)


def test_boost_context(bench):
    bench.compile("boost_context.cpp", "stacks", libraries=["-lboost_context"])
    events = set()
    for backend in ("fiber", "baton"):
        events.add(bench.stays_clean(["./stacks"], ["--strategy=random", "--runs", "100", "--backend", backend])["events"])
    check(len(events) == 1, "the backends differ", sorted(events))
    bench.compile("boost_context.cpp", "racy", ["-DRACY"], ["-lboost_context"])
    bench.is_found_and_replays(["./racy"], ["--strategy=random", "--runs", "500", "--races=off"], "assertion", times=5)


def test_asio(bench):
    bench.compile("asio_pool.cpp", "pool")
    bench.stays_clean(["./pool"], ["--strategy=random", "--runs", "1000"])
    # The window is a dozen operations of the pool wide: a random walk meets it in about one run of
    # 2,000, partial order sampling in one of 20.
    bench.compile("asio_pool.cpp", "racy", ["-DRACY"])
    bench.is_found_and_replays(["./racy"], ["--strategy=pos", "--runs", "5000"], "assertion")


def test_asio_sockets(bench):
    bench.compile("asio_sockets.cpp", "sockets")
    result = bench.stays_clean(["./sockets"], ["--strategy=random", "--runs", "100"])
    # Both ends are the program's: nothing is left to chance.
    check(result["uncontrolled"] == [], "something is not controlled", result)
    bench.compile("asio_sockets.cpp", "hasty", ["-DHASTY"])
    bench.is_found_and_replays(["./hasty"], ["--strategy=random", "--runs", "500"], "assertion", times=5)


def test_boost_thread(bench):
    bench.compile("boost_thread.cpp", "threads", libraries=["-lboost_thread"])
    bench.stays_clean(["./threads"], ["--strategy=random", "--runs", "300"])
    bench.compile("boost_thread.cpp", "lost", ["-DLOST"], ["-lboost_thread"])
    bench.is_found_and_replays(["./lost"], ["--strategy=random", "--runs", "1000"], "deadlock", times=5)


def test_tbb(bench):
    bench.compile("tbb_tasks.cpp", "tasks", libraries=["-ltbb"])
    # What passes through the library's own code is dozens of warnings of races: most are seen in the same runs.
    result = bench.stays_clean(["./tasks"], ["--strategy=random", "--runs", "40"])
    check(all(one["severity"] == "warning" and one["replayed"] for one in result["findings"]), "more than warnings", result)
    bench.compile("tbb_tasks.cpp", "racy", ["-DRACY"], ["-ltbb"])
    bench.is_found_and_replays(["./racy"], ["--strategy=pos", "--runs", "3000"], "assertion", times=5)


def test_uv(bench):
    bench.compile("uv_loop.c", "loop", libraries=["-luv"])
    bench.stays_clean(["./loop"], ["--strategy=random", "--runs", "300"])
    bench.compile("uv_loop.c", "racy", ["-DRACY"], ["-luv"])
    bench.is_found_and_replays(["./racy"], ["--strategy=pos", "--runs", "3000"], "assertion", times=5)


def test_concurrent_queue(bench):
    bench.compile("concurrent_queue.cpp", "queue")
    bench.stays_clean(["./queue"], ["--strategy=random", "--runs", "1000"])
    bench.compile("concurrent_queue.cpp", "misuse", ["-DMISUSE"])
    bench.is_found_and_replays(["./misuse"], ["--strategy=random", "--runs", "1000"], "assertion")


def test_absl(bench):
    libraries = bench.call(["pkg-config", "--libs", "absl_synchronization"], expect=0).split()
    bench.compile("absl_mutex.cpp", "mutex", libraries=libraries)
    bench.stays_clean(["./mutex"], ["--strategy=random", "--runs", "200"])
    bench.compile("absl_mutex.cpp", "lost", ["-DLOST_WAKE_UP"], libraries)
    # A contended abseil mutex measures the processor's frequency: virtual sleeps against rdtsc.
    for seed in range(1, 4):
        bench.is_found_and_replays(["./lost"], ["--strategy=random", "--runs", "1000", "--seed",
                                                str(seed)], "deadlock")


def test_project(bench):
    # Where the tool is installed these two are in its bin directory; a build tree has only heddle.
    for name in ("heddle-cc", "heddle-c++"):
        os.symlink(bench.heddle, os.path.join(bench.directory, name))
    compilers = {"CC": os.path.join(bench.directory, "heddle-cc"),
                 "CXX": os.path.join(bench.directory, "heddle-c++")}
    for name, seeded in (("right", "OFF"), ("wrong", "ON")):
        bench.call(["cmake", "-S", os.path.join(HERE, "project"), "-B", name,
                    f"-DSEED_BUG={seeded}", "-DCMAKE_BUILD_TYPE=Debug"], compilers, expect=0)
        bench.call(["cmake", "--build", name, "--parallel", "2"], expect=0)
    # gtest_discover_tests ran the program at build time, dormant.
    listed = bench.call(["ctest", "--test-dir", "right", "-N"], expect=0)
    if "LedgerTest.KeepsEveryBooking" not in listed or "Total Tests: 2" not in listed:
        sys.exit(f"gtest_discover_tests found something else:\n{listed}")
    bench.call(["ctest", "--test-dir", "right"], expect=0)

    bench.stays_clean(["right/tests"], ["--strategy=random", "--runs", "500"])
    bench.is_found_and_replays(["wrong/tests"], ["--strategy=random", "--runs", "2000"], "exit")


def test_torture(bench):
    bench.compile("torture.cpp", "torture")
    events = {}
    for backend in ("fiber", "baton"):
        for seed in range(1, int(os.environ.get("HEDDLE_TORTURE_SEEDS", "3")) + 1):
            result = bench.stays_clean(["./torture"], [
                "--strategy=random", "--runs", "1", "--seed", str(seed), "--backend", backend])
            same = events.setdefault(seed, result["events"])
            check(same == result["events"], f"{same} events on the other backend", result)


def main():
    heddle, case = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="heddle-real-") as directory:
        bench = Bench(os.path.abspath(heddle), directory)
        globals()["test_" + case](bench)


if __name__ == "__main__":
    main()
