"""Drawn orders of ends: each rank drops bound plans, shared arrays and communicators in an order of its own.

    mpiexec -n 3 python ends.py FIRST COUNT [alone]

plays so many programs by their numbers, around barriers of all ranks; the last one leaves some things to the end of Python and
of MPI. Arrays may end on another thread or by the garbage collector. No end may wait for another rank. With `alone`,
communicators have no plans: MPI ends each of these programs. A rank that still waits after `LIMIT` seconds names the program
and its call.
"""

import gc
import os
import random
import sys
import threading
import time

import numpy as np
from mpi4py import MPI

import redist

LIMIT = 60  # seconds
EXTENT = 6000  # elements
comm = MPI.COMM_WORLD
rank = comm.rank
alone = len(sys.argv) > 3
doing, begun = "", time.monotonic()
left = []  # things that live until Python ends


def watch():
    """Ends this process once a program has taken longer than the limit. A thread, because handlers of signals wait for calls."""
    while time.monotonic() - begun < LIMIT:
        time.sleep(0.5)
    os.write(2, f"ends: rank {rank} waits in {doing}\n".encode())
    os._exit(124)


class Cycle:
    """Keeps something in a cycle, which only the collector ends."""

    def __init__(self, kept):
        self.kept, self.self = kept, self


def made(draw):
    """Makes the things of a program, in one order on all ranks; returns those of this rank, with a name each."""
    things = []
    for number in range(draw.randint(1, 3)):
        members = comm.size if draw.random() < 0.5 else draw.randint(1, comm.size)
        first, plans = draw.randint(0, comm.size - members), draw.randint(1, 2)
        is_in = first <= comm.rank < first + members
        part = comm.Dup() if members == comm.size else comm.Split(0 if is_in else MPI.UNDEFINED)
        arrays = [[side for side in ("src", "dst") if draw.random() < 0.4] for _ in range(plans)]
        if not is_in:
            continue
        things.append((f"communicator {number}", part))
        plan = redist.Plan((EXTENT,), f"block onto {members}", f"cyclic onto {members}", "f8")
        for number_of, sides in enumerate([] if alone else arrays):
            bound = plan.bind(part)
            shared = {side: bound.shared(side) for side in sides}
            source = shared.get("src", bound.empty("src"))
            source[...] = plan.global_indices("src", part.rank)[0]
            destination = shared.get("dst", bound.empty("dst"))
            bound.run(source, destination)
            assert np.array_equal(destination, plan.global_indices("dst", part.rank)[0])
            things.append((f"plan {number}.{number_of}", bound))
            things.extend((f"array {side} of plan {number}.{number_of}", array) for side, array in shared.items())
            del bound, shared, source, destination
    return things


def end(name, things, own):
    """Ends a thing: here, on a thread, or by the collector."""
    thing = things.pop(name)
    if isinstance(thing, MPI.Comm):
        thing.Free()
        return
    held, way = [thing], own.random()
    del thing
    if name.startswith("array") and way < 0.3:
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
    elif way < 0.5:
        held[:] = [Cycle(held.pop())]
        held.clear()
        gc.collect()
    else:
        held.clear()


def play(number, leaves):
    """Plays a program; the last one `leaves` some things to the end of Python."""
    global doing
    doing = f"program {number}, what it makes"
    things = dict(made(random.Random(number)))
    barriers = random.Random(number + 0.5).randint(1, 3)
    own = random.Random(f"{number} {comm.rank}")
    steps = [name for name in things if not (leaves and own.random() < 0.3)]
    steps += [None] * barriers
    own.shuffle(steps)
    for step in steps:
        if own.random() < 0.25:
            time.sleep(own.random() / 30)
        doing = f"program {number}, " + (f"the end of {step}" if step else "a barrier")
        if step:
            end(step, things, own)
        else:
            comm.Barrier()
    left.extend(things.values())
    doing = f"program {number}, the end of Python"


def on_a_thread():
    """The last reference of an array ends on another thread, and then the plan."""
    bound = redist.Plan((EXTENT,), f"block onto {comm.size}", f"cyclic onto {comm.size}", "f8").bind(comm)
    kept = [bound.shared("src")]
    thread = threading.Thread(target=kept.clear)
    thread.start()
    thread.join()


first, count = int(sys.argv[1]), int(sys.argv[2])
threading.Thread(target=watch, daemon=True).start()
if not alone:
    on_a_thread()
for program in range(first, first + count):
    begun = time.monotonic()
    play(program, program == first + count - 1)
if rank == 0:
    print(f"{count} programs from {first} on have come to the end of Python")
