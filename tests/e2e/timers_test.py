"""Threads that set timers of timerfd, wait for them and for pipes: no search misses what can come of it.

    timers_test.py HEDDLE SCRATCH
"""
import os
import random

import searched_scripts
import tool

HERE = os.path.dirname(os.path.abspath(__file__))

# Scripts of timers.cpp.
SHAPES = (
    "tt t01 t11",
    "tp t01 s1",
    "tt =t01 =t12 q0 q1",
    "tt =t01 =t12 w0 w1",
    "tt =t02 =t11 w0 q1",
    "tp =t01 p01 s1",
    "tp =t01 p01 q0 s1",
    # Who waits for a pipe lets the clock go on, too: the timer is ready by then.
    "tp =t01 w1 q0,s1",
    "tp =t01 w1 q0,s1,q0",
    "tp =t01 w1 q0 s1",
    "tpp =t01 w1 w2 q0,s1,s2",
    "tp w1 t01,q0,s1",
    "tp w1 t01,s1 q0",
    "tp =t01 =s1 w1,w1 q0,s1",
)


def some_script(rng):
    """Whatever is waited for comes: a timer is always set, and who waits for a pipe gets a byte from another thread."""
    forms = rng.choice(("tp", "ttp", "tpp"))
    timers = [str(k) for k, form in enumerate(forms) if form == "t"]
    pipes = [str(k) for k, form in enumerate(forms) if form == "p"]

    def step():
        timer, pipe = rng.choice(timers), rng.choice(pipes)
        return rng.choice((f"t{timer}{rng.choice('123')}", f"q{timer}", f"q{timer}{pipe}", f"r{timer}", f"r{pipe}", f"s{pipe}", f"p{timer}{pipe}",
                           f"w{pipe}", f"z{rng.choice('12')}"))

    threads = [[step() for _ in range(count)] for count in rng.choice(((1, 2), (2, 2), (1, 1, 1), (1, 1, 2)))]
    for waits in threads:
        for one in [one for one in waits if one[0] == "w"]:
            rng.choice([other for other in threads if other is not waits]).append("s" + one[1])
    return " ".join([forms, *(f"=t{k}{rng.choice('123')}" for k in timers), *(",".join(steps) for steps in threads)])


class TimersTest(searched_scripts.ScriptTest):
    SOURCE = os.path.join(HERE, "timers.cpp")

    def test_shapes(self):
        self.check(SHAPES)

    def test_random_programs(self):
        rng = random.Random(int(os.environ.get("HEDDLE_TIMERS_SEED", "1")))
        self.check([some_script(rng) for _ in range(int(os.environ.get("HEDDLE_TIMERS", "30")))], complete=0)


if __name__ == "__main__":
    tool.main()
