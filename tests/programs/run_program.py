"""Runs programs of this folder as their own comments say, on both backends and natively.

    run_program.py HEDDLE SCRATCH COMPILER SOURCE...

A program is one behaviour. `// RUN: heddle run OPTIONS [-- ARGUMENTS]` says how to search it, the
`// EXPECT:` line behind it what must come out, as words separated by commas:

    clean                 no finding, exit code 0; run natively it also ends with status 0, so that nothing is
                          modelled that Linux does not do
    not-native            … but natively it would end otherwise, or not at all
    kind=KIND             exactly one finding, of this kind, that was replayed; exit code 1
    kinds=KIND+KIND       exactly these findings; exit code 1
    exit=N                heddle's exit code, where it is neither
    complete              the search proved that nothing is left
    runs=N, classes=N     how many runs were made, how many classes seen
    first_run=N           which run found it
    ends                  no run was cut off by the step limit
    any-schedule          the finding is marked as not schedule-dependent
    no-thread             the program is said to start no thread
    uncontrolled=WORD     heddle says that it can't control WORD; without this word, nothing is uncontrolled
    output~TEXT           heddle's own output contains TEXT (up to the end of the line)

Exit code 77: the compiler is not installed. Both backends must give the same runs, classes, events and findings.
"""
import os
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from tool import FINDING, FINE, Tool, ToolTest  # noqa: E402
import unittest  # noqa: E402

SOURCES, COMPILER = [], None
NATIVELY_HUNG_AFTER = 300


def read_cases(path):
    """[(words behind `heddle run`, words of the expectation)]"""
    cases = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("// RUN: heddle run"):
                cases.append([shlex.split(line[len("// RUN: heddle run"):]), None])
            elif line.startswith("// EXPECT: "):
                cases[-1][1] = line[len("// EXPECT: "):].strip()
    if not cases or any(expected is None for _, expected in cases):
        raise AssertionError(f"{path}: needs a RUN line, and an EXPECT line behind each")
    return cases


def split_expectation(text):
    words = []
    text, tilde, output = text.partition("output~")
    for word in filter(None, (word.strip() for word in text.split(","))):
        key, _, value = word.partition("=")
        words.append((key, value))
    if tilde:
        words.append(("output", output))
    return words


class ProgramTest(ToolTest):
    maxDiff = None

    def check(self, ended, expectation):
        codes = {"clean": FINE, "kind": FINDING, "kinds": FINDING, "no-thread": FINE}
        words = split_expectation(expectation)
        result = ended.result
        kinds, uncontrolled, code = [], [], None
        for key, value in words:
            code = codes.get(key, code)
            if key in ("kind", "kinds"):
                kinds = sorted(value.split("+"))
            elif key == "exit":
                code = int(value)
            elif key in ("complete", "incomplete"):
                self.assertEqual(result["complete"], key == "complete", ended.output)
            elif key in ("runs", "classes"):
                self.assertEqual(result[key], int(value), ended.output)
            elif key == "first_run":
                self.assertEqual(result["findings"][0][key], int(value), ended.output)
            elif key == "ends":
                self.assertEqual(result["step_limited_runs"], 0, ended.output)
            elif key == "any-schedule":
                self.assertFalse(result["findings"][0]["schedule_dependent"], ended.output)
            elif key == "no-thread":
                self.assertTrue(result["starts_no_thread"], ended.output)
            elif key == "uncontrolled":
                uncontrolled.append(value)
            elif key == "output":
                self.assertIn(value, ended.output)
            elif key not in ("clean", "not-native"):
                self.fail(f"EXPECT does not know {key}")
        self.assertEqual(ended.kinds(), kinds, ended.output)
        self.assertEqual(ended.code, code, ended.output)
        self.assertEqual(sorted(item["what"] for item in result["uncontrolled"]), sorted(uncontrolled),
                         ended.output)
        if not any(key == "any-schedule" for key, _ in words):
            for finding in result["findings"]:
                # A race is there in most schedules, or in all.
                self.assertTrue(finding["schedule_dependent"] or finding["kind"] in ("race", "lock-order"),
                                ended.output)
        for finding in result["findings"]:
            self.assertTrue(finding["replayed"], ended.output)
        self.assertEqual(result["diverged_runs"], 0, ended.output)

    def check_natively(self, program, arguments):
        ended = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace",
                               timeout=NATIVELY_HUNG_AFTER, check=False)
        self.assertEqual(ended.returncode, 0, f"natively: {ended.stdout}")

    def test_does_what_its_comments_say(self):
        for source in SOURCES:
            program = self.tool.compile(source, COMPILER)
            for words, expectation in read_cases(source):
                with self.subTest(program=os.path.basename(source), run=" ".join(words)):
                    where = words.index("--") if "--" in words else len(words)
                    options = words[:where]
                    # What the lines say of runs and classes is a random walk's, unless they name another.
                    if not any(word.startswith("--strategy") for word in options):
                        options.insert(0, "--strategy=random")
                    ended = self.on_both_backends(program, *options, arguments=words[where + 1:])
                    self.check(ended, expectation)
                    keys = [key for key, _ in split_expectation(expectation)]
                    if "clean" in keys and "not-native" not in keys:
                        self.check_natively(program, words[where + 1:])


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    ToolTest.tool = Tool(sys.argv[1], sys.argv[2])
    COMPILER = sys.argv[3]
    SOURCES = [os.path.abspath(path) for path in sys.argv[4:]]
    if shutil.which(COMPILER) is None:
        print(f"{COMPILER} is not installed: skipped")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
