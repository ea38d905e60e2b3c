"""docs/primitives.md names programs that exist, and no program about a primitive is missing there.

    primitives_test.py DOCUMENT FOLDER
"""
import os
import re
import sys
import unittest

DOCUMENT = FOLDER = None
# What these families are called, their programs are about primitives.
FAMILIES = ("atfork", "barrier_", "c11_", "cancel_", "cond_", "entropy_", "io_", "join_", "misuse_", "mutex_", "robust_",
            "rwlock_", "semaphore", "signal_", "spin", "std_", "stream_")


def named_programs(text):
    """The names in the last cell of every row of a table, and in brackets behind words."""
    names = set()
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) < 2:
            continue
        last = cells[-1]
        if re.fullmatch(r"[a-z0-9_]+(, [a-z0-9_]+)*", last) and last != "programs":
            names.update(last.split(", "))
        else:
            for bracket in re.findall(r"\(([a-z0-9_, ]+)\)", last):
                names.update(bracket.split(", "))
    return names


class PrimitivesTest(unittest.TestCase):
    def setUp(self):
        with open(DOCUMENT, encoding="utf-8") as file:
            self.named = named_programs(file.read())
        self.existing = {os.path.splitext(name)[0] for name in os.listdir(FOLDER) if name.endswith((".c", ".cpp"))}

    def test_every_program_named_exists(self):
        self.assertGreater(len(self.named), 100)
        self.assertEqual(sorted(self.named - self.existing), [])

    def test_every_program_about_a_primitive_is_named(self):
        about = {name for name in self.existing if name.startswith(FAMILIES)}
        self.assertEqual(sorted(about - self.named), [])

    def test_the_suite_has_at_least_150_programs(self):
        self.assertGreaterEqual(len(self.existing), 150)


if __name__ == "__main__":
    DOCUMENT, FOLDER = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main(verbosity=2)
