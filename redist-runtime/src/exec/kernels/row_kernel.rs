//! Copies whole rows between a local array and messages, section by section.

use super::row_part::{Periods, Setting, parts};
use super::row_section::RowSection;
use super::{
    CopyDirection, FromMessages, Kernel, KernelChoice, MAX_PEERS, Memory, RowCode, ToMessages,
    Vectors,
};
use crate::exec::calls::CopiedBytes;
use crate::exec::transfer::Refill;
use crate::program::LoopDim;

/// Copies every row along the fastest dimension of a rank's messages.
pub(in crate::exec) struct RowKernel<D> {
    choice: KernelChoice,
    /// Sections of a row; `None` if a loop outside of the kernels copies.
    sections: Option<Periods<RowSection<D>>>,
}

/// Sizes that the choice of a kernel depends on.
#[derive(Clone, Copy)]
pub(in crate::exec) struct RowSizes {
    /// Bytes of an element.
    pub bytes: usize,
    /// Elements that always lie together and count as one.
    pub unit: usize,
    /// Bytes of the local array.
    pub array: usize,
}

impl<D: CopyDirection> RowKernel<D> {
    /// Chooses the kernel of a dimension's rows and makes its tables.
    pub fn new(dim: &LoopDim, extent: RowSizes, code: RowCode, vectors: Vectors) -> Self {
        let (peers, RowSizes { bytes, unit, array }) = (dim.peers.len(), extent);
        let element = bytes.saturating_mul(unit);
        if peers == 0 || element == 0 {
            return Self::without(Kernel::Idle, "no elements");
        }
        if dim.stride != unit {
            return Self::without(
                Kernel::Elements,
                "the messages' fastest dimension is not the local array's",
            );
        }
        if peers > MAX_PEERS {
            return Self::without(Kernel::Tiles, "more messages than cursors");
        }
        // Kernels must not use instructions that the processor lacks.
        let vectors = vectors.runnable_at_most();
        let setting = Setting { element, peers, code, vectors, array };
        let Some(parts) = parts::<D>(dim, setting) else {
            return Self::without(Kernel::Tiles, "a period of too many runs for a table");
        };
        let Some(shape) = parts.shape::<D>() else {
            return Self::without(Kernel::Idle, "no elements");
        };
        let mut choice = shape.choose();
        if choice.kernel == Kernel::Tiles {
            return Self { choice, sections: None };
        }
        let Some(sections) = parts.sections() else {
            return Self::without(Kernel::Tiles, "a period of too many bytes for a table");
        };
        if choice.is_compiled() {
            choice.memory = code.memory;
        }
        Self { choice, sections: Some(sections) }
    }

    /// Leaves copies, if any, to other loops.
    pub fn without(kernel: Kernel, reason: &'static str) -> Self {
        let choice = KernelChoice { kernel, memory: Memory::Cached, reason };
        Self { choice, sections: None }
    }

    pub fn copies(&self) -> bool {
        self.sections.is_some()
    }

    pub fn choice(&self) -> KernelChoice {
        self.choice
    }

    #[cfg(test)]
    pub fn sections(&self) -> usize {
        self.all().map_or(0, Iterator::count)
    }

    /// Lists sections in array order, with each one's first byte; `None` if another loop copies.
    fn all(&self) -> Option<impl Iterator<Item = (usize, &RowSection<D>)>> {
        let Periods { period, count, rest } = self.sections.as_ref()?;
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
    /// Packs a row from the start of `local`, and calls `packed` after each section with its bytes.
    /// Returns `false` if another loop must copy. Adds to the counters in place, because moving a
    /// just stored count as part of a larger value would wait for all earlier stores.
    pub fn pack<'m>(
        &self,
        local: &[u8],
        messages: &mut [&'m mut [u8]],
        mut packed: impl FnMut(usize, &[&'m mut [u8]]),
        copied: &mut CopiedBytes,
    ) -> bool {
        let Some(sections) = self.all() else { return false };
        for (at, section) in sections {
            section.pack(&local[at..], messages, copied);
            packed(section.span(), messages);
        }
        true
    }
}

impl RowKernel<FromMessages> {
    /// Unpacks a row from its messages, which begin with `first`. Asks `refill` for missing parts;
    /// returns `false` when none is left. Without `refill`, the messages are whole. Returns
    /// `None` if another loop must copy.
    pub fn unpack<'m>(
        &self,
        local: &mut [u8],
        (first, messages): (usize, &mut [&'m [u8]]),
        mut refill: Option<&mut Refill<'_, 'm>>,
        copied: &mut CopiedBytes,
    ) -> Option<bool> {
        for (at, section) in self.all()? {
            if let Some(refill) = &mut refill {
                for (number, bytes) in section.takes_of_messages().enumerate() {
                    let message = &mut messages[number];
                    if message.len() < bytes && !refill(first + number, message, bytes) {
                        return Some(false);
                    }
                }
            }
            section.unpack(&mut local[at..], messages, copied);
        }
        Some(true)
    }
}
