"""What the tests of the compiler wrappers share: a compiler under the wrapper, and a scratch folder.

A test script is called as  script.py TREE COMPILER  where TREE holds bin/heddle-c++ and lib/heddle with
the fake engine, and COMPILER is a C++ compiler (g++, clang++-14 ...). Exit code 77 means that the compiler
is not installed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
SOURCES = os.path.dirname(os.path.abspath(__file__))

tree = None
cxx = None


def c_compiler_of(compiler):
    return compiler.replace("clang++", "clang").replace("g++", "gcc")


class WrapperTest(unittest.TestCase):
    """Each test works in an empty folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="heddle-compile-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = dict(os.environ, LC_ALL="C", HEDDLE_CXX=cxx, HEDDLE_CC=c_compiler_of(cxx),
                                CCACHE_DIR=os.path.join(self.folder, "ccache"),
                                PATH=os.path.join(tree, "bin") + ":" + os.environ["PATH"])
        for variable in ("FAKE_ENGINE_LOG", "MAKEFLAGS", "CFLAGS", "CXXFLAGS", "LDFLAGS"):
            self.environment.pop(variable, None)
        self.is_gcc = "clang" not in cxx

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def try_run(self, *command, **variables):
        """The finished process, whatever became of it."""
        return subprocess.run(command, cwd=self.folder, env=dict(self.environment, **variables),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL)

    def run_ok(self, *command, **variables):
        """The standard output of a command that must succeed."""
        done = self.try_run(*command, **variables)
        self.assertEqual(done.returncode, 0,
                         f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def events_of(self, program, **variables):
        """What the hooks told the fake engine while the program ran, line by line."""
        self.run_ok(program, FAKE_ENGINE_LOG=self.path("log"), **variables)
        return self.read("log").splitlines()

    def sections_of(self, program, **variables):
        """The events by the marker (AnnotateThreadName) they follow."""
        sections = {}
        name = "start"
        for event in self.events_of(program, **variables):
            marker = re.fullmatch(r"name (.*) depth=\d+", event)
            if marker:
                name = marker.group(1)
            else:
                sections.setdefault(name, []).append(event)
        return sections

    def symbols_of(self, program, *options):
        return self.run_ok("nm", *options, program)


def main():
    global tree, cxx
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tree, cxx = os.path.abspath(sys.argv[1]), sys.argv[2]
    del sys.argv[1:3]
    if shutil.which(cxx) is None:
        print(f"{cxx} is not installed: skipped")
        sys.exit(SKIPPED)
    unittest.main(module="__main__", verbosity=2)
