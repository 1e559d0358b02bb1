//! Plans become bound plans, and end.
//!
//! Unsafe, since C passes pointers and communicators.

use super::plan::Plan;
use crate::bound::{Bound, told};
use crate::communicator::{Brought, Handle, communicator};
use crate::element::named;
use crate::guard::guarded;
use crate::options::{Options, applied};
use crate::pointers::{put_handle, reference, taken, text};
use crate::status::{Refusal, Status};
use redist::exec::AnyBinder;
use std::ffi::{c_char, c_void};

/// As `redist_bind`, which calls this, for callers that have no header of MPI's: the handle of C
/// lies at `communicator`, in so many bytes. `library` is what `MPI_Get_library_version` says to the
/// caller, which is compared with what it says to this library; NULL where that is not to be
/// compared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind_place(
    plan: *const Plan,
    element: *const c_char,
    communicator: *const c_void,
    bytes: usize,
    library: *const c_char,
    options: *const Options,
    bound: *mut *mut Bound,
) -> Status {
    let brought = Brought { handle: Handle::Place(communicator, bytes), library };
    // SAFETY: the header says of the pointers and of the communicator what `bind` asks for.
    guarded(|| unsafe { bind(plan, element, brought, options, bound) })
}

/// As `redist_bind_place`, with a communicator as Fortran's integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind_number(
    plan: *const Plan,
    element: *const c_char,
    communicator: i32,
    library: *const c_char,
    options: *const Options,
    bound: *mut *mut Bound,
) -> Status {
    let brought = Brought { handle: Handle::Number(communicator), library };
    // SAFETY: the header says of the pointers and of the communicator what `bind` asks for.
    guarded(|| unsafe { bind(plan, element, brought, options, bound) })
}

/// # Safety
/// Pointers are NULL or to what the functions name, which nothing writes to while this runs; the
/// communicator is alive, or none.
unsafe fn bind(
    plan: *const Plan,
    element: *const c_char,
    brought: Brought,
    options: *const Options,
    bound: *mut *mut Bound,
) -> Result<(), Refusal> {
    // SAFETY: the caller says that the communicator is alive, or none.
    let communicator = unsafe { communicator(brought) }?;
    // SAFETY: the caller says of the pointers what `binder` asks for.
    let binder = unsafe { binder(plan, element, options) };
    let binder = binder.and_then(|binder| match bound.is_null() {
        true => Err(Refusal::null("bound")),
        false => Ok(binder),
    });
    match binder {
        // SAFETY: it is not NULL, and the caller says that it is a place for a handle.
        Ok(binder) => unsafe {
            put_handle(bound, Bound::new(binder.bind(&communicator)?), "bound")
        },
        Err(refusal) => {
            // The other ranks wait for this one.
            AnyBinder::decline(&communicator, told("a plan", &refusal));
            Err(refusal)
        }
    }
}

/// # Safety
/// Pointers are NULL or to what `redist_bind` names, which nothing writes to while this runs.
unsafe fn binder(
    plan: *const Plan,
    element: *const c_char,
    options: *const Options,
) -> Result<AnyBinder, Refusal> {
    // SAFETY: the caller says that there are a plan, a text that ends with a zero, and options whose
    // lists have an entry for each dimension, where pointers are not NULL.
    unsafe {
        let plan = &reference(plan, "plan")?.0;
        let element = named(text(element, "element")?)?;
        applied(options, plan.extents().len(), plan.binder(element))
    }
}

/// Frees what is bound, on the thread that it was bound on; waits for the other ranks only where a move
/// is under way. It may be called after `MPI_Finalize`. NULL is left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bound_free(bound: *mut Bound) -> Status {
    guarded(|| {
        if bound.is_null() {
            return Ok(());
        }
        // SAFETY: the header says that bound plans come from `bind`, which has `put_handle` put
        // them, and are freed but once, after their last use.
        unsafe {
            reference(bound, "bound")?.check_thread()?;
            drop(taken(bound));
        }
        Ok(())
    })
}
