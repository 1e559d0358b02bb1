//! Kinds of values that communicators keep: attributes, as the standard has them for libraries.
//! Unsafe, because the library keeps pointers, and calls back when a communicator is freed.

use crate::constant::Constant;
use crate::error::Error;
use crate::handle::{Comm, Handle};
use crate::library::Library;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

/// A value that a communicator can keep.
pub trait Attribute: Send + Sync + 'static {
    /// Runs when the communicator is freed, or MPI is finalised. Calls of MPI may still be made. A
    /// panic here ends the process.
    fn deleted(self: Arc<Self>) {}
}

/// One kind of value that communicators keep; a `static`. Duplicates do not have the values.
#[derive(Debug)]
pub struct Key<T> {
    number: Mutex<Option<c_int>>,
    kept: PhantomData<fn() -> T>,
}

impl<T> Default for Key<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Key<T> {
    /// Makes a key.
    pub const fn new() -> Self {
        Self { number: Mutex::new(None), kept: PhantomData }
    }
}

impl<T: Attribute> Key<T> {
    /// Keeps a value on a communicator until it is freed. Replaces a value of the same key. Local.
    ///
    /// # Safety
    /// The communicator is alive.
    pub(crate) unsafe fn keep_on(
        &'static self,
        (library, communicator): (&Library, Handle<Comm>),
        value: Arc<T>,
    ) -> Result<(), Error> {
        let number = self.number(library)?;
        let share = Arc::into_raw(value).cast_mut().cast();
        // SAFETY: the communicator is alive, and `new_number` made the number, which is never
        // freed. The library only returns the pointer.
        unsafe { library.functions.MPI_Comm_set_attr(communicator, number, share) }?;
        Ok(())
    }

    pub(crate) fn number(&self, library: &Library) -> Result<c_int, Error> {
        let mut known = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        match *known {
            Some(number) => Ok(number),
            None => Ok(*known.insert(new_number::<T>(library)?)),
        }
    }
}

/// Makes a key. MPI is initialised, because a communicator exists.
fn new_number<T: Attribute>(library: &Library) -> Result<c_int, Error> {
    let [copy, delete] = match library.is_narrow {
        true => [not_copied::<c_int> as *const c_void, deleted::<c_int, T> as *const c_void],
        false => [not_copied::<usize> as *const c_void, deleted::<usize, T> as *const c_void],
    };
    let mut number = library.number(Constant::KEYVAL_INVALID);
    // SAFETY: both functions have the types that the library asks for, with handles of its width.
    // They do not unwind, because functions of C's abort then. The number outlives the call.
    unsafe { library.functions.MPI_Comm_create_keyval(copy, delete, &mut number, null_mut()) }?;
    Ok(number)
}

/// Copies no value to duplicates of a communicator. `H` is a handle.
unsafe extern "C" fn not_copied<H>(
    _: H,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    copied: *mut c_int,
) -> c_int {
    // SAFETY: the library passes a place of its own for the answer, which nothing else uses until
    // this returns (MPI 3.1, 6.7.2).
    unsafe { *copied = 0 };
    0
}

/// Drops the share that the library returns. `H` is a handle.
unsafe extern "C" fn deleted<H, T: Attribute>(
    _: H,
    _: c_int,
    value: *mut c_void,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the key is one of `T`, so the value is a share that `keep_on` made by `Arc::into_raw`
    // of this type. The library deletes it once.
    unsafe { Arc::from_raw(value.cast_const().cast::<T>()) }.deleted();
    0
}
