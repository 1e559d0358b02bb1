//! Every kernel with all vector instructions that the processor has, against the plain engine.

use super::{
    Allowed, FromMessages, Kernel, KernelChoice, Memory, RowKernel, RowSizes, ToMessages, Vectors,
};
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::exec::engine::run_row;
use crate::exec::transfer::{Packer, Unpacker};
use crate::exec::width::{AnyWidth, with_width};
use crate::plan::{Plan, Side};
use crate::program::{LoopDim, Program};
use std::collections::BTreeSet;

/// What lies around messages and is not to be touched.
const GUARD: u8 = 0xA5;

/// Elements in front of what is guarded; half of them come after it.
const BEFORE: usize = 32;

/// The bytes of elements, to be overwritten.
fn raw<T: Element>(elements: &mut [T]) -> &mut [u8] {
    // SAFETY: tests move numbers and arrays of them, of which any bytes are one.
    unsafe { bytes_of_mut(elements) }
}

/// A message with guards around it.
fn guarded<T: Copy>(len: usize, around: T) -> Vec<T> {
    vec![around; BEFORE + len + BEFORE / 2]
}

/// A way to reach memory, and how many elements before what is guarded ends an array begins: one
/// whose address is a multiple of 16, or not.
#[derive(Clone, Copy)]
struct Reach {
    memory: Memory,
    shift: usize,
}

/// Every way; where stores go past the caches, from addresses that do and do not allow it.
const REACHES: [Reach; 4] = [
    Reach { memory: Memory::Cached, shift: 0 },
    Reach { memory: Memory::Prefetched, shift: 0 },
    Reach { memory: Memory::Nontemporal, shift: 0 },
    Reach { memory: Memory::Nontemporal, shift: 3 },
];

impl Reach {
    /// The first element of an array.
    fn start(self) -> usize {
        BEFORE - self.shift
    }

    /// What makes a plan choose this way, where its kernel can.
    fn setting(self, bytes: usize, local_len: usize, vectors: Vectors) -> (RowSizes, Allowed) {
        let array = if self.memory == Memory::Prefetched { usize::MAX } else { bytes * local_len };
        let nontemporal = if self.memory == Memory::Nontemporal { 0 } else { usize::MAX };
        let array = array.min(usize::MAX - 1);
        (RowSizes { bytes, unit: 1, array }, Allowed { vectors, nontemporal })
    }
}

/// An element of some size whose bytes tell where it was.
trait Tagged: Element + PartialEq + core::fmt::Debug {
    const GUARDED: Self;
    /// The ways to reach memory that are tried.
    const REACHES: &'static [Reach];
    fn tag(index: usize) -> Self;
}

macro_rules! tagged {
    ($($size:literal: $reaches:literal),*) => {$(
        impl Tagged for [u8; $size] {
            const GUARDED: Self = [GUARD; $size];
            const REACHES: &'static [Reach] = REACHES.split_at($reaches).0;
            fn tag(index: usize) -> Self {
                core::array::from_fn(|byte| (index * 31 + byte * 7 + (index >> 8)) as u8 & 0x7f)
            }
        }
    )*};
}
tagged!(1: 1, 2: 1, 3: 1, 4: 4, 8: 4, 12: 1, 16: 3);

struct Case {
    program: Program,
    name: String,
}

impl Case {
    fn dim(&self) -> &LoopDim {
        self.program.dims.last().unwrap()
    }

    fn lens(&self) -> Vec<usize> {
        self.program.envelopes().iter().map(|envelope| envelope.len).collect()
    }

    fn pack<T: Tagged>(&self, vectors: Vectors) -> Vec<KernelChoice> {
        let local: Vec<T> = (0..self.program.local_len()).map(T::tag).collect();
        let expected = self.packed(&local, None, BEFORE);
        let packed_by = |reach: &Reach| {
            let (extent, allowed) =
                reach.setting(size_of::<T>(), self.program.local_len(), vectors);
            let row: RowKernel<ToMessages> = RowKernel::new(self.dim(), extent, false, allowed);
            let found = self.packed(&local, Some(&row), reach.start());
            assert_eq!(found, expected, "{}: {vectors}, {}", self.name, row.choice());
            row.choice()
        };
        T::REACHES.iter().map(packed_by).collect()
    }

    /// The messages, packed by a row or by the loop that knows none, to buffers that begin at an
    /// element of their guards.
    fn packed<T: Tagged>(
        &self,
        local: &[T],
        row: Option<&RowKernel<ToMessages>>,
        start: usize,
    ) -> Vec<Vec<T>> {
        let lens = self.lens();
        let mut buffers: Vec<Vec<T>> = lens.iter().map(|&len| guarded(len, T::GUARDED)).collect();
        let mut messages: Vec<&mut [u8]> = buffers
            .iter_mut()
            .zip(&lens)
            .map(|(buffer, len)| raw(&mut buffer[start..start + len]))
            .collect();
        let first = self.dim().start;
        let done =
            row.is_some_and(|row| row.pack(self.dim(), bytes_of(&local[first..]), &mut messages));
        if !done {
            let (local, messages) = (bytes_of(local), &mut messages[..]);
            with_width!(size_of::<T>(), width => {
                run_row(&mut Packer { local, messages, width }, self.dim(), first, 0)
            });
        }
        assert!(messages.iter().all(|message| message.is_empty()), "{}: all was taken", self.name);
        row.inspect(|row| row.finish());
        buffers.iter_mut().for_each(|buffer| buffer.rotate_left(start));
        buffers
    }

    fn unpack<T: Tagged>(&self, vectors: Vectors) -> Vec<KernelChoice> {
        let mut next = 0;
        let mut tags = |len: &usize| {
            next += len;
            (next - len..next).map(T::tag).collect()
        };
        let buffers: Vec<Vec<T>> = self.lens().iter().map(&mut tags).collect();
        let expected = self.unpacked(&buffers, None, BEFORE);
        let unpacked_by = |reach: &Reach| {
            let (extent, allowed) =
                reach.setting(size_of::<T>(), self.program.local_len(), vectors);
            let row: RowKernel<FromMessages> = RowKernel::new(self.dim(), extent, false, allowed);
            let found = self.unpacked(&buffers, Some(&row), reach.start());
            assert_eq!(found, expected, "{}: {vectors}, {}", self.name, row.choice());
            if let Some(found) = self.unpacked_one_by_one(&buffers, &row, reach.start()) {
                assert_eq!(
                    found,
                    expected,
                    "{}: {vectors}, one by one, {}",
                    self.name,
                    row.choice()
                );
            }
            row.choice()
        };
        T::REACHES.iter().map(unpacked_by).collect()
    }

    /// The local array, in a buffer that begins at an element of its guards.
    fn unpacked<T: Tagged>(
        &self,
        buffers: &[Vec<T>],
        row: Option<&RowKernel<FromMessages>>,
        start: usize,
    ) -> Vec<T> {
        let mut local = guarded(self.program.local_len(), T::GUARDED);
        let (inside, first) = (&mut local[start..], self.dim().start);
        let mut messages: Vec<&[u8]> = buffers.iter().map(|buffer| bytes_of(buffer)).collect();
        if !row.is_some_and(|row| row.unpack(self.dim(), raw(&mut inside[first..]), &mut messages))
        {
            // By a width that the compiler does not know, unlike packing.
            let (local, width) = (raw(inside), AnyWidth(size_of::<T>()));
            run_row(&mut Unpacker { local, messages: &mut messages, width }, self.dim(), first, 0);
        }
        assert!(messages.iter().all(|message| message.is_empty()), "{}: all was taken", self.name);
        row.inspect(|row| row.finish());
        local.rotate_left(start);
        local
    }

    /// The same, message by message from the last one on; `None` where the row leaves it to others.
    fn unpacked_one_by_one<T: Tagged>(
        &self,
        buffers: &[Vec<T>],
        row: &RowKernel<FromMessages>,
        start: usize,
    ) -> Option<Vec<T>> {
        let mut local = guarded(self.program.local_len(), T::GUARDED);
        for (number, buffer) in buffers.iter().enumerate().rev() {
            let mut message = bytes_of(buffer);
            if !row.unpack_one(
                self.dim(),
                raw(&mut local[start + self.dim().start..]),
                number,
                &mut message,
            ) {
                return None;
            }
            assert!(message.is_empty(), "{}: all was taken", self.name);
        }
        row.finish();
        local.rotate_left(start);
        Some(local)
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |extent: usize, from: &str, to: &str| {
        let plan = Plan::<1>::parse([extent], from, to).unwrap();
        for side in [Side::Source, Side::Destination] {
            for rank in 0..2 {
                let program = Program::new(&plan.into(), &[], side, rank);
                if !program.dims.is_empty() && !program.envelopes().is_empty() {
                    let name = format!("{extent} elements, {from} -> {to}, {side} {rank}");
                    cases.push(Case { program, name });
                }
            }
        }
    };
    for ranks in [2, 3, 4, 8, 16] {
        let extent = 403 * ranks;
        for (from, to) in [
            (1, 64),
            (1, 5),
            (2, 10),
            (4, 100),
            (1, 37),
            (1, 50),
            (4, 6),
            (10, 4),
            (30, 64),
            (7, 1000),
        ] {
            let (from, to) =
                (format!("cyclic({from}) onto {ranks}"), format!("cyclic({to}) onto {ranks}"));
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
    add(6_100, "cyclic(1000) onto 2", "cyclic(3000) onto 3");
    cases
}

/// Packed and unpacked, all runs of one length: often enough for a loop of their own, and not.
#[test]
fn runs_of_every_length_are_copied() {
    for len in 1..=260 {
        for blocks in [3, 36] {
            let (from, to) =
                (format!("cyclic({}) onto 2", 2 * len), format!("cyclic({len}) onto 2"));
            let plan = Plan::<1>::parse([4 * len * blocks], &from, &to).unwrap();
            let case = |plan: &Plan<1>, side| Case {
                program: Program::new(&plan.into(), &[], side, 1),
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

/// The kernels that were chosen, by name without numbers, and the ways to reach memory.
fn run_all(run: impl Fn(&Case, Vectors) -> Vec<KernelChoice>) -> BTreeSet<(String, String)> {
    let mut chosen = BTreeSet::new();
    for case in cases() {
        for vectors in Vectors::runnable() {
            for KernelChoice { kernel, memory, .. } in run(&case, vectors) {
                let kernel = format!("{kernel:?}");
                chosen.insert((
                    kernel.split([' ', '{']).next().unwrap_or_default().to_owned(),
                    format!("{memory:?}"),
                ));
            }
        }
    }
    chosen
}

/// Every kernel that this processor has, in every way to reach memory that it has.
fn check_all_were_chosen(chosen: &BTreeSet<(String, String)>) {
    let has =
        |kernel: &str, memory: Memory| chosen.contains(&(kernel.to_owned(), format!("{memory:?}")));
    assert!(has("Tiles", Memory::Cached), "{chosen:?}");
    let detected = Vectors::detected();
    let kernels = [
        ("Moves", Vectors::Portable),
        ("Table", Vectors::Portable),
        ("Copy", Vectors::Portable),
        ("Network", Vectors::Sse2),
        ("Permute", Vectors::Avx2),
        ("Masked", Vectors::Avx512),
    ];
    for (kernel, _) in kernels.iter().filter(|(_, least)| detected >= *least) {
        assert!(has(kernel, Memory::Cached), "{kernel}: {chosen:?}");
        if detected > Vectors::Portable {
            assert!(has(kernel, Memory::Prefetched), "{kernel}: {chosen:?}");
            let lines = ["Moves", "Copy", "Network"].contains(kernel);
            assert_eq!(has(kernel, Memory::Nontemporal), lines, "{kernel}: {chosen:?}");
        }
    }
}

/// The kernels that were chosen for elements of all sizes.
macro_rules! of_all_sizes {
    ($method:ident) => {
        of_all_sizes!($method: 1 2 3 4 8 12 16)
    };
    ($method:ident: $($size:literal)*) => {
        run_all(|case, vectors| [$(case.$method::<[u8; $size]>(vectors)),*].concat())
    };
}

#[test]
fn all_kernels_pack_the_same_bytes() {
    check_all_were_chosen(&of_all_sizes!(pack));
}

#[test]
fn all_kernels_unpack_the_same_bytes() {
    check_all_were_chosen(&of_all_sizes!(unpack));
}

#[test]
fn whole_rows_that_lie_together_are_one() {
    use crate::exec::{Redistribution, RuntimePlan};
    let plan = RuntimePlan::<u32, 3>::parse(
        [40, 8, 5],
        "(cyclic(10), *, *) onto 2",
        "(cyclic(2), *, *) onto 2",
    )
    .unwrap();
    // Two indices of the first dimension are 80 elements.
    assert_eq!(plan.packing(0).kernel().kernel, Kernel::Copy);
    let plan =
        RuntimePlan::<u32, 2>::parse([4000, 2], "(cyclic(10), *) onto 2", "(cyclic(2), *) onto 2")
            .unwrap();
    let short = if Vectors::detected() == Vectors::Avx512 {
        Kernel::Permute
    } else {
        Kernel::Moves { run: 16 }
    };
    assert_eq!(plan.packing(0).kernel().kernel, short);
}

#[test]
fn a_rank_that_holds_none_of_the_moved_section_copies_nothing() {
    use crate::exec::{Redistribution, RuntimePlan};
    for (extents, to) in [
        ([1, 1], "(*, block) onto 2 storage fortran of [2, 1] at [1, 0]"),
        ([2, 1], "(block, *) onto 3"),
    ] {
        let plan = RuntimePlan::<u32, 2>::parse(extents, "(*, *)", to).unwrap();
        for rank in 0..plan.plan().ranks() {
            let unpacking = plan.unpacking(rank);
            let mut local = vec![0; unpacking.local_len()];
            let sent: usize = unpacking.envelopes().iter().map(|envelope| envelope.len).sum();
            let message = vec![7; sent];
            let messages: Vec<&[u32]> =
                unpacking.envelopes().iter().map(|_| message.as_slice()).collect();
            unpacking.unpack(&mut local, &messages);
            assert_eq!(local.iter().sum::<u32>(), 7 * sent as u32, "{to}, rank {rank}");
        }
    }
}

#[test]
fn a_message_that_is_too_short_panics() {
    let plan = Plan::<1>::parse([10_000], "cyclic(100) onto 4", "cyclic onto 4").unwrap();
    let program = Program::new(&plan.into(), &[], Side::Source, 1);
    let extent = RowSizes { bytes: 4, unit: 1, array: 4 * program.local_len() };
    let allowed = Allowed { vectors: Vectors::detected(), nontemporal: usize::MAX };
    let row: RowKernel<ToMessages> = RowKernel::new(&program.dims[0], extent, false, allowed);
    let mut buffers: Vec<Vec<u32>> =
        program.envelopes().iter().map(|envelope| vec![0; envelope.len - 1]).collect();
    let mut messages: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| raw(buffer)).collect();
    let local = vec![0; 4 * program.local_len()];
    let pack = std::panic::AssertUnwindSafe(|| row.pack(&program.dims[0], &local, &mut messages));
    assert!(std::panic::catch_unwind(pack).is_err());
}
