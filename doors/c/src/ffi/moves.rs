//! Moves, in one call or two. Unsafe, because C passes pointers.

use crate::bound::{Array, Bound, Moving};
use crate::element;
use crate::guard::guarded;
use crate::pointers::{bytes_mut, optional, put, reference, text};
use crate::status::{Refusal, Status};
use redist_doors::run_between;
use std::ffi::{c_char, c_void};
use std::ptr::null;

/// Moves the whole array. Collective. Lengths are in elements, as from `redist_local_len`, or more
/// if the local array was padded when the plan was bound. An array of length 0 may be NULL. The
/// arrays must not overlap. A wrong array on one rank fails on all ranks, and nothing moves.
/// Elements are taken for the type of `redist_element`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_run(
    bound: *mut Bound,
    source: *const c_void,
    source_len: i64,
    destination: *mut c_void,
    destination_len: i64,
) -> Status {
    // SAFETY: the header demands of the pointers all that `redist_run_as` needs.
    unsafe { redist_run_as(bound, null(), source, source_len, destination, destination_len) }
}

/// As `redist_run`, for callers that know the type of their arrays: `element` is its name, as for
/// `redist_bind`. If the bound plan has another type, the call returns `REDIST_ARGUMENT` with both,
/// and nothing moves. The other ranks learn of it. "[u8; 8]" fits all types of 8 bytes; "i32" fits
/// "u32".
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
        // SAFETY: the header demands NULL, or a live bound plan.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(false)?;
        let from = Array { address: source.addr(), len: source_len };
        let to = Array { address: destination.addr(), len: destination_len };
        // SAFETY: the header demands NULL, or a text that ends with a zero.
        let fits = unsafe { check_element(&moving, element) };
        let [from, to] = match fits.and_then(|()| moving.both(from, to)) {
            Ok(lengths) => lengths,
            Err(refusal) => return Err(moving.decline(refusal)),
        };
        let places = [(source.addr(), from), (destination.addr(), to)];
        // SAFETY: the header demands that many elements, which nothing else uses. The array is not
        // NULL, and apart from the other, as `both` found, and none that ranks share, of which no
        // slice is made.
        let source = || unsafe { optional(source.cast(), from) };
        // SAFETY: the header demands that many elements, which nothing else uses. The array is not
        // NULL, and apart from the source, as `both` found, and none that ranks share, of which no
        // slice is made.
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
    // SAFETY: it is not NULL, and the caller promises a text there.
    let name = unsafe { text(name, "element") }?;
    element::check(moving.bound.element(), element::named(name)?)
}

/// Begins a move, which `redist_finish` ends. Collective. The source may change when this returns.
/// The destination's length matters already. Lengths are as for `redist_run`. After an error no
/// move is under way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_start(
    bound: *mut Bound,
    source: *const c_void,
    source_len: i64,
    destination_len: i64,
) -> Status {
    // SAFETY: the header demands of the pointers all that `redist_start_as` needs.
    unsafe { redist_start_as(bound, null(), source, source_len, destination_len) }
}

/// As `redist_start`, with the element type of the arrays: see `redist_run_as`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_start_as(
    bound: *mut Bound,
    element: *const c_char,
    source: *const c_void,
    source_len: i64,
    destination_len: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live bound plan.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(false)?;
        // SAFETY: the header demands NULL, or a text that ends with a zero.
        let fits = unsafe { check_element(&moving, element) };
        // Any address but that of NULL: there is no array yet.
        let to = moving.bytes(Array { address: 1, len: destination_len }, "destination");
        let from = moving.bytes(Array { address: source.addr(), len: source_len }, "source");
        let (from, to) = match fits.and_then(|()| Ok((from?, to?))) {
            Ok(bytes) => bytes,
            Err(refusal) => return Err(moving.decline(refusal)),
        };
        // SAFETY: the header demands that many elements, which nothing writes to. The array is not
        // NULL, as `bytes` found.
        moving.bound.start(unsafe { optional(source.cast(), from) }, to)?;
        moving.note_start(destination_len);
        Ok(())
    })
}

/// Sets `done` to 1 if `redist_finish` would not wait, else to 0. Lets MPI make progress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_test(bound: *mut Bound, done: *mut i32) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live bound plan.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(true)?;
        let is_done = moving.bound.test()?;
        // SAFETY: the header demands NULL, or a place for a number.
        unsafe { put(done, || is_done.into(), "done") }
    })
}

/// Waits until the destination holds its part, for the move that `redist_start` began with this
/// length. No move is under way afterwards. `REDIST_NULL`, `REDIST_ARGUMENT`, `REDIST_STATE`,
/// `REDIST_THREAD` and `REDIST_ARRAY` are exceptions: errors of this call itself, which may be made
/// again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_finish(
    bound: *mut Bound,
    destination: *mut c_void,
    destination_len: i64,
) -> Status {
    // SAFETY: the header demands of the pointers all that `redist_finish_as` needs.
    unsafe { redist_finish_as(bound, null(), destination, destination_len) }
}

/// As `redist_finish`, with the element type of the array: see `redist_run_as`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_finish_as(
    bound: *mut Bound,
    element: *const c_char,
    destination: *mut c_void,
    destination_len: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live bound plan.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(true)?;
        // SAFETY: the header demands NULL, or a text that ends with a zero.
        unsafe { check_element(&moving, element) }?;
        let to = Array { address: destination.addr(), len: destination_len };
        let bytes = moving.finishing(to)?;
        // SAFETY: the header demands that many elements, which nothing else uses. The array is not
        // NULL, as `finishing` found.
        let destination = unsafe { bytes_mut(destination.cast(), bytes) };
        Ok(moving.bound.finish(destination)?)
    })
}
