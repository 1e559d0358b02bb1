//! Arrays in memory that the ranks of a node share.
//!
//! Unsafe, since elements are made of memory of MPI's.

use super::ranks;
use super::shared::{PAGE, SharedBytes};
use crate::element::{Element, ElementType};
use crate::error::Error;
use redist_mpi::AsCommunicator;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::slice;

/// A rank's own array, in memory that the other ranks of its node can read and write: `[T]`, like
/// any other.
///
/// [`Bound::run`](crate::exec::Bound::run) moves from it without messages where all ranks are on
/// one node: every rank copies its part straight from the others' arrays, once. Between two of them
/// the ranks divide what is to be copied.
///
/// - Every rank has its own part, of a length of its own, and is the only one to use it at any time
///   but inside of a move, which borrows it, mutably if others write to it. So there are no epochs
///   or fences to keep.
/// - The memory is of a window of MPI (`MPI_Win_allocate_shared`): as fast as any other, but taken
///   from where the operating system keeps shared memory, which containers often limit
///   (`/dev/shm`). It is filled with zeros.
/// - Making one is collective, like a communicator. The memory is given back when all ranks have
///   dropped their parts, and bind a plan or make an array next; or with the communicator. One that
///   still lives when MPI is finalised aborts the job: slices of it would be of memory that is gone.
pub struct SharedArray<T: Element> {
    bytes: SharedBytes,
    element: PhantomData<T>,
}

impl<T: Element> SharedArray<T> {
    /// `len` elements for this rank, all zero. Collective; every rank names a length of its own.
    ///
    /// # Errors
    /// What the library says, or that the memory is too much for it: on every rank.
    pub fn new(communicator: &impl AsCommunicator, len: usize) -> Result<Self, Error> {
        let context = ranks::context(communicator)?;
        Ok(Self::of(SharedBytes::new(&context, ElementType::of::<T>(), Ok(len))?))
    }

    /// Elements in memory that was made for as many of them.
    pub(crate) fn of(mut bytes: SharedBytes) -> Self {
        const { assert!(align_of::<T>() <= PAGE, "elements are not aligned to more than a page") };
        let elements = bytes.bytes_mut();
        let (first, len) = (elements.as_mut_ptr().cast::<T>(), elements.len() / size_of::<T>());
        for index in 0..len {
            // SAFETY: there is room for `len` elements, which `bytes_mut` has borrowed exclusively,
            // at a place that `SharedBytes::new` has aligned for elements of this type.
            unsafe { first.add(index).write(T::ZERO) };
        }
        Self { bytes, element: PhantomData }
    }

    /// The memory that it lies in.
    pub(crate) fn bytes(&self) -> &SharedBytes {
        &self.bytes
    }

    /// The memory that it lies in; what is written there has to be whole elements.
    pub(crate) fn bytes_mut(&mut self) -> &mut SharedBytes {
        &mut self.bytes
    }
}

impl<T: Element> Deref for SharedArray<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let bytes = self.bytes.bytes();
        // SAFETY: `of` has written whole elements to all these bytes, which `SharedBytes::new` has
        // aligned for them; moves write whole elements, too. They are borrowed as long as `self`.
        unsafe { slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) }
    }
}

impl<T: Element> DerefMut for SharedArray<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let bytes = self.bytes.bytes_mut();
        // SAFETY: `of` has written whole elements to all these bytes, which `SharedBytes::new` has
        // aligned for them; moves write whole elements, too. They are borrowed exclusively as long
        // as `self`.
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
