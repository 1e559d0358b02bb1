//! Layouts of other libraries deal elements as those libraries do.

use super::{
    InterchangeError, Placed, Placement, from_darray, from_placements, from_scalapack, to_darray,
    to_placements, to_scalapack,
};
use crate::layout::{Descriptor, Dist, Layout, StorageOrder};

fn descriptor<const D: usize>(extents: [usize; D], layout: &str) -> Descriptor<D> {
    Descriptor::new(extents, layout.parse().unwrap()).unwrap()
}

fn owners(line: &Descriptor<1>) -> Vec<usize> {
    (0..line.extents()[0]).map(|at| line.owner([at])).collect()
}

fn says<T: core::fmt::Debug>(result: Result<T, InterchangeError>, words: &str) {
    let text = result.unwrap_err().to_string();
    assert!(text.contains(words), "{text}");
}

/// MPI-3.1, section 4.1.4: `CYCLIC(k)` deals blocks of k; process i of `BLOCK(m)` begins at i·m.
#[test]
fn darrays_are_dealt_as_mpi_deals_them() {
    for extent in [1, 7, 12, 30] {
        for processes in [1, 3, 4] {
            for (distribution, owner) in [
                (Dist::Cyclic(1), (|at, _, p| at % p) as fn(_, _, _) -> usize),
                (Dist::Cyclic(5), |at, _, p| at / 5 % p),
                (Dist::Block, |at, n: usize, p| at / n.div_ceil(p)),
                (Dist::BlockOf(31), |at, _, _| at / 31),
            ] {
                let made = |(extent, distribution, processes, order)| {
                    from_darray(extent, distribution, processes, order)
                };
                let line = made(([extent], [distribution], [processes], StorageOrder::C)).unwrap();
                let (n, p) = (extent as usize, processes as usize);
                let expected: Vec<usize> = (0..n).map(|at| owner(at, n, p)).collect();
                assert_eq!(owners(&line), expected, "{distribution:?} of {extent} on {processes}");
                assert_eq!(made(to_darray(&line).unwrap()), Ok(line));
            }
        }
    }
}

#[test]
fn what_darrays_cannot_say() {
    for (layout, words) in [
        ("(block, block) onto (2, 2) first (1, 0)", "dimension 0: block 0 is on"),
        ("(block, gen_block([1, 8])) onto (2, 2)", "dimension 1"),
        ("(block, block) onto (2, 2) ranks 1..5", "ranks are those"),
        ("(block, block) onto (2, 2) order col", "row by row"),
    ] {
        says(to_darray(&descriptor([9, 9], layout)), words);
    }
    // A single column of ranks is filled alike in either order.
    assert!(to_darray(&descriptor([9, 9], "(block, *) onto 2 order col")).is_ok());
    let line = |distribution, extent, processes| {
        from_darray([extent], [distribution], [processes], StorageOrder::C)
    };
    let block = Dist::BlockOf(3);
    says(line(block, 10, 3), "block(3)");
    says(line(block, -1, 3), "gsize in dimension 0 of");
    says(line(Dist::Collapsed, 9, 2), "collapsed");
    says(line(Dist::gen_block(&[1, 8]), 9, 2), "different sizes");
}

#[test]
fn chunks_are_cut_one_after_the_other() {
    let on = |mesh: Vec<usize>, placements: Vec<Placement>, extent| {
        let ranks: Vec<usize> = (0..mesh.iter().product()).collect();
        from_placements([extent], &mesh, &ranks, &placements)
    };
    let (shard, copy) = (Placement::Shard(0), Placement::Replicate);
    assert_eq!(owners(&on(vec![4], vec![shard], 10).unwrap()), [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]);
    assert_eq!(owners(&on(vec![4], vec![shard], 5).unwrap()), [0, 0, 1, 1, 2]);
    // 7 in halves of 4 and 3, each in three: 2 2 0 and 1 1 1.
    let nested = on(vec![2, 3], vec![shard, shard], 7).unwrap();
    assert_eq!(nested.layout().dists, [Dist::gen_block(&[2, 2, 0, 1, 1, 1])]);
    assert!(on(vec![1, 3], vec![copy, shard], 7).is_ok());
    says(on(vec![2, 3], vec![copy, shard], 7), "keeps 2 copies");
    says(on(vec![3], vec![Placement::Shard(1)], 7), "1 dimensions");
    says(on(vec![2, 3], vec![shard], 7), "2 dimensions");
}

/// Deals indices as PyTorch's `Shard` and `_StridedShard` do: by lists, without ranges.
fn dealt(extent: usize, mesh: &[usize], factors: &[Option<usize>]) -> Vec<Vec<usize>> {
    let chunk = |indices: &[usize], ways: usize| -> Vec<Vec<usize>> {
        let size = indices.len().div_ceil(ways).max(1);
        let mut chunks: Vec<_> = indices.chunks(size).map(<[usize]>::to_vec).collect();
        chunks.resize(ways, Vec::new());
        chunks
    };
    let mut held = vec![(0..extent).collect::<Vec<usize>>()];
    for (ways, factor) in mesh.iter().zip(factors) {
        held = held
            .iter()
            .flat_map(|indices| {
                let split = chunk(indices, factor.unwrap_or(1));
                let split: Vec<_> = split.iter().map(|part| chunk(part, *ways)).collect();
                (0..*ways)
                    .map(|device| split.iter().flat_map(|parts| parts[device].clone()).collect())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    held
}

#[test]
fn nested_and_strided_shards_are_those_of_pytorch() {
    for extent in [0, 1, 2, 5, 7, 12, 13, 24, 31] {
        for (mesh, factors) in [
            (vec![2], vec![Some(3)]),
            (vec![4], vec![Some(2)]),
            (vec![2, 2], vec![None, None]),
            (vec![2, 4], vec![None, None]),
            (vec![2, 2], vec![Some(2), None]),
            (vec![3, 2], vec![Some(2), None]),
            (vec![2, 3], vec![Some(3), None]),
            (vec![2, 3], vec![None, Some(2)]),
            (vec![2, 2], vec![Some(4), Some(2)]),
        ] {
            let placements: Vec<Placement> = factors
                .iter()
                .map(|factor| match factor {
                    None => Placement::Shard(0),
                    Some(factor) => Placement::StridedShard { dim: 0, split_factor: *factor },
                })
                .collect();
            let ranks: Vec<usize> = (0..mesh.iter().product()).collect();
            let array = from_placements([extent], &mesh, &ranks, &placements).unwrap();
            let held = dealt(extent, &mesh, &factors);
            for (rank, held) in held.iter().enumerate() {
                let found: Vec<usize> = array.local(rank).global_indices().map(|[at]| at).collect();
                assert_eq!(found, *held, "{} of {extent}, {placements:?}", array.layout());
            }
            // Other placements of the same tensor may come back.
            if let Ok((mesh, ranks, placements)) = to_placements(&array) {
                let back = from_placements([extent], &mesh, &ranks, &placements).unwrap();
                for rank in ranks {
                    let indices = |array: &Descriptor<1>| array.local(rank).global_indices();
                    assert!(indices(&back).eq(indices(&array)), "{placements:?}");
                }
            } else {
                assert!(factors.iter().flatten().count() > 0, "{placements:?}");
            }
        }
    }
}

/// `pytorch#194457`: five rows on a mesh of 2 × 2 are 2, 1, 1 and 1. `pytorch#161368`: two elements
/// on 2 × 4 are on devices 0 and 4.
#[test]
fn uneven_shards_have_their_sizes_and_offsets() {
    let (shard, copy) = (Placement::Shard(0), Placement::Replicate);
    let nested = from_placements([5, 3], &[2, 2], &[0, 1, 2, 3], &[shard; 2]).unwrap();
    assert_eq!([0, 1, 2, 3].map(|rank| nested.local(rank).extents()[0]), [2, 1, 1, 1]);
    assert_eq!([0, 1, 2, 3, 4].map(|row| nested.owner([row, 0])), [0, 0, 1, 2, 3]);
    let ranks: Vec<usize> = (0..8).collect();
    let two = from_placements([2], &[2, 4], &ranks, &[shard; 2]).unwrap();
    assert_eq!((two.owner([0]), two.owner([1])), (0, 4));
    assert_eq!(to_placements(&two).unwrap(), (vec![2, 4], ranks.clone(), vec![shard; 2]));

    let placed = Placed::new([5], &[2, 4], &ranks, &[copy, shard]).unwrap();
    let layouts: Vec<String> = placed.copies.iter().map(|at| at.layout().to_string()).collect();
    assert_eq!(layouts, ["block onto 4", "block onto 4 ranks 4..8"]);
    assert_eq!(placed.placements().unwrap(), (vec![2, 4], ranks.clone(), vec![copy, shard]));
    let partial = [shard, Placement::Partial];
    let sums = Placed::new([5], &[4, 2], &ranks, &partial).unwrap();
    assert_eq!((sums.addends, sums.copies.len()), (2, 2));
    let (mesh, ranks, placements) = sums.placements().unwrap();
    assert_eq!(Placed::new([5], &mesh, &ranks, &placements), Ok(sums));
    says(from_placements([5], &[4, 2], &[0, 1, 2, 3, 4, 5, 6, 7], &partial), "keeps 2 addends");
    let none = [Placement::StridedShard { dim: 0, split_factor: 0 }];
    says(from_placements([5], &[2], &[0, 1], &none), "at least one chunk");
}

#[test]
fn meshes_have_their_ranks_in_any_order() {
    let array = descriptor([9, 8], "(block, block) onto (3, 2) ranks [5, 0, 3, 1, 4, 2]");
    let (mesh, ranks, placements) = to_placements(&array).unwrap();
    assert_eq!((&mesh[..], &ranks[..]), (&[3, 2][..], &[5, 0, 3, 1, 4, 2][..]));
    assert_eq!(from_placements([9, 8], &mesh, &ranks, &placements), Ok(array));
    let columns = descriptor([9, 8], "(block, block) onto (3, 2) order col");
    assert_eq!(to_placements(&columns).unwrap().1, [0, 3, 1, 4, 2, 5]);
    let alone = descriptor([9, 8], "(*, *)");
    assert_eq!(to_placements(&alone).unwrap().0, [1]);
    for (layout, words) in [
        ("(cyclic(2), *) onto 3", "torch.chunk"),
        ("(block, *) onto 3 first 1", "dimension 0"),
        ("(*, block) onto 3 storage fortran", "row by row"),
    ] {
        says(to_placements(&descriptor([9, 8], layout)), words);
    }
    // Dealt in turn, but one block each: the same.
    assert!(to_placements(&descriptor([9, 8], "(cyclic(3), *) onto 3")).is_ok());
}

#[test]
fn descriptors_of_scalapack() {
    for desc in [[1, 7, 100, 60, 8, 16, 1, 2, 52], [1, 7, 0, 5, 8, 16, 0, 0, 1]] {
        let (array, lld) = from_scalapack(desc, [2, 3], Some(1)).unwrap();
        assert_eq!(lld, desc[8] as usize);
        let rank = array.rank_at([1, 0]);
        assert_eq!(to_scalapack(&array, 7, rank), Ok(desc));
        assert_eq!(to_scalapack(&array, 7, 6).map(|desc| (desc[1], desc[8])), Ok((-1, 1)));
    }
    let read = |change: fn(&mut [i32; 9])| {
        let mut desc = [1, 0, 100, 60, 8, 16, 0, 0, 52];
        change(&mut desc);
        from_scalapack(desc, [2, 3], Some(0))
    };
    assert!(read(|_| ()).is_ok());
    says(read(|desc| desc[0] = 502), "DTYPE");
    says(read(|desc| desc[2] = -1), "M of");
    says(read(|desc| desc[4] = 0), "dimension 0");
    says(read(|desc| desc[7] = 3), "dimension 1");
    says(read(|desc| desc[8] = 51), "52 rows");
    says(read(|desc| desc[8] = -1), "LLD");
    says(read(|desc| [desc[2], desc[8]] = [0, 0]), "is 0: it is at least 1");
    assert_eq!(read(|desc| desc[8] = 53).map(|(_, lld)| lld), Ok(53));
    let outside = from_scalapack([1, -1, 100, 60, 8, 16, 0, 0, -7], [2, 3], None);
    assert_eq!(outside.map(|(_, lld)| lld), Ok(1));
    says(from_scalapack([1, 0, 9, 9, 1, 1, 0, 0, 9], [1, 1], Some(1)), "1 rows");
    for (layout, words) in [
        ("(cyclic(8), cyclic(8)) onto (2, 3)", "column by column"),
        ("(gen_block([1, 8]), *) onto 2 storage fortran", "dimension 0"),
    ] {
        says(to_scalapack(&descriptor([9, 9], layout), 0, 0), words);
    }
    let huge = Layout::scalapack(1 << 40, 1, 1, 1, 0, 0);
    says(to_scalapack(&Descriptor::new([9, 9], huge).unwrap(), 0, 0), "more than an int");
}
