"""Plans over process groups of torch, on 2, 4 and 8 processes over gloo."""

import gc

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not there")
dist = torch.distributed
if not dist.is_available():
    pytest.skip("this torch has no torch.distributed", allow_module_level=True)

import redist
import redist.torch
from conftest import MPI
from redist.torch import Placed, Spec, Weights, bind
from torch_ranks import on_ranks, part

if MPI and MPI.COMM_WORLD.size > 1:
    pytest.skip("of one process", allow_module_level=True)

DTYPES = [
    torch.float32,
    torch.float64,
    torch.bfloat16,
    torch.float16,
    torch.bool,
    torch.int8,
    torch.int64,
    torch.complex64,
    torch.complex128,
]
DTYPES += [
    getattr(torch, name) for name in ("float8_e4m3fn", "float8_e5m2") if hasattr(torch, name)
]
PAIRS = [
    ("(block, *) onto 2", "(*, block) onto 2"),
    ("(cyclic(2), cyclic(3)) onto (2, 2)", "(block, *) onto 4"),
    ("(cyclic(3), cyclic(2)) onto (2, 2)", "(cyclic(2), cyclic(5)) onto (4, 2)"),
    ("(gen_block([5, 0, 1, 17]), *) onto 4", "(*, cyclic) onto 3 ranks [1, 7, 4]"),
    ("(*, *) ranks 1..2", "(block, block) onto (4, 2) storage fortran"),
    ("(block, *) onto 4 of [25, 19] at [2, 1]", "(*, block) onto 2 storage fortran"),
    ("(block, *) onto 3", "(*, cyclic(2)) onto 2 transposed"),
]


def tensors(array, dtype):
    """Elements that tell themselves apart, as far as a type can."""
    array = torch.from_numpy(np.array(array, order="C"))
    return array % 2 == 1 if dtype is torch.bool else (array % 97).to(torch.float32).to(dtype)


def same(one, other):
    return one.shape == other.shape and one.contiguous().view(-1).view(torch.uint8).equal(
        other.contiguous().view(-1).view(torch.uint8)
    )


def like(plan, side, rank, array, dtype):
    """A rank's tensor, of the side's order of elements."""
    found = tensors(array, dtype)
    order = list(range(found.dim()))[::-1]
    return (
        found
        if plan.empty(side, rank).flags.c_contiguous
        else found.permute(order).contiguous().permute(order)
    )


def move(rank, src, dst, packing):
    if redist.Plan((23, 17), src, dst).ranks > dist.get_world_size():
        return 0
    stored = (25, 19) if " of " in src else (23, 17)
    whole = np.arange(np.prod(stored)).reshape(stored)
    numbers = redist.Plan((23, 17), src, dst, "i8")
    parts = numbers.scatter(whole)
    arrived = numbers.simulate(parts)
    for dtype in DTYPES:
        plan = redist.Plan(
            (23, 17),
            src,
            dst,
            {1: "u1", 2: "u2", 4: "f4", 8: "u8", 16: "c16"}[tensors(whole, dtype).element_size()],
        )
        bound = bind(plan, dtype=dtype, packing=packing)
        assert bound.packing == packing
        a, out, expected = None, None, None
        if rank < plan.ranks:
            a, out = like(plan, "src", rank, parts[rank], dtype), bound.empty("dst")
            expected = like(plan, "dst", rank, arrived[rank], dtype)
        for _ in range(2):
            bound.run(a, out)
            assert expected is None or expected.numel() == 0 or same(out, expected), (dtype, rank)
            if out is not None:
                out.zero_()
        assert (
            bound.sent
            == sum(plan.volumes[rank, peer] for peer in range(plan.ranks) if peer != rank)
            * plan.dtype.itemsize
            if rank < plan.ranks
            else bound.sent == 0
        )
    return 1


# feature: tensors over process groups of torch = [`redist.torch`](torch.md)
@pytest.mark.parametrize("count", [2, 4, 8])
@pytest.mark.parametrize("packing", ["views", "kernels"])
def test_plans_move_tensors_of_all_types(count, packing):
    def all_pairs(rank):
        return sum(move(rank, src, dst, packing) for src, dst in PAIRS)

    assert on_ranks(count, all_pairs)[0] == {2: 1, 4: 4, 8: 7}[count]


def test_strides_gradients_and_conjugates():
    def moves(rank):
        bound = bind(redist.Plan((4, 6), "(block, *) onto 2", "(*, block) onto 2", "f4"))
        whole = torch.arange(24.0).reshape(4, 6)
        wide = torch.zeros(2, 12)
        wide[:, ::2] = whole[2 * rank : 2 * rank + 2]
        padded = torch.full((6, 9), -1.0)
        out = padded[1:5, 2:8:2]
        bound.run(wide[:, ::2], out)
        assert out.equal(whole[:, 3 * rank : 3 * rank + 3]) and int((padded == -1).sum()) == 42
        parameter = torch.nn.Parameter(whole[2 * rank : 2 * rank + 2].clone())
        out = torch.zeros(4, 3)
        bound.run(parameter, out)
        assert out.equal(whole[:, 3 * rank : 3 * rank + 3]) and not out.requires_grad
        with pytest.raises(redist.ArrayError, match="requires gradients; bring its `detach"):
            bound.run(parameter, torch.nn.Parameter(out))
        complex_bound = bind(redist.Plan((4, 6), "(block, *) onto 2", "(*, block) onto 2", "c8"))
        numbers, found = torch.complex(whole, whole + 1), torch.zeros(4, 3, dtype=torch.complex64)
        complex_bound.run(numbers[2 * rank : 2 * rank + 2].conj(), found)
        assert found.equal(numbers.conj().resolve_conj()[:, 3 * rank : 3 * rank + 3])

    on_ranks(2, moves)


def wrong_tensor(kind, a):
    expanded = torch.zeros(1, 1).expand(2, 8)
    return {
        "type": (a.double(), "is of float64, not float32"),
        "device": (a.to("meta"), "is on meta, not cpu"),
        "shape": (a[:1], r"has the shape \(1, 8\), not \(2, 8\)"),
        "none": (None, "is missing"),
        "array": (a.numpy(), "is a ndarray, no tensor"),
        "sparse": (a.to_sparse(), "is torch.sparse_coo"),
        "expanded": (expanded, None),
    }[kind]


@pytest.mark.parametrize("packing", ["views", "kernels"])
@pytest.mark.parametrize("kind", ["type", "device", "shape", "none", "array", "sparse", "expanded"])
def test_a_wrong_tensor_is_an_error_of_all_that_receive_from_it(kind, packing):
    # Ranks 0 and 1 send to ranks 0 and 1, ranks 2 and 3 to ranks 2 and 3.
    src, dst = "(block, *) onto 4", "(block, block) onto (2, 2)"

    def moves(rank):
        bound = bind(redist.Plan((8, 8), src, dst, "f4"), packing=packing)
        whole = torch.arange(64.0).reshape(8, 8)
        a, out = whole[2 * rank : 2 * rank + 2].clone(), torch.zeros(4, 4)
        given, words = wrong_tensor(kind, a) if rank == 1 else (a, None)
        if words is None:
            bound.run(given, out)
        elif rank == 1:
            with pytest.raises(
                redist.ArrayError,
                match=f"rank 1: `a` {words}.*; bring a tensor of float32 of the shape",
            ):
                bound.run(given, out)
        expected = whole[4 * (rank // 2) : 4 * (rank // 2) + 4, 4 * (rank % 2) : 4 * (rank % 2) + 4]
        if rank != 1:
            assert kind == "expanded" or rank == 0 or out.equal(expected)
        return bound, a, out, expected

    def one_wrong(rank):
        if rank == 0 and kind != "expanded":
            bound = bind(redist.Plan((8, 8), src, dst, "f4"), packing=packing)
            whole = torch.arange(64.0).reshape(8, 8)
            a, out, expected = whole[:2].clone(), torch.zeros(4, 4), whole[:4, :4]
            with pytest.raises(
                redist.MoveError,
                match="rank 1 brought a wrong `a`, which is|rank 1 brought a wrong `a`, which has",
            ):
                bound.run(a, out)
        else:
            bound, a, out, expected = moves(rank)
        bound.run(a, out)
        assert out.equal(expected)

    on_ranks(4, one_wrong)


def test_a_wrong_destination_is_an_error_of_its_rank_alone():
    def moves(rank):
        bound = bind(redist.Plan(8, "block onto 4", "cyclic onto 4", "f4"))
        a, out = torch.arange(2.0 * rank, 2.0 * rank + 2), torch.zeros(2)
        if rank == 2:
            for wrong in (torch.zeros(3), torch.zeros(2).double(), torch.zeros(1).expand(2), None):
                with pytest.raises(redist.ArrayError, match="rank 2: `out` "):
                    bound.run(a, wrong)
            with pytest.raises(redist.ArrayError, match="shares memory"):
                bound.run(a, a)
        else:
            for _ in range(4):
                bound.run(a, out)
            with (
                pytest.raises(
                    redist.MoveError,
                    match="rank 2 brought a wrong `a`, which shares memory with `out`",
                )
                if rank in (0, 1)
                else _nothing()
            ):
                bound.run(a, out)
        bound.run(a, out)
        assert out.tolist() == [rank, rank + 4]

    on_ranks(4, moves)


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def test_moves_are_started_dropped_and_finished():
    def moves(rank):
        bound = bind(redist.Plan(8, "block onto 2", "cyclic onto 2", "f4"))
        a, out = torch.arange(4.0 * rank, 4.0 * rank + 4), torch.zeros(4)
        with bound.start(a, out) as started:
            a += 100
            started.test()
        assert out.tolist() == [rank, rank + 2, rank + 4, rank + 6]
        a -= 100
        other = torch.zeros(4)
        if rank == 0:
            bound.start(a, other)
            gc.collect()
        else:
            bound.run(a, other)
        bound.run(a, out)
        assert other.equal(out)
        started.finish()

    on_ranks(2, moves)


def test_groups_of_some_ranks_and_groups_that_are_too_small():
    def moves(rank):
        group = dist.new_group([1, 3])
        plan = redist.Plan(6, "block onto 2", "cyclic onto 2", "f4")
        if rank in (1, 3):
            number = rank // 2
            bound, out = bind(plan, group), torch.zeros(3)
            bound.run(torch.arange(3.0 * number, 3.0 * number + 3), out)
            assert out.tolist() == [number, number + 2, number + 4] and bound.rank == number
            with pytest.raises(
                redist.CommunicatorError, match="the plan has 4 ranks, but the group has 2"
            ):
                bind(redist.Plan(6, "block onto 4", "*"), group)
        else:
            with pytest.raises(
                redist.CommunicatorError, match="this rank is no member of the group"
            ):
                bind(plan, group)

    on_ranks(4, moves)


def test_ranks_compare_their_plans():
    def moves(rank):
        plan = redist.Plan(6, "block onto 2" if rank else "cyclic onto 2", "cyclic onto 2", "f4")
        with pytest.raises(
            redist.MoveError, match="rank 1 binds the plan [0-9a-f]+ of .* but rank 0 binds"
        ):
            bind(plan)
        with pytest.raises(
            redist.PlanError if rank else redist.MoveError,
            match="the plan is for elements of 4 bytes, and torch.float64 has 8",
        ):
            bind(redist.Plan(6, "*", "*", "f4"), dtype=torch.float64 if rank else None)
        with pytest.raises(redist.PlanError, match="packing 'views ': write \"automatic\""):
            bind(redist.Plan(6, "*", "*", "f4"), packing="views ")
        with pytest.raises(redist.PlanError, match="torch has no type for"):
            bind(redist.Plan(6, "*", "*", "M8[s]"))
        with pytest.raises(redist.PlanError, match='side \'from\': write "src" or "dst"'):
            bind(redist.Plan(6, "*", "*")).empty("from")

    on_ranks(2, moves)


def test_without_a_group():
    with pytest.raises(redist.CommunicatorError, match="torch.distributed has no process group"):
        bind(redist.Plan(6, "*", "*"))


# A model: name, shape, type, placements of the trainers and of the servers.
MODEL = [
    ("wq", (12, 8), torch.bfloat16, ("strided(0, 2)", "shard(0)"), ("shard(0)",)),
    ("wo", (9, 14), torch.float32, ("shard(0)", "shard(1)"), ("shard(1)",)),
    ("odd", (7, 5), torch.float64, ("strided(0, 2)", "shard(0)"), ("shard(0)",)),
    ("norm", (11,), torch.float16, ("shard(0)", "replicate"), ("replicate",)),
    ("ids", (3, 2, 5), torch.int64, ("replicate", "replicate"), ("shard(2)",)),
    ("phase", (6, 4), torch.complex128, ("replicate", "shard(1)"), ("shard(0)",)),
    ("scale", (), torch.float32, ("replicate", "replicate"), ("replicate",)),
    ("none", (0, 4), torch.float32, ("shard(0)", "shard(1)"), ("shard(1)",)),
]
if hasattr(torch, "float8_e4m3fn"):
    MODEL.append(("w8", (16, 16), torch.float8_e4m3fn, ("shard(1)", "shard(0)"), ("shard(0)",)))
TRAINERS = [[0, 1], [2, 3]]


def of_model(which, mesh, rank, step):
    """The parts of a rank, and the whole model in its description."""
    parts, specs = {}, {}
    for name, shape, dtype, *placements in MODEL:
        key = f"module.{name}" if which == 0 and name == "wo" else name
        words = placements[which]
        whole = np.arange(int(np.prod(shape))).reshape(shape) + step
        if rank in np.array(mesh):
            parts[key] = tensors(part(whole, mesh, words, rank), dtype)
        specs[key] = Spec(shape, dtype, mesh, words)
    return parts, specs


@pytest.mark.parametrize("servers", [[4, 5], [1, 2], [3, 0], [0, 1, 2, 3, 4, 5]])
@pytest.mark.parametrize("max_bytes", [1 << 20, 500, 64])
def test_weights_move_in_one_exchange(servers, max_bytes):
    def moves(rank):
        specs = [
            of_model(0, TRAINERS, rank, 0)[1] if rank < 2 else None,
            of_model(1, servers, rank, 0)[1] if rank in servers else None,
        ]
        weights = Weights(*specs, names={"wo": "module.wo"}, max_bytes=max_bytes)
        assert weights.unused == []
        for step in range(3):
            src, out = of_model(0, TRAINERS, rank, step)[0] or None, weights.empty()
            weights.run(src, out or None)
            for name, tensor in of_model(1, servers, rank, step)[0].items():
                assert same(out[name], tensor), (name, rank)
        return weights.buckets, weights.messages, weights.sent, weights.memory

    found = on_ranks(6, moves)
    assert (found[0][0] == 1) == (max_bytes == 1 << 20) and len({one[0] for one in found}) == 1
    if max_bytes == 1 << 20:
        assert all(messages <= len(servers) for _, messages, _, _ in found)
    else:
        # A row of a type of 16 bytes may be longer than the bound; headers and gaps add to each message.
        assert all(memory <= max(max_bytes, 128) + 2 * 6 * 128 for *_, memory in found)


def test_weights_say_which_tensor_is_wrong():
    def moves(rank):
        servers = [4, 5]
        weights = Weights(
            of_model(0, TRAINERS, rank, 0)[1],
            of_model(1, servers, rank, 0)[1],
            names=lambda name: "module.wo" if name == "wo" else name,
        )
        src, out = of_model(0, TRAINERS, rank, 0)[0], weights.empty()
        if rank == 1:
            src["odd"] = src["odd"].float()
            with pytest.raises(
                redist.ArrayError,
                match="rank 1: the source tensor 'odd' is of float32, not float64; bring a tensor of float64",
            ):
                weights.run(src, out)
            src = of_model(0, TRAINERS, rank, 0)[0]
        elif rank in servers:
            with pytest.raises(
                redist.MoveError,
                match="rank 1 brought a wrong tensor 'odd', which is of float32, not float64",
            ):
                weights.run(None, out)
        else:
            weights.run(src, None)
        if rank == 5:
            lost = out.pop("wo")
            with pytest.raises(
                redist.ArrayError, match="rank 5: the destination tensor 'wo' is missing"
            ):
                weights.run(None, out)
            out["wo"] = lost
        else:
            weights.run(src, out)
        weights.run(src, out)
        assert all(
            same(out[name], tensor) for name, tensor in of_model(1, servers, rank, 0)[0].items()
        )

    on_ranks(6, moves)


def test_weights_refuse_descriptions_that_do_not_fit():
    def refused(rank):
        a, b = (
            Spec((4,), torch.float32, [0, 1], ("shard(0)",)),
            Spec((4,), torch.float64, [0, 1], ("shard(0)",)),
        )
        partial = Spec((4,), torch.float32, [0, 1], ("partial",))
        cases = [
            ({"w": a}, {"v": a}, "the source has no tensor for 'v'; write `names=`"),
            (
                {"w": a},
                {"w": b},
                "tensor 'w' is torch.float32 in the source and torch.float64 in the destination",
            ),
            ({"w": a}, {"w": a._replace(shape=(5,))}, "tensor 'w': the source has the shape"),
            ({"w": a}, None, "no rank brought the destination description"),
            (
                {"w": a if rank else b},
                {"w": a},
                "the source tensor 'w' is Spec.* on rank 1, but Spec.* on rank 0",
            ),
            (
                {"w": partial},
                {"w": a._replace(placements=("replicate",))},
                "tensor 'w' is partial, and has copies",
            ),
            (
                {"w": a._replace(mesh=[0, 2])},
                {"w": a},
                "rank 2 of a mesh is no member of the group",
            ),
        ]
        for src, dst, words in cases:
            with pytest.raises(redist.Error, match=words):
                Weights(src, dst)
        with pytest.raises(redist.PlanError, match="max_bytes 0"):
            Weights({"w": a}, {"w": a}, max_bytes=0)
        with pytest.raises(redist.PlanError, match="tensor 'w' is no DTensor; say `ranks="):
            redist.torch.describe({"w": torch.zeros(2)})
        assert redist.torch.describe({"w": torch.zeros(2), "step": 3}, ranks=[1])["w"] == Spec(
            (2,), torch.float32, [1], ("replicate",)
        )

    on_ranks(2, refused)


@pytest.mark.parametrize("op", ["sum", "avg", "min", "max", "product"])
def test_addends_are_combined_in_the_order_of_the_mesh(op):
    def moves(rank):
        src = Spec((5, 4), torch.float32, [[0, 1], [2, 3]], (f"partial({op})", "shard(1)"))
        weights = Weights({"w": src}, {"w": Spec((5, 4), torch.float32, [3, 0], ("shard(0)",))})
        addends = [torch.arange(20.0).reshape(5, 4) + 1, 3 - torch.arange(20.0).reshape(5, 4)]
        mine = addends[rank // 2][:, 2 * (rank % 2) : 2 * (rank % 2) + 2].clone()
        out = weights.empty()
        weights.run({"w": mine}, out)
        one, other = addends
        whole = {
            "sum": one + other,
            "avg": (one + other) / 2,
            "product": one * other,
            "min": torch.minimum(one, other),
            "max": torch.maximum(one, other),
        }[op]
        if rank in (0, 3):
            assert out["w"].equal(whole[:3] if rank == 3 else whole[3:])

    on_ranks(4, moves)


def test_copies_send_least():
    """A rank takes what it has, and others' elements once."""

    def moves(rank):
        mesh = [[0, 1], [2, 3]]
        src, dst = (
            Placed((8, 8), mesh, ["replicate", "shard(0)"]),
            Placed((8, 8), mesh, ["shard(0)", "replicate"]),
        )
        from redist.torch._bound import Bound
        from redist.torch._route import Route

        bound, whole = (
            Bound(Route.between(src, dst), dtype=torch.float32),
            np.arange(64).reshape(8, 8),
        )
        out = bound.empty("dst")
        bound.run(tensors(part(whole, mesh, ["replicate", "shard(0)"], rank), torch.float32), out)
        assert same(out, tensors(part(whole, mesh, ["shard(0)", "replicate"], rank), torch.float32))
        return bound.received

    # Rows 0 to 3 lie on ranks 0 and 2, rows 4 to 7 on ranks 1 and 3.
    assert on_ranks(4, moves) == [0, 128, 128, 0]


@pytest.mark.parametrize("op", ["sum", "avg", "min", "max", "product"])
def test_a_partial_destination_combines_to_the_tensor(op):
    def moves(rank):
        whole = torch.arange(12.0).reshape(4, 3) + 1
        src = Spec((4, 3), torch.float32, [2, 3], ("shard(0)",))
        dst = Spec((4, 3), torch.float32, [[0, 1], [2, 3]], (f"partial({op})", "shard(0)"))
        weights = Weights({"w": src}, {"w": dst})
        out = weights.empty()
        out["w"].fill_(-7)
        weights.run({"w": whole[2 * (rank - 2) : 2 * (rank - 1)].clone()} if rank > 1 else None, out)
        return out["w"].tolist()

    found = [torch.tensor(one) for one in on_ranks(4, moves)]
    whole = torch.arange(12.0).reshape(4, 3) + 1
    for half, (one, other) in enumerate([(found[0], found[2]), (found[1], found[3])]):
        total = {
            "sum": one + other,
            "avg": (one + other) / 2,
            "product": one * other,
            "min": torch.minimum(one, other),
            "max": torch.maximum(one, other),
        }[op]
        assert total.equal(whole[2 * half : 2 * half + 2])


# An attention with fewer heads of keys and values, and experts with gates: names, lengths, whole arrays.
HEADS = {"q": 12, "k": 4, "v": 4}


def projections(step):
    first = 0
    for name, rows in HEADS.items():
        yield name, np.arange(rows * 5).reshape(rows, 5) + 1000 * first + step
        first += 1
    for name in ("gate", "up"):
        yield name, np.arange(2 * 7 * 3).reshape(2, 7, 3) + 1000 * first + step
        first += 1


FUSED = {"qkv": ("q", "k", "v"), "gate_up": ("gate", "up")}


def fused_side(mesh, words, rank, step, is_fused):
    """The parts of a rank, and the description: with fused tensors, or with one for each projection."""
    whole, parts, specs = dict(projections(step)), {}, {}
    for name, sources in FUSED.items():
        along = 0 if name == "qkv" else 1
        placements = tuple(word.replace("dim", str(along)) for word in words)
        pieces = [whole[one] for one in sources]
        shape = list(pieces[0].shape)
        shape[along] = sum(piece.shape[along] for piece in pieces)
        lengths = tuple(piece.shape[along] for piece in pieces)
        if is_fused:
            specs[name] = Spec(tuple(shape), torch.float32, mesh, placements, lengths, along)
        for one, piece in zip(sources, pieces):
            if not is_fused:
                specs[one] = Spec(piece.shape, torch.float32, mesh, placements)
        if rank not in np.array(mesh):
            continue
        own = [part(piece, mesh, placements, rank) for piece in pieces]
        if is_fused:
            parts[name] = tensors(np.concatenate(own, axis=along), torch.float32)
        else:
            parts.update({one: tensors(piece, torch.float32) for one, piece in zip(sources, own)})
    return parts, specs


FUSE = {name: list(sources) for name, sources in FUSED.items()}
SPLIT = {
    one: redist.torch.Part(name, number)
    for name, sources in FUSED.items()
    for number, one in enumerate(sources)
}
AGAIN = {
    name: [redist.torch.Part(name, number) for number in range(len(sources))]
    for name, sources in FUSED.items()
}


@pytest.mark.parametrize(
    "is_fused, names", [((False, True), FUSE), ((True, False), SPLIT), ((True, True), AGAIN), ((True, True), None)]
)
@pytest.mark.parametrize("max_bytes", [1 << 20, 200])
@pytest.mark.parametrize("words", [("shard(dim)",), ("replicate",)])
def test_fused_projections_are_cut_each_by_itself(is_fused, names, max_bytes, words):
    trainers, servers = [[0, 1], [2, 3]], [3, 4]

    def moves(rank):
        def sides(step):
            return (
                fused_side(trainers, ("strided(dim, 2)", "shard(dim)"), rank, step, is_fused[0]),
                fused_side(servers, words, rank, step, is_fused[1]),
            )

        (_, src), (_, dst) = sides(0)
        weights = Weights(src, dst, names=names, max_bytes=max_bytes)
        assert weights.unused == []
        for step in range(2):
            (given, _), (expected, _) = sides(step)
            out = weights.empty()
            assert out.keys() == expected.keys()
            # A destination that is no dense memory is written through one copy for all parts.
            turned = {
                name: torch.full((*tensor.shape, 2), -1.0)[..., 1] for name, tensor in out.items()
            }
            weights.run(given, turned)
            assert all(same(turned[name], tensor) for name, tensor in expected.items()), rank
        return weights.buckets, weights.messages

    found = on_ranks(5, moves)
    assert (found[0][0] == 1) == (max_bytes > 200)
    if max_bytes > 200:
        assert all(messages <= 2 for _, messages in found)


def test_fused_tensors_that_do_not_fit_are_refused():
    def refused(rank):
        whole = Spec((6, 2), torch.float32, [0, 1], ("shard(0)",))
        fused = whole._replace(parts=(4, 2))
        four, two = whole._replace(shape=(4, 2)), whole._replace(shape=(2, 2))
        part, cases = redist.torch.Part, []
        cases.append(({"a": four, "b": two}, {"w": whole}, {"w": ["a", "b"]}, "tensor 'w' has 0 parts, but 2 sources"))
        cases.append(({"a": four}, {"w": fused}, {"w": ["a"]}, "tensor 'w' has 2 parts, but 1 sources"))
        cases.append(({"a": two, "b": four}, {"w": fused}, {"w": ["a", "b"]}, "tensor 'w': the source has the shape"))
        cases.append(({"w": fused}, {"a": four}, {"a": part("w", 2)}, "tensor 'a': there is no part 2 of a tensor with 2 parts"))
        cases.append(({"w": fused}, {"a": four}, {"a": part("v", 0)}, r"no tensor for 'a' \(as 'v'\)"))
        cases.append(({"w": whole._replace(parts=(4, 1))}, {"w": whole}, None, r"parts \[4, 1\] have 5 indices, but dimension 0 has 6"))
        cases.append(({"w": whole._replace(parts=(6,), along=2)}, {"w": whole}, None, "parts are along dimension 2"))
        added = four._replace(placements=("partial",))
        cases.append(({"a": added, "b": two}, {"w": fused}, {"w": ["a", "b"]}, "a source of tensor 'w' is partial"))
        for src, dst, names, words in cases:
            with pytest.raises(redist.PlanError, match=words):
                Weights(src, dst, names=names)

    on_ranks(2, refused)


def test_a_wrong_fused_tensor_is_told_once():
    def moves(rank):
        whole = Spec((6, 2), torch.float32, [0, 1], ("shard(0)",))
        fused = whole._replace(parts=(4, 2))
        parts = {"a": whole._replace(shape=(4, 2)), "b": whole._replace(shape=(2, 2))}
        weights = Weights({"w": fused}, parts, names={"a": redist.torch.Part("w", 0), "b": redist.torch.Part("w", 1)})
        given, out = weights.empty("src"), weights.empty()
        given["w"].copy_(torch.arange(6.0).reshape(3, 2) + 10 * rank)
        wrong = {"w": given["w"].double()} if rank else given
        # Nothing of rank 1 goes to rank 0.
        if rank:
            with pytest.raises(redist.ArrayError, match="rank 1: the source tensor 'w' is of float64"):
                weights.run(wrong, out)
        else:
            weights.run(wrong, out)
        weights.run(given, out)
        assert out["a"].equal(given["w"][:2]) and out["b"].equal(given["w"][2:])

    on_ranks(2, moves)


# An attention of groups: a group has heads of Q, one of K and one of V, whose rows lie between each other.
GROUPS, OF_Q, ROWS, HIDDEN = 4, 3, 2, 5
INTERLEAVED = {"q": (OF_Q, 0), "k": (1, OF_Q), "v": (1, OF_Q + 1)}


def fused_rows(name):
    """Brute force: the rows of the fused matrix that are a projection's, in the projection's order."""
    heads, before = INTERLEAVED[name]
    return [
        (head // heads * (OF_Q + 2) + before + head % heads) * ROWS + row
        for head in range(GROUPS * heads)
        for row in range(ROWS)
    ]


def owners_of_groups(ranks, group):
    """Megatron: whole groups for each rank, the last with fewer."""
    return ranks[group // -(-GROUPS // len(ranks))]


@pytest.mark.parametrize("trainers", [[0], [0, 1], [1, 0, 2], [3, 1, 0, 2]])
@pytest.mark.parametrize("servers", [[2], [3, 0], [4, 2, 0], [[0, 1, 2], [3, 4, 5]]])
def test_groups_of_heads_become_projections_and_back(trainers, servers):
    whole = np.arange(GROUPS * (OF_Q + 2) * ROWS * HIDDEN).reshape(-1, HIDDEN)
    meshes = {name: np.array(servers) for name in INTERLEAVED}
    # Servers of a mesh of two dimensions share groups: each has a head of Q, and all have K and V.
    words = {
        name: ("shard(0)",) if mesh.ndim == 1 else ("shard(0)", "shard(1)" if name == "q" else "replicate")
        for name, mesh in meshes.items()
    }
    fused = Spec((GROUPS, OF_Q + 2, ROWS, HIDDEN), torch.float32, trainers, ("shard(0)",), (OF_Q, 1, 1), 1)
    apart = {
        name: Spec((GROUPS, heads, ROWS, HIDDEN), torch.float32, servers, words[name])
        for name, (heads, _) in INTERLEAVED.items()
    }

    def of_trainer(rank, step):
        """This rank's rows of the fused matrix, as it keeps them."""
        own = [
            row
            for row in range(len(whole))
            if owners_of_groups(trainers, row // ((OF_Q + 2) * ROWS)) == rank
        ]
        return tensors(whole[own] + step, torch.float32)

    def of_server(name, rank, step):
        """This rank's rows of a projection, as it keeps them: heads by heads."""
        heads, _ = INTERLEAVED[name]
        rows, mesh = whole[fused_rows(name)] + step, meshes[name]
        per_group = rows.reshape(GROUPS, heads * ROWS, HIDDEN)
        if mesh.ndim == 1:
            own = [g for g in range(GROUPS) if owners_of_groups(list(mesh), g) == rank]
            return tensors(per_group[own].reshape(-1, HIDDEN), torch.float32)
        (line,), (column,) = np.nonzero(mesh == rank)
        own = [g for g in range(GROUPS) if owners_of_groups([0, 1], g) == line]
        heads_of = slice(column * ROWS, (column + 1) * ROWS) if name == "q" else slice(None)
        return tensors(per_group[own][:, heads_of].reshape(-1, HIDDEN), torch.float32)

    def moves(rank):
        there = Weights({"qkv": fused}, apart, names={name: redist.torch.Part("qkv", at) for at, name in enumerate(apart)})
        back = Weights(apart, {"qkv": fused}, names={"qkv": list(apart)})
        for step in range(2):
            given = {}
            if rank in trainers:
                given["qkv"] = of_trainer(rank, step).view(-1, OF_Q + 2, ROWS, HIDDEN)
            found = there.empty("dst")
            there.run(given, found)
            for name, tensor in found.items():
                assert same(tensor.reshape(-1, HIDDEN), of_server(name, rank, step)), (rank, name)
            again = back.empty("dst")
            back.run(found, again)
            if "qkv" in again:
                assert same(again["qkv"].reshape(-1, HIDDEN), of_trainer(rank, step)), rank
        return sorted(found)

    found = on_ranks(6, moves)
    everyone = set(np.array(servers).ravel().tolist())
    assert all((names == ["k", "q", "v"]) == (rank in everyone) for rank, names in enumerate(found))
