"""Locks, waits with time limits, sleeps, clock reads and detached threads, mixed: a search that says complete has missed
nothing.

    waits_test.py HEDDLE SCRATCH
"""
import os
import random

import searched_scripts
import tool

HERE = os.path.dirname(os.path.abspath(__file__))

# Scripts of waits.cpp that searches once called complete and were not: a clock read in front of a sleep's end, the end of
# a thread in front of its detach, seemed to keep what lies around them in order.
SHAPES = (":aw +sb", ":sb +aw", ":sb +aT", ":sQ +Rw", ":W -pa", ":w -pa", ":w -pab")
# Clock reads while time passes for others, and looking whether a thread has ended, are points where a run shows that
# they matter: nothing is left out there.
RULED = (":g +s", ":ga +sb", ":ag +bs", ":gS +Sg", ":V +N", ":V +sN", ":VN +sN", ":j +a", ":Ja +b", ":jaJ +ab", ":j -",
         ":js -", ":J -a")


def some_script(rng, letters):
    """Small enough for dfs."""
    def some(lengths):
        return "".join(rng.choice(letters) for _ in range(rng.choice(lengths)))

    return f":{some((0, 1, 2))} {rng.choice('++-')}{some((1, 2))}"


class WaitsTest(searched_scripts.ScriptTest):
    SOURCE = os.path.join(HERE, "waits.cpp")

    def check_complete_ones(self, scripts, most_incomplete):
        wrong, incomplete = [], 0
        expected = self.searched("dfs", scripts)
        for strategy in ("optimal-dpor", "dpor", "baseline"):
            for script, (_, outcomes, is_all, classes), found in zip(scripts, expected, self.searched(strategy, scripts)):
                if found[2] and is_all and (found[1], found[3]) != (outcomes, classes):
                    wrong.append(f"{strategy} '{script}': {found[1]} outcomes, {found[3]} classes in {found[0]} runs; "
                                 f"dfs has {outcomes}, {classes}")
                incomplete += not found[2]
        self.assertFalse(wrong, "\n".join(wrong))
        self.assertLessEqual(incomplete, most_incomplete)

    def test_shapes(self):
        self.check_complete_ones(SHAPES, 0)

    def test_clock_reads_and_ends(self):
        self.check_complete_ones(RULED, 0)

    def test_what_begins_behind_a_poll_ends_later(self):
        """The search misses what the clock then says, and knows that it does."""
        self.check_complete_ones((":s +Pg",), 3)

    def test_random_programs(self):
        for seed, letters in enumerate(("abcdltp", "abswTp", "abcdrRqQo", "asQwWpy", "abgs")):
            rng = random.Random(seed)
            self.check_complete_ones([some_script(rng, letters) for _ in range(4)], 3)  # of 12


if __name__ == "__main__":
    tool.main()
