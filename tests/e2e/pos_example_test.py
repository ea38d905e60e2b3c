"""The running example of the POS paper as a real program: its exact probabilities and its partial orders.

    pos_example_test.py HEDDLE SCRATCH

4,000 runs per sampler, seed fixed; a ratio may be 4 standard errors off: for 1/48 that is 0.0208 +- 0.0090.
"""
import math
import os

import tool

RUNS = 4000
# By how the events are counted in the paper's section 2 and 4; PCT in its classic form, d = 3, k = 10.
EXACT = {"random": 1 / 128, "pct:depth=3,k=10,classic=on": 1 / 200, "basic-pos": 1 / 120, "pos": 1 / 48}


class PosExampleTest(tool.ToolTest):
    def program(self):
        return self.tool.compile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pos_example.cpp"))

    def test_hit_ratios_are_the_papers(self):
        for sampler, exact in EXACT.items():
            with self.subTest(sampler=sampler):
                ended = self.search(self.program(), f"--strategy={sampler}", f"--runs={RUNS}", "--time=5m",
                                    "--keep-going", "--races=off")
                verdict = ended.result["verdict"]
                error = math.sqrt(exact * (1 - exact) / verdict["runs"])
                self.assertLess(abs(verdict["hit_ratio"] - exact), 4 * error, ended.output)

    def test_there_are_twelve_partial_orders(self):
        ended = self.search(self.program(), "--strategy=dfs", "--runs=100000", "--keep-going", "--races=off")
        self.assertTrue(ended.result["complete"], ended.output)
        self.assertEqual(ended.result["classes"], 12)


if __name__ == "__main__":
    tool.main()
