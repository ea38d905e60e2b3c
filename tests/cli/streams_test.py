"""What heddle reads and writes: the program's standard input, its own standard output, and the files it is told to write.

    streams_test.py PATH-OF-HEDDLE [unittest options]
"""
import json
import os
import subprocess
import time

import command
from command import ENVIRONMENT, FINDING, FINE

# Adds up the numbers on its standard input, by three ways to read it; the first thread that comes sees them all.
READER = """
#include <cassert>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <thread>
std::mutex lock;
int sum = 0;
void Read() {
  std::lock_guard<std::mutex> guard(lock);
  int number = 0;
  if (std::scanf("%d", &number) == 1) sum += number;
  if (std::getchar() == '\\n' && std::cin >> number) sum += number;
}
int main(int argc, char**) {
  std::thread a(Read), b(Read);
  a.join();
  b.join();
  if (argc > 1) assert(sum != 11);
  return sum == 11 ? 0 : 1;
}
"""


# Two threads print, each in a way of its own; and nothing else is shared.
PRINTER = """
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>
void Print(const std::string& how) {
  if (how == "printf") std::printf("%s\\n", how.c_str());
  if (how == "puts") std::puts("puts");
  if (how == "cout") std::cout << "cout\\n";
  if (how == "write") { if (write(1, "write\\n", 6) != 6) _exit(1); }
  if (how == "dprintf") dprintf(1, "dprintf\\n");
  if (how == "cerr") std::cerr << "cerr\\n";
}
int main(int, char** words) {
  setvbuf(stdout, nullptr, _IONBF, 0);
  std::thread a(Print, std::string(words[1])), b(Print, std::string(words[2]));
  a.join();
  b.join();
}
"""


class StreamsTest(command.CommandTest):
    def test_the_order_in_which_threads_print_is_tried_where_it_matters(self):
        self.write("printer.cpp", PRINTER)
        # The library prints to cerr in several calls.
        for first, second, classes in (("printf", "puts", 2), ("cout", "write", 2), ("dprintf", "cerr", 4)):
            self.write("right.txt", f"{first}\n{second}\n")
            for strategy in ("optimal-dpor", "dpor", "dfs"):
                with self.subTest(first=first, second=second, strategy=strategy):
                    result = self.heddle("run", f"--strategy={strategy}", "--keep-going", "--json", "-", "--expect-output",
                                         "right.txt", "printer.cpp", "--", first, second)
                    said = json.loads(result.stdout)
                    self.assertEqual((result.returncode, said["classes"], said["complete"]), (FINDING, classes, True), result.stderr)
                    self.assertEqual([(found["kind"], found["replayed"]) for found in said["findings"]],
                                     [("output", True)], result.stderr)
            # Without, the order is nobody's business.
            result = self.heddle("run", "--strategy=optimal-dpor", "--json", "-", "printer.cpp", "--", first, second)
            self.assertEqual((result.returncode, json.loads(result.stdout)["runs"]), (FINE, 1), result.stderr)
            replayed = self.heddle("replay", "last", "--times", "20", "--json", "-")
            self.assertEqual((replayed.returncode, json.loads(replayed.stdout)["identical"]), (FINDING, 20), replayed.stderr)

    def run_full(self, *words):
        with open("/dev/full", "w", encoding="utf-8") as full:
            return subprocess.run([self.HEDDLE, *words], cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=850, check=False)

    def test_output_that_cannot_be_written_is_told(self):
        found = self.heddle("run", "lost_update.cpp", "--runs", "200", "--out", "full")
        self.assertEqual(found.returncode, FINDING, found.stderr)
        for words in (("list", "--out", "full"), ("list", "--out", "full", "--json", "-"), ("explain", "--out", "full"),
                      ("explain", "--out", "full", "--all"), ("replay", "--out", "full"),
                      ("replay", "--out", "full", "--json", "-"), ("run", "clean.cpp", "--runs", "20"),
                      ("run", "clean.cpp", "--runs", "20", "--json", "-"), ("run", "lost_update.cpp", "--runs", "200"),
                      ("--help",), ("--version",), ("run", "--help"), ("doctor",)):
            ended = self.run_full(*words)
            self.assertEqual(ended.returncode, ENVIRONMENT, (words, ended.stderr))
            said = [line for line in ended.stderr.splitlines() if line.startswith("heddle: ")]
            self.assertEqual(len(said), 1, (words, ended.stderr))
            self.assertIn("cannot write to standard output: ", said[0])

    def test_a_bad_place_for_the_json_is_told_before_the_search(self):
        self.write("taken", "")
        for path, why in (("missing/result.json", "No such file or directory"), ("taken/result.json", "Not a directory"),
                          (".", "Is a directory"), ("/proc/result.json", "")):
            for words in (("run", "clean.cpp", "--time", "10h", "--runs", "1000000000", "--strategy", "random"),
                          ("replay",), ("list",), ("explain",), ("bench", "sampling")):
                self.refused(ENVIRONMENT, f"{path}: can't be written: {why}", *words, "--json", path)
        self.refused(ENVIRONMENT, "missing/known: can't be written", "run", "clean.cpp", "--time", "10h", "--runs",
                     "1000000000", "--baseline", "missing/known", "--update-baseline")
        self.assertEqual(self.heddle("run", "clean.cpp", "--runs", "5", "--json", "/dev/null").returncode, FINE)

    def test_standard_input_is_the_same_in_every_run_and_in_replays(self):
        self.write("reader.cpp", READER)
        path = self.write("input.txt", "5\n6\n")
        with open(path, "rb") as file:
            from_file = self.heddle("run", "reader.cpp", "--runs", "20", stdin=file)
        self.assertEqual(from_file.returncode, FINE, from_file.stdout + from_file.stderr)
        for words, code in ((("--runs", "20"), FINE), (("--out", "input", "--", "fail"), FINDING)):
            with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as pipe:
                from_pipe = self.heddle("run", "reader.cpp", *words, stdin=pipe.stdout)
            self.assertEqual(from_pipe.returncode, code, from_pipe.stdout + from_pipe.stderr)
        replay = self.heddle("replay", "--out", "input", "--times", "2", "--json", "-")
        self.assertEqual(json.loads(replay.stdout)["identical"], 2, replay.stderr)

    def test_a_pipe_that_nobody_writes_to_holds_nobody_up(self):
        reading, writing = os.pipe()
        try:
            ended = self.heddle("run", "clean.cpp", "--runs", "20", stdin=reading)
        finally:
            os.close(reading)
            os.close(writing)
        self.assertEqual(ended.returncode, FINE, ended.stderr)
        self.assertIn("Nobody wrote to standard input", ended.stdout)

    def test_a_pipe_that_is_not_at_its_end_is_waited_for_aloud(self):
        self.write("reader.cpp", READER)
        with subprocess.Popen([self.HEDDLE, "run", "reader.cpp", "--runs", "20"], cwd=self.folder.name,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            process.stdin.write("5\n")
            process.stdin.flush()
            self.assertIn("waiting for the end of standard input", process.stderr.readline())
            time.sleep(0.1)
            output, _ = process.communicate("6\n", timeout=850)
            self.assertEqual(process.returncode, FINE, output)

    def test_endless_input_is_refused(self):
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
            ended = self.heddle("run", "clean.cpp", stdin=endless.stdout)
            endless.stdout.close()
        self.assertEqual(ended.returncode, ENVIRONMENT, ended.stderr)
        self.assertIn("at most 64 MB", ended.stderr)


if __name__ == "__main__":
    command.main()
