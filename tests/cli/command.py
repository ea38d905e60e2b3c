"""The heddle command as a user starts it, for the tests in this folder: a folder of its own with a few programs.

A script is called as  script.py PATH-OF-HEDDLE [unittest options].
"""
import os
import subprocess
import sys
import tempfile
import unittest

FINE, FINDING, USAGE, ENVIRONMENT = 0, 1, 2, 3

LOST_UPDATE = """
#include <cassert>
#include <thread>
int counter = 0;
void Increment() {
  int seen = counter;
  counter = seen + 1;
}
int main() {
  std::thread a(Increment), b(Increment);
  a.join();
  b.join();
  assert(counter == 2);
}
"""

CLEAN = """
#include <mutex>
#include <thread>
std::mutex lock;
int counter = 0;
void Increment() {
  std::lock_guard<std::mutex> guard(lock);
  ++counter;
}
int main() {
  std::thread a(Increment), b(Increment);
  a.join();
  b.join();
  return counter == 2 ? 0 : 1;
}
"""


class CommandTest(unittest.TestCase):
    HEDDLE = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="cli-test-")
        cls.write("lost_update.cpp", LOST_UPDATE)
        cls.write("clean.cpp", CLEAN)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write(cls, name, contents, mode=0o644):
        path = os.path.join(cls.folder.name, name)
        with open(path, "wb") as file:
            file.write(contents if isinstance(contents, bytes) else contents.encode())
        os.chmod(path, mode)
        return path

    def heddle(self, *words, stdin=subprocess.DEVNULL, **variables):
        return subprocess.run([self.HEDDLE, *words], cwd=self.folder.name, stdin=stdin, timeout=850,
                              env=dict(os.environ, **variables), capture_output=True, text=True, check=False)

    def refused(self, code, sentence, *words):
        """One line on standard error, nothing on standard output, the right code."""
        result = self.heddle(*words)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(sentence, result.stderr)
        self.assertTrue(result.stderr.startswith("heddle: "), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(result.stdout, "")


def main():
    CommandTest.HEDDLE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
