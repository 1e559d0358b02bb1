//! Rolled loops in an item's text: nests over runs in turn, and walks over a table of runs.

use redist::{Element, Redistribution, TypedPlan, redistribute};

redistribute! {
    /// A block of kr→r for each rank, whose runs go to all ranks in turn.
    struct Turns: [f64; 64000] { from: block onto 4, to: cyclic(8) onto 4 }
    /// And back.
    struct Back: [f64; 64000] { from: cyclic(8) onto 4, to: block onto 4 }
    /// Blocks of 25 runs on 64 ranks, of which each sends to 25.
    struct ManyRanks: [f64; 40000] { from: cyclic(200) onto 64, to: cyclic(8) onto 64 }
    /// Blocks that end with the last rank, so that turns go on in the next block.
    struct Whole: [f64; 30_003] { from: cyclic(64) onto 2, to: cyclic(32) onto 2 }
    /// Blocks of 10 runs for 4 ranks: a turn is not whole.
    struct Partial: [f32; 12_345] { from: cyclic(200) onto 4, to: cyclic(20) onto 4 }
    /// A period of 114 runs.
    struct Walk: [f64; 52_321] { from: cyclic(30) onto 4, to: cyclic(654) onto 4 }
    /// Ranks of three kinds, whose periods differ.
    struct Cycles: [f64; 49_999] { from: cyclic(50) onto 3, to: cyclic(45) onto 3 }
}

/// Packs and unpacks by an item and by a plan that is made at run time. Returns on how many ranks
/// the item's code packs, and on how many it unpacks.
fn check<T: Element + PartialEq, const D: usize>(
    item: &impl Redistribution<D, Element = T>,
    number: impl Fn(usize) -> T,
) -> [usize; 2] {
    let (at_run_time, mut ranks) = (TypedPlan::<T, D>::from(item.plan()), [0; 2]);
    for rank in 0..item.plan().ranks() {
        let (one, two) = (item.binder().packing(rank), at_run_time.binder().packing(rank));
        ranks[0] += usize::from(one.kernel().to_string().contains("code for these blocks"));
        let local: Vec<T> = (0..one.local_len()).map(&number).collect();
        let packed = [&one, &two].map(|packing| {
            let mut all: Vec<Vec<T>> =
                packing.envelopes().iter().map(|to| vec![T::ZERO; to.len]).collect();
            packing.pack(&local, &mut all.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
            all
        });
        assert!(packed[0] == packed[1], "{}: rank {rank} packs other elements", item.name());

        let (one, two) = (item.binder().unpacking(rank), at_run_time.binder().unpacking(rank));
        ranks[1] += usize::from(one.kernel().to_string().contains("code for these blocks"));
        let mut next = 0..;
        let messages: Vec<Vec<T>> = one
            .envelopes()
            .iter()
            .map(|from| next.by_ref().take(from.len).map(&number).collect())
            .collect();
        let messages: Vec<&[T]> = messages.iter().map(Vec::as_slice).collect();
        let unpacked = [&one, &two].map(|unpacking| {
            let mut local = vec![T::ZERO; unpacking.local_len()];
            unpacking.unpack(&mut local, &messages);
            local
        });
        assert!(unpacked[0] == unpacked[1], "{}: rank {rank} unpacks otherwise", item.name());
    }
    ranks
}

#[test]
fn rolled_loops_copy_what_plans_of_run_time_do() {
    let (double, single) = (|number: usize| number as f64, |number: usize| number as f32);
    assert_eq!(check(&Turns::new(), double)[0], 4);
    assert_eq!(check(&Back::new(), double)[1], 4);
    assert_eq!(check(&ManyRanks::new(), double)[0], 64);
    assert_eq!(check(&Whole::new(), double)[0], 2);
    assert_eq!(check(&Partial::new(), single)[0], 4);
    assert_eq!(check(&Walk::new(), double), [4, 4]);
    assert_eq!(check(&Cycles::new(), double), [3, 3]);
}

#[test]
fn items_tell_what_the_library_copies_instead() {
    let explained = Back::new().explain();
    assert!(explained.contains("in the binary: code for these blocks, for unpacking"));
    assert!(explained.contains("by the library's own copies, as no code would gain: packing"));
}
