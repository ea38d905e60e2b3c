"""How much slower a program built for heddle is when it is started without it: prints a table.

    dormant_slowdown.py PATH-TO-heddle-c++ [FLAG ...]     (default: -O2)

Not a test, because it measures time. The issue's limit is 3 times the plain build.
"""
import math
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dormant_work.cc")


def measure(compiler, flags, name, folder):
    program = os.path.join(folder, name)
    subprocess.run(compiler + ["-std=c++17", "-pthread"] + flags + [SOURCE, "-o", program], check=True)
    output = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {kind: float(time) for kind, time in (line.split() for line in output.splitlines())}


def main():
    wrapper, flags = sys.argv[1], sys.argv[2:] or ["-O2"]
    for compiler in ("g++", "clang++-14", "clang++-19"):
        with tempfile.TemporaryDirectory() as folder:
            try:
                plain = measure([compiler], flags, "plain", folder)
            except FileNotFoundError:
                continue
            ours = measure([wrapper, compiler], flags, "ours", folder)
        print(f"{compiler} {' '.join(flags)}: ns per operation")
        ratios = []
        for kind in plain:
            ratios.append(ours[kind] / plain[kind])
            print(f"  {kind:14} plain {plain[kind]:8.2f}  dormant {ours[kind]:8.2f}  x{ratios[-1]:.2f}")
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"  geometric mean x{mean:.2f}, worst x{max(ratios):.2f}")


if __name__ == "__main__":
    main()
