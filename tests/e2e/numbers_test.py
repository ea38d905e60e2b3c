"""Threads that close and replace descriptors which others are about to use: no search misses what can come of it.

    numbers_test.py HEDDLE SCRATCH
"""
import os
import random

import searched_scripts
import tool

HERE = os.path.dirname(os.path.abspath(__file__))

# Scripts of numbers.cpp.
SHAPES = (
    # What is polled is replaced, then written to: what is asked is not what was announced.
    "3 s0 D01,s2 q12",
    "3 D01,s2 s0 q12",
    "3 D01,s2,s0 q12",
    "3 D01,s2,s0 v1,q2",
    "3 D01 s0 s2 p12",
    "3 =+0 =+1 D01 s0 s2 w",
    # A number that is closed, and something else by then: what was announced before.
    "2 c1,o,n s0,q1",
    "2 q0,q1 c1,o,n",
    "3 c1,o,n,s2 s0,q12",
    "3 s0,q12 c1,o,s2,n",
    # Who closes what was closed.
    "2 =d1 c0,c1 s0,c1",
    "3 =d1 c2 +0,-2,s0 v1,c2",
    # What was announced before it was replaced.
    "3 s2,D02,q02 q02 c0",
    "3 s2,D02,q02 q02,s2,c0",
    "3 q01 c2 c0,q02,s1",
    "3 =+0 c2,c1,D20 s1,D12 c0,s2",
    "3 c2 c2,s0,v2 q20,c1",
    "3 =+1 =+2 w,c1 c1 s0,s2,v1",
    # Copies of what is in a set.
    "1 =+0 =d0 c0 s0 w",
    "1 =+0 d0,c0 s0 w",
    "1 =+0 =d0 c0,s0 w,w",
    "3 =+0 =+1 =d0 s2,c0 w,s0 q12,w,c2",
    "2 =+0 =+1 d0 s0 s1 w",
    "2 =+0 =+1 d0,c0,s0 s1 w",
    "2 =+0 =+1 d0,D10 s0 s1 w",
)


def some_script(rng):
    """Nobody waits: what is replaced may never be ready. Nobody opens: which number that gets is no thread's doing."""
    first = [f"=+{k}" for k in range(3) if rng.random() < 0.3] + [f"=d{k}" for k in range(3) if rng.random() < 0.2]
    threads = []
    for _ in range(rng.choice((2, 3))):
        steps = []
        for _ in range(rng.choice((1, 2, 2, 3))):
            kind = rng.choice("sssqqvDccw+-" + ("w" if first else ""))
            numbers = rng.sample("012", 2 if kind in "Dq" else 1)
            steps.append(kind if kind == "w" else kind + "".join(numbers))
        threads.append(",".join(steps))
    return " ".join(["3", *first, *threads])


class NumbersTest(searched_scripts.ScriptTest):
    SOURCE = os.path.join(HERE, "numbers.cpp")

    def test_shapes(self):
        self.check(SHAPES)

    def test_random_programs(self):
        rng = random.Random(1)
        self.check([some_script(rng) for _ in range(40)])


if __name__ == "__main__":
    tool.main()
