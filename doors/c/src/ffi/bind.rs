//! Plans become bound plans, and end.
//!
//! Unsafe, since C passes pointers and communicators.

use super::plan::Plan;
use crate::bound::{Bound, told};
use crate::communicator::{communicator, from_fortran};
use crate::element::named;
use crate::guard::guarded;
use crate::options::{Options, applied};
use crate::pointers::{put_handle, reference, taken, text};
use crate::status::{Refusal, Status};
use mpi::ffi::MPI_Comm;
use redist::exec::AnyBinder;
use std::ffi::c_char;

/// Checks the plan with all ranks of a communicator, and allocates what moves need. Collective: ranks
/// that hold nothing call it, too, and what is wrong on one rank fails on all. `element` is the type of
/// the array's elements, the same on all ranks: "f32", "f64", "c32", "c64" (complex numbers of two of
/// these), "i8" to "i128", "u8" to "u128", "f16", "bf16", or "[u8; 24]" for any 24 bytes. `options` may
/// be NULL. The communicator may be freed afterwards, and the plan; what is bound is to be freed by
/// `redist_bound_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind(
    plan: *const Plan,
    element: *const c_char,
    communicator: MPI_Comm,
    options: *const Options,
    bound: *mut *mut Bound,
) -> Status {
    // SAFETY: the header says of the pointers and of the communicator what `bind` asks for.
    guarded(|| unsafe { bind(plan, element, communicator, options, bound) })
}

/// As `redist_bind`, with a communicator as Fortran's integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind_f(
    plan: *const Plan,
    element: *const c_char,
    communicator: i32,
    options: *const Options,
    bound: *mut *mut Bound,
) -> Status {
    // SAFETY: the header says of the pointers and of the communicator, once it is C's, what `bind` asks
    // for.
    guarded(|| unsafe { bind(plan, element, from_fortran(communicator)?, options, bound) })
}

/// # Safety
/// Pointers are NULL or to what `redist_bind` names, which nothing writes to while this runs; the
/// communicator is alive.
unsafe fn bind(
    plan: *const Plan,
    element: *const c_char,
    handle: MPI_Comm,
    options: *const Options,
    bound: *mut *mut Bound,
) -> Result<(), Refusal> {
    // SAFETY: the caller says that the communicator is alive, or MPI_COMM_NULL.
    let communicator = unsafe { communicator(handle) }?;
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
        // SAFETY: the header says that bound plans come from `redist_bind`, which has `put_handle` put
        // them, and are freed but once, after their last use.
        unsafe {
            reference(bound, "bound")?.check_thread()?;
            drop(taken(bound));
        }
        Ok(())
    })
}
