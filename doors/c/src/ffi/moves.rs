//! Moves, in one call or two.
//!
//! Unsafe, since C passes pointers.

use crate::bound::{Array, Bound};
use crate::guard::guarded;
use crate::pointers::{bytes, bytes_mut, put, reference};
use crate::status::Status;
use redist_doors::run_between;
use std::ffi::c_void;

/// Moves everything. Collective. Lengths are in elements, as `redist_local_len` says, or more where
/// the local array was padded when the plan was bound; an array of length 0 may be NULL. The arrays
/// must not overlap. What is wrong with the arrays of one rank fails on all, and nothing moves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_run(
    bound: *mut Bound,
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
        let [from, to] = match moving.both(from, to) {
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
    guarded(|| {
        // SAFETY: the header says that the pointer is NULL or to a bound plan that has not been freed.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check_idle()?;
        // Any address but that of NULL: there is no array yet.
        let to = moving.bytes(Array { address: 1, len: destination_len }, "destination");
        let from = moving.bytes(Array { address: source.addr(), len: source_len }, "source");
        let (from, to) = match (from, to) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(refusal), _) | (_, Err(refusal)) => return Err(moving.decline(refusal)),
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
    guarded(|| {
        // SAFETY: the header says that the pointer is NULL or to a bound plan that has not been freed.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check_under_way()?;
        let to = Array { address: destination.addr(), len: destination_len };
        let bytes = moving.finishing(to)?;
        // SAFETY: the header says that the array has as many elements, which nothing else uses while
        // this runs; `finishing` has found that it is not NULL.
        let destination = unsafe { bytes_mut(destination.cast(), bytes) };
        Ok(moving.bound.finish(destination)?)
    })
}
