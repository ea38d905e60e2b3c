"""An exhaustive search makes exactly as many runs as there are interleavings, counted independently.

    dfs_count_test.py HEDDLE SCRATCH
"""
import os

import interleavings
import tool


class DfsCountTest(tool.ToolTest):
    def explored(self, *arguments, points="shared", backend="fiber"):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "interleavings.cpp")
        program = self.tool.compile(source)
        ended = self.search(program, "--strategy=dfs", "--runs=200000", "--keep-going", f"--points={points}",
                            f"--backend={backend}", arguments=[str(word) for word in arguments])
        self.assertEqual(ended.code, tool.FINE, ended.output)
        self.assertTrue(ended.result["complete"], ended.output)
        return ended.result["runs"]

    def test_brute_force_agrees_with_what_can_be_counted_by_hand(self):
        self.assertEqual(interleavings.stores(2, 2), 6)
        self.assertEqual(interleavings.stores(3, 1), 6)
        self.assertEqual(interleavings.hand_over(2), 2)
        # Whoever is second waits at its lock until the unlock: the two blocks never mix.
        self.assertEqual(interleavings.counters(2, 1, 2), 2)

    def test_relaxed_stores_of_two_threads(self):
        for n in range(1, 5):
            with self.subTest(n=n):
                self.assertEqual(self.explored("stores", 2, n), interleavings.stores(2, n))

    def test_relaxed_stores_of_three_threads(self):
        for n in range(1, 4):
            with self.subTest(n=n):
                self.assertEqual(self.explored("stores", 3, n), interleavings.stores(3, n))

    def test_counters_behind_a_lock_of_two_threads(self):
        for n in range(1, 5):
            with self.subTest(n=n):
                self.assertEqual(self.explored("counters", 2, n), interleavings.counters(2, n, 2))

    def test_counters_behind_a_lock_of_three_threads(self):
        for n in range(1, 3):
            with self.subTest(n=n):
                self.assertEqual(self.explored("counters", 3, n), interleavings.counters(3, n, 2))

    def test_a_semaphore_handed_over(self):
        for n in range(1, 5):
            with self.subTest(n=n):
                self.assertEqual(self.explored("hand-over", n), interleavings.hand_over(n))

    def test_the_counters_own_accesses_add_no_run(self):
        # Between lock and unlock nobody else can go on, so points there have one option.
        self.assertEqual(interleavings.counters(2, 2, 2), interleavings.counters(2, 2, 0))
        self.assertEqual(self.explored("counters", 2, 2, points="sync"), self.explored("counters", 2, 2))

    def test_the_baton_explores_as_many(self):
        self.assertEqual(self.explored("stores", 2, 3, backend="baton"), interleavings.stores(2, 3))
        self.assertEqual(self.explored("counters", 2, 2, backend="baton"), interleavings.counters(2, 2, 0))
        self.assertEqual(self.explored("hand-over", 3, backend="baton"), interleavings.hand_over(3))


if __name__ == "__main__":
    tool.main()
