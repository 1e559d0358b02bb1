//! The kernel of a row of the local array.

use super::row_part::{Periods, Setting, parts};
use super::row_section::RowSection;
use super::{
    CopyDirection, FromMessages, Kernel, KernelChoice, MAX_PEERS, Memory, ToMessages, Vectors,
    WrittenStep,
};
use crate::cache;
use crate::exec::calls::CopiedBytes;
use crate::exec::transfer::Refill;
use crate::program::LoopDim;
use std::sync::OnceLock;

/// Copies every row along the fastest dimension.
pub(in crate::exec) struct RowKernel<D> {
    choice: KernelChoice,
    short: bool,
    /// True where stores may go past the caches.
    nontemporal: bool,
    /// What sections are made for; `None` where another loop copies.
    setting: Option<Setting>,
    /// Made when a row is first copied: most plans never have messages.
    sections: OnceLock<Periods<RowSection<D>>>,
}

/// Sizes that the choice of a kernel depends on.
#[derive(Clone, Copy)]
pub(in crate::exec) struct RowSizes {
    /// Bytes of an element.
    pub bytes: usize,
    /// Elements that always lie together, and count as one.
    pub unit: usize,
    /// Bytes of the local array.
    pub array: usize,
}

/// What kernels may do.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Allowed {
    /// Instructions at most.
    pub vectors: Vectors,
    /// Bytes of a local array from which whole lines are stored past the caches.
    pub nontemporal: usize,
}

impl Allowed {
    /// Up to these instructions, as far as the processor has them; `None` for all of them. Never
    /// past the caches by `None`.
    pub fn up_to(vectors: Option<Vectors>, nontemporal: Option<usize>) -> Self {
        let vectors = vectors.map_or_else(Vectors::detected, Vectors::runnable_at_most);
        Self { vectors, nontemporal: nontemporal.unwrap_or(usize::MAX) }
    }
}

/// Mean run length from which messages hardly share cache lines of the local array.
const MIN_UNSHARED_RUN_BYTES: usize = 256;

impl<D: CopyDirection> RowKernel<D> {
    /// The kernel for the rows of a dimension; `written` is what the compiler has written for them.
    /// Tables are made when a row is first copied.
    pub fn new(
        dim: &LoopDim,
        extent: RowSizes,
        written: &'static [WrittenStep],
        allowed: Allowed,
    ) -> Self {
        let (peers, RowSizes { bytes, unit, array }) = (dim.peers.len(), extent);
        let alone = |kernel, reason| {
            Self::without_sections(KernelChoice { kernel, memory: Memory::Cached, reason }, false)
        };
        let element = bytes.saturating_mul(unit);
        if peers == 0 || element == 0 {
            return alone(Kernel::Idle, "no elements");
        }
        if dim.stride != unit {
            return alone(
                Kernel::Elements,
                "the messages' fastest dimension is not the local array's",
            );
        }
        if peers > MAX_PEERS {
            return alone(Kernel::Tiles, "more messages than cursors");
        }
        // A kernel must not use instructions that the processor lacks.
        let vectors = allowed.vectors.runnable_at_most();
        let setting =
            Setting { element, peers, written, vectors, array, nontemporal: allowed.nontemporal };
        let Some(parts) = parts::<D>(dim, setting) else {
            return alone(Kernel::Tiles, "a period of too many runs for a table");
        };
        let Some(shape) = parts.shape::<D>(setting) else {
            return alone(Kernel::Idle, "no elements");
        };
        let (choice, short) =
            (shape.choose(), shape.peers > 1 && shape.mean < MIN_UNSHARED_RUN_BYTES);
        if choice.kernel == Kernel::Tiles {
            return Self::without_sections(choice, short);
        }
        if !parts.fit::<D>(setting) {
            return alone(Kernel::Tiles, "a period of too many bytes for a table");
        }
        let nontemporal = setting.array >= setting.nontemporal;
        Self { nontemporal, setting: Some(setting), ..Self::without_sections(choice, short) }
    }

    /// For a rank that holds nothing.
    pub fn idle() -> Self {
        let choice =
            KernelChoice { kernel: Kernel::Idle, memory: Memory::Cached, reason: "no elements" };
        Self::without_sections(choice, false)
    }

    /// Rows of which only parts are copied, by other loops.
    pub fn of_parts() -> Self {
        let reason = "a trapezoid has parts of rows";
        let choice = KernelChoice { kernel: Kernel::Copy, memory: Memory::Cached, reason };
        Self::without_sections(choice, false)
    }

    fn without_sections(choice: KernelChoice, short: bool) -> Self {
        Self { choice, short, nontemporal: false, setting: None, sections: OnceLock::new() }
    }

    /// To be made before rows are copied.
    pub fn fence(&self) -> Fence {
        Fence(self.nontemporal)
    }

    /// False where another loop has to copy.
    pub fn copies(&self) -> bool {
        self.setting.is_some()
    }

    /// True where messages share cache lines of the local array.
    pub fn has_short_runs(&self) -> bool {
        self.short
    }

    /// What copies, and why.
    pub fn choice(&self) -> KernelChoice {
        self.choice
    }

    /// The sections in the order of the local array, with the bytes where each begins; `None` where
    /// another loop copies.
    fn all(&self, dim: &LoopDim) -> Option<impl Iterator<Item = (usize, &RowSection<D>)>> {
        let setting = self.setting?;
        let Periods { period, count, rest } = self.sections.get_or_init(|| {
            let sections = parts::<D>(dim, setting).and_then(|parts| parts.sections(setting));
            sections.expect("there was room for all offsets when the kernel was chosen")
        });
        let mut at = 0;
        let sections = (0..*count).flat_map(move |_| period).chain(rest);
        Some(sections.map(move |section| {
            let begin = at;
            at += section.span();
            (begin, section)
        }))
    }
}

impl RowKernel<ToMessages> {
    /// Packs a row, which begins where `local` does, into its messages, and calls `packed` after each
    /// section with the bytes of it; notes what has copied how many bytes. False where another loop
    /// has to. `dim` is the one that this was made for.
    ///
    /// What is noted is added where it is kept: a count that is stored and then moved as part of a
    /// larger value would be waited for, behind all that was stored before it.
    pub fn pack<'m>(
        &self,
        dim: &LoopDim,
        local: &[u8],
        messages: &mut [&'m mut [u8]],
        mut packed: impl FnMut(usize, &[&'m mut [u8]]),
        copied: &mut CopiedBytes,
    ) -> bool {
        let Some(sections) = self.all(dim) else { return false };
        for (at, section) in sections {
            section.pack(&local[at..], messages, copied);
            packed(section.span(), messages);
        }
        true
    }
}

impl RowKernel<FromMessages> {
    /// Unpacks a row from its messages, the first of which is number `first`; notes what has copied
    /// how many bytes. False where another loop has to. Asks `refill` for what is missing of
    /// messages, and stops where there is no more.
    pub fn unpack<'m>(
        &self,
        dim: &LoopDim,
        local: &mut [u8],
        (first, messages): (usize, &mut [&'m [u8]]),
        refill: &mut dyn Refill<'m>,
        copied: &mut CopiedBytes,
    ) -> bool {
        let Some(sections) = self.all(dim) else { return false };
        for (at, section) in sections {
            for (number, bytes) in section.takes_of_messages().enumerate() {
                let message = &mut messages[number];
                if message.len() < bytes && !refill.refill(first + number, message, bytes) {
                    return true;
                }
            }
            section.unpack(&mut local[at..], messages, copied);
        }
        true
    }
}

/// Completes nontemporal stores when it is dropped, also by a panic: threads that are told that a copy is
/// over, or has failed, see all that was stored.
#[must_use]
pub struct Fence(bool);

impl Drop for Fence {
    fn drop(&mut self) {
        if self.0 {
            cache::fence();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, Side};
    use crate::program::Program;

    /// Setup is paid once per section, and periods at its end are copied one by one.
    #[test]
    fn sections_are_long() {
        for (ranks, runs) in
            [(2, 25), (3, 25), (3, 100), (8, 100), (16, 25), (5, 333), (3, 1000), (7, 20_000)]
        {
            let (from, to) =
                (format!("cyclic({}) onto {ranks}", 3 * runs), format!("cyclic(3) onto {ranks}"));
            let plan = Plan::<1>::parse([300_000 * ranks], &from, &to).unwrap();
            let program = Program::new(&plan.into(), &[], Side::Source, 1);
            for vectors in Vectors::runnable() {
                let extent = RowSizes { bytes: 4, unit: 1, array: 4 * program.local_len() };
                let allowed = Allowed { vectors, nontemporal: usize::MAX };
                let row: RowKernel<ToMessages> =
                    RowKernel::new(&program.dims[0], extent, &[], allowed);
                let Some(sections) = row.all(&program.dims[0]) else { continue };
                let spans: Vec<usize> = sections.map(|(_, section)| section.span()).collect();
                let mean = spans.iter().sum::<usize>() / spans.len();
                assert!(mean >= 4096, "{from} -> {to}, {vectors}: {mean} bytes, {}", row.choice());
            }
        }
    }
}
