//! Binds plans, and frees them. Unsafe, because C passes pointers and communicators.

use super::plan::Plan;
use crate::bound::{Bound, told};
use crate::communicator::{Brought, communicator};
use crate::element::named;
use crate::guard::guarded;
use crate::options::{Options, applied};
use crate::pointers::{put_handle, reference, taken, text};
use crate::ranks::Ranks;
use crate::status::{Refusal, Status};
use redist::Error;
use redist::exec::AnyBinder;
use redist_doors::DoorRanks;
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
        bind(plan, element, Brought::place(communicator, bytes, library).into(), options, bound)
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
        bind(plan, element, Brought::number(communicator, library).into(), options, bound)
    })
}

/// The ranks that a caller names.
pub enum Over {
    Communicator(Brought),
    Ranks(*const Ranks),
}

impl From<Brought> for Over {
    fn from(brought: Brought) -> Self {
        Self::Communicator(brought)
    }
}

/// # Safety
/// Pointers are NULL or to the things that the functions name, which nothing writes to while this
/// runs. Communicator and ranks are alive, or none.
pub unsafe fn bind(
    plan: *const Plan,
    element: *const c_char,
    over: Over,
    options: *const Options,
    bound: *mut *mut Bound,
) -> Result<(), Refusal> {
    // SAFETY: the caller promises of the pointers all that `binder` and `reference` need.
    let prepared = || unsafe {
        let binder = binder(plan, element, options)?;
        Ok((binder, reference(plan, "plan")?.0.dimensions()))
    };
    let bind = |(binder, dimensions): (AnyBinder, usize), ranks: DoorRanks<'_>| {
        Ok(Bound::new(ranks.bind(&binder)?, dimensions, false, ranks.call_mpi()))
    };
    // SAFETY: the caller promises ranks that are alive, or none, and NULL or a place.
    unsafe { bound_by(over, "a plan", prepared, bind, bound) }
}

/// Binds what a rank has prepared. If it has prepared nothing, the other ranks, which wait for it,
/// learn that it lacks `what`.
///
/// # Safety
/// Communicator and ranks are alive, or none. `bound` is NULL, or a place for a handle.
pub unsafe fn bound_by<T, H>(
    over: Over,
    what: &str,
    prepared: impl FnOnce() -> Result<T, Refusal>,
    bind: impl FnOnce(T, DoorRanks<'_>) -> Result<H, Error>,
    bound: *mut *mut H,
) -> Result<(), Refusal> {
    let made = |ranks: DoorRanks<'_>| {
        let prepared = prepared().and_then(|prepared| match bound.is_null() {
            true => Err(Refusal::null("bound")),
            false => Ok(prepared),
        });
        match prepared {
            Ok(prepared) => Ok(bind(prepared, ranks)?),
            Err(refusal) => {
                // The other ranks wait for this one.
                ranks.decline(told(what, &refusal));
                Err(refusal)
            }
        }
    };
    // SAFETY: communicator and ranks are alive, or none, as the caller promises. `bound` is a place for a handle.
    unsafe {
        let made = match over {
            Over::Communicator(brought) => made(DoorRanks::Mpi(&communicator(brought)?)),
            Over::Ranks(ranks) => reference(ranks, "ranks")?.with(made)?,
        }?;
        put_handle(bound, made, "bound")
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
