"""Examples and tests that Debian ships with libraries, as they are: they build, run, and replay.

    shipped_test.py HEDDLE [NAME…]   (rows of SHIPPED below; all of them without a name)

Each is searched with several seeds. As none of them fails by itself, one search more expects another exit status than the
program's: that finding, whose schedule is any schedule of the program, must replay identically on both backends.
"""
import os
import sys
import tempfile

from real_test import Bench, FINDING, check

BOOST = "/usr/share/doc/libboost1.74-doc/examples/libs/"
URCU = "/usr/share/doc/liburcu-dev/examples/"
GTEST = "/usr/src/googletest/"
BOOST_FIBER = ["-lboost_fiber", "-lboost_context"]
ANOTHER_STATUS = "77"

# name: (source, libraries, threads are started, runs for each seed)
SHIPPED = {
    "boost_thread_monitor": (BOOST + "thread/example/monitor.cpp", ["-lboost_thread"], True, 20),
    "boost_thread_tennis": (BOOST + "thread/example/tennis.cpp", ["-lboost_thread"], True, 20),
    "boost_asio_pipeline": (BOOST + "asio/example/cpp14/executors/pipeline.cpp", [], True, 20),
    "boost_asio_strand": (BOOST + "asio/example/cpp03/tutorial/timer5/timer.cpp",
                          ["-lboost_thread", "-lboost_system"], True, 20),
    "boost_fiber_work_sharing": (BOOST + "fiber/examples/work_sharing.cpp", BOOST_FIBER, True, 20),
    "boost_fiber_future": (BOOST + "fiber/examples/future.cpp", BOOST_FIBER, False, 1),
    "boost_context_parser": (BOOST + "context/example/fiber/parser.cpp", ["-lboost_context"], False, 1),
    "boost_coroutine2_same_fringe": (BOOST + "coroutine2/example/same_fringe.cpp", ["-lboost_context"], False, 1),
    "urcu_mb": (URCU + "urcu-flavors/mb.c", ["-lurcu-mb"], True, 20),
    "urcu_qsbr": (URCU + "urcu-flavors/qsbr.c", ["-lurcu-qsbr"], True, 20),
    "urcu_lfq_dequeue": (URCU + "rculfqueue/cds_lfq_dequeue.c", ["-lurcu-memb", "-lurcu-cds"], True, 20),
    "gtest_stress": (GTEST + "googletest/test/gtest_stress_test.cc",
                     ["-I" + GTEST + "googletest", "-lgtest", "-lgtest_main"], True, 3),
}


def try_one(bench, name):
    source, flags, starts_threads, runs = SHIPPED[name]
    bench.compile(source, name, libraries=flags)
    for seed in ("1", "2"):
        # Findings, if any, are races that code may order which heddle does not see: warnings.
        result = bench.run(["./" + name], ["--strategy=random", "--runs", str(runs), "--seed", seed], 0)
        check(result["starts_no_thread"] != starts_threads, "it starts threads, or not", result)
        check(all(one["severity"] == "warning" and one["replayed"] for one in result["findings"]),
              "it is at fault", result)
    if not starts_threads:
        return
    result = bench.run(["./" + name], ["--strategy=random", "--runs", "3", "--races=off", "--seed", "5",
                                       "--expect-exit", ANOTHER_STATUS], FINDING)
    check(result["findings"][0]["kind"] == "exit" and result["findings"][0]["replayed"], "it does not replay", result)
    for backend in ("fiber", "baton"):
        replay = bench.replay(backend, 2)
        check((replay["status"], replay["identical"]) == ("reproduced", 2), f"not identical on {backend}", replay)


def main():
    heddle, *names = sys.argv[1:]
    for name in names or SHIPPED:
        if not os.path.exists(SHIPPED[name][0]):
            print(f"{name}: not installed")
            continue
        with tempfile.TemporaryDirectory(prefix="heddle-shipped-") as directory:
            try_one(Bench(os.path.abspath(heddle), directory), name)
        print(f"{name}: runs and replays", flush=True)


if __name__ == "__main__":
    main()
