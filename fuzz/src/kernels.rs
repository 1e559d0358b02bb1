//! Kernels of all instruction sets against the simulator, and between threads.

use crate::case::{Limits, case};
use crate::copies;
use arbitrary::{Result, Unstructured};
use redist::exec::{Binder, Vectors};
use redist::{Element, Redistribution, Side, TypedPlan, threads};
use redist_testing::array::{Messages, messages};
use redist_testing::strategies::Case;
use redist_testing::tabled::Tabled;
use std::fmt::Debug;

/// The library falls back to the processor's own.
const VECTORS: [Vectors; 4] = [Vectors::Portable, Vectors::Sse2, Vectors::Avx2, Vectors::Avx512];

/// Elements around each array that must stay untouched.
const AROUND: usize = 16;

/// Settings of a run.
#[derive(Clone, Copy, Debug)]
struct Setting {
    vectors: Vectors,
    /// Bytes that arrays begin behind an aligned address.
    shift: usize,
    /// `true` if plans have window tables.
    with_tables: bool,
}

pub fn check_bytes(bytes: &[u8]) -> Result<()> {
    let mut bytes = Unstructured::new(bytes);
    let how = bytes.arbitrary::<u16>()?;
    let setting = Setting {
        vectors: VECTORS[usize::from(how & 3)],
        shift: usize::from(how >> 3 & 3),
        with_tables: how & 32 != 0,
    };
    match (how >> 6 & 31, how >> 11 & 7) {
        (0, width) => between_threads(&mut bytes, width),
        (1, _) => direct(&mut bytes),
        (dimensions, width) if dimensions < 24 => sized::<1>(&mut bytes, setting, width),
        (_, width) => sized::<2>(&mut bytes, setting, width),
    }
}

fn direct(bytes: &mut Unstructured<'_>) -> Result<()> {
    let tile = bytes.int_in_range(1..=200usize)?;
    match bytes.int_in_range(0..=2u8)? {
        0 => copies::check(&case::<1>(bytes, Limits::small(1))?, tile),
        1 => copies::check(&case::<2>(bytes, Limits::small(2))?, tile),
        _ => copies::check(&case::<3>(bytes, Limits::small(3))?, tile),
    }
    Ok(())
}

fn sized<const D: usize>(bytes: &mut Unstructured<'_>, setting: Setting, width: u16) -> Result<()> {
    let case = case::<D>(bytes, Limits::long(D))?;
    match width {
        0 => moved::<1, D>(&case, setting),
        1 => moved::<2, D>(&case, setting),
        2 => moved::<3, D>(&case, setting),
        3 => moved::<4, D>(&case, setting),
        4 | 5 => moved::<8, D>(&case, setting),
        6 => moved::<12, D>(&case, setting),
        _ => moved::<16, D>(&case, setting),
    }
    Ok(())
}

fn tag<const W: usize>(rank: usize, offset: usize) -> [u8; W] {
    core::array::from_fn(|byte| (offset * 31 + byte * 7 + (offset >> 8) + rank * 13) as u8 & 0x7f)
}

/// Byte of every element that nothing has written.
const UNTOUCHED: u8 = 0xa5;

fn moved<const W: usize, const D: usize>(case: &Case<D>, setting: Setting)
where
    [u8; W]: Element + Debug,
{
    let dealt = messages(case.extents, &case.from, &case.to);
    let plan = Tabled::<[u8; W], D>::new(case.plan(), setting.with_tables);
    for rank in 0..case.plan().ranks() {
        let of_rank = OfRank { plan: &plan, rank, dealt: &dealt, setting };
        of_rank.packed();
        of_rank.unpacked();
    }
}

/// One rank's packing or unpacking to check.
struct OfRank<'a, const W: usize, const D: usize> {
    /// The plan, with or without tables.
    plan: &'a Tabled<[u8; W], D>,
    /// The rank.
    rank: usize,
    dealt: &'a Messages,
    setting: Setting,
}

/// An array with untouched elements around it.
struct Guarded<T> {
    elements: Vec<T>,
    /// Elements before the array.
    begins: usize,
    /// Elements of the array.
    len: usize,
}

impl<const W: usize> Guarded<[u8; W]> {
    fn new(len: usize, shift: usize) -> Self {
        let elements = vec![[UNTOUCHED; W]; len + 2 * AROUND];
        Self { elements, begins: AROUND - shift, len }
    }

    fn message(&mut self) -> &mut [[u8; W]] {
        &mut self.elements[self.begins..self.begins + self.len]
    }

    fn check_around(&self) {
        let (before, rest) = self.elements.split_at(self.begins);
        let mut around = before.iter().chain(&rest[self.len..]);
        assert!(around.all(|element| *element == [UNTOUCHED; W]), "written around a message");
    }
}

impl<const W: usize, const D: usize> OfRank<'_, W, D>
where
    [u8; W]: Element + Debug,
{
    fn binder(&self) -> Binder<'_, Tabled<[u8; W], D>, D> {
        self.plan.binder().max_vectors(self.setting.vectors)
    }

    fn message(&self, from: usize, to: usize) -> &[(usize, usize)] {
        self.dealt.get(&(from, to)).map_or(&[][..], Vec::as_slice)
    }

    fn packed(&self) {
        let Self { rank, setting, .. } = *self;
        let packing = self.binder().packing(rank);
        let local: Vec<[u8; W]> = (0..packing.local_len()).map(|at| tag(rank, at)).collect();
        let envelopes = packing.envelopes().to_vec();
        let mut buffers: Vec<_> =
            envelopes.iter().map(|envelope| Guarded::new(envelope.len, setting.shift)).collect();
        let mut slices: Vec<_> = buffers.iter_mut().map(Guarded::message).collect();
        packing.pack(&local, &mut slices);
        for (envelope, buffer) in envelopes.iter().zip(&mut buffers) {
            let message = self.message(rank, envelope.rank);
            let expected: Vec<[u8; W]> =
                message.iter().map(|element| tag(rank, element.0)).collect();
            let (kernel, peer) = (packing.kernel(), envelope.rank);
            assert_eq!(buffer.message(), expected, "{rank} to {peer}, {kernel}, {setting:?}");
            buffer.check_around();
        }
    }

    fn unpacked(&self) {
        let Self { rank, setting, .. } = *self;
        let unpacking = self.binder().unpacking(rank);
        let mut expected = vec![[UNTOUCHED; W]; unpacking.local_len()];
        let mut buffers = Vec::new();
        for envelope in unpacking.envelopes() {
            let mut buffer = Guarded::new(envelope.len, setting.shift);
            let message = self.message(envelope.rank, rank);
            for (element, (source, destination)) in buffer.message().iter_mut().zip(message) {
                *element = tag(envelope.rank, *source);
                expected[*destination] = *element;
            }
            buffers.push(buffer);
        }
        let slices: Vec<&[[u8; W]]> = buffers.iter_mut().map(|buffer| &*buffer.message()).collect();
        let mut local = Guarded::new(unpacking.local_len(), setting.shift);
        unpacking.unpack(local.message(), &slices);
        assert_eq!(local.message(), expected, "to {rank}, {}, {setting:?}", unpacking.kernel());
        local.check_around();
        local.message().fill([UNTOUCHED; W]);
        for (number, slice) in slices.iter().enumerate().rev() {
            unpacking.unpack_message(local.message(), number, slice);
        }
        assert_eq!(local.message(), expected, "to {rank}, message by message, {setting:?}");
        local.check_around();
    }
}

/// Threads take long to start: this runs seldom and with few.
fn between_threads(bytes: &mut Unstructured<'_>, width: u16) -> Result<()> {
    let limits = Limits { ranks: 3, ..Limits::long(1) };
    let case = case::<1>(bytes, limits)?;
    match width {
        0..=3 => exchanged::<1, 1>(&case),
        4 | 5 => exchanged::<8, 1>(&case),
        _ => exchanged::<12, 1>(&case),
    }
    Ok(())
}

fn exchanged<const W: usize, const D: usize>(case: &Case<D>)
where
    [u8; W]: Element + Debug,
{
    let (plan, dealt) = (case.plan(), messages(case.extents, &case.from, &case.to));
    let len = |side, rank| plan.descriptor(side).local_len(rank);
    let arrays = threads::run(plan.ranks(), |communicator| {
        let rank = communicator.rank();
        let mut bound = TypedPlan::<[u8; W], D>::from(plan).bind(communicator)?;
        let source: Vec<[u8; W]> = (0..len(Side::Source, rank)).map(|at| tag(rank, at)).collect();
        let mut destination = vec![[UNTOUCHED; W]; len(Side::Destination, rank)];
        bound.run(&source, &mut destination)?;
        Ok::<_, redist::Error>(destination)
    });
    for (rank, array) in arrays.expect("all ranks bring the same").into_iter().enumerate() {
        let mut expected = vec![[UNTOUCHED; W]; len(Side::Destination, rank)];
        for ((source, _), message) in dealt.iter().filter(|((_, to), _)| *to == rank) {
            for (from, to) in message {
                expected[*to] = tag(*source, *from);
            }
        }
        assert_eq!(array, expected, "to {rank}, {case:?}");
    }
}
