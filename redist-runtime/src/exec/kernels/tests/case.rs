//! A program and what every kernel makes of it, beside what the plain engine makes.

use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::exec::calls::CopiedBytes;
use crate::exec::engine::run_row;
use crate::exec::kernels::{
    Allowed, FromMessages, KernelChoice, Memory, RowKernel, RowSizes, ToMessages, Vectors,
    WrittenStep,
};
use crate::exec::transfer::Whole;
use crate::exec::transfer::{Packer, Unpacker};
use crate::exec::width::{AnyWidth, with_width};
use crate::program::{LoopDim, Program};

/// What lies around messages and is not to be touched.
const GUARD: u8 = 0xA5;

/// Elements in front of what is guarded; half of them come after it.
const BEFORE: usize = 32;

/// The bytes of elements, to be overwritten.
pub fn raw<T: Element>(elements: &mut [T]) -> &mut [u8] {
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
pub struct Reach {
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
pub trait Tagged: Element + PartialEq + core::fmt::Debug {
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

pub struct Case {
    pub program: Program,
    pub name: String,
}

impl Case {
    pub fn dim(&self) -> &LoopDim {
        self.program.dims.last().unwrap()
    }

    pub fn lens(&self) -> Vec<usize> {
        self.program.envelopes().iter().map(|envelope| envelope.len).collect()
    }

    pub fn pack<T: Tagged>(&self, vectors: Vectors) -> Vec<KernelChoice> {
        self.pack_with::<T>(vectors, &[])
    }

    /// With what the compiler has written.
    pub fn pack_with<T: Tagged>(
        &self,
        vectors: Vectors,
        written: &'static [WrittenStep],
    ) -> Vec<KernelChoice> {
        let local: Vec<T> = (0..self.program.local_len()).map(T::tag).collect();
        let expected = self.packed(&local, None, BEFORE);
        let packed_by = |reach: &Reach| {
            let (extent, allowed) =
                reach.setting(size_of::<T>(), self.program.local_len(), vectors);
            let row: RowKernel<ToMessages> = RowKernel::new(self.dim(), extent, written, allowed);
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
        let done = row.is_some_and(|row| {
            let (local, copied) = (bytes_of(&local[first..]), &mut CopiedBytes::default());
            row.pack(self.dim(), local, &mut messages, |_, _| (), copied)
        });
        if !done {
            let (local, messages) = (bytes_of(local), &mut messages[..]);
            with_width!(size_of::<T>(), width => {
                run_row(&mut Packer { local, messages, width }, self.dim(), first, 0)
            });
        }
        assert!(messages.iter().all(|message| message.is_empty()), "{}: all was taken", self.name);
        drop(row.map(|row| row.fence()));
        buffers.iter_mut().for_each(|buffer| buffer.rotate_left(start));
        buffers
    }

    pub fn unpack<T: Tagged>(&self, vectors: Vectors) -> Vec<KernelChoice> {
        self.unpack_with::<T>(vectors, &[])
    }

    /// With what the compiler has written.
    pub fn unpack_with<T: Tagged>(
        &self,
        vectors: Vectors,
        written: &'static [WrittenStep],
    ) -> Vec<KernelChoice> {
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
            let row: RowKernel<FromMessages> = RowKernel::new(self.dim(), extent, written, allowed);
            let found = self.unpacked(&buffers, Some(&row), reach.start());
            assert_eq!(found, expected, "{}: {vectors}, {}", self.name, row.choice());
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
        if !row.is_some_and(|row| {
            let (to, copied) = (raw(&mut inside[first..]), &mut CopiedBytes::default());
            row.unpack(self.dim(), to, (0, &mut messages), &mut Whole, copied)
        }) {
            // By a width that the compiler does not know, unlike packing.
            let (local, width) = (raw(inside), AnyWidth(size_of::<T>()));
            run_row(&mut Unpacker { local, messages: &mut messages, width }, self.dim(), first, 0);
        }
        assert!(messages.iter().all(|message| message.is_empty()), "{}: all was taken", self.name);
        drop(row.map(|row| row.fence()));
        local.rotate_left(start);
        local
    }
}
