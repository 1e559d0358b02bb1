//! Every kernel, at every level of vector instructions, against the loop that knows none of them.

use super::{Kernel, Pack, Row, Unpack, Vectors};
use crate::exec::engine::run_row;
use crate::exec::transfer::{Packer, Unpacker};
use crate::plan::{Plan, Side};
use crate::program::{Level, Program};
use std::collections::BTreeSet;

/// What lies around messages and is not to be touched.
const GUARD: u8 = 0xA5;

/// A message with guards around it.
fn guarded<T: Copy>(len: usize, around: T) -> Vec<T> {
    vec![around; len + 32]
}

/// An element of some size whose bytes tell where it was.
trait Tagged: Copy + PartialEq + core::fmt::Debug {
    const GUARDED: Self;
    fn tag(index: usize) -> Self;
}

macro_rules! tagged {
    ($($size:literal)*) => {$(
        impl Tagged for [u8; $size] {
            const GUARDED: Self = [GUARD; $size];
            fn tag(index: usize) -> Self {
                core::array::from_fn(|byte| (index * 31 + byte * 7 + (index >> 8)) as u8 & 0x7f)
            }
        }
    )*};
}
tagged!(1 2 3 4 8 12 16);

struct Case {
    program: Program,
    name: String,
}

impl Case {
    fn level(&self) -> &Level {
        self.program.levels.last().unwrap()
    }

    fn lens(&self) -> Vec<usize> {
        self.program.envelopes().iter().map(|envelope| envelope.len).collect()
    }

    fn pack<T: Tagged>(&self, vectors: Vectors) -> Kernel {
        let local: Vec<T> = (0..self.program.local_len()).map(T::tag).collect();
        let row: Row<Pack> = Row::new(self.level(), (size_of::<T>(), 1), false, vectors);
        let pack = |by_row: bool| {
            let mut buffers: Vec<Vec<T>> = self.lens().iter().map(|&len| guarded(len, T::GUARDED)).collect();
            let lens = self.lens();
            let mut messages: Vec<&mut [T]> =
                buffers.iter_mut().zip(&lens).map(|(buffer, len)| &mut buffer[16..16 + len]).collect();
            let done = by_row && row.pack(&local[self.level().start..], &mut messages);
            if !done {
                run_row(&mut Packer { local: &local, messages: &mut messages }, self.level(), self.level().start, 0);
            }
            assert!(messages.iter().all(|message| message.is_empty()), "{}: all was taken", self.name);
            buffers
        };
        assert_eq!(pack(true), pack(false), "{}: {vectors}, {}", self.name, row.recipe());
        row.recipe().kernel
    }

    fn unpack<T: Tagged>(&self, vectors: Vectors) -> Kernel {
        let row: Row<Unpack> = Row::new(self.level(), (size_of::<T>(), 1), false, vectors);
        let mut next = 0;
        let mut tags = |len: &usize| {
            next += len;
            (next - len..next).map(T::tag).collect()
        };
        let buffers: Vec<Vec<T>> = self.lens().iter().map(&mut tags).collect();
        let start = self.level().start;
        let unpack = |by_row: bool| {
            let mut local = guarded(self.program.local_len(), T::GUARDED);
            let inside = &mut local[16..];
            let mut messages: Vec<&[T]> = buffers.iter().map(Vec::as_slice).collect();
            if !(by_row && row.unpack(&mut inside[start..], &mut messages)) {
                run_row(&mut Unpacker { local: inside, messages: &mut messages }, self.level(), start, 0);
            }
            assert!(messages.iter().all(|message| message.is_empty()), "{}: all was taken", self.name);
            local
        };
        let expected = unpack(false);
        assert_eq!(unpack(true), expected, "{}: {vectors}, {}", self.name, row.recipe());
        let mut one_by_one = guarded(self.program.local_len(), T::GUARDED);
        let mut done = !buffers.is_empty();
        for (number, buffer) in buffers.iter().enumerate().rev() {
            let mut message = buffer.as_slice();
            done &= row.unpack_one(&mut one_by_one[16 + start..], number, &mut message);
            assert!(!done || message.is_empty(), "{}: all was taken", self.name);
        }
        assert!(!done || one_by_one == expected, "{}: {vectors}, one by one, {}", self.name, row.recipe());
        row.recipe().kernel
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |extent: usize, from: &str, to: &str| {
        let plan = Plan::<1>::parse([extent], from, to).unwrap();
        for side in [Side::Source, Side::Destination] {
            for rank in 0..2 {
                let program = Program::new(&plan, &[&[]], side, rank);
                if !program.levels.is_empty() && !program.envelopes().is_empty() {
                    let name = format!("{extent} elements, {from} -> {to}, {side} {rank}");
                    cases.push(Case { program, name });
                }
            }
        }
    };
    for ranks in [2, 3, 4, 8, 16] {
        let extent = 403 * ranks;
        for (from, to) in [(1, 64), (1, 5), (2, 10), (4, 100), (1, 37), (1, 50), (4, 6), (10, 4), (30, 64), (7, 1000)] {
            let (from, to) = (format!("cyclic({from}) onto {ranks}"), format!("cyclic({to}) onto {ranks}"));
            add(extent, &from, &to);
            add(extent, &to, &from);
        }
        add(extent, "block onto 3", &format!("cyclic onto {ranks}"));
        add(extent, &format!("cyclic(3) onto {ranks}"), "block onto 2");
        add(extent, &format!("cyclic(3) onto {ranks} first 1"), "cyclic(7) onto 4 first 2");
    }
    add(2_000, "gen_block([600, 0, 1200, 200]) onto 4", "cyclic(7) onto 3 first 1");
    add(900, "cyclic(16) onto 2 of [1280] at [37]", "cyclic(7) onto 3");
    add(1500, "cyclic onto 2", "cyclic(10) onto 70");
    cases
}

/// Packed and unpacked, all runs of one length: often enough for a loop of their own, and not.
#[test]
fn runs_of_every_length_are_copied() {
    for len in 1..=260 {
        for blocks in [3, 36] {
            let (from, to) = (format!("cyclic({}) onto 2", 2 * len), format!("cyclic({len}) onto 2"));
            let plan = Plan::<1>::parse([4 * len * blocks], &from, &to).unwrap();
            let case = |plan, side| Case {
                program: Program::new(plan, &[&[]], side, 1),
                name: format!("{blocks} blocks of 2 runs of {len} bytes"),
            };
            for vectors in [Vectors::Portable, Vectors::Avx2.min(Vectors::detected())] {
                case(&plan, Side::Source).pack::<[u8; 1]>(vectors);
            }
            let back = Plan::<1>::parse([4 * len * blocks], &to, &from).unwrap();
            for vectors in [Vectors::Portable, Vectors::Avx2.min(Vectors::detected())] {
                case(&back, Side::Destination).unpack::<[u8; 1]>(vectors);
            }
        }
    }
}

/// The kernels that were chosen, by name without numbers.
fn run_all(run: impl Fn(&Case, Vectors) -> Vec<Kernel>) -> BTreeSet<String> {
    let mut chosen = BTreeSet::new();
    for case in cases() {
        for vectors in Vectors::runnable() {
            let names = run(&case, vectors).into_iter().map(|kernel| format!("{kernel:?}"));
            chosen.extend(names.map(|name| name.split([' ', '{']).next().unwrap_or_default().to_owned()));
        }
    }
    chosen
}

#[test]
fn all_kernels_pack_the_same_bytes() {
    let chosen = run_all(|case, vectors| {
        let mut kernels = vec![case.pack::<[u8; 1]>(vectors), case.pack::<[u8; 2]>(vectors)];
        kernels.extend([case.pack::<[u8; 3]>(vectors), case.pack::<[u8; 4]>(vectors), case.pack::<[u8; 8]>(vectors)]);
        kernels.extend([case.pack::<[u8; 12]>(vectors), case.pack::<[u8; 16]>(vectors)]);
        kernels
    });
    assert!(["Moves", "Table", "Tiles", "Copy"].iter().all(|kernel| chosen.contains(*kernel)), "{chosen:?}");
    assert!(Vectors::detected() < Vectors::Avx2 || chosen.contains("Permute"), "{chosen:?}");
}

#[test]
fn all_kernels_unpack_the_same_bytes() {
    let chosen = run_all(|case, vectors| {
        let mut kernels = vec![case.unpack::<[u8; 1]>(vectors), case.unpack::<[u8; 2]>(vectors)];
        kernels.extend([case.unpack::<[u8; 3]>(vectors), case.unpack::<[u8; 4]>(vectors)]);
        kernels.extend([case.unpack::<[u8; 8]>(vectors), case.unpack::<[u8; 12]>(vectors)]);
        kernels.push(case.unpack::<[u8; 16]>(vectors));
        kernels
    });
    assert!(["Moves", "Table", "Tiles", "Copy"].iter().all(|kernel| chosen.contains(*kernel)), "{chosen:?}");
    assert!(Vectors::detected() < Vectors::Avx2 || chosen.contains("Permute"), "{chosen:?}");
}

#[test]
fn whole_rows_that_lie_together_are_one() {
    use crate::exec::{Redistribution, RuntimePlan};
    let plan =
        RuntimePlan::<u32, 3>::parse([40, 8, 5], "(cyclic(10), *, *) onto 2", "(cyclic(2), *, *) onto 2").unwrap();
    // Two indices of the first dimension are 80 elements.
    assert_eq!(plan.packing(0).kernel().kernel, Kernel::Copy);
    let plan = RuntimePlan::<u32, 2>::parse([4000, 2], "(cyclic(10), *) onto 2", "(cyclic(2), *) onto 2").unwrap();
    let short = if Vectors::detected() == Vectors::Avx512 { Kernel::Permute } else { Kernel::Moves { run: 16 } };
    assert_eq!(plan.packing(0).kernel().kernel, short);
}

#[test]
fn a_rank_that_holds_none_of_the_moved_section_copies_nothing() {
    use crate::exec::{Redistribution, RuntimePlan};
    for (extents, to) in
        [([1, 1], "(*, block) onto 2 storage fortran of [2, 1] at [1, 0]"), ([2, 1], "(block, *) onto 3")]
    {
        let plan = RuntimePlan::<u32, 2>::parse(extents, "(*, *)", to).unwrap();
        for rank in 0..plan.plan().ranks() {
            let unpacking = plan.unpacking(rank);
            let mut local = vec![0; unpacking.local_len()];
            let sent: usize = unpacking.envelopes().iter().map(|envelope| envelope.len).sum();
            let message = vec![7; sent];
            let mut messages: Vec<&[u32]> = unpacking.envelopes().iter().map(|_| message.as_slice()).collect();
            unpacking.unpack(&mut local, &mut messages);
            assert_eq!(local.iter().sum::<u32>(), 7 * sent as u32, "{to}, rank {rank}");
        }
    }
}

#[test]
fn a_message_that_is_too_short_panics() {
    let plan = Plan::<1>::parse([10_000], "cyclic(100) onto 4", "cyclic onto 4").unwrap();
    let program = Program::new(&plan, &[&[]], Side::Source, 1);
    let row: Row<Pack> = Row::new(&program.levels[0], (4, 1), false, Vectors::detected());
    let mut buffers: Vec<Vec<u32>> = program.envelopes().iter().map(|envelope| vec![0; envelope.len - 1]).collect();
    let mut messages: Vec<&mut [u32]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
    let local = vec![0; program.local_len()];
    let pack = std::panic::AssertUnwindSafe(|| row.pack(&local, &mut messages));
    assert!(std::panic::catch_unwind(pack).is_err());
}
