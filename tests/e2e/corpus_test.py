"""Every bug of the sampling corpus is found by the default strategy, and the fixed twins stay clean.

    corpus_test.py HEDDLE SCRATCH        with HEDDLE_SHARD=i/n in the environment: only every nth case

The list of cases is the bench's own. A small version of `heddle bench sampling`: one seed, few runs.
"""
import os
import re

import tool

BENCH = os.path.join(tool.SOURCES, "bench")
# Needs five preemptions: a few million runs.
NEEDS_MORE = {"safestack"}


def cases():
    with open(os.path.join(BENCH, "sampling_cases.cc"), encoding="utf-8") as file:
        found = re.findall(r'\{"(\w+)",\s*"(\w+)",\s*"([^"]*)"', file.read())
    assert len(found) >= 30, "the list of cases is written in another way now"
    index, count = (int(word) for word in os.environ.get("HEDDLE_SHARD", "0/1").split("/"))
    return found[index::count]


class CorpusTest(tool.ToolTest):
    def program(self, case, fixed):
        name, source, define = case
        flags = ([define] if define else []) + (["-DFIXED"] if fixed else [])
        return self.tool.compile(os.path.join(BENCH, "corpus", source + ".cpp"), flags=flags,
                                 # examples/ has programs of the same names.
                                 name="corpus_" + name + ("_fixed" if fixed else ""))

    def test_auto_finds_every_bug_within_20000_runs(self):
        for case in cases():
            if case[0] in NEEDS_MORE:
                continue
            with self.subTest(case=case[0]):
                ended = self.search(self.program(case, False), "--runs=20000", "--time=5m", "--races=off")
                self.assertEqual(ended.code, tool.FINDING, ended.output)
                self.assertTrue(ended.result["findings"][0]["replayed"], ended.output)
                self.assertEqual(ended.result["verdict"]["hits"], 1)

    def test_fixed_twins_stay_clean(self):
        for case in cases():
            with self.subTest(case=case[0]):
                ended = self.search(self.program(case, True), "--runs=200", "--time=5m", "--races=off")
                self.assertEqual(ended.code, tool.FINE, ended.output)


if __name__ == "__main__":
    tool.main()
