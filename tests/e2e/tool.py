"""The built heddle, for the tests that drive it from outside: compile once, run, read the JSON.

A script is called as  script.py HEDDLE SCRATCH [unittest options]  where HEDDLE is the built command and
SCRATCH a folder that survives the test: programs compiled there are used again as long as they are new.
"""
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BACKENDS = ("fiber", "baton")
FLAGS = ["-g", "-O1"]
# A run of heddle that takes longer has hung; nothing here is meant to come near.
HUNG_AFTER = 850
# Searches end by their runs, and runs by themselves: how fast the machine is changes nothing, unless a test is about just that.
UNHURRIED = {"--time": "30m", "--hang-time": "2m"}
os.environ.setdefault("HEDDLE_TIME", UNHURRIED["--time"])  # of heddle::Explore

FINE, FINDING, USAGE, ENVIRONMENT, BUG = 0, 1, 2, 3, 70


class Ended:
    """A finished heddle: exit code, what it printed, and its JSON (None if it wrote none)."""

    def __init__(self, code, output, result):
        self.code, self.output, self.result = code, output, result

    def kinds(self):
        return sorted(finding["kind"] for finding in self.result["findings"])

    def failures(self):
        """The kinds of what ends a run: most lost updates are data races too."""
        return [kind for kind in self.kinds() if kind not in ("race", "lock-order")]

    def behaviour(self):
        """What the same seed must give again: in another process, on another backend."""
        chosen = {key: self.result[key] for key in
                  ("runs", "classes", "events", "complete", "stopped_by", "starts_no_thread")}
        chosen["findings"] = sorted(
            (finding["kind"], finding["fingerprint"], finding["hits"], finding["first_run"],
             finding["replayed"]) for finding in self.result["findings"])
        chosen["code"] = self.code
        return chosen


def unhurried(words):
    """The words of a command of heddle, with limits of time that are out of reach where it names none itself."""
    added = {"run": ("--time", "--hang-time"), "replay": ("--hang-time",)}.get(words[0], ())
    where = words.index("--") if "--" in words else len(words)
    given = {word.partition("=")[0] for word in words[:where]}
    return [*words[:where], *(f"{name}={UNHURRIED[name]}" for name in added if name not in given), *words[where:]]


class Tool:
    def __init__(self, heddle, scratch):
        self.heddle, self.scratch = os.path.abspath(heddle), os.path.abspath(scratch)
        os.makedirs(self.scratch, exist_ok=True)

    def parts(self):
        library = os.path.join(os.path.dirname(os.path.dirname(self.heddle)), "lib", "heddle")
        return [self.heddle, os.path.join(library, "libheddle_hooks.a")]

    def compile(self, source, compiler="g++", flags=(), name=None):
        """The program built from a source file, built only if it is older than what it is made of."""
        stem = name or os.path.splitext(os.path.basename(source))[0]
        program = os.path.join(self.scratch, f"{stem}.{compiler}")
        with open(program + ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            newest = max(os.path.getmtime(path) for path in [source] + self.parts())
            if os.path.exists(program) and os.path.getmtime(program) > newest:
                return program
            is_c = source.endswith(".c")
            wrapper = [self.heddle, "cc"] if is_c else [self.heddle, "c++", "-std=c++20"]
            chosen = dict(os.environ, HEDDLE_CXX=compiler,
                          HEDDLE_CC=compiler.replace("clang++", "clang").replace("g++", "gcc"))
            done = subprocess.run(
                wrapper + FLAGS + list(flags) + [f"-I{SOURCES}/include", source, "-o", program, "-pthread"] +
                # clang leaves atomics of 16 bytes to the library.
                (["-latomic"] if "clang" in compiler else []),
                env=chosen, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode != 0:
                raise AssertionError(f"{source} does not compile with {compiler}:\n{done.stdout}")
        return program

    def call(self, *arguments, out, environment=None, prefix=(), directory=None):
        """Runs heddle with a JSON file of its own; `prefix` is a command that starts it."""
        path = os.path.join(out, "result.json")
        if os.path.exists(path):
            os.remove(path)
        words = unhurried(list(arguments))
        where = words.index("--") if "--" in words else len(words)
        words[where:where] = ["--out", out, "--json", path, "--color", "never"]
        done = subprocess.run(list(prefix) + [self.heddle] + words, env=environment, cwd=directory,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=HUNG_AFTER, check=False)
        result = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
        return Ended(done.returncode, done.stdout, result)


class ToolTest(unittest.TestCase):
    """Each test has an empty folder for its findings; compiled programs are shared."""
    tool = None

    def setUp(self):
        self.out = tempfile.mkdtemp(prefix="heddle-e2e-")
        self.addCleanup(shutil.rmtree, self.out, ignore_errors=True)

    def search(self, program, *options, arguments=(), **how):
        """`heddle run` with one worker, so that the order of the runs is the seed's."""
        return self.tool.call("run", "--workers=1", *options, "--", program, *arguments, out=self.out, **how)

    def on_both_backends(self, program, *options, arguments=()):
        """The search on fiber; asserts that it is the same on baton."""
        ended = [self.search(program, f"--backend={backend}", *options, arguments=arguments)
                 for backend in BACKENDS]
        for one in ended:
            self.assertIsNotNone(one.result, one.output)
        self.assertEqual(ended[0].behaviour(), ended[1].behaviour(),
                         f"fiber and baton differ\n{ended[0].output}\n{ended[1].output}")
        return ended[0]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ToolTest.tool = Tool(sys.argv[1], sys.argv[2])
    del sys.argv[1:3]
    # A background job has SIGINT ignored; the program under test must not inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main(module="__main__", verbosity=2)
