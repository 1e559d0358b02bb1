//! Compares compiled code for known blocks with the plain engine.

use super::case::{Case, Tagged};
use crate::exec::kernels::{CompiledStep, Kernel, KernelChoice, Vectors, WrittenStep, has_vbmi};
use crate::plan::{Plan, Side};
use crate::program::{BlocksAndRanks, Program, RunStep, StepMoves};
use core::marker::PhantomData;

/// A cycle of blocks of `OWN` elements on `RANKS` ranks and of `PEER` on `PEERS`, for elements `T`.
struct OwnStep<
    T,
    const OWN: usize,
    const RANKS: usize,
    const PEER: usize,
    const PEERS: usize,
    const CYCLE: usize,
    const PACKS: bool,
>(PhantomData<T>);

const fn step(own: (usize, usize), peer: (usize, usize), cycle: usize) -> Option<RunStep> {
    BlocksAndRanks::new(own, peer).new_step(cycle)
}

impl<
    T: Tagged,
    const OWN: usize,
    const RANKS: usize,
    const PEER: usize,
    const PEERS: usize,
    const CYCLE: usize,
    const PACKS: bool,
> CompiledStep for OwnStep<T, OWN, RANKS, PEER, PEERS, CYCLE, PACKS>
{
    const MOVES: Option<StepMoves> = match step((OWN, RANKS), (PEER, PEERS), CYCLE) {
        Some(step) if !step.is_copied_as_fast(size_of::<T>(), cfg!(target_arch = "x86_64")) => {
            Some(step.moves(PACKS))
        }
        _ => None,
    };
    const WIDTH: usize = size_of::<T>();
}

macro_rules! cycles {
    ($packs:literal: $($cycle:literal)*) => {
        const {
            &[$(WrittenStep::of::<OwnStep<T, OWN, RANKS, PEER, PEERS, $cycle, $packs>>(const {
                &step((OWN, RANKS), (PEER, PEERS), $cycle)
            })),*]
        }
    };
}

fn of<
    T: Tagged,
    const OWN: usize,
    const RANKS: usize,
    const PEER: usize,
    const PEERS: usize,
    const FIRST: usize,
>() -> Vec<KernelChoice> {
    let own = format!("cyclic({OWN}) onto {RANKS} first {}", FIRST % RANKS);
    let peer = format!("cyclic({PEER}) onto {PEERS}");
    let mut chosen = Vec::new();
    for extent in [500, 5_003, 24_000, 24_017] {
        let there = Plan::<1>::parse([extent], &own, &peer).unwrap();
        let back = Plan::<1>::parse([extent], &peer, &own).unwrap();
        for rank in 0..RANKS {
            let case = |plan: &Plan<1>, side| Case {
                program: Program::new(&(*plan).into(), &[], side, rank),
                name: format!("{extent} of {} bytes, {own} -> {peer}, {rank}", size_of::<T>()),
            };
            let (packs, unpacks) = (case(&there, Side::Source), case(&back, Side::Destination));
            if packs.program.envelopes().is_empty() {
                continue;
            }
            for vectors in Vectors::runnable() {
                let written = cycles!(true: 0 1 2 3);
                chosen.extend(packs.pack::<T>(vectors, written));
                let written = cycles!(false: 0 1 2 3);
                chosen.extend(unpacks.unpack::<T>(vectors, written));
            }
        }
    }
    chosen
}

fn used(chosen: &[KernelChoice]) -> Vec<Vectors> {
    let of = |choice: &KernelChoice| match choice.kernel {
        Kernel::Written { vectors } => Some(vectors),
        _ => None,
    };
    let mut used: Vec<Vectors> = chosen.iter().filter_map(of).collect();
    used.sort_unstable();
    used.dedup();
    used
}

macro_rules! used {
    ($($size:literal)*: $own:literal $ranks:literal $peer:literal $peers:literal $first:literal) => {
        [$(($size, used(&of::<[u8; $size], $own, $ranks, $peer, $peers, $first>()))),*]
    };
}

/// Lists the instructions that have code for runs of whole units. Vectors gain for those of 8 bytes if
/// they lie beside each other in a message.
fn expected(unit: usize, are_beside: bool) -> Vec<Vectors> {
    let fits = |vectors: &Vectors| match vectors {
        // Copies, which processors with SSE2 alone run, too.
        Vectors::Portable => true,
        Vectors::Sse2 => false,
        Vectors::Neon => unit < 8,
        Vectors::Avx2 => unit < 8 || unit == 8 && are_beside,
        Vectors::Avx512 => unit == 4 || unit == 2 || unit == 1 && has_vbmi(),
    };
    Vectors::runnable().filter(fits).collect()
}

#[test]
fn cut_blocks_are_written_out() {
    for (size, used) in used!(1 2 4 8 12 16: 5 3 1 3 1) {
        assert_eq!(used, expected(if size == 12 { 4 } else { size }, true), "{size} bytes");
    }
    // Runs of 3 elements for 4 peers of 5.
    for (size, used) in used!(1 2 4 8 16: 12 2 3 5 1) {
        assert_eq!(used, expected(size, false), "{size} bytes");
    }
}

#[test]
fn blocks_that_are_gathered_are_written_out() {
    for (size, used) in used!(1 2 4 8 12 16: 2 3 10 2 2) {
        assert_eq!(
            used,
            expected(if size == 12 { 8 } else { 2 * size }.min(16), size == 4),
            "{size} bytes"
        );
    }
}

#[test]
fn general_blocks_are_written_out() {
    let check = |unit: usize, used: &[(usize, Vec<Vectors>)]| {
        for (size, used) in used {
            assert!(used.contains(&Vectors::Portable), "{size} bytes: {used:?}");
            for vectors in [Vectors::Neon, Vectors::Avx2] {
                let is_had = Vectors::runnable().any(|level| level == vectors);
                let gains = unit * size < 8;
                assert!(!(is_had && gains) || used.contains(&vectors), "{size} bytes: {used:?}");
            }
        }
    };
    // Runs of these many elements, or multiples.
    check(2, &used!(1 2 4 8 16: 4 3 6 5 0));
    check(1, &used!(2 4: 7 3 5 2 1));
    check(4, &used!(4 8: 8 3 12 5 0));
    check(1, &used!(1 4: 31 2 8 3 1));
}

#[test]
fn rounds_of_long_blocks_are_written_out() {
    for (size, used) in used!(1 4 8: 2000 3 2 3 1) {
        assert_eq!(used, expected(2 * size, true), "{size} bytes");
    }
}

#[test]
fn nothing_is_written_where_it_gains_nothing() {
    // Networks, where there are any, and moves of a constant length.
    for (size, used) in used!(4 8: 400 2 1 4 0) {
        assert!(used.is_empty() || cfg!(not(target_arch = "x86_64")), "{size} bytes: {used:?}");
    }
    for (size, used) in used!(12 16: 400 2 4 3 0) {
        assert_eq!(used, [], "{size} bytes");
    }
    // More peers or longer periods than code covers.
    let [(_, peers)] = used!(4: 16 2 1 16 0);
    let [(_, periods)] = used!(4: 1024 2 654 3 0);
    assert_eq!([peers, periods], [[], []]);
}
