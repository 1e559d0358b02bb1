"""Lines that users write, for a checker of types; not run. A line ends with the kind of error that it must have."""

import numpy as np

import redist

plan = redist.Plan((4, 4), "(block, *) onto 2", "(*, block) onto 2", "f8")
one = redist.Plan(np.int64(4), "block onto 2", "cyclic onto 2", np.float64)
without = redist.Plan(4, "block onto 2", "cyclic onto 2", None)
shape: tuple[int, ...] = plan.local_shape("src", np.int64(0))
whole = np.zeros((4, 4))
own = whole[np.ix_(*plan.global_indices("src", 0))]
version: str = redist.__version__
plan.draw("volumes", pair=(0, 1)).save("volumes.svg")
offsets: list[int] = [view.src.offset for view in plan.messages(0).sends[1]]
again = plan.gather(plan.simulate(plan.scatter(whole)))
most: int = max(plan.steps, plan.stays, plan.memory, plan.verify(), int(plan.volumes.max()))
plan.simulate([whole], into=[whole], alpha=2, beta=np.float64(0.5), conjugate=True)
names: list[str] = redist.threads.run(2, lambda comm: f"{comm.rank} of {comm.size}")


def ranks(comm: redist.threads.Rank) -> float:
    comm.barrier()
    return float(plan.bind(comm).empty("src")[0, 0])


sums: list[float] = redist.threads.run(np.int64(2), ranks)


def moves(comm: object) -> redist.Bound:
    bound = plan.bind(comm, src_like=whole, route="chunks")
    a, out = bound.empty("src"), bound.shared("dst")
    bound.run(a, out)
    with bound.start(a, out) as move:
        done: bool = move.test()
    print(done, {plan: bound.way}, plan == one)
    return bound


copies = redist.Copies((4, 4), "(block, *) onto 2", "(*, *) copies 2", "f8")
batch = redist.Batch([plan, copies])
both: list[list[np.ndarray]] = batch.simulate([batch.empty("src", rank) for rank in range(batch.ranks)])
copied: tuple[int, int] = copies.counts


def batches(comm: object) -> None:
    bound = batch.bind(comm)
    with bound.start([whole, whole], [whole, whole]):
        copies.bind(comm).run(whole, whole)


def add(arrived: np.ndarray, kept: np.ndarray) -> None:
    kept += arrived


plan.simulate([whole], function=np.subtract, part="upper", unit_diagonal=True)
products = redist.Copies(4, "* copies 2", "*", combine=add)
tiles: str = redist.layout([[1, 3], -1], (2, 1), axes=(1, 0)) + redist.scalapack([1, 0, 4, 4, 2, 2, 0, 0, 4], (2, 2), ia=2)
read = redist.Plan.from_json(plan.relabelled().plan.to_json(), "f8")


def meets(comm: object) -> None:
    parts: redist.Bound = redist.Programs(comm, number=0).join_parts(None, (8, 6), dtype="f4")
    parts = redist.Programs(comm, number=1).join_parts("dst", 8, "block onto 2", at=(2,), extents=6)
    coupling = redist.Programs(comm, number=1).couple("src", 0)
    theirs, shape = coupling.handshake("block onto 2", 4)
    bound = redist.Plan(shape, "block onto 2", theirs).bind(coupling, max_bytes=1 << 20, method="koenig")
    bound.run(whole, whole, function=add)
    a, out = bound.in_place()
    bound.run_in_place(a, out)


redist.Batch([1])  # error: list-item
wrong: list[int] = plan.local_shape("src", 0)  # error: assignment
side: str = "src"
plan.local_shape(side, 0)  # error: arg-type
plan.bind(None, route="quick")  # error: arg-type
moves(None).run([1.0], whole)  # error: arg-type
plan.global_indices("src")  # error: call-arg
plan.scatter([1.0])  # error: arg-type
redist.threads.run(2, 3)  # error: arg-type
