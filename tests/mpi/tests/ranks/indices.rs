//! Moves by lists of indices that each rank knows for itself.

use crate::EVERY;
use redist::Side;
use redist::exec::{IndexList, IndexMove};
use redist::layout::{Descriptor, Layout};
use redist::mpi::Communicator;
use redist_mpi_tests::{Case, Outcome};

pub const CASES: &[Case] = &[
    Case::new("indices::lists_on_both_sides", EVERY, lists_on_both_sides),
    Case::new("indices::one_run_of_each_rank", EVERY, one_run_of_each_rank),
    Case::new("indices::a_layout_on_one_side", EVERY, a_layout_on_one_side),
    Case::new("indices::mistakes_of_a_rank", &[2, 3, 4], mistakes_of_a_rank).limit(30),
];

/// Moves the value of each index, several times.
fn moved(extent: usize, lists: [&[usize]; 2], world: &Communicator) -> Outcome {
    let own = lists.map(IndexList::new);
    let mut bound = IndexMove::<[u32; 3]>::new(extent, own).bind(world)?;
    for round in 0..3 {
        let value = |index: &usize| [*index as u32, round, 7];
        let source: Vec<[u32; 3]> = lists[0].iter().map(value).collect();
        let mut found = vec![[0; 3]; bound.local_len(Side::Destination)];
        bound.run(&source, &mut found)?;
        assert!(lists[1].iter().map(value).eq(found.iter().copied()), "round {round}");
        // Some begin, and write to the source at once, what others run.
        found.fill([0; 3]);
        if (world.rank() + round as usize).is_multiple_of(2) {
            bound.run(&source, &mut found)?;
        } else {
            let mut changing = source.clone();
            let mut started = bound.start(&changing, &mut found)?;
            changing.fill([9; 3]);
            while !started.test()? {
                std::thread::yield_now();
            }
            started.finish()?;
        }
        assert!(lists[1].iter().map(value).eq(found), "started in round {round}");
    }
    Ok(())
}

fn lists_on_both_sides(world: &Communicator) -> Outcome {
    let (rank, ranks) = (world.rank(), world.size());
    for (extent, run) in [(1, 1), (40, 1), (4000, 16), (60_000, 1)] {
        let owner = |index: usize| (index / run) * 7 % (ranks + 1) % ranks;
        let own: Vec<usize> = (0..extent).filter(|index| owner(*index) == rank).collect();
        let wanted: Vec<usize> = (0..extent).map(|place| (place * 31 + rank) % extent).collect();
        moved(extent, [&own, &wanted], world)?;
        // Indices of one rank, those of another backwards, and nothing.
        let backwards: Vec<usize> = own.iter().rev().copied().collect();
        moved(extent, [&backwards, if rank == 0 { &wanted } else { &[] }], world)?;
    }
    Ok(())
}

/// Ranks find owners by themselves, with the first run on any rank.
fn one_run_of_each_rank(world: &Communicator) -> Outcome {
    let (rank, ranks) = (world.rank(), world.size());
    let turned = (rank + ranks / 2) % ranks;
    for extent in [ranks * ranks, 5000, 60_001] {
        let block = extent * turned / ranks..extent * (turned + 1) / ranks;
        let block: Vec<usize> = block.collect();
        let dealt: Vec<usize> = (rank..extent).step_by(ranks).collect();
        let wanted: Vec<usize> = (0..extent).map(|place| (place * 31 + rank) % extent).collect();
        moved(extent, [&block, &wanted], world)?;
        moved(extent, [&block, &dealt], world)?;
        moved(extent, [&dealt, &block], world)?;
        moved(extent, [&block, if rank == 0 { &wanted } else { &[] }], world)?;
    }
    Ok(())
}

fn a_layout_on_one_side(world: &Communicator) -> Outcome {
    let (rank, ranks) = (world.rank(), world.size());
    let layout: Layout<2> = format!("(*, cyclic(2)) onto {ranks}").parse()?;
    let array = Descriptor::new([6, 50], layout)?;
    let permuted: Vec<usize> = (0..300).map(|place| place * 77 % 300).collect();
    let share = &permuted[300 * rank / ranks..300 * (rank + 1) / ranks];
    let lists = [IndexList::of(&array, rank), IndexList::new(share)];
    let mut bound = IndexMove::<u64>::new(300, lists).bind(world)?;
    let value = |[row, column]: [usize; 2]| (50 * row + column) as u64;
    let source: Vec<u64> = array.local(rank).global_indices().map(value).collect();
    let mut found = vec![0; share.len()];
    bound.run(&source, &mut found)?;
    assert!(share.iter().map(|index| *index as u64).eq(found));
    Ok(())
}

/// The communicator serves after each.
fn mistakes_of_a_rank(world: &Communicator) -> Outcome {
    let (rank, ranks) = (world.rank(), world.size());
    let mistakes: [([usize; 2], &str); 3] = [
        ([rank, 9], "has index 9 at place 0, but there are"),
        ([0, 0], "index 0 is in the source lists of ranks [0, 1]"),
        ([rank, ranks], "wants index"),
    ];
    for ([own, wanted], words) in mistakes {
        let extent = if words.contains("wants") { ranks + 1 } else { ranks };
        let lists = [IndexList::new(&[own]), IndexList::new(&[wanted])];
        let Err(error) = IndexMove::<u8>::new(extent, lists).bind(world) else {
            panic!("{words}");
        };
        assert!(error.to_string().contains(words), "{error}");
        moved(ranks, [&[rank], &[ranks - 1 - rank]], world)?;
    }
    Ok(())
}
