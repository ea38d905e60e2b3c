"""Random programs over the primitives: what heddle shows is exactly what can happen.

    differential_test.py HEDDLE SCRATCH

Each program (see interpret.cpp) is run three ways: by a model in this file that enumerates every interleaving, by heddle
exhaustively, and natively under random delays. The outcomes of heddle must be those of the model, and everything that
happens natively must be among them. HEDDLE_DIFFERENTIAL=N tries N programs instead of a few.
"""
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
import tool  # noqa: E402

PROGRAMS = int(os.environ.get("HEDDLE_DIFFERENTIAL", "24"))
SEED = int(os.environ.get("HEDDLE_DIFFERENTIAL_SEED", "1"))
MOST_INTERLEAVINGS = 1500
MOST_RUNS = 20000
NATIVE_RUNS = 60

# What each kind of step does, as operations none of which can be divided.
LOCKS = {"L": "mutex", "T": "mutex", "w": "rwlock", "t": "rwlock", "s": "spin"}
STEPS = {
    "A": ["add-record"], "S": ["store"], "R": ["load"], "X": ["exchange"],
    "L": ["lock", "add", "unlock"], "T": ["try", "add", "unlock"],
    "N": ["lock0", "lock1", "add", "unlock1", "unlock0"],
    "r": ["read-lock", "load", "read-unlock"], "w": ["lock", "add", "unlock"], "t": ["try", "add", "unlock"],
    "P": ["sem-wait", "add", "sem-post"], "V": ["sem-post"], "p": ["sem-try"],
    "b": ["arrive", "leave"], "o": ["once"], "s": ["lock", "add", "unlock"],
    "c": ["flag-lock", "flag-test", "load", "flag-unlock"],
    "n": ["flag-lock", "set", "signal", "flag-unlock"], "a": ["flag-lock", "set", "broadcast", "flag-unlock"],
    "y": [],
}


def operations(thread):
    """[(operation, object, step's kind)] of a thread's steps."""
    return [(operation, step[1], step[0]) for step in thread for operation in STEPS[step[0]]]


class Model:
    """All outcomes of a program: a search over states, each visited once."""

    def __init__(self, program):
        self.code = [operations(thread) for thread in program]
        self.outcomes = set()
        self.seen = set()

    def run(self):
        count = len(self.code)
        # Where each thread is, what it recorded, shared state, and who waits for which condition.
        stack = [((0,) * count, ("",) * count, (("n0", 0), ("n1", 0), ("s0", 1), ("s1", 1)), frozenset())]
        while stack:
            state = stack.pop()
            if state in self.seen:
                continue
            self.seen.add(state)
            at, recorded, shared, waiting = state
            if all(at[i] == len(self.code[i]) for i in range(count)):
                values = dict(shared)
                self.outcomes.add("".join(text + "/" for text in recorded) + f"{values['n0']},{values['n1']}")
                continue
            following = [new for thread in range(count) for new in self.step(state, thread)]
            if not following:
                self.outcomes.add("deadlock")
            stack.extend(following)
        return self.outcomes

    def step(self, state, thread):
        at, recorded, shared, waiting = state
        if at[thread] == len(self.code[thread]) or thread in {who for who, _ in waiting}:
            return []
        operation, obj, kind = self.code[thread][at[thread]]
        values = dict(shared)
        number = f"n{obj}"

        def after(advance=1, record="", now=waiting, **changes):
            values.update({key.replace("_", ":"): value for key, value in changes.items()})
            new_at = tuple(a + advance if i == thread else a for i, a in enumerate(at))
            new_recorded = tuple(r + record if i == thread else r for i, r in enumerate(recorded))
            kept = tuple(sorted((k, v) for k, v in values.items() if v != 0 or k in ("n0", "n1", "s0", "s1")))
            return [(new_at, new_recorded, kept, now)]

        lock = f"{LOCKS.get(kind, '')}:{obj}"
        if operation in ("lock0", "lock1", "unlock0", "unlock1"):
            lock = "mutex:" + operation[-1]
            operation = operation[:-1]
        flag_lock, flag = f"fm:{obj}", f"flag:{obj}"
        if operation == "add-record":
            old = values[number]
            values[number] += 1
            return after(record=str(old))
        if operation == "add":
            values[number] += 1
            return after()
        if operation == "store":
            values[number] = 1
            return after()
        if operation == "load":
            return after(record=str(values[number]))
        if operation == "exchange":
            was_zero = values[number] == 0
            if was_zero:
                values[number] = 2
            return after(record="1" if was_zero else "0")
        if operation == "lock":
            if values.get(lock, 0) or values.get("readers:" + lock, 0):
                return []
            values[lock] = 1
            return after()
        if operation == "unlock":
            values[lock] = 0
            return after()
        if operation == "try":
            if values.get(lock, 0) or values.get("readers:" + lock, 0):
                return after(advance=3, record="0")
            values[lock] = 1
            return after(record="1")
        readers = f"readers:rwlock:{obj}"
        if operation == "read-lock":
            if values.get(f"rwlock:{obj}", 0):
                return []
            values[readers] = values.get(readers, 0) + 1
            return after()
        if operation == "read-unlock":
            values[readers] -= 1
            return after()
        if operation == "sem-wait":
            if values[f"s{obj}"] == 0:
                return []
            values[f"s{obj}"] -= 1
            return after()
        if operation == "sem-post":
            values[f"s{obj}"] += 1
            return after()
        if operation == "sem-try":
            came = values[f"s{obj}"] > 0
            if came:
                values[f"s{obj}"] -= 1
            return after(record="1" if came else "0")
        if operation == "arrive":
            values[f"arrived:{obj}"] = values.get(f"arrived:{obj}", 0) + 1
            return after()
        if operation == "leave":
            return after() if values.get(f"arrived:{obj}", 0) == 2 else []
        if operation == "once":
            if not values.get(f"once:{obj}", 0):
                values[f"once:{obj}"] = 1
                values[number] += 1
            return after()
        if operation == "flag-lock":
            if values.get(flag_lock, 0):
                return []
            values[flag_lock] = 1
            return after()
        if operation == "flag-unlock":
            values[flag_lock] = 0
            return after()
        if operation == "flag-test":
            if values.get(flag, 0):
                return after()
            values[flag_lock] = 0
            # Woken, it begins again with the lock.
            return after(advance=-1, now=waiting | {(thread, obj)})
        if operation == "set":
            values[flag] = 1
            return after()
        waiters = {(who, which) for who, which in waiting if which == obj}
        if operation == "broadcast" or not waiters:
            return after(now=waiting - waiters)
        assert operation == "signal"
        return [new for waiter in sorted(waiters) for new in after(now=waiting - {waiter})]


def interleavings(program):
    """A bound on how many there are."""
    total, result = 0, 1
    for thread in program:
        # An announced operation each, and the steps that are not in the model (a yield).
        size = sum(max(1, len(STEPS[step[0]])) for step in thread)
        for i in range(1, size + 1):
            total += 1
            result = result * total // i
    return result


def random_program(rng):
    while True:
        threads = rng.choice([2, 2, 3])
        kinds = "ASRXLNTrwtPVposy"
        program = [[rng.choice(kinds) + rng.choice("01") for _ in range(rng.randint(1, 3))] for _ in range(threads)]
        # These need a partner, so that nobody waits for ever.
        if rng.random() < 0.25:
            for thread in program[:2]:
                thread.insert(rng.randint(0, len(thread)), "b0")
        if rng.random() < 0.4:
            program[0].insert(rng.randint(0, len(program[0])), "c0")
            # A signal reaches one waiter: there is one.
            program[1].insert(0, rng.choice(["n0", "a0"]))
        # A semaphore that was tried successfully is not given back: others must not wait for it.
        used = {step[1] for thread in program for step in thread if step[0] == "p"}
        program = [[step for step in thread if not (step[0] == "P" and step[1] in used)] for thread in program]
        if all(program) and interleavings(program) <= MOST_INTERLEAVINGS:
            return program


def text_of(program):
    return "/".join(",".join(thread) for thread in program)


class DifferentialTest(tool.ToolTest):
    def run_program(self, *words):
        done = subprocess.run([self.interpret, *words], cwd=self.out, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=tool.HUNG_AFTER, check=False)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout.split()

    def check(self, text, seed):
        program = [thread.split(",") for thread in text.split("/")]
        allowed = Model(program).run()
        if "deadlock" in allowed:  # a barrier behind a wait for its partner
            return 0
        if len(allowed) > 100:
            return 0
        for strategy in ("dfs", "optimal-dpor"):
            *outcomes, last = self.run_program(strategy, str(MOST_RUNS), text)
            self.assertLessEqual(set(outcomes), allowed, f"{strategy} {text}")
            if strategy == "dfs" and last != "complete":
                return 0  # larger than it looked
            self.assertEqual((last, sorted(outcomes)), ("complete", sorted(allowed)), f"{strategy} {text}")
        native = set(self.run_program("native", str(NATIVE_RUNS), str(seed), text))
        self.assertLessEqual(native, allowed, f"natively there is more than heddle shows: {text}")
        return 1

    def test_heddle_shows_what_can_happen_and_nothing_else(self):
        self.interpret = self.tool.compile(os.path.join(HERE, "interpret.cpp"), flags=["-g1"])
        rng = random.Random(SEED)
        checked = 0
        for seed in range(PROGRAMS * 10):
            if checked == PROGRAMS:
                break
            text = text_of(random_program(rng))
            with self.subTest(program=text):
                checked += self.check(text, seed)
        self.assertEqual(checked, PROGRAMS)


if __name__ == "__main__":
    tool.main()
