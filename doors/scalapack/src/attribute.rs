//! What is kept on communicators of BLACS, until BLACS frees them: by MPI's attributes, so that a
//! handle which is used again does not find what was kept for another grid.

use crate::communicator::{Communicator, checked};
use mpi::ffi::{self, MPI_Comm};
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::OnceLock;

/// One kind of thing that is kept.
pub(crate) struct Key<T> {
    number: OnceLock<c_int>,
    kept: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    pub const fn new() -> Self {
        Self { number: OnceLock::new(), kept: PhantomData }
    }

    /// What is kept on a communicator, if anything is. Local.
    pub fn kept(&'static self, communicator: Communicator) -> Option<Rc<T>> {
        let (mut value, mut found) = (null_mut::<c_void>(), 0);
        let (number, place) = (self.number(), (&raw mut value).cast());
        // SAFETY: the communicator is alive, `new_number` made the number, which is never freed, and
        // both places outlive the call.
        let code = unsafe { ffi::MPI_Comm_get_attr(communicator.raw, number, place, &mut found) };
        checked("MPI_Comm_get_attr", code);
        let kept = value.cast_const().cast::<T>();
        // SAFETY: the number is this key's, whose attributes `keep` alone sets, to a share made by
        // `Rc::into_raw`, of this type; the library has that share until it calls `forget`.
        // Programs call BLACS from one thread, and so this.
        (found != 0).then(|| unsafe {
            Rc::increment_strong_count(kept);
            Rc::from_raw(kept)
        })
    }

    /// Keeps something on a communicator that nothing of this key is kept on. Local.
    ///
    /// What is kept last goes first, as the libraries do it.
    pub fn keep(&'static self, communicator: Communicator, value: T) -> Rc<T> {
        let made = Rc::new(value);
        let share = Rc::into_raw(Rc::clone(&made)).cast_mut().cast();
        // SAFETY: the communicator is alive, and `new_number` made the number, which is never freed;
        // the library only hands the pointer back.
        let code = unsafe { ffi::MPI_Comm_set_attr(communicator.raw, self.number(), share) };
        checked("MPI_Comm_set_attr", code);
        made
    }

    fn number(&self) -> c_int {
        *self.number.get_or_init(new_number::<T>)
    }
}

fn new_number<T>() -> c_int {
    let mut number = ffi::MPI_KEYVAL_INVALID as c_int;
    // SAFETY: both functions have the types that the library asks for, and do not unwind, since
    // functions of C's abort then; the number outlives the call.
    let code = unsafe {
        let (copy, delete) = (Some(not_copied as _), Some(forget::<T> as _));
        ffi::MPI_Comm_create_keyval(copy, delete, &mut number, null_mut())
    };
    checked("MPI_Comm_create_keyval", code);
    number
}

/// A duplicate is another communicator.
unsafe extern "C" fn not_copied(
    _: MPI_Comm,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    copied: *mut c_int,
) -> c_int {
    // SAFETY: the library passes a place of its own for the answer, which nothing else uses until
    // this returns (MPI-3.1, 6.7.2).
    unsafe { *copied = 0 };
    ffi::MPI_SUCCESS as c_int
}

/// The communicator is freed, by all of its ranks.
unsafe extern "C" fn forget<T>(_: MPI_Comm, _: c_int, kept: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: attributes of this number are shares of `Key::keep`, made by `Rc::into_raw` of this
    // type; the library deletes each once.
    drop(unsafe { Rc::from_raw(kept.cast_const().cast::<T>()) });
    ffi::MPI_SUCCESS as c_int
}
