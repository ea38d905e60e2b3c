"""epoll for brute_force.py: sets of pipes, by level, by edge, or once.

A set is a value of the world: what it watches, {pipe: (how, is it still asked for)}, and
which of that is ready, in the order in which it became so. `uses` is what it has ever watched,
and whether by edge or once.

What a set is told depends on the order in which pipes become ready, so who makes one ready changes the set, and
epoll_wait looks at that. What it would be told of one pipe is one more object.
"""


def new():
    return {"watches": {}, "ready": (), "uses": {}}


def sets_of(world):
    return [name for name, value in sorted(world.items()) if isinstance(value, dict) and "watches" in value]


def changed(world, pipes, readies):
    """Something was done to the pipes, in `world` already; `readies`: something came, or the end."""
    for name in sets_of(world):
        one = world[name]
        ready = list(one["ready"])
        for pipe in pipes:
            how, asked = one["watches"].get(pipe, ("", False))
            if not asked:
                continue
            if not world.get(pipe):
                ready = [p for p in ready if p != pipe]
            elif pipe not in ready and (readies or how == "l"):
                ready.append(pipe)
        world[name] = dict(one, ready=tuple(ready))


def control(world, name, what, pipe, how):
    """The world behind epoll_ctl: "+" adds, "~" changes, "-" takes out."""
    one = world[name]
    watches, uses = dict(one["watches"]), dict(one["uses"])
    ready = [p for p in one["ready"] if p != pipe or what == "~"]
    if what == "-":
        watches.pop(pipe, None)
    else:
        watches[pipe] = (how, True)
        uses[pipe] = uses.get(pipe, False) or how != "l"
        if not world.get(pipe):
            ready = [p for p in ready if p != pipe]
        elif pipe not in ready:
            ready.append(pipe)
    return dict(world, **{name: {"watches": watches, "ready": tuple(ready), "uses": uses}})


def wait(world, name, most):
    """(what is told, the world behind it)"""
    one = world[name]
    watches, ready = dict(one["watches"]), list(one["ready"])
    told = ready[:most]
    for pipe in told:
        how, _ = watches[pipe]
        ready.remove(pipe)
        if how == "l":
            ready.append(pipe)
        elif how in "ob":
            watches[pipe] = (how, False)
    return told, dict(world, **{name: dict(one, watches=watches, ready=tuple(ready))})


def touched_by_wait(world, name, most):
    uses = world[name]["uses"]
    takes = most < len(uses) or any(uses.values())
    touched = [(name, "alone" if takes else "read")]
    # It asks for what is not watched any more, too: that may be so only because another thread came first.
    for pipe in uses:
        touched.append(((name, pipe), "alone" if takes else "read"))
    return touched


def touched_by_control(world, name, pipe, how):
    return [(name, "alone"), (pipe, "read"), ((name, pipe), "alone")]


def touched_besides(world, pipes, readies):
    """What of sets is touched by what is done to the pipes."""
    touched = []
    for name in sets_of(world):
        for pipe in set(pipes) & set(world[name]["uses"]):
            touched += [(name, "alone")] if readies else []
            touched.append(((name, pipe), "alone"))
    return sorted(set(touched), key=str)
