"""How many classes of interleavings a small program has, found without anything of heddle's.

A thread is a generator function that yields its operations, each a tuple (kind, object, ...), and is sent the
result of each. All interleavings are made, except that of equivalent beginnings only one goes on: beginnings are
told apart by what each event comes behind (its vector clock) and by whom a signal woke. `count` gives the number of
whole interleavings that differ, and how many of them leave a thread waiting for ever.

What an operation means and what it depends on is written down here once more, from POSIX and C++, on purpose.
"""
import brute_epoll

# What is done to pipes, and what may make one ready.
PIPES = ("send", "close", "close-all", "receive", "try-receive")
READIES = ("send", "close", "close-all")


def pipes_of(operation):
    return operation[1] if operation[0] == "close-all" else (operation[1],)


# Operations that commute with others of the same mode on the same object; all others do with nothing.
MODES = {"load": "read", "sem-value": "read", "rdlock": "read", "tryrdlock": "read", "rdunlock": "read",
         "sem-post": "post", "wait": "queue", "time-out": "queue", "futex-wait": "read"}
# ... and of those that got nothing: they have changed nothing. Who could not have a read-write lock has seen whether
# there are readers, which a reader's coming and going is not the same as.
FAILED = {"cas": "read", "trylock": "read", "sem-trywait": "read", "once": "read", "tryrdlock": "look",
          "trywrlock": "look"}


def resolved(world, me, operation):
    """What it is now: a timed wait ends by its time-out, or by a signal and then with the mutex."""
    if operation[0] != "late-or-lock":
        return operation
    _, mutex, condition = operation
    return ("time-out", condition) if me in world.get(condition, ()) else ("lock", mutex)


def steps(world, me, operation):
    """What the operation can do now, to sets of epoll, too."""
    done = alone_steps(world, me, operation)
    if operation[0] in PIPES:
        for _, after, _ in done:
            brute_epoll.changed(after, pipes_of(operation), operation[0] in READIES)
    return done


def alone_steps(world, me, operation):
    """What the operation can do now: [(result, world behind it, whom it woke)]; nothing where it has to wait."""
    kind, what = operation[0], operation[1]
    after = dict(world)
    value = world.get(what)

    def done(result=None, woke=None, **changes):
        after.update(changes)
        return [(result, after, woke)]

    if kind == "load":
        return done(value)
    if kind == "store":
        return done(**{what: operation[2]})
    if kind == "add":
        return done(value, **{what: value + operation[2]})
    if kind == "exchange":
        return done(value, **{what: operation[2]})
    if kind == "cas":
        return done(True, **{what: operation[3]}) if value == operation[2] else done(("saw", value))
    if kind in ("lock", "relock"):
        if value is not None or (kind == "relock" and me in world.get(operation[2], ())):
            return []
        return done(**{what: me})
    if kind == "trylock":
        return done(True, **{what: me}) if value is None else done(False)
    if kind == "unlock":
        assert value == me
        return done(**{what: None})
    if kind == "wait":
        assert world.get(operation[2]) == me
        return done(**{operation[2]: None, what: world.get(what, ()) + (me,)})
    if kind == "time-out":
        waiting = world.get(what, ())
        if me not in waiting:
            return []
        return done("late", **{what: tuple(t for t in waiting if t != me)})
    if kind == "signal":
        waiting = world.get(what, ())
        if not waiting:
            return done()
        return [(None, dict(world, **{what: tuple(t for t in waiting if t != one)}), one) for one in waiting]
    if kind == "broadcast":
        return done(woke=tuple(sorted(world.get(what, ()))), **{what: ()})
    if kind == "sem-wait":
        return done(**{what: value - 1}) if value > 0 else []
    if kind == "sem-trywait":
        return done(True, **{what: value - 1}) if value > 0 else done(False)
    if kind == "sem-post":
        return done(**{what: value + 1})
    if kind == "sem-value":
        return done(value)
    # A read-write lock: the set of its readers, or its writer.
    if kind in ("rdlock", "tryrdlock"):
        if isinstance(value, int):
            return [] if kind == "rdlock" else done(False)
        return done(True, **{what: (value or frozenset()) | {me}})
    if kind == "rdunlock":
        return done(**{what: value - {me}})
    if kind in ("wrlock", "trywrlock"):
        if isinstance(value, int) or value:
            return [] if kind == "wrlock" else done(False)
        return done(True, **{what: me})
    if kind == "wrunlock":
        return done(**{what: frozenset()})
    # A barrier: (how many have come, how many times it was passed); arriving gives the round that ends it.
    if kind == "arrive":
        come, passed = value
        is_last = come + 1 == operation[2]
        return done((is_last, passed + 1), **{what: (0, passed + 1) if is_last else (come + 1, passed)})
    if kind == "leave":
        return done() if value[1] >= operation[2] else []
    # Something done once: None, "begun", "done".
    if kind == "once":
        return {None: lambda: done(True, **{what: "begun"}), "begun": lambda: [],
                "done": lambda: done(False)}[value]()
    if kind == "once-done":
        return done(**{what: "done"})
    # The end of a thread, its creation; who joins it, itself.
    if kind == "done":
        return done(**{what: True})
    if kind == "after":
        return done() if value else []
    # A futex: the word in operation[1], who sleeps in operation[2]; who was woken goes on at once.
    if kind == "futex-wait":
        sleeps = value == operation[3]
        return done(sleeps, **{operation[2]: world.get(operation[2], ()) + ((me,) if sleeps else ())})
    if kind == "woken":
        return [] if me in value else done()
    if kind == "futex-wake":
        return done(woke=tuple(sorted(world.get(operation[2], ()))), **{operation[2]: ()})
    # A pipe: what is in it, at its end "end". It may have room for so many messages only.
    if kind == "send":
        queue = value or ()
        is_full = len(operation) > 3 and len(queue) >= operation[3]
        return [] if is_full else done(**{what: queue + (operation[2],)})
    if kind == "close":
        return done(**{what: (value or ()) + ("end",)})
    if kind in ("receive", "try-receive"):
        queue = value or ()
        if not queue:
            return [] if kind == "receive" else done(False)
        return done(queue[0], **{what: queue if queue[0] == "end" else queue[1:]})
    # What closes several pipes at once.
    if kind == "close-all":
        return done(**{one: (world.get(one) or ()) + ("end",) for one in what})
    # A look at several pipes: which is the first that can be read, or has room for one more: operation[2] says which
    # have room for one only.
    if kind in ("epoll-wait", "try-epoll-wait"):
        told, behind = brute_epoll.wait(world, what, operation[2])
        return [(tuple(told), behind, None)] if told or kind == "try-epoll-wait" else []
    if kind == "epoll-ctl":
        return [(None, brute_epoll.control(world, what, *operation[2:]), None)]
    if kind in ("look", "try-look", "look-for-room"):
        ready = [k for k, one in enumerate(what)
                 if (not (operation[2][k] and world.get(one)) if kind == "look-for-room" else world.get(one))]
        return done(ready[0] if ready else None) if ready or kind == "try-look" else []
    # A number: what is added, all of it taken.
    if kind == "drain":
        return done(value, **{what: 0}) if value > 0 else []
    raise ValueError(kind)


def touches(operation, result, world):
    """[(object, mode)]"""
    kind, what = operation[0], operation[1]
    if kind == "woken":
        return []
    if kind in ("look", "try-look", "look-for-room"):
        return [(one, "read") for one in what]
    if kind in ("epoll-wait", "try-epoll-wait"):
        return brute_epoll.touched_by_wait(world, what, operation[2])
    if kind == "epoll-ctl":
        return brute_epoll.touched_by_control(world, what, operation[3], operation[4])
    if kind in PIPES:
        pipes = pipes_of(operation)
        return [(one, "alone") for one in pipes] + brute_epoll.touched_besides(world, pipes, kind in READIES)
    failed = kind in FAILED and result is not True
    touched = [(what, FAILED[kind] if failed else MODES.get(kind, "alone"))]
    if kind == "wait":
        touched.append((operation[2], "alone"))
    return touched


# They run as soon as they can: they commute with whatever could come first.
EAGER = ("leave", "done", "after", "woken")


class Thread:
    """Where a thread is: its operations' results so far say it."""

    def __init__(self, body, results):
        self.results = results
        generator = body()
        try:
            self.next = next(generator)
            for result in results:
                self.next = generator.send(result)
        except StopIteration:
            self.next = None


def count(bodies, world=None):
    """(classes, how many of them leave somebody waiting)."""
    first = (tuple(() for _ in bodies), dict(world or {}), tuple(() for _ in bodies))
    level = {first[2]: first}
    whole, stuck = set(), set()
    cache = {}

    def next_of(t, results):
        key = (t, results)
        if key not in cache:
            cache[key] = Thread(bodies[t], results).next
        return cache[key]

    while level:
        following = {}
        for results, state, events in level.values():
            went_on = False
            operations = [next_of(t, results[t]) for t in range(len(bodies))]
            operations = [op and resolved(state, t, op) for t, op in enumerate(operations)]
            eager = [t for t, op in enumerate(operations) if op and op[0] in EAGER and steps(state, t, op)]
            for t, operation in enumerate(operations):
                if operation is None or (eager and t != eager[0]):
                    continue
                for result, after, woke in steps(state, t, operation):
                    went_on = True
                    touched = touches(operation, result, state)
                    clock = list(_clock(events, t))
                    for u, of_u in enumerate(events):
                        for done in reversed(of_u):  # the last that it depends on has all before it
                            if u != t and _depends(done, touched, t):
                                clock = [max(pair) for pair in zip(clock, done[1])]
                                break
                    clock[t] += 1
                    event = (tuple(touched), tuple(clock), woke)
                    grown = events[:t] + (events[t] + (event,),) + events[t + 1:]
                    if grown not in following:
                        following[grown] = (results[:t] + (results[t] + (result,),) + results[t + 1:],
                                            after, grown)
            if not went_on:
                whole.add(events)
                if any(operation is not None for operation in operations):
                    stuck.add(events)
        level = following
    return len(whole), len(stuck)


def _clock(events, t):
    return events[t][-1][1] if events[t] else (0,) * len(events)


def _depends(event, its, t):
    touched, _, woke = event
    if woke is not None and (woke == t or (isinstance(woke, tuple) and t in woke)):
        return True  # it was woken: a little more order than there is, among events that are ordered anyway
    for what, mode in touched:
        for other, other_mode in its:
            if what == other and (mode != other_mode or mode == "alone"):
                return True
    return False
