//! Rows that tests of whole plans do not reach: fetched ahead though short, and of wrong lengths.

use super::{
    CompiledStep, CopyDirection, FromMessages, Kernel, Memory, RowCode, RowKernel, RowSizes,
    StepCode, ToMessages, Vectors,
};
use crate::element::{bytes_of, bytes_of_mut};
use crate::exec::calls::CopiedBytes;
use crate::plan::{Plan, Side};
use crate::program::{BlocksAndRanks, Program, RunStep, StepMoves};

fn program(extent: usize, from: &str, to: &str, side: Side) -> Program {
    let plan = Plan::<1>::parse([extent], from, to).unwrap();
    Program::new(&plan.into(), &[], side, 1)
}

fn row<D: CopyDirection>(program: &Program, memory: Memory, vectors: Vectors) -> RowKernel<D> {
    // An array that no cache holds is fetched ahead.
    let array = match memory {
        Memory::Cached => 4 * program.local_len(),
        Memory::Prefetched => usize::MAX - 1,
    };
    RowKernel::new(&program.dims[0], RowSizes { bytes: 4, unit: 1, array }, RowCode::NONE, vectors)
}

/// Packs to messages that are as many bytes too short.
fn packed(program: &Program, row: &RowKernel<ToMessages>, missing: usize) -> Option<Vec<Vec<u8>>> {
    let local: Vec<u32> = (0..program.local_len() as u32).map(|at| at.wrapping_mul(7919)).collect();
    let lens = program.envelopes().iter().map(|envelope| 4 * envelope.len - missing);
    let mut buffers: Vec<Vec<u8>> = lens.map(|len| vec![0; len]).collect();
    let mut messages: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
    let copied = &mut CopiedBytes::default();
    row.pack(bytes_of(&local), &mut messages, |_, _| (), copied).then_some(buffers)
}

fn unpacked(program: &Program, row: &RowKernel<FromMessages>) -> Option<Vec<u32>> {
    let bytes =
        |(number, len): (usize, usize)| (0..len).map(|at| (at * 31 + number) as u8).collect();
    let lens = program.envelopes().iter().map(|envelope| 4 * envelope.len);
    let buffers: Vec<Vec<u8>> = lens.enumerate().map(bytes).collect();
    let mut messages: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
    let (mut local, copied) = (vec![0; program.local_len()], &mut CopiedBytes::default());
    // SAFETY: tests write to numbers, for which any bytes are valid.
    let bytes = unsafe { bytes_of_mut(local.as_mut_slice()) };
    row.unpack(bytes, (0, &mut messages), None, copied).map(|_| local)
}

#[test]
fn fetching_ahead_changes_nothing() {
    for (ranks, block) in [(2, 1), (4, 1), (3, 1), (4, 4), (4, 16), (3, 17), (2, 300), (2, 3000)] {
        let (long, short) = (
            format!("cyclic({}) onto {ranks}", 7 * block),
            format!("cyclic({block}) onto {ranks}"),
        );
        let extent = 60 * ranks * block;
        let (packs, unpacks) = (
            program(extent, &long, &short, Side::Source),
            program(extent, &short, &long, Side::Destination),
        );
        for vectors in Vectors::runnable() {
            let [cached, fetched] = [Memory::Cached, Memory::Prefetched].map(|memory| {
                (
                    packed(&packs, &row(&packs, memory, vectors), 0),
                    unpacked(&unpacks, &row(&unpacks, memory, vectors)),
                )
            });
            assert!(cached == fetched, "{long} -> {short}, {vectors}");
        }
    }
}

#[test]
fn whole_rows_that_lie_together_are_one() {
    use crate::exec::{Redistribution, TypedPlan};
    let plan = TypedPlan::<u32, 3>::parse(
        [40, 8, 5],
        "(cyclic(10), *, *) onto 2",
        "(cyclic(2), *, *) onto 2",
    )
    .unwrap();
    // Two indices of the first dimension are 80 elements.
    assert_eq!(plan.binder().packing(0).kernel().kernel, Kernel::Copy);
    let plan =
        TypedPlan::<u32, 2>::parse([4000, 2], "(cyclic(10), *) onto 2", "(cyclic(2), *) onto 2")
            .unwrap();
    let short = match Vectors::detected() {
        Vectors::Avx512 => Kernel::Permute,
        Vectors::Avx2 => Kernel::Network { run: 16, peers: 2, vectors: Vectors::Avx2 },
        _ => Kernel::Moves { run: 16 },
    };
    assert_eq!(plan.binder().packing(0).kernel().kernel, short);
}

/// A list of its runs would fill any memory.
#[test]
fn the_longest_row_is_not_listed() {
    let program = program(1 << 41, "block onto 2", "cyclic onto 20", Side::Source);
    let extent = RowSizes { bytes: 1, unit: 1, array: 1 << 40 };
    let row: RowKernel<ToMessages> =
        RowKernel::new(&program.dims[0], extent, RowCode::NONE, Vectors::detected());
    assert_eq!(row.choice().kernel, Kernel::Tiles);
}

#[test]
fn sections_are_long() {
    for (ranks, runs) in
        [(2, 25), (3, 25), (3, 100), (8, 100), (16, 25), (5, 333), (3, 1000), (7, 20_000)]
    {
        let (from, to) =
            (format!("cyclic({}) onto {ranks}", 3 * runs), format!("cyclic(3) onto {ranks}"));
        let program = program(300_000 * ranks, &from, &to, Side::Source);
        for vectors in Vectors::runnable() {
            let row: RowKernel<ToMessages> = row(&program, Memory::Cached, vectors);
            if row.copies() {
                let mean = 4 * program.local_len() / row.sections();
                assert!(mean >= 4096, "{from} -> {to}, {vectors}: {mean} bytes, {}", row.choice());
            }
        }
    }
}

#[test]
fn a_message_that_is_too_short_panics() {
    // A network, or copies of constant length without one.
    for block in [1, 20] {
        let program =
            program(10_000, "cyclic(100) onto 4", &format!("cyclic({block}) onto 4"), Side::Source);
        let row = row(&program, Memory::Cached, Vectors::detected());
        if !row.copies() {
            assert_eq!((block, row.choice().kernel), (1, Kernel::Tiles));
            continue;
        }
        let pack = std::panic::AssertUnwindSafe(|| packed(&program, &row, 4));
        assert!(std::panic::catch_unwind(pack).is_err());
    }
}

/// The step in which a rank with blocks of 5 takes one element of 5 messages each.
struct Fives;

impl Fives {
    const STEP: Option<RunStep> = BlocksAndRanks::new((5, 16), (1, 16)).new_step(0);
    const CODE: &'static [StepCode] = &[StepCode::of::<Self>(const { &Self::STEP })];
}

impl CompiledStep for Fives {
    const MOVES: &'static Option<StepMoves> = &match &Self::STEP {
        Some(step) => Some(step.moves(false)),
        None => None,
    };
    const WIDTH: usize = 8;
}

/// Each block takes all messages in turn, so that the next one goes on with the same.
#[test]
fn compiled_steps_of_short_blocks_are_one_section() {
    let program = program(65_538, "cyclic(1) onto 16", "cyclic(5) onto 16", Side::Destination);
    let extent = RowSizes { bytes: 8, unit: 1, array: 8 * program.local_len() };
    let code = RowCode { steps: Fives::CODE, memory: Memory::Cached };
    let row: RowKernel<FromMessages> =
        RowKernel::new(&program.dims[0], extent, code, Vectors::detected());
    let is_code = matches!(row.choice().kernel, Kernel::Compiled { .. });
    assert!(is_code && row.sections() <= 3, "{}, {} sections", row.choice(), row.sections());
}
