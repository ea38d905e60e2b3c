"""Programs that search scripts inside their process (searched_scripts.h): every strategy must find what dfs finds."""
import subprocess

import tool


class ScriptTest(tool.ToolTest):
    SOURCE = None  # of the program

    def searched(self, strategy, scripts):
        """Of each script: runs, outcomes, whether the search was complete, classes."""
        program = self.tool.compile(self.SOURCE)
        done = subprocess.run([program, strategy], cwd=self.out, input="\n".join(scripts) + "\n",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=tool.HUNG_AFTER,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), len(scripts), done.stdout + done.stderr)
        return [tuple(int(word) for word in line.split()) for line in lines]

    def check(self, scripts, complete=1):
        wrong = []
        expected = self.searched("dfs", scripts)
        for strategy in ("optimal-dpor", "dpor", "baseline"):
            for script, all_of_them, found in zip(scripts, expected, self.searched(strategy, scripts)):
                if found[1] != all_of_them[1] or min(found[2], all_of_them[2]) < complete:
                    wrong.append(f"{strategy} '{script}': {found[0]} runs, {found[1]} outcomes, complete {found[2]}; dfs: "
                                 f"{all_of_them[0]} runs, {all_of_them[1]} outcomes, complete {all_of_them[2]}")
        self.assertFalse(wrong, "\n".join(wrong))
