"""Threads that connect sockets, send and receive, and close what others use: no search misses what can come of it.

    sockets_test.py HEDDLE SCRATCH
"""
import contextlib
import os
import random
import socket
import threading

import searched_scripts
import tool

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 12000 + os.getpid() * 8 % 20000

# Scripts of sockets.cpp.
SHAPES = (
    # Who connects a socket, and who asks or uses it, at once or behind something else.
    "tl n01 q0",
    "tl n01 S0",
    "tl n01 q0 a1",
    "tttl B2,n02,o2 i2,q0,V23",
    "tldf n01 s32,q0",
    "tldf n01 s32,S0",
    "tldf n01 s32,r0",
    "tldf n01 s32,c0",
    "tldf n01 s32,h0",
    "tldf n01,s32 q2,q0",
    "tldf n01 s32,q0,q0",
    "tldf s32,n01 q0,q0 q2",
    "tldf n01,c0 s32,q0",
    "tldf n01,h0 s32,S0 A1",
    "tLdf n01 s32,q0",
    "ttl n02 n12 a2,a2",
    # ... and who waits for what never comes, unless it comes to the socket before.
    "tldf n01 s32,w0",
    "tldf n01 s32,w0 s32",
    "tldf n01 s32,p0",
    # Who is there when somebody connects or sends.
    "tm i1 n01",
    "tmdf s32,i1 s32,n01",
    "tmdf s32,n01 s32,i1",
    "ffdf s32,B1 s32,s01,r1",
    "ffdf s32,s01 s32,B1,r1",
    # Datagrams.
    "fddf n01 s32,S0 r1",
    "fddf s32,n01 s32,S0 q1",
    "fDdf n01 s32,S0 r1",
    "fdd s01 s02 r1 r2",
    "fDD s01 s02 r1 r2",
    "fDD s01 s02 p1 p2",
    "fD s01 p1,r1 q1",
    "ffD s02 s12 w2,w2",
    "DD s01 s10 r0,r1",
    "yxx s01 s02 r1 r2",
    "yyx s02 s12 r2,r2",
    "yx n01 S0",
    "yx s01 c1",
    # Who comes to a socket that is closed, or to an address where nobody is any more, might have come before.
    "ttldf c0 s43,n02 q2",
    "ttll n03 S0,c2 n02",
    "ttll h0,n03 q0,c2 n02",
    "ffddf =n02 n03 s43,S0 q2,q3",
    "ffddf =n02 c0 s42,S0 q2",
    # Who is told that there was nobody: one of them.
    "fdd =n01 =c1 =S0 r0 s02",
    "fdd =n01 =c1 =S0 s02 s02",
    "fdd =n01 c1,S0 q0 s02",
)
# Pairs of operations where one changes who is at an address, and as many runs as optimal-dpor needs: one where they commute.
PAIRS = {
    # The end of a listener: another's, and those who wait there or elsewhere.
    "ll c0 c1": 1,
    "ttll c2 n03": 1,
    "ttll =n02 c2 n13": 1,
    "ttll =n02 =n13 c2 c3": 1,
    "ttll =n02 =n13 c2 q1": 1,
    "ttll =n02 c2 q0": 2,
    "ttll =n02 =n12 c2 q0 q1": 4,
    "tl c1 n01": 2,
    "tl =n01 c1 c0": 2,
    "tm c1 n01": 2,
    "mm c0 c1": 1,
    # Beginning to listen.
    "mm i0 i1": 1,
    "mm i0 c1": 1,
    "mmtt i0 i1 n20": 2,
    "ttmm i2 i3 n02 n13": 4,
    "tml i1 n02": 1,
    "tm i1 n01": 2,
    "tm c1 i1": 2,
    # A socket that is not connected yet.
    "ttl n02 q1": 1,
    "ttl q0 S1": 1,
    "tl n01 q0 a1": 4,
    "tldf s32,n01 q0,q0 q2": 6,
    # Binding: to different ports and to the same.
    "ff B0 B1": 1,
    "tt B0 B1": 1,
    "tt o0 o1": 1,
    "tt B0 i1": 1,
    "ttl B0 n12": 1,
    "tt B1 V01": 2,
    "tt V01 V01": 2,
    "tm c1 V01": 2,
    # Datagram sockets: what they are connected to, and their end.
    "ffdd n02 n13": 1,
    "ffdd n02 s13": 1,
    "ffdd c0 c1": 1,
    "ffdd c2 c3": 1,
    "ffdd =n02 c0 s13": 1,
    "fd n01 s01": 2,
    "fd n01 r1": 1,
    "fd c1 r1": 2,
    "fd =s01 c0 r1": 1,
    "fd o0 s01": 2,
}
# Two listeners at one port: which of them gets a connection is the kernel's choice, so nobody looks at that.
SHARED_PORTS = (
    "tRR n01 b12",
    "tRRdf n01 s43,b12",
    "tRRdf s43,b12 n01",
    "ttRR n02 n12 b23,b23",
    "ttRR n02,n12 b23,b23",
)


# Sockets and steps of random programs. Nobody waits for what may never come. Nobody closes what others accept: which number that
# gets is no thread's doing.
MIXES = {
    "closes": (("ttldf", "ttldf", "ttLDf"), ("n02", "n12", "n02", "n12", "q0", "q1", "q2", "S0", "S1", "r0", "r1", "h0", "c0", "c1", "s43", "r3", "q3")),
    "accepts": (("ttldf", "ttldf", "ttLDf"), ("n02", "n12", "n02", "n12", "q0", "q1", "q2", "S0", "S1", "r0", "r1", "h0", "a2", "a2", "s43", "r3", "q3")),
    "ends": (("ttll", "ttlL"), ("n02", "n12", "n03", "n13", "q0", "q1", "q2", "S0", "S1", "r0", "r1", "h0", "c2", "c2", "c3")),
    "listens": (("ttmm", "ttml"), ("n02", "n12", "n03", "n13", "q0", "q1", "q2", "S0", "r0", "i2", "i2", "i3", "i3", "c2", "c3", "c0")),
    "binds": (("tttl", "tttm"), ("n02", "n02", "n12", "B2", "B2", "V23", "o2", "i2", "i2", "q2", "c2", "n03", "n13", "q0", "S0", "c3")),
    "datagrams": (("ffdd", "ffDd"), ("n02", "n12", "n03", "s02", "s12", "s03", "s23", "S0", "S1", "r2", "r3", "r0", "q2", "q0", "c2", "c0", "c3", "B1",
                                     "o1", "o0", "V12")),
}


def some_script(rng, mix):
    sockets, steps = MIXES[mix]
    threads = []
    for count in rng.choice(((1, 2), (2, 2), (2, 3), (3, 3), (1, 1, 2), (1, 2, 2))):
        threads.append(",".join(rng.choice(steps) for _ in range(count)))
    return " ".join([rng.choice(sockets), *threads])


class SocketsTest(searched_scripts.ScriptTest):
    SOURCE = os.path.join(HERE, "sockets.cpp")

    def test_shapes(self):
        self.check(SHAPES)

    def test_pairs(self):
        self.check(list(PAIRS))
        found = self.searched("optimal-dpor", list(PAIRS))
        self.assertEqual({script: one[0] for script, one in zip(PAIRS, found)}, PAIRS)

    def test_random_programs(self):
        rng = random.Random(int(os.environ.get("HEDDLE_SOCKETS_SEED", "1")))
        count = int(os.environ.get("HEDDLE_SOCKETS", "12"))
        self.check([some_script(rng, mix) for mix in MIXES for _ in range(count)])

    def test_a_port_that_the_program_chose_costs_no_more_runs(self):
        scripts = [script for script in SHAPES if "D" in script.split()[0]]
        chosen = self.searched("optimal-dpor", scripts)
        self.assertEqual(chosen, self.searched("optimal-dpor", [script.replace("D", "d") for script in scripts]), scripts)

    def run_once(self, script, runs=20):
        """One worker (tool.py): two would choose the same ports."""
        program = self.tool.compile(self.SOURCE)
        return self.search(program, f"--runs={runs}", "--keep-going", arguments=("run", script, str(PORT)))

    def test_datagrams_from_outside_are_waited_for_and_named(self):
        over = threading.Event()

        def send():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                while not over.wait(0.005):
                    with contextlib.suppress(OSError):  # nobody is there between runs
                        sender.sendto(b"o", ("127.0.0.1", PORT))

        thread = threading.Thread(target=send)
        thread.start()
        try:
            # One datagram is the program's, the other must be somebody else's.
            ended = self.run_once("Df s10 w0,w0", runs=5)
        finally:
            over.set()
            thread.join()
        self.assertEqual((ended.code, ended.kinds()), (tool.FINE, []), ended.output)
        self.assertIn("datagrams from outside the program", [item["what"] for item in ended.result["uncontrolled"]])

    def test_the_programs_own_datagrams_are_not_from_outside(self):
        for script in ("Df s10,c1 w0", "DD s10 w0", "Df n10,S1 w0"):
            ended = self.run_once(script)
            self.assertEqual((ended.code, ended.result["uncontrolled"]), (tool.FINE, []), ended.output)

    def test_listeners_at_one_port_are_named_and_nothing_else_is_missed(self):
        self.check(SHARED_PORTS, complete=0)
        for script, is_named in (("tRR n01 b12", True), ("tR n01 a1", False), ("tl n01 a1", False)):
            ended = self.run_once(script)
            named = [item["what"] for item in ended.result["uncontrolled"]]
            self.assertEqual("SO_REUSEPORT" in named, is_named, ended.output)


if __name__ == "__main__":
    tool.main()
