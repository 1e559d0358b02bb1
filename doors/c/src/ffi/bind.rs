//! Binds plans, and frees them. Unsafe, because C passes pointers and communicators.

use super::plan::Plan;
use crate::bound::{Bound, told};
use crate::communicator::{Brought, communicator};
use crate::element::named;
use crate::guard::guarded;
use crate::options::{Options, applied};
use crate::pointers::{put_handle, reference, taken, text};
use crate::status::{Refusal, Status};
use redist::Error;
use redist::exec::AnyBinder;
use redist::mpi::RawCommunicator;
use std::ffi::{c_char, c_void};

/// As `redist_bind`, which calls this, for callers without MPI's header. The handle of C has
/// `bytes` bytes at `communicator`. `library` is the caller's text of `MPI_Get_library_version`. It
/// is compared with this library's, unless it is NULL.
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
    // SAFETY: the header demands all that `bind` needs of pointers and of the communicator.
    guarded(|| unsafe {
        bind(plan, element, Brought::place(communicator, bytes, library), options, bound)
    })
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
    // SAFETY: the header demands all that `bind` needs of pointers and of the communicator.
    guarded(|| unsafe {
        bind(plan, element, Brought::number(communicator, library), options, bound)
    })
}

/// # Safety
/// Pointers are NULL or to the things that the functions name, which nothing writes to while this
/// runs. The communicator is alive, or none.
unsafe fn bind(
    plan: *const Plan,
    element: *const c_char,
    brought: Brought,
    options: *const Options,
    bound: *mut *mut Bound,
) -> Result<(), Refusal> {
    // SAFETY: the caller promises of the pointers all that `binder` and `reference` need.
    let prepared = || unsafe {
        let binder = binder(plan, element, options)?;
        Ok((binder, reference(plan, "plan")?.0.dimensions()))
    };
    let bind = |(binder, dimensions): (AnyBinder, usize), communicator: &RawCommunicator| {
        Ok(Bound::new(binder.bind(communicator)?, dimensions, false))
    };
    // SAFETY: the caller promises a communicator that is alive, or none, and NULL or a place.
    unsafe { bound_by(brought, "a plan", prepared, bind, bound) }
}

/// Binds what a rank has prepared. If it has prepared nothing, the other ranks, which wait for it,
/// learn that it lacks `what`.
///
/// # Safety
/// The communicator is alive, or none. `bound` is NULL, or a place for a handle.
pub unsafe fn bound_by<T, H>(
    brought: Brought,
    what: &str,
    prepared: impl FnOnce() -> Result<T, Refusal>,
    bind: impl FnOnce(T, &RawCommunicator) -> Result<H, Error>,
    bound: *mut *mut H,
) -> Result<(), Refusal> {
    // SAFETY: the communicator is alive, or none, as the caller promises.
    let communicator = unsafe { communicator(brought) }?;
    let prepared = prepared().and_then(|prepared| match bound.is_null() {
        true => Err(Refusal::null("bound")),
        false => Ok(prepared),
    });
    match prepared {
        // SAFETY: it is not NULL, and the caller promises a place for a handle.
        Ok(prepared) => unsafe { put_handle(bound, bind(prepared, &communicator)?, "bound") },
        Err(refusal) => {
            // The other ranks wait for this one.
            AnyBinder::decline(&communicator, told(what, &refusal));
            Err(refusal)
        }
    }
}

/// # Safety
/// Pointers are NULL or to the things that `redist_bind` names, which nothing writes to while this
/// runs.
pub unsafe fn binder(
    plan: *const Plan,
    element: *const c_char,
    options: *const Options,
) -> Result<AnyBinder, Refusal> {
    // SAFETY: the caller promises that each is NULL, or a plan, a text that ends with a zero, or
    // options whose lists have an entry for each dimension.
    unsafe {
        let plan = &reference(plan, "plan")?.0;
        let element = named(text(element, "element")?)?;
        applied(options, plan.dimensions(), plan.binder(element))
    }
}

/// Frees a bound plan, on the thread that bound it. Waits for no rank. A move under way is not
/// finished: its destination stays as it is, and the other ranks get this rank's elements. It may be
/// called after `MPI_Finalize`. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bound_free(bound: *mut Bound) -> Status {
    guarded(|| {
        if bound.is_null() {
            return Ok(());
        }
        // SAFETY: the header demands a bound plan of `put_handle`, which nothing uses after this
        // call.
        unsafe {
            reference(bound, "bound")?.check_thread()?;
            drop(taken(bound));
        }
        Ok(())
    })
}
