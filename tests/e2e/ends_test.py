"""Runs that end while threads are still at work: the process is ended by one of them, or hangs.

    ends_test.py HEDDLE SCRATCH
"""
import os

import tool

HERE = os.path.dirname(os.path.abspath(__file__))


class EndsTest(tool.ToolTest):
    def test_whoever_ends_the_process_does_so_behind_any_part_of_what_the_others_do(self):
        program = self.tool.compile(os.path.join(HERE, "exits.cpp"))
        # Two additions of another thread: none, one or both of them come before the end. With a handler, so many before
        # the handlers begin and so many before they end; where main ends it, any of a third thread, too.
        # Main looks at what the thread that sleeps or waits adds: 0, 1 or 2, and the rest before the end or not; or it
        # sleeps on.
        for how, expected in (("_exit", 3), ("exit", 3), ("handler", 6), ("main", 6), ("asleep", 7), ("waiting", 7)):
            for strategy in ("dfs", "baseline", "dpor", "optimal-dpor"):
                ended = self.search(program, f"--strategy={strategy}", arguments=(how,))
                got = tuple(ended.result[word] for word in ("classes", "complete", "blocked_runs"))
                self.assertEqual(got, (expected, True, 0), (how, strategy, ended.output))
                if strategy == "optimal-dpor":
                    self.assertEqual(ended.result["runs"], expected, (how, ended.output))

    def test_what_fails_only_behind_another_failure_has_a_schedule_of_its_own(self):
        program = self.tool.compile(os.path.join(HERE, "fails_behind.cpp"))
        other = self.tool.compile(os.path.join(HERE, "fails_behind.cpp"), flags=["-O2"], name="fails_behind_o2")
        for arguments, kinds in (((), ["assertion", "assertion"]), (("crash",), ["assertion", "crash"])):
            for strategy in ("dpor", "optimal-dpor"):
                ended = self.search(program, f"--strategy={strategy}", "--keep-going", "--races=off", arguments=arguments)
                self.assertEqual((ended.kinds(), ended.result["complete"]), (kinds, True), ended.output)
                schedules = []
                for finding in ended.result["findings"]:
                    self.assertTrue(finding["replayed"], ended.output)
                    again = self.tool.call("replay", finding["id"], "--times=2", "--backend=baton", out=self.out)
                    self.assertEqual((again.code, again.result["identical"], again.result["kind"]),
                                     (tool.FINDING, 2, finding["kind"]), again.output)
                    # By source lines.
                    again = self.tool.call("replay", finding["id"], "--", other, *arguments, out=self.out)
                    self.assertEqual((again.code, again.result["kind"]), (tool.FINDING, finding["kind"]), again.output)
                    with open(os.path.join(self.out, finding["schedule"]), encoding="utf-8") as file:
                        schedules.append(file.read())
                self.assertEqual(sorted("\nparked 1\n" in text for text in schedules), [False, True])

    def test_a_thread_that_hangs_unseen_does_not_hide_the_others(self):
        program = self.tool.compile(os.path.join(HERE, "hidden_hang.cpp"))
        # A run that fails and then goes on, into the hang, is the failure's.
        for strategy, arguments, kind in (("optimal-dpor", (), "exit"), ("dpor", (), "exit"),
                                          ("optimal-dpor", ("assert",), "assertion"), ("dfs", ("assert",), "assertion")):
            ended = self.search(program, f"--strategy={strategy}", "--keep-going", "--hang-time=1s", "--runs=12",
                                arguments=arguments)
            self.assertEqual(sorted(ended.kinds()), sorted((kind, "livelock")), (strategy, ended.output))
            self.assertFalse(ended.result["complete"], (strategy, ended.output))
            for finding in ended.result["findings"]:
                self.assertTrue(finding["replayed"], (strategy, ended.output))


if __name__ == "__main__":
    tool.main()
