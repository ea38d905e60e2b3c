"""A port that the program chose, or a file, is the same in every run: no run may meet another one there.

    shared_places_test.py HEDDLE SCRATCH
"""
import os
import socket

import tool

HERE = os.path.dirname(os.path.abspath(__file__))
ALONE = "so its runs were made one at a time"


def free_port():
    """One that nobody has just now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


class SharedPlacesTest(tool.ToolTest):
    def searched(self, shape, *options, place=None):
        program = self.tool.compile(os.path.join(HERE, "shared_places.cpp"))
        return self.tool.call("run", "--workers=3", "--keep-going", *options, "--", program, shape, place or free_port(),
                              out=self.out)

    def assert_clean(self, ended, runs):
        self.assertEqual(ended.code, tool.FINE, ended.output)
        self.assertEqual(ended.result["runs"], runs, ended.output)
        self.assertEqual(ended.result["uncontrolled"], [], ended.output)

    def test_runs_are_made_one_at_a_time(self):
        ended = self.searched("datagrams", "--strategy=pos", "--runs=300")
        self.assert_clean(ended, 300)
        self.assertIn(ALONE, ended.output)

    def test_connections_of_earlier_runs_are_no_hindrance(self):
        self.assert_clean(self.searched("connections", "--strategy=pos", "--runs=200"), 200)

    def test_two_sockets_of_one_run_are(self):
        self.assert_clean(self.searched("twice", "--strategy=pos", "--runs=20"), 20)

    def test_a_run_that_met_another_one_is_made_again(self):
        for seed in range(5):
            ended = self.searched("sometimes", "--strategy=random", "--runs=200", f"--seed={seed}")
            self.assert_clean(ended, 200)
            self.assertIn(ALONE, ended.output)

    def test_a_file_is_written_by_one_run_at_a_time(self):
        ended = self.searched("file", "--strategy=pos", "--runs=300", place=os.path.join(self.out, "lines"))
        self.assert_clean(ended, 300)
        self.assertIn(ALONE, ended.output)

    def test_a_temporary_file_belongs_to_its_run(self):
        ended = self.searched("temporary-file", "--strategy=pos", "--runs=300")
        self.assert_clean(ended, 300)
        self.assertNotIn(ALONE, ended.output)

    def test_a_finding_is_looked_at_while_no_other_run_is_there(self):
        ended = self.searched("in-order", "--strategy=pos", "--runs=300")
        self.assertEqual(ended.kinds(), ["assertion"], ended.output)
        finding = ended.result["findings"][0]
        self.assertTrue(finding["replayed"] and finding["schedule_dependent"], ended.output)


if __name__ == "__main__":
    tool.main()
