"""The programs of counted.cpp once more, for brute_force.py: by name and size, threads and what is there at first."""

ZERO = {"x": 0, "y": 0, "z": 0}


def of(*operations):
    """A thread that does these, whatever comes of them."""
    def body():
        for operation in operations:
            yield operation
    return body


def get(what):
    return ("load", what)


def put(what, value=1):
    return ("store", what, value)


def locked(*operations):
    return of(("lock", "m"), *operations, ("unlock", "m"))


def simple(*threads):
    return lambda n: ([of(*thread) for thread in threads], ZERO)


def ring(first, second):
    return lambda n: ([of(first(f"c{k}"), second(f"c{(k + 1) % n}")) for k in range(n)],
                      {f"c{k}": 0 for k in range(n)})


def fib(n):
    def sums(to):
        for _ in range(n):
            first = yield get("x")
            second = yield get("y")
            yield put(to, first + second)
    return [lambda: sums("x"), lambda: sums("y")], {"x": 1, "y": 1}


def last_zero(n):
    def looks():
        i = n
        while (yield get(f"c{i}")) != 0:
            i -= 1

    def adds(k):
        value = yield get(f"c{k - 1}")
        yield put(f"c{k}", value + 1)
    return [looks] + [lambda k=k: adds(k) for k in range(1, n + 1)], {f"c{k}": 0 for k in range(n + 1)}


def peterson(n):
    def enters(mine, others, turn):
        yield put(mine)
        yield put("z", turn)
        if (yield get(others)) == 1:
            yield get("z")
    return [lambda: enters("x", "y", 1), lambda: enters("y", "x", 0)], ZERO


def dekker(n):
    def enters(mine, others):
        yield put(mine)
        if (yield get(others)) == 0:
            yield ("add", "z", 1)
        yield put(mine, 0)
    return [lambda: enters("x", "y"), lambda: enters("y", "x")], ZERO


def tries(attempt, give_back, *between):
    def body():
        if (yield attempt):
            for operation in between:
                yield operation
            yield give_back
    return body


def try_and_lock(n):
    return [locked(("add", "x", 1)), tries(("trylock", "m"), ("unlock", "m"))], ZERO


def two_locks(n):
    return [of(("lock", f"m{k}"), ("lock", f"m{k + 1}"), ("unlock", f"m{k + 1}"), ("unlock", f"m{k}"))
            for k in range(n)], {}


def rw_writers_readers(n):
    return [of(("wrlock", "s"), ("wrunlock", "s"))] * 2 + [of(("rdlock", "s"), ("rdunlock", "s"))] * n, {}


def rw_try(n):
    return [of(("wrlock", "s"), ("wrunlock", "s")), tries(("tryrdlock", "s"), ("rdunlock", "s")),
            tries(("trywrlock", "s"), ("wrunlock", "s"))], {}


def passes(n):
    """The barrier of n threads, once."""
    _, passed = yield ("arrive", "b", n)
    yield ("leave", "b", passed)


def barrier(times):
    def program(n):
        def body():
            for _ in range(times):
                yield from passes(n)
        return [body] * n, {"b": (0, 0)}
    return program


def barrier_phases(n):
    def body(mine, others):
        for i in range(n):
            yield put(mine, i)
            yield from passes(2)
            yield get(others)
    return [lambda: body("x", "y"), lambda: body("y", "x")], dict(ZERO, b=(0, 0))


def semaphore(permits, *between):
    return lambda n: ([of(("sem-wait", "s"), *between, ("sem-post", "s"))] * n, dict(ZERO, s=permits))


def semaphore_buffer(n):
    return [of(*[("sem-wait", "s"), ("sem-post", "f")] * n),
            of(*[("sem-wait", "f"), ("sem-post", "s")] * n)], {"s": 2, "f": 0}


def semaphore_value(n):
    return [of(("sem-post", "s"))] * 2 + [of(("sem-value", "s"))] * n, {"s": 0}


def once(n):
    def body():
        if (yield ("once", "o")):
            yield put("x")
            yield ("once-done", "o")
        yield get("x")
    return [body] * n, dict(ZERO, o=None)


def once_late(n):
    def initialises(value):
        if (yield ("once", "o")):
            yield put("x", value)
            yield ("once-done", "o")

    def first():
        yield from initialises(1)
        yield get("x")

    def second():
        yield get("y")
        yield from initialises(2)
    return [first, second], dict(ZERO, o=None)


def wait(condition):
    yield ("wait", condition, "m")
    yield ("relock", "m", condition)


def waits_until(flag, condition):
    def body():
        yield ("lock", "m")
        while (yield get(flag)) == 0:
            yield from wait(condition)
        yield ("unlock", "m")
    return body


def signal_flag(n):
    return [waits_until("x", "c")] * n + [locked(put("x"), ("broadcast", "c"))], ZERO


def signal_each(n):
    once_more = [("lock", "m"), put("x"), ("signal", "c"), ("unlock", "m")]
    return [waits_until("x", "c")] * n + [of(*once_more * n)], ZERO


def signal_behind(n):
    return [waits_until("x", "c"), of(("lock", "m"), put("x"), ("unlock", "m"), ("signal", "c"))], ZERO


def moves(times, full, mine, others):
    def body():
        for _ in range(times):
            yield ("lock", "m")
            while (yield get("x")) == full:
                yield from wait(mine)
            yield put("x", full)
            yield ("signal", others)
            yield ("unlock", "m")
    return body


def produce_consume(n):
    return [moves(n, 1, "c", "d"), moves(n, 0, "d", "c")], ZERO


def two_producers(n):
    return [moves(1, 1, "c", "d")] * 2 + [moves(2, 0, "d", "c")], ZERO


def timed_wait(n):
    def body():
        yield ("lock", "m")
        yield ("wait", "c", "m")
        if (yield ("late-or-lock", "m", "c")) == "late":
            yield ("lock", "m")
        yield ("unlock", "m")
    return [body] * n + [locked(("signal", "c"))], ZERO


def future(n):
    """What a future does with a futex: 0 not yet, 1 there, 2 somebody waits."""
    def waits():
        seen = yield get("x")
        while seen != 1:
            if seen == 0:
                yield ("cas", "x", 0, 2)
            if (yield get("x")) == 1:
                return
            if (yield ("futex-wait", "x", "asleep", 2)):
                yield ("woken", "asleep")
            seen = yield get("x")

    def sets():
        if (yield ("exchange", "x", 1)) == 2:
            yield ("futex-wake", "x", "asleep")
    return [waits] * n + [sets], dict(ZERO, asleep=())


def pipe(n):
    return [of(("send", "p", k)) for k in range(n)] + [of(*[("receive", "p")] * n)], {}


def ping_pong(n):
    return [of(*[("send", "p", 1), ("receive", "q")] * n),
            of(*[("receive", "p"), ("send", "q", 1)] * n)], {}


def pipe_each(n):
    return [of(("send", f"p{k}", 1)) for k in range(n)] + [of(("receive", f"p{k}")) for k in range(n)], {}


def pipe_readers(n):
    return [of(*[("send", "p", k) for k in range(n)])] + [of(("receive", "p"))] * n, {}


def pipe_end(n):
    def reads():
        while (yield ("receive", "p")) != "end":
            pass
    return [of(*[("send", "p", k) for k in range(n)], ("close", "p")), reads], {}


def pipe_try(n):
    return [of(("send", "p", k)) for k in range(n)] + [of(*[("try-receive", "p")] * n)], {}


def pipe_full(n):
    return [of(("send", "p", k, 1)) for k in range(n)] + [of(*[("receive", "p")] * n)], {}


def socket_pair(n):
    return [of(*[("send", "p", k) for k in range(n)], *[("receive", "q")] * n),
            of(*[("send", "q", k) for k in range(n)], *[("receive", "p")] * n)], {}


def event(n):
    return [of(("add", "x", 1))] * n + [of(("drain", "x"))], ZERO


def event_one_by_one(n):
    return [of(("add", "x", 1))] * n + [of(*[("sem-wait", "x")] * n)], ZERO


def joined_between(n):
    def main():
        yield ("after", "first")
        yield get("x")
    return [of(("add", "x", 1), ("done", "first")), of(("add", "x", 1)), main], ZERO


def created_between(n):
    return [of(put("x", 1), ("done", "first"), put("x", 2), ("done", "second"), put("x", 3)),
            of(("after", "first"), get("x"), put("y")), of(("after", "second"), get("x"), get("y"))], ZERO


def tree(depth):
    """The threads of a binary tree, in the order in which they are met; each is created by the one above it."""
    threads = []

    def grow(name, depth):
        after = [("after", name)] if name else []
        if depth == 0:
            return threads.append(of(*after, get("x")))
        children = [name + "l", name + "r"]
        threads.append(of(*after, *[("done", child) for child in children], ("add", "x", 1)))
        for child in children:
            grow(child, depth - 1)
        return None

    grow("", depth)
    return threads, ZERO


ALL = {
    "SB": simple([put("x"), get("y")], [put("y"), get("x")]),
    "LB": simple([get("x"), put("y")], [get("y"), put("x")]),
    "MP": simple([put("x"), put("y")], [get("y"), get("x")]),
    "2+2W": simple([put("x"), put("y")], [put("y"), put("x")]),
    "R": simple([put("x"), put("y")], [put("y"), get("x")]),
    "S": simple([put("x"), put("y")], [get("y"), put("x")]),
    "WRC": simple([put("x")], [get("x"), put("y")], [get("y"), get("x")]),
    "IRIW": simple([put("x")], [put("y")], [get("x"), get("y")], [get("y"), get("x")]),
    "ISA2": simple([put("x"), put("y")], [get("y"), put("z")], [get("z"), get("x")]),
    "CoRR": simple([put("x")], [get("x"), get("x")]),
    "CoWW": simple([put("x"), put("x")], [get("x")]),
    "CoRW": simple([get("x"), put("x")], [put("x")]),
    "SB-n": ring(put, get),
    "LB-n": ring(get, put),
    "SB-rmw": simple([("exchange", "x", 1), get("y")], [("exchange", "y", 1), get("x")]),
    "fib": fib,
    "tickets": lambda n: ([of(("add", "x", 1))] * n, ZERO),
    "tickets-twice": lambda n: ([of(("add", "x", 1), ("add", "x", 1))] * n, ZERO),
    "stores": lambda n: ([of(put("x"))] * n, ZERO),
    "load-store": lambda n: ([of(get("x"), put("x"))] * n, ZERO),
    "readers": lambda n: ([of(put("x"))] + [of(get("x"))] * n, ZERO),
    "writers-readers": lambda n: ([of(put("x"))] * n + [of(get("x"))] * n, ZERO),
    "last-zero": last_zero,
    "peterson": peterson,
    "dekker": dekker,
    "lock-n": lambda n: ([locked()] * n, {}),
    "lock-2n": lambda n: ([of(*[("lock", "m"), ("unlock", "m")] * n)] * 2, {}),
    "try-and-lock": try_and_lock,
    "two-locks": two_locks,
    "rw-writers-readers": rw_writers_readers,
    "rw-try": rw_try,
    "barrier": barrier(1),
    "barrier-twice": barrier(2),
    "barrier-phases": barrier_phases,
    "binary-semaphore": semaphore(1, ("add", "x", 1)),
    "two-permits": semaphore(2),
    "semaphore-buffer": semaphore_buffer,
    "semaphore-value": semaphore_value,
    "once": once,
    "once-late": once_late,
    "signal-flag": signal_flag,
    "signal-each": signal_each,
    "signal-behind-the-lock": signal_behind,
    "produce-consume": produce_consume,
    "two-producers": two_producers,
    "timed-wait": timed_wait,
    "future": future,
    "pipe": pipe,
    "ping-pong": ping_pong,
    "pipe-each": pipe_each,
    "pipe-readers": pipe_readers,
    "pipe-end": pipe_end,
    "pipe-try": pipe_try,
    "pipe-full": pipe_full,
    "socket-pair": socket_pair,
    "event": event,
    "event-one-by-one": event_one_by_one,
    "joined-backwards": simple([("add", "x", 1)], [("add", "x", 1)], [get("x")]),
    "joined-between": joined_between,
    "created-between": created_between,
    "tree": tree,
}
