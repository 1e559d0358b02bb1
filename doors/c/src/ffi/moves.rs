//! Moves, in one call or two.
//!
//! Unsafe, since C passes pointers.

use crate::bound::{Array, Bound, Moving};
use crate::element;
use crate::guard::guarded;
use crate::pointers::{bytes, bytes_mut, put, reference, text};
use crate::status::{Refusal, Status};
use redist_doors::run_between;
use std::ffi::{c_char, c_void};
use std::ptr::null;

/// Moves everything. Collective. Lengths are in elements, as `redist_local_len` says, or more where
/// the local array was padded when the plan was bound; an array of length 0 may be NULL. The arrays
/// must not overlap. A mistake in the arrays of one rank fails on all, and nothing moves. The arrays'
/// elements are taken to be what `redist_element` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_run(
    bound: *mut Bound,
    source: *const c_void,
    source_len: i64,
    destination: *mut c_void,
    destination_len: i64,
) -> Status {
    // SAFETY: the header says of the pointers what `redist_run_as` asks for; elements are not compared
    // where there is no text.
    unsafe { redist_run_as(bound, null(), source, source_len, destination, destination_len) }
}

/// As `redist_run`, for callers that know the type of their arrays: `element` is its name, as for
/// `redist_bind`. If it is not that of the bound plan, `REDIST_ARGUMENT` says both, the other ranks learn
/// of it, and nothing moves. "[u8; 8]" fits all types of 8 bytes, and "i32" fits "u32".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_run_as(
    bound: *mut Bound,
    element: *const c_char,
    source: *const c_void,
    source_len: i64,
    destination: *mut c_void,
    destination_len: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header says that the pointer is NULL or to a bound plan that has not been freed.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check_idle()?;
        let from = Array { address: source.addr(), len: source_len };
        let to = Array { address: destination.addr(), len: destination_len };
        // SAFETY: the header says that the pointer is NULL or to a text that ends with a zero.
        let fits = unsafe { check_element(&moving, element) };
        let [from, to] = match fits.and_then(|()| moving.both(from, to)) {
            Ok(lengths) => lengths,
            Err(refusal) => return Err(moving.decline(refusal)),
        };
        let places = [(source.addr(), from), (destination.addr(), to)];
        // SAFETY: the header says that the arrays have as many elements, which nothing else uses while
        // this runs; `both` has found that they are not NULL and do not overlap. No slice is made of
        // a shared array, which other ranks use as well.
        let source = || unsafe { bytes(source.cast(), from) };
        // SAFETY: the header says that the array has as many elements, which nothing else uses while
        // this runs; `both` has found that it is not NULL and apart from the source. No slice is made
        // of a shared array, which other ranks write to as well.
        let destination = || unsafe { bytes_mut(destination.cast(), to) };
        let moved = run_between(&mut moving.bound, places, source, destination);
        Ok(moved?)
    })
}

/// # Safety
/// The pointer is NULL, or to bytes that end with a zero and are not written to while this runs.
unsafe fn check_element(moving: &Moving, name: *const c_char) -> Result<(), Refusal> {
    if name.is_null() {
        return Ok(());
    }
    // SAFETY: it is not NULL, and the caller says that a text is there.
    let name = unsafe { text(name, "element") }?;
    element::check(moving.bound.element(), element::named(name)?)
}

/// Begins a move, which `redist_finish` ends. Collective. The source may be written to when this
/// returns; of the destination, only the length is looked at. Lengths are as for `redist_run`. After an
/// error no move is under way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_start(
    bound: *mut Bound,
    source: *const c_void,
    source_len: i64,
    destination_len: i64,
) -> Status {
    // SAFETY: the header says of the pointers what `redist_start_as` asks for.
    unsafe { redist_start_as(bound, null(), source, source_len, destination_len) }
}

/// As `redist_start`, with the type of the arrays' elements: see `redist_run_as`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_start_as(
    bound: *mut Bound,
    element: *const c_char,
    source: *const c_void,
    source_len: i64,
    destination_len: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header says that the pointer is NULL or to a bound plan that has not been freed.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check_idle()?;
        // SAFETY: the header says that the pointer is NULL or to a text that ends with a zero.
        let fits = unsafe { check_element(&moving, element) };
        // Any address but that of NULL: there is no array yet.
        let to = moving.bytes(Array { address: 1, len: destination_len }, "destination");
        let from = moving.bytes(Array { address: source.addr(), len: source_len }, "source");
        let (from, to) = match fits.and_then(|()| Ok((from?, to?))) {
            Ok(bytes) => bytes,
            Err(refusal) => return Err(moving.decline(refusal)),
        };
        // SAFETY: the header says that the array has as many elements, which nothing writes to while
        // this runs; `bytes` has found that it is not NULL.
        moving.bound.start(unsafe { bytes(source.cast(), from) }, to)?;
        moving.note_start(destination_len);
        Ok(())
    })
}

/// Sets `done` to 1 if `redist_finish` would not wait any more, and else to 0; lets MPI make progress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_test(bound: *mut Bound, done: *mut i32) -> Status {
    guarded(|| {
        // SAFETY: the header says that the pointer is NULL or to a bound plan that has not been freed.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check_under_way()?;
        let is_done = moving.bound.test()?;
        // SAFETY: the header says that the pointer is NULL or a place for a number.
        unsafe { put(done, is_done.into(), "done") }
    })
}

/// Waits until the destination holds its part, for the move that `redist_start` began with this length.
/// No move is under way after it, whatever it returns, but for `REDIST_NULL`, `REDIST_ARGUMENT`,
/// `REDIST_STATE`, `REDIST_THREAD` and `REDIST_ARRAY`, which are this call's own: it may be made again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_finish(
    bound: *mut Bound,
    destination: *mut c_void,
    destination_len: i64,
) -> Status {
    // SAFETY: the header says of the pointers what `redist_finish_as` asks for.
    unsafe { redist_finish_as(bound, null(), destination, destination_len) }
}

/// As `redist_finish`, with the type of the array's elements: see `redist_run_as`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_finish_as(
    bound: *mut Bound,
    element: *const c_char,
    destination: *mut c_void,
    destination_len: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header says that the pointer is NULL or to a bound plan that has not been freed.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check_under_way()?;
        // SAFETY: the header says that the pointer is NULL or to a text that ends with a zero.
        unsafe { check_element(&moving, element) }?;
        let to = Array { address: destination.addr(), len: destination_len };
        let bytes = moving.finishing(to)?;
        // SAFETY: the header says that the array has as many elements, which nothing else uses while
        // this runs; `finishing` has found that it is not NULL.
        let destination = unsafe { bytes_mut(destination.cast(), bytes) };
        Ok(moving.bound.finish(destination)?)
    })
}
