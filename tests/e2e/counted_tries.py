"""The programs of counted_tries.h once more, for brute_force.py: much in them is tried in vain."""
from counted_models import ZERO, get, last_zero, locked, of, put, tries


def each(body):
    """n threads, each with its number."""
    return lambda n: ([lambda k=k: body(k) for k in range(n)], ZERO)


def cas(what, expected, desired):
    return ("cas", what, expected, desired)


def increments():
    seen = yield get("x")
    while True:
        result = yield cas("x", seen, seen + 1)
        if result is True:
            return
        seen = result[1]


def seen(k):
    value = yield get("x")
    yield cas("x", value, k + 1)


def look(k):
    if (yield cas("x", 0, k + 1)) is not True:
        yield get("x")


def places(k):
    if (yield cas("x", 0, k + 1)) is not True:
        yield cas("y", 0, k + 1)


def try_word(_):
    if (yield cas("x", 0, 1)) is True:
        yield ("add", "y", 1)
        yield put("x", 0)


def try_ticket(_):
    served = yield get("y")
    if (yield cas("x", served, served + 1)) is True:
        yield ("add", "z", 1)
        yield put("y", served + 1)


def pushes(node):
    old = yield get("head")
    while True:
        yield put(f"n{node}", old)
        result = yield cas("head", old, node)
        if result is True:
            return
        old = result[1]


def pops():
    old = yield get("head")
    while old != 0:
        following = yield get(f"n{old}")
        result = yield cas("head", old, following)
        if result is True:
            return
        old = result[1]


def push_pop(n):
    return [lambda k=k: pushes(k + 1) for k in range(n)] + [pops], dict({f"n{k}": 0 for k in range(n + 1)}, head=0)


def all_pop(n):
    return [pops] * n, dict({f"n{k}": k - 1 for k in range(1, n + 1)}, head=n)


def last_zero_cas(n):
    bodies, world = last_zero(n)

    def adds(k):
        value = yield get(f"c{k - 1}")
        yield cas(f"c{k}", 0, value + 1)
    return bodies[:1] + [lambda k=k: adds(k) for k in range(1, n + 1)], world


def try_once(n):
    return [of(("trylock", "m"))] * n, ZERO


def lock_and_tries(n):
    return [locked()] + [tries(("trylock", "m"), ("unlock", "m"))] * n, ZERO


def try_locks(n):
    return [tries(("trylock", "m"), ("unlock", "m"), ("add", "x", 1))] * n, ZERO


def timed_locks(n):
    """Who waits for a lock until it is late gives up at some moment when it is taken, or has it: as one who tries."""
    return [tries(("trylock", "m"), ("unlock", "m"))] * n, ZERO


def semaphore_tries(first, give_back, posts):
    body = tries(("sem-trywait", "s"), ("sem-post", "s")) if give_back else of(("sem-trywait", "s"))
    return lambda n: ([of(("sem-post", "s"))] * posts + [body] * n, {"s": first})


def rw_writer_tries(n):
    return [of(("wrlock", "s"), ("wrunlock", "s"))] + [tries(("tryrdlock", "s"), ("rdunlock", "s"))] * n + \
        [tries(("trywrlock", "s"), ("wrunlock", "s"))], {}


def rw_reader_tries(n):
    return [of(("rdlock", "s"), ("rdunlock", "s"))] + [tries(("trywrlock", "s"), ("wrunlock", "s"))] * n, {}


ALL = {
    "cas-once": each(lambda k: (yield cas("x", 0, k + 1))),
    "cas-twice": lambda n: ([of(cas("x", 0, k + 1), cas("x", 0, k + 1)) for k in range(n)], ZERO),
    "cas-rotation": lambda n: ([of(cas("x", k, k + 1)) for k in range(n)], ZERO),
    "cas-increments": lambda n: ([increments] * n, ZERO),
    "cas-seen": each(seen),
    "cas-look": each(look),
    "cas-places": each(places),
    "cas-readers": lambda n: ([of(put("x"))] + [of(cas("x", 7 + k, 1)) for k in range(n)], ZERO),
    "cas-try-lock": each(try_word),
    "ticket-try": each(try_ticket),
    "stack": lambda n: ([lambda k=k: pushes(k + 1) for k in range(n)], {"head": 0}),
    "push-pop": push_pop,
    "pops": all_pop,
    "last-zero-cas": last_zero_cas,
    "try-locks": try_locks,
    "try-once": try_once,
    "lock-and-tries": lock_and_tries,
    "timed-locks": timed_locks,
    "semaphore-try": semaphore_tries(1, True, 0),
    "semaphore-one": semaphore_tries(1, False, 0),
    "semaphore-post-try": semaphore_tries(0, False, 1),
    "rw-writer-tries": rw_writer_tries,
    "rw-reader-tries": rw_reader_tries,
}
