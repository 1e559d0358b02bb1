//! Sharing of arrays with other ranks, so that all copy from array to array. Unsafe, because no
//! lifetime says that other threads use slices until they have left. [`Slot`] keeps slices as
//! pointers; [`LentArrays`](crate::transport::LentArrays) makes slices of them again.

use crate::transport::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::cell::UnsafeCell;
use std::ptr;

#[derive(Debug)]
struct ShownSlice {
    pointer: AtomicPtr<u8>,
    len: AtomicUsize,
}

impl Default for ShownSlice {
    fn default() -> Self {
        Self { pointer: AtomicPtr::new([].as_mut_ptr()), len: AtomicUsize::new(0) }
    }
}

impl ShownSlice {
    fn show(&self, pointer: *mut u8, len: usize) {
        self.pointer.store(pointer, Ordering::Relaxed);
        self.len.store(len, Ordering::Relaxed);
    }

    fn parts(&self) -> (*mut u8, usize) {
        (self.pointer.load(Ordering::Relaxed), self.len.load(Ordering::Relaxed))
    }
}

#[derive(Debug, Default)]
pub(super) struct Slot {
    source: ShownSlice,
    destination: ShownSlice,
}

impl Slot {
    pub fn show(&self, source: &[u8], destination: &mut [u8]) {
        self.source.show(source.as_ptr().cast_mut(), source.len());
        self.destination.show(destination.as_mut_ptr(), destination.len());
    }

    pub fn source(&self) -> *const [u8] {
        let (pointer, len) = self.source.parts();
        ptr::slice_from_raw_parts(pointer, len)
    }

    /// Returns the last destination; an `UnsafeCell` has the layout of its content.
    pub fn destination(&self) -> *const [UnsafeCell<u8>] {
        let (pointer, len) = self.destination.parts();
        ptr::slice_from_raw_parts(pointer.cast(), len)
    }
}
