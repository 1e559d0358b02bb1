//! Arrays that the ranks of a node share. Unsafe, because elements are made of
//! shared memory's bytes.

use super::ranks;
use super::shared::SharedBytes;
use crate::element::{Element, ElementType};
use crate::error::Error;
use crate::transport::slots::PAGE;
use crate::transport::wire::array_head;
use redist_mpi::AsCommunicator;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::slice;

/// A rank's own array, which the other ranks of its node can read and write. It derefs to `[T]`.
///
/// If all ranks are on one node, [`Bound::run`](crate::exec::Bound::run) moves from it without
/// messages: every rank copies its part once, straight from the other ranks' arrays. Between two
/// shared arrays the ranks divide the copying.
///
/// - Every rank has a part of its own length, which only it uses outside of moves. A move borrows
///   the part, mutably if other ranks write to it. So no epochs or fences are needed.
/// - The memory is POSIX shared memory, filled with zeros, which containers often limit
///   (`/dev/shm`). It has no name when this returns: a job that is killed leaves nothing behind.
/// - Making one is collective, like a communicator. Dropping waits for no rank. The system frees the
///   memory when all ranks have dropped their parts and have next made an array. An array may outlive
///   its communicator, and MPI.
pub struct SharedArray<T: Element> {
    bytes: SharedBytes,
    element: PhantomData<T>,
}

impl<T: Element> SharedArray<T> {
    /// Makes an array of `len` zeros on this rank. Collective; each rank passes its own length.
    ///
    /// # Errors
    /// The MPI library fails, or there is too little memory: on every rank.
    pub fn new(communicator: &impl AsCommunicator, len: usize) -> Result<Self, Error> {
        let mut numbers = array_head();
        let context = ranks::serving(communicator, &mut numbers)?;
        context.check_array(&numbers)?;
        Ok(Self::of(SharedBytes::new(context, ElementType::of::<T>(), Ok(len))?))
    }

    pub(crate) fn of(mut bytes: SharedBytes) -> Self {
        const { assert!(align_of::<T>() <= PAGE, "elements are not aligned to more than a page") };
        let elements = bytes.bytes_mut();
        let (first, len) = (elements.as_mut_ptr().cast::<T>(), elements.len() / size_of::<T>());
        for index in 0..len {
            // SAFETY: there is room for `len` elements, which `bytes_mut` has borrowed exclusively,
            // at an address that `SharedBytes::new` has aligned for this type.
            unsafe { first.add(index).write(T::ZERO) };
        }
        Self { bytes, element: PhantomData }
    }

    pub(crate) fn bytes(&self) -> &SharedBytes {
        &self.bytes
    }

    /// Returns the array's memory; only whole elements may be written to it.
    pub(crate) fn bytes_mut(&mut self) -> &mut SharedBytes {
        &mut self.bytes
    }
}

impl<T: Element> Deref for SharedArray<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let bytes = self.bytes.bytes();
        // SAFETY: `of` has written whole elements to all these bytes, and moves write whole
        // elements, too. `SharedBytes::new` has aligned the bytes for them. They are borrowed as
        // long as `self`.
        unsafe { slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) }
    }
}

impl<T: Element> DerefMut for SharedArray<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let bytes = self.bytes.bytes_mut();
        // SAFETY: `of` has written whole elements to all these bytes, and moves write whole
        // elements, too. `SharedBytes::new` has aligned the bytes for them. They are borrowed
        // exclusively as long as `self`.
        unsafe {
            slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>())
        }
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for SharedArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedArray").field(&&**self).finish()
    }
}
