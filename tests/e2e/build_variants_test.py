"""However a program is built, its failure is found, replayed, and shown at its source lines (docs/compatibility.md).

    build_variants_test.py HEDDLE SCRATCH
"""
import os
import shutil
import subprocess

import tool

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = [compiler for compiler in ("gcc", "clang-19") if shutil.which(compiler)]


class BuildVariantsTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        for name in ("variant_part.h", "variant_part.c", "variant_main.c"):
            shutil.copy(os.path.join(HERE, name), self.out)

    def call(self, *words, compiler="gcc"):
        done = subprocess.run(list(words), cwd=self.out, env=dict(os.environ, HEDDLE_CC=compiler),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}")

    def build(self, *flags, compiler="gcc", sources=("variant_main.c", "variant_part.c")):
        self.call(self.tool.heddle, "cc", *flags, *sources, "-o", "prog", "-pthread", compiler=compiler)

    def fails_at_its_lines(self):
        ended = self.tool.call("run", "--workers=1", "--strategy=dfs", "--races=off", "--", "./prog", out=self.out, directory=self.out)
        self.assertEqual(ended.kinds(), ["assertion"], ended.output)
        finding = ended.result["findings"][0]
        self.assertTrue(finding["replayed"], ended.output)
        site = finding["sites"][0]
        self.assertEqual((os.path.basename(site["file"]), site["function"]), ("variant_main.c", "main"), ended.output)
        # The racing lines are in the table.
        self.assertIn("variant_part.c:", ended.output)
        self.assertIn("balance", ended.output)

    def test_every_level_of_optimisation(self):
        for compiler in COMPILERS:
            for level in ("-O0", "-O1", "-O2", "-O3", "-Os"):
                with self.subTest(compiler=compiler, level=level):
                    self.build(level, "-g", compiler=compiler)
                    self.fails_at_its_lines()

    def test_debug_information_apart(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler, variant="split DWARF"):
                self.build("-O1", "-gsplit-dwarf", compiler=compiler)
                self.fails_at_its_lines()
        with self.subTest(variant="separate debug file"):
            self.build("-O1", "-g")
            self.call("objcopy", "--only-keep-debug", "prog", "prog.debug")
            self.call("strip", "-g", "prog")
            self.call("objcopy", "--add-gnu-debuglink=prog.debug", "prog")
            self.fails_at_its_lines()

    def test_precompiled_headers_unity_and_lto(self):
        with self.subTest(variant="precompiled header"):
            self.call(self.tool.heddle, "cc", "-O1", "-g", "-pthread", "variant_part.h", "-o", "variant_part.h.gch")
            self.build("-O1", "-g", "-Winvalid-pch", "-Werror")
            os.remove(os.path.join(self.out, "variant_part.h.gch"))
            self.fails_at_its_lines()
        with self.subTest(variant="unity"):
            with open(os.path.join(self.out, "unity.c"), "w", encoding="utf-8") as file:
                file.write('#include "variant_part.c"\n#include "variant_main.c"\n')
            with open(os.path.join(self.out, "variant_part.h"), "r+", encoding="utf-8") as file:
                text = file.read()
                file.seek(0)
                file.write("#pragma once\n" + text)
            self.build("-O2", "-g", sources=("unity.c",))
            self.fails_at_its_lines()
        with self.subTest(variant="LTO"):
            self.build("-O2", "-g", "-flto")
            self.fails_at_its_lines()

    def test_a_fortified_program_that_was_not_rebuilt_waits_where_it_is_seen(self):
        shutil.copy(os.path.join(HERE, "fortified.c"), self.out)
        self.call("gcc", "-O2", "-D_FORTIFY_SOURCE=2", "fortified.c", "-o", "prog", "-pthread")
        names = subprocess.run(["nm", "-D", "prog"], cwd=self.out, stdout=subprocess.PIPE, text=True, check=True).stdout
        for name in ("read", "recv", "recvfrom", "poll", "fgets", "fread", "dprintf", "printf"):
            self.assertIn(f"__{name}_chk", names)
        for backend in tool.BACKENDS:
            with self.subTest(backend=backend):
                ended = self.tool.call("run", "--runs=100", "--strategy=random", f"--backend={backend}", "--", "./prog",
                                       out=self.out, directory=self.out)
                self.assertEqual((ended.code, ended.kinds(), ended.result["uncontrolled"]), (tool.FINE, [], []), ended.output)

    def test_ndebug_is_said(self):
        self.build("-O1", "-g", "-DNDEBUG")
        ended = self.tool.call("run", "--workers=1", "--strategy=dfs", "--races=off", "--", "./prog", out=self.out, directory=self.out)
        self.assertEqual((ended.code, ended.result["complete"]), (tool.FINE, True), ended.output)
        self.assertIn("NDEBUG", ended.output)


if __name__ == "__main__":
    tool.main()
