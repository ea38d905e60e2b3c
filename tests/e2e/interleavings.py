"""How many interleavings a few threads have, counted by trying them all. Knows nothing of heddle.

A thread is a list of operations. `lock` needs the lock to be free, `wait` the semaphore to be above zero; all
others can always go on. Every operation is a step of its own.
"""
from functools import lru_cache


def count(threads):
    """The number of orders in which all operations of all threads can happen."""
    threads = tuple(tuple(thread) for thread in threads)

    @lru_cache(maxsize=None)
    def rest(at, owner, tokens):
        if all(place == len(thread) for place, thread in zip(at, threads)):
            return 1
        total = 0
        for i, thread in enumerate(threads):
            if at[i] == len(thread):
                continue
            operation = thread[at[i]]
            if operation == "lock" and owner is not None or operation == "wait" and tokens == 0:
                continue
            total += rest(at[:i] + (at[i] + 1,) + at[i + 1:],
                          i if operation == "lock" else None if operation == "unlock" else owner,
                          tokens + (operation == "post") - (operation == "wait"))
        return total

    return rest((0,) * len(threads), None, 0)


def stores(threads, n):
    return count([["store"] * n] * threads)


def counters(threads, n, accesses):
    """`accesses`: memory accesses between lock and unlock that are scheduling points too."""
    return count([(["lock"] + ["access"] * accesses + ["unlock"]) * n] * threads)


def hand_over(n):
    return count([["post"] * n, ["wait"] * n])
