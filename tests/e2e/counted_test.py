"""How many classes small programs have, by every exhaustive search, against a brute force and closed forms.

    counted_test.py HEDDLE SCRATCH
"""
import math
import os
import subprocess

import brute_force
import counted_models
import counted_tries
import tool

ALL = {**counted_models.ALL, **counted_tries.ALL}

HERE = os.path.dirname(os.path.abspath(__file__))

# Programs without a size.
FIXED = ("SB", "LB", "MP", "2+2W", "R", "S", "WRC", "IRIW", "ISA2", "CoRR", "CoWW", "CoRW", "SB-rmw", "peterson",
         "dekker", "try-and-lock", "rw-try", "signal-behind-the-lock", "two-producers", "joined-backwards",
         "joined-between", "created-between", "once-late")

# What is known without trying; n! threads that commute with nobody, and so on.
CLOSED = {
    "SB-n": lambda n: 2 ** n - 1,
    "LB-n": lambda n: 2 ** n - 1,
    "tickets": math.factorial,
    "stores": math.factorial,
    "tickets-twice": lambda n: math.factorial(2 * n) // 2 ** n,
    "readers": lambda n: 2 ** n,
    "writers-readers": lambda n: math.factorial(n) * (n + 1) ** n,
    "last-zero": lambda n: (n + 3) * 2 ** (n - 2),
    "lock-n": math.factorial,
    "lock-2n": lambda n: math.comb(2 * n, n),
    "two-locks": lambda n: 2 ** (n - 1),
    "barrier": math.factorial,
    "barrier-twice": lambda n: math.factorial(n) ** 2,
    "binary-semaphore": math.factorial,
    "once": lambda n: n,  # who does it
    "rw-writers-readers": lambda n: 2 * 3 ** n,
    "pipe-each": lambda n: 1,
    "event": lambda n: n * math.factorial(n),
    # Who wins; that the others came behind is all there is to say of them.
    "cas-once": lambda n: n,
    "cas-twice": lambda n: n,
    "cas-look": lambda n: n,
    "try-once": lambda n: n,
    "semaphore-one": lambda n: n,
    # Readers of a value that they never find.
    "cas-readers": lambda n: 2 ** n,
    "fib": lambda n: {1: 3, 2: 19, 3: 141, 4: 1107}[n],
}
# From the papers that brought these programs: Flanagan and Godefroid 2005, Abdulla et al. 2014. One thread more is
# one more collision.
PUBLISHED = {("indexer", n): 8 ** (n - 11) for n in (11, 12, 13, 14)}
PUBLISHED.update({("file-system", n): 2 ** (n - 13) for n in (13, 14, 16, 18)})
PUBLISHED.update({("last-zero", 5): 64, ("readers", 8): 256})


def sizes(name, wanted):
    if name in FIXED:
        return (0,)
    return [n for n in wanted if (name, n) not in (("tree", 3), ("timed-wait", 3), ("signal-each", 3), ("future", 3))]


class CountedTest(tool.ToolTest):
    def program(self):
        return self.tool.compile(os.path.join(HERE, "counted.cpp"))

    def explored(self, strategy, programs):
        """By (name, size): runs, classes, redundant runs, complete."""
        lines = "".join(f"{name} {n}\n" for name, n in programs)
        done = subprocess.run([self.program(), "explore", strategy], cwd=self.out, input=lines, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=tool.HUNG_AFTER, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {}
        for line in done.stdout.splitlines():
            words = line.split()
            self.assertNotEqual(words[0], "error", line)
            found[words[0], int(words[1])] = tuple(int(word) for word in words[2:])
        self.assertEqual(set(found), set(programs), done.stderr)
        return found

    def check(self, strategy, expected):
        wrong = []
        for key, (runs, classes, redundant, complete) in self.explored(strategy, list(expected)).items():
            is_once = strategy != "optimal-dpor" or (runs == classes and redundant == 0)
            if (classes, complete) != (expected[key], 1) or not is_once:
                wrong.append(f"{strategy} {key}: {runs} runs, {redundant} redundant, {classes} classes, complete "
                             f"{complete}; there are {expected[key]}")
        self.assertFalse(wrong, "\n".join(wrong))

    def by_brute_force(self, wanted):
        return {(name, n): brute_force.count(*model(n))[0]
                for name, model in ALL.items() for n in sizes(name, wanted)}

    def test_the_brute_force_agrees_with_closed_forms(self):
        for name, closed in CLOSED.items():
            for n in (2, 3):
                self.assertEqual(brute_force.count(*ALL[name](n)), (closed(n), 0), (name, n))
        self.assertEqual(brute_force.count(*counted_models.fib(4)), (1107, 0))

    def test_optimal_dpor(self):
        self.check("optimal-dpor", self.by_brute_force((1, 2, 3)))

    def test_dpor(self):
        self.check("dpor", self.by_brute_force((2, 3)))

    def test_baseline(self):
        self.check("baseline", self.by_brute_force((2,)))

    def test_dfs(self):
        self.check("dfs", self.by_brute_force((2,)))

    def test_published_counts(self):
        self.check("optimal-dpor", PUBLISHED)
        self.check("dpor", {key: count for key, count in PUBLISHED.items() if count <= 64})

    def test_whole_programs_have_as_many(self):
        for name, n in (("WRC", 0), ("tickets", 3), ("fib", 2), ("indexer", 12), ("file-system", 16), ("barrier", 3),
                        ("signal-flag", 2), ("once", 2), ("semaphore-buffer", 3), ("timed-wait", 1), ("pipe", 2), ("pipe-each", 3),
                        ("pipe-end", 2), ("event", 2)):
            key = (name, n)
            expected = PUBLISHED.get(key) or brute_force.count(*ALL[name](n))[0]
            ended = self.search(self.program(), "--strategy=optimal-dpor", arguments=(name, str(n)))
            self.assertEqual(ended.code, tool.FINE, ended.output)
            got = tuple(ended.result[word] for word in ("runs", "classes", "blocked_runs", "complete"))
            self.assertEqual(got, (expected, expected, 0, True), key)

    def test_static_locals(self):
        # Either thread initialises; the other one, whose compiled code looks at the guard by itself, does so before that is
        # done, and waits, or behind it.
        for strategy in ("optimal-dpor", "dpor", "dfs"):
            ended = self.search(self.program(), f"--strategy={strategy}", arguments=("static-local", "2"))
            self.assertEqual((ended.result["classes"], ended.result["complete"]), (4, True), ended.output)


if __name__ == "__main__":
    tool.main()
