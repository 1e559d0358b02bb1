//! Moves, in one call or two. Unsafe, because C passes pointers.

use crate::array::{Given, LocalArray, named};
use crate::bound::{Bound, Moving};
use crate::guard::guarded;
use crate::pointers::{bytes_mut, optional, put, reference};
use crate::status::{Refusal, Status};
use redist::Side;
use redist_doors::run_between;
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};

/// Moves the whole array. Collective. Lengths are in elements, as from `redist_local_len`, or more
/// if the local array was padded when the plan was bound. An array of length 0 may be NULL. The
/// arrays must not overlap. A wrong array on one rank is an error of that rank and of all ranks
/// that receive from it. All others move. Ranks that bound the plan `collectively` all get the
/// error, and none moves. Elements are taken for the type of `redist_element`.
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
/// `redist_bind`. If the bound plan has another type, the arrays are wrong: `REDIST_ARGUMENT`
/// names both. "[u8; 8]" fits all types of 8 bytes; "i32" fits "u32".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_run_as(
    bound: *mut Bound,
    element: *const c_char,
    source: *const c_void,
    source_len: i64,
    destination: *mut c_void,
    destination_len: i64,
) -> Status {
    // SAFETY: the header demands NULL, or a text that ends with a zero.
    let given = || unsafe {
        let [source, destination] =
            [(source.addr(), source_len), (destination.addr(), destination_len)];
        Ok([named_array(element, source)?, named_array(element, destination)?])
    };
    // SAFETY: the header demands of the pointers all that `run` needs.
    guarded(|| unsafe { run(bound, given, source, destination) })
}

/// As `redist_run`, for callers that know the shape of their arrays. An array with an entry for
/// each of two or more dimensions of the plan must have the shape and the strides of
/// `redist_local`: otherwise `REDIST_ARRAY` names both. If it was padded, it may be
/// longer along the dimension that is stored slowest. Arrays of another number of dimensions, and
/// of a plan that was bound with strides that leave gaps, are compared only by their lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_run_arrays(
    bound: *mut Bound,
    source: *const LocalArray,
    destination: *const LocalArray,
) -> Status {
    // SAFETY: the header demands NULL, or arrays whose names and lists are as `read` needs.
    let given = || unsafe {
        Ok([Given::read(source, "source")?, Given::read(destination, "destination")?])
    };
    // SAFETY: the header demands NULL, or arrays, and of their places all that `run` needs.
    guarded(|| unsafe {
        let places = [data(source), data(destination)];
        run(bound, given, places[0], places[1])
    })
}

/// # Safety
/// The pointer is NULL, or to an array that nothing writes to while this runs.
unsafe fn data(array: *const LocalArray) -> *mut c_void {
    // SAFETY: if it is not NULL, there is an array, as the caller promises.
    unsafe { array.as_ref() }.map_or(null_mut(), |array| array.data)
}

/// # Safety
/// The name is NULL, or a text that ends with a zero and is not written to while this runs.
unsafe fn named_array(name: *const c_char, (address, len): (usize, i64)) -> Result<Given, Refusal> {
    // SAFETY: the caller promises NULL or a text.
    Ok(Given { address, len, element: unsafe { named(name) }?, shape: None })
}

/// # Safety
/// The bound plan is NULL or alive. Each place has the elements of the array that `given` returns
/// for it, which nothing else uses.
unsafe fn run(
    bound: *mut Bound,
    given: impl FnOnce() -> Result<[Given; 2], Refusal>,
    source: *const c_void,
    destination: *mut c_void,
) -> Result<(), Refusal> {
    // SAFETY: the caller promises NULL, or a live bound plan.
    let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
    moving.check(false)?;
    let [from, to] = match given().and_then(|[from, to]| moving.both([&from, &to])) {
        Ok(lengths) => lengths,
        Err(refusal) => return Err(moving.decline(refusal)),
    };
    let places = [(source.addr(), from), (destination.addr(), to)];
    // SAFETY: the caller promises that many elements, which nothing else uses. The array is not
    // NULL, and apart from the second array, as `both` found, and none that ranks share, of which
    // no slice is made.
    let source = || unsafe { optional(source.cast(), from) };
    // SAFETY: the caller promises that many elements, which nothing else uses. The array is not
    // NULL, and apart from the source, as `both` found, and none that ranks share, of which no
    // slice is made.
    let destination = || unsafe { bytes_mut(destination.cast(), to) };
    let moved = run_between(&mut moving.bound, places, source, destination);
    Ok(moved?)
}

/// Begins a move, which `redist_finish` ends. Collective. The source may change when this returns.
/// The destination's length matters already. Lengths, and what a wrong array does, are as for
/// `redist_run`. After an error no move is under way.
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

/// An address for a destination that `redist_start` does not have yet: any but that of NULL.
const SOMEWHERE: usize = 1;

/// As `redist_start`, with the element type of the arrays: see `redist_run_as`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_start_as(
    bound: *mut Bound,
    element: *const c_char,
    source: *const c_void,
    source_len: i64,
    destination_len: i64,
) -> Status {
    // SAFETY: the header demands NULL, or a text that ends with a zero.
    let given = || unsafe {
        let [source, destination] = [(source.addr(), source_len), (SOMEWHERE, destination_len)];
        Ok([named_array(element, source)?, named_array(element, destination)?])
    };
    // SAFETY: the header demands of the pointers all that `start` needs.
    guarded(|| unsafe { start(bound, given, source) })
}

/// As `redist_start`, with the shapes of the arrays: see `redist_run_arrays`. The place of the
/// destination is not used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_start_arrays(
    bound: *mut Bound,
    source: *const LocalArray,
    destination: *const LocalArray,
) -> Status {
    // SAFETY: the header demands NULL, or arrays whose names and lists are as `read` needs.
    let given = || unsafe {
        let to = Given::read(destination, "destination")?;
        Ok([Given::read(source, "source")?, Given { address: SOMEWHERE, ..to }])
    };
    // SAFETY: the header demands NULL, or an array, and of its place all that `start` needs.
    guarded(|| unsafe { start(bound, given, data(source)) })
}

/// # Safety
/// The bound plan is NULL or alive. The place has the elements of the source that `given` returns,
/// which nothing writes to.
unsafe fn start(
    bound: *mut Bound,
    given: impl FnOnce() -> Result<[Given; 2], Refusal>,
    source: *const c_void,
) -> Result<(), Refusal> {
    // SAFETY: the caller promises NULL, or a live bound plan.
    let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
    moving.check(false)?;
    let sized = |moving: &Moving| {
        let [from, to] = given()?;
        let bytes = [moving.bytes(&from, Side::Source)?, moving.bytes(&to, Side::Destination)?];
        Ok((bytes, to.len))
    };
    let ([from, to], len) = match sized(&moving) {
        Ok(bytes) => bytes,
        Err(refusal) => return Err(moving.decline(refusal)),
    };
    // SAFETY: the caller promises that many elements, which nothing writes to. The array is not
    // NULL, as `bytes` found.
    moving.bound.start(unsafe { optional(source.cast(), from) }, to)?;
    moving.note_start(len);
    Ok(())
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
    // SAFETY: the header demands NULL, or a text that ends with a zero.
    let given = || unsafe { named_array(element, (destination.addr(), destination_len)) };
    // SAFETY: the header demands of the pointers all that `finish` needs.
    guarded(|| unsafe { finish(bound, given, destination) })
}

/// As `redist_finish`, with the shape of the array: see `redist_run_arrays`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_finish_array(
    bound: *mut Bound,
    destination: *const LocalArray,
) -> Status {
    // SAFETY: the header demands NULL, or an array whose name and lists are as `read` needs.
    let given = || unsafe { Given::read(destination, "destination") };
    // SAFETY: the header demands NULL, or an array, and of its place all that `finish` needs.
    guarded(|| unsafe { finish(bound, given, data(destination)) })
}

/// # Safety
/// The bound plan is NULL or alive. The place has the elements of the array that `given` returns,
/// which nothing else uses.
unsafe fn finish(
    bound: *mut Bound,
    given: impl FnOnce() -> Result<Given, Refusal>,
    destination: *mut c_void,
) -> Result<(), Refusal> {
    // SAFETY: the caller promises NULL, or a live bound plan.
    let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
    moving.check(true)?;
    let bytes = moving.finishing(&given()?)?;
    // SAFETY: the caller promises that many elements, which nothing else uses. The array is not
    // NULL, as `finishing` found.
    let destination = unsafe { bytes_mut(destination.cast(), bytes) };
    Ok(moving.bound.finish(destination)?)
}
