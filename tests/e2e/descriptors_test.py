"""How many classes programs with descriptors have, by every exhaustive search, against a brute force.

    descriptors_test.py HEDDLE SCRATCH
"""
import os
import random
import subprocess

import brute_epoll
import brute_force
import tool

HERE = os.path.dirname(os.path.abspath(__file__))

# Scripts of descriptors.cpp.
SHAPES = (
    "pp s0 s1 p0 p1",               # two threads poll different pipes
    "pp s0 s1 p01",                 # poll against a write to one of two pipes
    "pp s0 s1 p01 p01",
    "pp s0 s1 q01",
    "pp s0 s1 d01",
    "pp s0 s1 v01",
    "pp s0,s1 p01",
    "pp s0 s1 x01,x01",
    "ppp s0 s1 s2 p012",
    "pe s0 s1 p01",
    "ff s0 s1 r0 o01",
    "uu s0 s1 p0 p1",
    "uu s0 s1,r0 p01",
    # What ends, and those whom that does not concern.
    "uu s0,c0 r0,r0",
    "uu s0,c0 p0 q0",
    "uup c0 p02 s2",
    "uuuu s0,c0 r0,r0 s2,c2 r2,r2",
    # Connections: two pairs of threads; accept against connect, and against others.
    "tt s0,r1 r0,s1",
    "tttt s0 r0 s2 r2",
    "tttt s0,s0 r0 r0 s2 r2",
    "tttt s0,c0 r0,r0 s2,c2 r2,r2",
    "iiii s0 s2 p02",
    "tttt s0 s2 p02 q02",
    "l n0 a0",
    "l n0 n0 a0,a0",
    "l n0,n0 a0 a0",
    "ll n0 n1 a0 a1",
    "lp n0 s1 a0 r1",
    "lp n0 s1 p01",
    # A listener that lets one wait.
    "m n0 n0 a0,a0",
    "m n0,n0 a0,a0",
    "mp n0,s1 n0 a0,r1,a0",
    "j n0 n0 a0,a0",
    "jp n0,s1 n0 a0,r1,a0",
    # Datagrams: to two sockets, and to one.
    "dd s0 s1 r0 r1",
    "d s0 s0 r0,r0",
    "d s0,s0 r0 r0",
    "dd s0 s1 p01",
    "dp s0 s1 q01 r0",
    "gg s0 s1 r0 r1",
    "g s0 s0 p0 r0",
    "gp s0 s1 q01 r0",
    "kk s0 s1 r0 r1",
    "k s0,c0 r0,r0",
    # What is there is taken before it is seen; and comes again.
    "pp =s0 r0,s0 s1,r1 p01",
    "pp =s0 r0 s1,r1,s1,r1 p01",
    "pp =s0 =s1 r0,s0 r1,s1 p01",
    "pp =s0 p01 r0 s1",
    "pp =s0 p01 s1 r0",
    "pp =s0 p01 r0 s1,r1",
    "pp =s0 =s1 p01 r0,s0 r1",
    "ppp =s0 p012 r0 s1,r1 s2,r2",
)
# Sets of epoll: what is told first depends on what became ready first, and who takes it.
EPOLL = (
    "pp =+00l =+01l s0 s1 w0",
    "pp =+00l =+01l s0 s1 w0 w0",
    "pp =+00l =+01l s0 s1 W0",
    "pp =+00l =+01l s0 s1 W0 W0",
    "pp =+00l =+01l s0 s1 z0",
    "pp =+00l =+01l s0 s1 Z0,Z0",
    "pp =+00l =+01l s0 s1 z0 z0",
    "pp =+00l =+01l s0,s1 w0",
    "ppp =+00l =+01l =+02l s0 s1 s2 w0",
    "pe =+00l =+01l =s0 s0 s1 w0",
    "pp =+00l =+11l s0 s1 w0 w1",
    "pp =+00l s0 s1 w0 r1",
    "pp =+00l =+01l =s0 =s1 r0 r1 k0",
    "pp =+00l =+01l =s0 r0 s1 w0",
    "pp =+00l =+01l =s0 r0,s0 s1,r1 w0",
    "pp =+00l =+01l =s0 =s1 r0 r1,s1 W0",
    "uu =+00l s0 w0 s1",
    "uu =+00l s0,c0 z0,z0",
    "tttt =+00l =+02l s0 s2 z0 s1",
    "lp =+00l =+01l n0 s1 w0 a0",
    "dd =+00l =+01l s0 s1 z0 r1",
    "bp =+00l =+01l s0 s1 w0",
    "bp =+00l =+01e s0 s1 z0 r0",
    "gk =+00l =+01l s0 s1 z0",
    "pp =+20l =+21l s0 s1 z2",
    "pp =+20l =+21e s0 s1 z2 r0",
    # By edge and once.
    "p =+00e s0 s0 w0",
    "p =+00e s0,s0 w0 w0",
    "pp =+00e =+01e s0 s1 w0 w0",
    "pp =+00e =+01e s0 s1 z0,z0",
    "p =+00o s0,s0 w0",
    "pp =+00o =+01o s0 s1 z0 z0",
    "p =+00e =s0 r0 k0",
    "pp =+00e =+01l s0 s1 W0",
    # What is watched changes.
    "p =+00l -00 s0 k0",
    "pp =+00l +01l s0 s1 w0",
    "p =+00o s0,s0 z0,~00o,z0",
    "pp =+00l =+01l s0,s1 w0,-00,w0",
)
BIGGEST = 80  # classes of a random program


def opened(forms):
    """By number of a channel that of the other direction, itself where there is none."""
    other = list(range(len(forms)))
    for k in range(1, len(forms)):
        if forms[k] in "uti" and forms[k] == forms[k - 1] and other[k - 1] == k - 1:
            other[k - 1], other[k] = k, k - 1
    return other


def modelled(script):
    """Threads and what is there at first, for brute_force.py."""
    forms, *words = script.split()
    other = opened(forms)

    def operation(step):
        if step[0] in "+~-":
            return ("epoll-ctl", f"e{step[1]}", step[0], f"c{step[2]}", step[3:])
        if step[0] in "wWzZk":
            return ("try-epoll-wait" if step[0] == "k" else "epoll-wait", f"e{step[1]}", 1 if step[0] in "wzk" else 8)
        channels = [int(digit) for digit in step[1:]]
        names = tuple(f"c{k}" for k in channels)
        if step[0] in "sn":
            return ("send", names[0], 1) + ((1,) if forms[channels[0]] in "fmj" else ())
        if step[0] == "c":
            both = sorted({channels[0], other[channels[0]]})
            return ("close-all", tuple(f"c{k}" for k in both))
        kind = {"r": "receive", "a": "receive", "p": "look", "v": "look", "x": "look", "q": "try-look", "d": "try-look",
                "o": "look-for-room"}[step[0]]
        if kind == "look-for-room":
            return (kind, names, tuple(forms[k] == "f" for k in channels))
        return (kind, names[0] if kind == "receive" else names)

    def body(steps):
        def run():
            for step in steps:
                result = yield operation(step)
                if step[0] == "x":
                    yield ("receive", f"c{step[1 + result]}")
                if step[0] in "zZ":
                    yield ("receive", result[0])
        return run

    world = {f"c{k}": () for k in range(len(forms))}
    world.update({f"e{script[at + 1]}": brute_epoll.new() for at, sign in enumerate(script) if sign == "+"})
    for word in words:
        if word[0] == "=":
            world = brute_force.steps(world, 0, operation(word[1:]))[0][1]
    return [body(word.split(",")) for word in words if word[0] != "="], world


def some_script(rng, looks="pppvqdxo"):
    """Of a pair one direction is used, and only who alone writes to a channel closes it, at last."""
    forms, used = "", []
    for _ in range(rng.choice((1, 2, 2, 3))):
        used.append(str(len(forms)))
        forms += rng.choice(("p", "p", "p", "e", "f", "uu", "tt", "ii", "d", "g", "k", "b"))
    looks = looks.replace("o", "p") if "d" in forms else looks  # nobody asks a datagram socket for room
    threads = []
    for _ in range(rng.choice((2, 3, 3))):
        steps = []
        for _ in range(rng.choice((1, 1, 2, 2, 3))):
            kind = rng.choice("sssrr" + looks)
            if kind in "sr":
                steps.append(kind + rng.choice(used))
            else:
                steps.append(kind + "".join(sorted(rng.sample(used, rng.randint(1, len(used))))))
        threads.append(steps)
    for k in used:
        writers = [steps for steps in threads if "s" + k in steps]
        is_asked = any(step[0] == "o" and k in step for steps in threads for step in steps)
        if len(writers) == 1 and not is_asked and forms[int(k)] not in "edg" and rng.random() < 0.5:
            writers[0].append("c" + k)
    first = [f"=s{k}" for k in used if rng.random() < 0.4]
    return " ".join([forms, *first, *(",".join(steps) for steps in threads)])


def with_sets(rng, used, threads):
    """Puts channels into one set or two, and lets threads wait there and change them."""
    sets = "0" if rng.random() < 0.7 else "01"
    words, modes = [], rng.choice(("l", "l", "e", "o", "leob"))
    for one in sets:
        for nth, k in enumerate(rng.sample(used, rng.randint(1, len(used)))):
            control = "+" + one + k + rng.choice(modes)
            draw = rng.random()
            some = rng.choice(threads)
            if draw < 0.1 and nth > 0:
                some.insert(rng.randint(0, len(some)), control)
                continue
            words.append("=" + control)
            if draw < 0.2:
                some.insert(rng.randint(0, len(some)), "-" + one + k)
            elif draw < 0.4:
                some.insert(rng.randint(0, len(some)), "~" + one + k + rng.choice(modes))
    for steps in threads:
        for i, step in enumerate(steps):
            if step[0] in "wWzZk":
                steps[i] = step[0] + rng.choice(sets)
    return words


def some_script_with_sets(rng):
    script = some_script(rng, "wwWzzZkp")
    forms, *words = script.split()
    first = [word for word in words if word[0] == "="]
    threads = [word.split(",") for word in words if word[0] != "="]
    used = [str(k) for k in range(len(forms)) if opened(forms)[k] >= k]
    before = with_sets(rng, used, threads)
    if rng.random() < 0.5:
        before, first = first, before
    return " ".join([forms, *before, *first, *(",".join(steps) for steps in threads)])


def random_scripts(count, seed, make=some_script):
    rng = random.Random(seed)
    found = {}
    while len(found) < count:
        script = make(rng)
        if script in found:
            continue
        classes = brute_force.count(*modelled(script))[0]
        if 1 < classes <= BIGGEST:
            found[script] = classes
    return found


class DescriptorsTest(tool.ToolTest):
    def program(self):
        return self.tool.compile(os.path.join(HERE, "descriptors.cpp"))

    def check(self, strategy, expected):
        done = subprocess.run([self.program(), "explore", strategy], cwd=self.out, input="\n".join(expected) + "\n",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=tool.HUNG_AFTER,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), len(expected), done.stdout + done.stderr)
        wrong = []
        for (script, count), line in zip(expected.items(), lines):
            runs, classes, redundant, complete = (int(word) for word in line.split())
            # What a thread puts into a set others have used before: some runs are made in vain.
            is_exact = strategy == "optimal-dpor" and " +" not in script and ",+" not in script
            is_once = not is_exact or (runs == classes and redundant == 0)
            if (classes, complete) != (count, 1) or not is_once:
                wrong.append(f"{strategy} '{script}': {runs} runs, {redundant} redundant, {classes} classes, complete "
                             f"{complete}; there are {count}")
        self.assertFalse(wrong, "\n".join(wrong))

    def shapes(self):
        return {script: brute_force.count(*modelled(script))[0] for script in SHAPES}

    def test_optimal_dpor(self):
        self.check("optimal-dpor", self.shapes())

    def test_dpor(self):
        self.check("dpor", self.shapes())

    def test_baseline(self):
        self.check("baseline", self.shapes())

    def test_dfs(self):
        self.check("dfs", {script: count for script, count in self.shapes().items() if len(script) < 20})

    def test_epoll(self):
        expected = {script: brute_force.count(*modelled(script))[0] for script in EPOLL}
        for strategy in ("optimal-dpor", "dpor", "baseline"):
            self.check(strategy, expected)
        self.check("dfs", {script: count for script, count in expected.items() if count < 10})

    def test_random_programs(self):
        self.check("optimal-dpor", random_scripts(60, 1))
        self.check("dpor", random_scripts(20, 2))

    def test_random_programs_with_epoll(self):
        self.check("optimal-dpor", random_scripts(60, 3, some_script_with_sets))
        self.check("dpor", random_scripts(20, 4, some_script_with_sets))

    def test_whole_programs_have_as_many(self):
        for script in ("pp s0 s1 p01", "pp =s0 r0,s0 s1,r1 p01", "uu s0 s1 p0 p1"):
            expected = brute_force.count(*modelled(script))[0]
            ended = self.search(self.program(), "--strategy=optimal-dpor", arguments=(script,))
            self.assertEqual(ended.code, tool.FINE, ended.output)
            got = tuple(ended.result[word] for word in ("runs", "classes", "blocked_runs", "complete"))
            self.assertEqual(got, (expected, expected, 0, True), script)


if __name__ == "__main__":
    tool.main()
