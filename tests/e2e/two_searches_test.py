"""The same bodies by reachability testing and by optimal-dpor: the same final states, the same deadlocks.

    two_searches_test.py HEDDLE SCRATCH
"""
import os
import subprocess

import tool

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "two_searches.cpp")


class TwoSearchesTest(tool.ToolTest):
    def test_both_end_complete_with_the_same_states_and_deadlocks(self):
        program = self.tool.compile(SOURCE, flags=["-g1", "-O1", "-std=c++20"])
        done = subprocess.run([program], cwd=self.out, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=tool.HUNG_AFTER,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("DIFFERENT", done.stdout)
        self.assertEqual(done.stdout.count("same "), 19, done.stdout)


if __name__ == "__main__":
    tool.main()
