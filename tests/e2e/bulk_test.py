"""Memory that is accessed in bulk, in different sizes, and freed: each class once, and all that dfs sees.

    bulk_test.py HEDDLE SCRATCH
"""
import os

import tool

HERE = os.path.dirname(os.path.abspath(__file__))

# By reasoning; dfs, which knows nothing of what depends on what, agrees. Where accesses to one granule of 8 bytes overlap
# in part, its bytes count as one variable from then on: byte by byte "halves" would be 6, "straddle" 2.
CLASSES = {"copy": 4, "two-copies": 4, "clear": 4, "overlap": 4, "halves": 11, "whole": 6, "straddle": 4, "shared": 3,
           "handover": 1, "futures": 1}


class BulkTest(tool.ToolTest):
    def test_every_search_sees_the_classes_that_dfs_sees_and_the_optimal_one_each_once(self):
        program = self.tool.compile(os.path.join(HERE, "bulk.cpp"))
        for shape, expected in CLASSES.items():
            # Two futures have too many schedules for dfs.
            for strategy in ("dfs",) * (shape != "futures") + ("baseline", "dpor", "optimal-dpor"):
                ended = self.search(program, f"--strategy={strategy}", "--keep-going", arguments=(shape,))
                got = tuple(ended.result[word] for word in ("classes", "complete", "blocked_runs"))
                self.assertEqual(got, (expected, True, 0), (shape, strategy, ended.output))
                if strategy == "optimal-dpor":
                    self.assertEqual(ended.result["runs"], expected, (shape, ended.output))


if __name__ == "__main__":
    tool.main()
