//! A program copied by every kernel and by the plain engine.

use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::exec::calls::CopiedBytes;
use crate::exec::combine::{UnpackTo, Unpacker};
use crate::exec::engine::run_row;
use crate::exec::kernels::{
    FromMessages, KernelChoice, Memory, RowKernel, RowSizes, ToMessages, Vectors, WrittenStep,
};
use crate::exec::transfer::{Packer, Whole};
use crate::program::{LoopDim, Program};

const GUARD: u8 = 0xA5;

const BEFORE: usize = 32;

pub fn raw<T: Element>(elements: &mut [T]) -> &mut [u8] {
    // SAFETY: tests move numbers and arrays of numbers, for which any bytes are valid.
    unsafe { bytes_of_mut(elements) }
}

fn guarded<T: Copy>(len: usize, around: T) -> Vec<T> {
    vec![around; BEFORE + len + BEFORE / 2]
}

const REACHES: [Memory; 2] = [Memory::Cached, Memory::Prefetched];

fn sizes(memory: Memory, bytes: usize, local_len: usize) -> RowSizes {
    let array = if memory == Memory::Prefetched { usize::MAX - 1 } else { bytes * local_len };
    RowSizes { bytes, unit: 1, array }
}

pub trait Tagged: Element + PartialEq + core::fmt::Debug {
    const GUARDED: Self;
    const REACHES: &'static [Memory];
    fn tag(index: usize) -> Self;
}

macro_rules! tagged {
    ($($size:literal: $reaches:literal),*) => {$(
        impl Tagged for [u8; $size] {
            const GUARDED: Self = [GUARD; $size];
            const REACHES: &'static [Memory] = REACHES.split_at($reaches).0;
            fn tag(index: usize) -> Self {
                core::array::from_fn(|byte| (index * 31 + byte * 7 + (index >> 8)) as u8 & 0x7f)
            }
        }
    )*};
}
tagged!(1: 1, 2: 1, 3: 1, 4: 2, 8: 2, 12: 1, 16: 2);

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

    pub fn pack<T: Tagged>(
        &self,
        vectors: Vectors,
        written: &'static [WrittenStep],
    ) -> Vec<KernelChoice> {
        let local: Vec<T> = (0..self.program.local_len()).map(T::tag).collect();
        let expected = self.packed(&local, None);
        let packed_by = |memory: &Memory| {
            let extent = sizes(*memory, size_of::<T>(), self.program.local_len());
            let row: RowKernel<ToMessages> = RowKernel::new(self.dim(), extent, written, vectors);
            let found = self.packed(&local, Some(&row));
            assert_eq!(found, expected, "{}: {vectors}, {}", self.name, row.choice());
            row.choice()
        };
        T::REACHES.iter().map(packed_by).collect()
    }

    fn packed<T: Tagged>(&self, local: &[T], row: Option<&RowKernel<ToMessages>>) -> Vec<Vec<T>> {
        let lens = self.lens();
        let mut buffers: Vec<Vec<T>> = lens.iter().map(|&len| guarded(len, T::GUARDED)).collect();
        let mut messages: Vec<&mut [u8]> = buffers
            .iter_mut()
            .zip(&lens)
            .map(|(buffer, len)| raw(&mut buffer[BEFORE..BEFORE + len]))
            .collect();
        let first = self.dim().start;
        let done = row.is_some_and(|row| {
            let (local, copied) = (bytes_of(&local[first..]), &mut CopiedBytes::default());
            row.pack(local, &mut messages, |_, _| (), copied)
        });
        if !done {
            let (local, messages) = (bytes_of(local), &mut messages[..]);
            let packer = &mut Packer { local, messages, width: size_of::<T>() };
            run_row(packer, self.dim(), first, 0);
        }
        assert!(messages.iter().all(|message| message.is_empty()), "{}: all was taken", self.name);
        buffers
    }

    pub fn unpack<T: Tagged>(
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
        let expected = self.unpacked(&buffers, None);
        let unpacked_by = |memory: &Memory| {
            let extent = sizes(*memory, size_of::<T>(), self.program.local_len());
            let row: RowKernel<FromMessages> = RowKernel::new(self.dim(), extent, written, vectors);
            let found = self.unpacked(&buffers, Some(&row));
            assert_eq!(found, expected, "{}: {vectors}, {}", self.name, row.choice());
            row.choice()
        };
        T::REACHES.iter().map(unpacked_by).collect()
    }

    fn unpacked<T: Tagged>(
        &self,
        buffers: &[Vec<T>],
        row: Option<&RowKernel<FromMessages>>,
    ) -> Vec<T> {
        let mut local = guarded(self.program.local_len(), T::GUARDED);
        let (inside, first) = (&mut local[BEFORE..], self.dim().start);
        let mut messages: Vec<&[u8]> = buffers.iter().map(|buffer| bytes_of(buffer)).collect();
        let done = row.and_then(|row| {
            let (to, copied) = (raw(&mut inside[first..]), &mut CopiedBytes::default());
            row.unpack(to, (0, &mut messages), &mut Whole, copied)
        });
        if done.is_none() {
            let (to, width) = (&mut UnpackTo::Array(raw(inside)), size_of::<T>());
            let (messages, refill) = (&mut messages, &mut Whole);
            let unpacker = &mut Unpacker { to, messages, refill, width, is_over: false };
            run_row(unpacker, self.dim(), first, 0);
        }
        assert!(messages.iter().all(|message| message.is_empty()), "{}: all was taken", self.name);
        local
    }
}
