"""DTensors: beside DTensor's own redistribution, and beside the right values, on 2, 4 and 8 processes over gloo."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not there")
pytest.importorskip("torch.distributed.tensor", reason="this torch has no DTensor")

import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.placement_types import _StridedShard

import redist
from conftest import MPI
from redist.torch import Weights, describe, redistribute_dtensor
from torch_ranks import on_ranks, part

if MPI and MPI.COMM_WORLD.size > 1:
    pytest.skip("of one process", allow_module_level=True)


def of_torch(words):
    made = []
    for word in words:
        kind, _, numbers = word.rstrip(")").partition("(")
        if kind == "replicate":
            made.append(Replicate())
        elif kind == "shard":
            made.append(Shard(int(numbers)))
        else:
            dim, factor = map(int, numbers.split(","))
            made.append(_StridedShard(dim, split_factor=factor))
    return made


def placed(whole, mesh, words):
    """A DTensor whose parts are cut by brute force."""
    local = torch.from_numpy(part(whole.numpy(), mesh.mesh.numpy(), words, dist.get_rank()).copy())
    stride = tuple(int(np.prod(whole.shape[at + 1 :])) for at in range(whole.dim()))
    return DTensor.from_local(
        local, mesh, of_torch(words), run_check=False, shape=whole.shape, stride=stride
    )


def right(found, whole, mesh, words):
    expected = part(whole.numpy(), mesh.mesh.numpy(), words, dist.get_rank())
    local = found._local_tensor
    return (
        tuple(local.shape) == expected.shape
        and np.array_equal(local.numpy(), expected)
        and list(found.placements) == of_torch(words)
    )


ONE = ["shard(0)", "shard(1)", "strided(0, 2)", "strided(0, 3)", "replicate"]


def two(ways):
    """Placements on two dimensions of a mesh, the last of so many ranks; the factor of a strided shard is theirs."""
    strided = [(f"strided({dim}, {ways})", f"shard({dim})") for dim in (0, 1)]
    plain = ["shard(0)", "shard(1)", "replicate"]
    return [
        *strided,
        ("shard(0)", "shard(0)"),
        *(pair for pair in itertools.product(plain, plain) if pair[0] != pair[1]),
        ("replicate", "replicate"),
    ]


def mesh_of(*extents):
    return init_device_mesh("cpu", extents)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_all_pairs_of_placements(count):
    """The right values by brute force; DTensor's own result where it moves at all, and even extents where it is known to be right."""

    def moves(rank):
        meshes = [(mesh_of(count), [(one,) for one in ONE])]
        if count > 2:
            meshes.append((mesh_of(2, count // 2), two(count // 2)))
        compared = 0
        for mesh, words in meshes:
            for extents in [(24, 16), (13, 5)]:
                whole = torch.arange(float(np.prod(extents))).reshape(extents)
                for src, dst in itertools.product(words, words):
                    given = placed(whole, mesh, src)
                    found = redistribute_dtensor(given, placements=of_torch(dst))
                    assert right(found, whole, mesh, dst), (extents, src, dst, rank)
                    if extents == (24, 16):
                        try:
                            own = given.redistribute(mesh, of_torch(dst)).to_local()
                        except Exception:
                            continue
                        assert torch.equal(own, found.to_local()), (src, dst, rank)
                        compared += 1
        redist.torch.forget()
        return compared

    compared = on_ranks(count, moves)
    assert min(compared) >= {2: 16, 4: 60, 8: 60}[count], compared


def test_a_strided_shard_of_another_factor():
    """`distribute_tensor` cuts from left to right, as we do; steps of DTensor's redistribution do not."""

    def moves(rank):
        mesh, whole = mesh_of(2, 4), torch.arange(16.0)
        words = ("strided(0, 2)", "shard(0)")
        dealt = distribute_tensor(whole, mesh, of_torch(words))
        found = redistribute_dtensor(
            distribute_tensor(whole, mesh, of_torch(("shard(0)", "replicate"))),
            placements=of_torch(words),
        )
        assert right(found, whole, mesh, words) and torch.equal(found.to_local(), dealt.to_local())

    on_ranks(8, moves)


def test_uneven_nested_shards_of_pytorch_194457():
    """A flattened all-gather cut them in other places, and returned wrong rows without an error."""

    def moves(rank):
        mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
        mesh._flatten("all")
        whole = torch.arange(15.0).reshape(5, 3)
        given = placed(whole, mesh, ("shard(0)", "shard(0)"))
        assert given._local_tensor.shape[0] == [2, 1, 1, 1][rank]
        found = redistribute_dtensor(given, placements=[Replicate(), Replicate()])
        assert torch.equal(found.to_local(), whole)
        try:
            own = given.redistribute(mesh, [Replicate(), Replicate()]).to_local()
            return torch.equal(own, whole)
        except Exception:
            return False

    print("DTensor's own result is right on the ranks", on_ranks(4, moves))


def test_offsets_of_uneven_shards_of_pytorch_161368():
    """Offsets of a dimension that two dimensions of the mesh cut: each element lies where placements say."""

    def moves(rank):
        whole, held = torch.arange(16.0), []
        for extents, words in [
            ((8,), ("shard(0)",)),
            ((2, 4), ("shard(0)", "shard(0)")),
            ((4, 2), ("shard(0)", "shard(0)")),
        ]:
            mesh = mesh_of(*extents)
            for size in (16, 11, 5):
                given = distribute_tensor(whole[:size], mesh, of_torch(words))
                found = redistribute_dtensor(given, placements=[Replicate()] * len(extents))
                assert torch.equal(found.to_local(), whole[:size])
                back = redistribute_dtensor(found, placements=of_torch(words))
                assert torch.equal(back.to_local(), given.to_local())
                layout = redist.torch.Placed((size,), mesh, of_torch(words))
                indices = [at for start, end in layout.ranges(rank)[0] for at in range(start, end)]
                assert given.to_local().tolist() == indices
                held.append(len(indices))
        return sum(held)

    assert sum(on_ranks(8, moves)) == 3 * 32


@pytest.mark.parametrize("servers", [(4, 5), (1, 2), (0, 1, 2, 3, 4, 5)])
def test_meshes_of_different_ranks(servers):
    def moves(rank):
        trainers, serving = DeviceMesh("cpu", [[0, 1], [2, 3]]), DeviceMesh("cpu", list(servers))
        for extents in [(16, 8), (7, 5)]:
            whole = torch.arange(float(np.prod(extents))).reshape(extents)
            for words in [
                ("strided(0, 2)", "shard(0)"),
                ("shard(1)", "shard(0)"),
                ("shard(0)", "replicate"),
            ]:
                for to in ["shard(0)", "shard(1)", "replicate"]:
                    given = placed(whole, trainers, words)
                    found = redistribute_dtensor(given, serving, of_torch([to]))
                    assert found.device_mesh is serving and found.shape == whole.shape
                    if rank in servers:
                        assert right(found, whole, serving, (to,)), (extents, words, to)
                    back = redistribute_dtensor(found, trainers, of_torch(words))
                    assert rank > 3 or torch.equal(back._local_tensor, given._local_tensor)

    on_ranks(6, moves)


def test_partial_sums():
    def moves(rank):
        mesh = mesh_of(2, 2)
        mine = torch.arange(15.0).reshape(5, 3) * (rank + 1)
        whole = torch.arange(15.0).reshape(5, 3) * 10
        both = DTensor.from_local(mine, mesh, [Partial(), Partial()], run_check=False)
        for to in [
            (Shard(0), Shard(1)),
            (Replicate(), Replicate()),
            (Shard(1), Replicate()),
            (Shard(0), Shard(0)),
        ]:
            found = redistribute_dtensor(both, placements=to)
            own = both.redistribute(mesh, to)
            assert found.to_local().shape == own.to_local().shape or to == (Shard(0), Shard(0))
            assert torch.equal(
                redistribute_dtensor(found, placements=[Replicate(), Replicate()]).to_local(), whole
            )
        again = redistribute_dtensor(both, placements=[Partial(), Shard(0)])
        assert torch.equal(again.full_tensor(), whole)
        for op, value in [
            ("max", mine.clone() * 4 / (rank + 1)),
            ("avg", whole / 4),
            ("min", whole / 10),
        ]:
            found = redistribute_dtensor(
                DTensor.from_local(mine, mesh, [Partial(op), Partial(op)], run_check=False),
                placements=[Replicate(), Replicate()],
            )
            assert torch.equal(found.to_local(), value), op

    on_ranks(4, moves)


def test_types_scalars_and_tensors_without_elements():
    def moves(rank):
        mesh = mesh_of(2)
        for dtype in (
            torch.bfloat16,
            torch.float8_e4m3fn,
            torch.float8_e5m2,
            torch.complex64,
            torch.bool,
            torch.int64,
        ):
            whole = (torch.arange(35) % 2).to(torch.float32).to(dtype).reshape(7, 5)
            local = whole[:4] if rank == 0 else whole[4:]
            given = DTensor.from_local(
                local, mesh, [Shard(0)], run_check=False, shape=whole.shape, stride=(5, 1)
            )
            found = redistribute_dtensor(given, placements=[Shard(1)])
            expected = (whole[:, :3] if rank == 0 else whole[:, 3:]).contiguous()
            assert found.dtype == dtype and found.to_local().view(-1).view(torch.uint8).equal(
                expected.view(-1).view(torch.uint8)
            )
        scalar = DTensor.from_local(torch.tensor(3.0), mesh, [Replicate()], run_check=False)
        assert redistribute_dtensor(scalar, placements=[Replicate()]).to_local().item() == 3.0
        empty = DTensor.from_local(
            torch.zeros(0, 4),
            mesh,
            [Shard(0)],
            run_check=False,
            shape=torch.Size((0, 4)),
            stride=(4, 1),
        )
        assert redistribute_dtensor(empty, placements=[Shard(1)]).to_local().shape == (0, 2)

    on_ranks(2, moves)


def test_wrong_calls_say_what_to_bring():
    def moves(rank):
        mesh = mesh_of(2)
        given = distribute_tensor(torch.zeros(4, 4), mesh, [Shard(0)])
        cases = [
            (
                lambda: redistribute_dtensor(torch.zeros(2), placements=[Shard(0)]),
                "dtensor is a Tensor; bring a DTensor",
            ),
            (
                lambda: redistribute_dtensor(given.clone().requires_grad_(), placements=[Shard(0)]),
                "requires gradients, and none would flow back",
            ),
            (
                lambda: redistribute_dtensor(given),
                "placements: write one for each dimension of the mesh",
            ),
            (
                lambda: redistribute_dtensor(given, placements=[Shard(2)]),
                "placement 0 of the mesh shards dimension 2, but the tensor has 2",
            ),
            (
                lambda: redistribute_dtensor(given, placements=[Shard(0), Shard(1)]),
                "the mesh has 1 dimensions, but there are 2 placements",
            ),
        ]
        for call, words in cases:
            with pytest.raises(redist.Error, match=words):
                call()
        with pytest.raises(
            redist.MoveError if rank else redist.ArrayError,
            match="is a DTensor; bring its `to_local",
        ):
            bound = redist.torch.bind(
                redist.Plan((4, 4), "(block, *) onto 2", "(*, block) onto 2", "f4")
            )
            bound.run(given.to_local() if rank else given, torch.zeros(4, 2))

    on_ranks(2, moves)


def test_weights_of_state_dicts():
    class Model(torch.nn.Module):
        def __init__(self, mesh, words):
            super().__init__()
            for name, size in [("a", (12, 6)), ("b", (7, 9))]:
                whole = torch.arange(float(np.prod(size))).reshape(size)
                self.register_parameter(name, torch.nn.Parameter(placed(whole, mesh, words)))
            self.register_buffer("norm", torch.arange(3.0))

    def moves(rank):
        trainers, serving = DeviceMesh("cpu", [[0, 1], [2, 3]]), DeviceMesh("cpu", [4, 5])
        trainer = Model(trainers, ("strided(0, 2)", "shard(0)")) if rank < 4 else None
        server = Model(serving, ("shard(1)",)) if rank >= 4 else None
        specs = [
            describe(model.state_dict(), ranks) if model else None
            for model, ranks in ((trainer, range(4)), (server, (4, 5)))
        ]
        weights = Weights(*specs)
        for step in range(2):
            if trainer:
                with torch.no_grad():
                    trainer.a.to_local().add_(1), trainer.norm.add_(1)
            else:
                with torch.no_grad():
                    server.b.to_local().zero_()
            weights.run(trainer and trainer.state_dict(), server and server.state_dict())
        if server:
            whole = torch.arange(72.0).reshape(12, 6) + 2
            assert torch.equal(server.a.to_local(), whole[:, 3 * (rank - 4) : 3 * (rank - 4) + 3])
            assert torch.equal(server.norm, torch.arange(3.0) + 2) and server.b.to_local().sum() > 0
            assert weights.messages == 0
        else:
            assert weights.messages == (2 if rank else 2)

    on_ranks(6, moves)
