//! Moves of bound batches, in one call or two. Unsafe, because C passes pointers.

use super::batch::{check_count, number_below};
use super::side;
use crate::array::{Given, LocalArray};
use crate::bound_batch::{BoundBatch, MovingBatch};
use crate::guard::guarded;
use crate::pointers::{bytes_mut, list, optional, put, put_part, put_text, reference, taken};
use crate::status::{Refusal, Status};
use redist::Side;
use redist::exec::BatchArrays;
use std::ffi::c_char;

/// Names of the lists of arrays, by side.
const NAMES: [&str; 2] = ["sources", "destinations"];

/// The arrays of one side as C has them, and what is known of them.
struct Listed<'a> {
    arrays: &'a [LocalArray],
    given: Vec<Given>,
}

impl<'a> Listed<'a> {
    /// # Safety
    /// The list is NULL, or has so many arrays, with names and lists as `Given::read` needs.
    unsafe fn read(
        moving: &MovingBatch,
        count: i64,
        arrays: *const LocalArray,
        side: Side,
    ) -> Result<Self, Refusal> {
        check_count(moving.len(), count)?;
        let name = NAMES[side as usize];
        // SAFETY: the list is NULL, or has as many arrays, as the caller promises.
        let arrays = unsafe { list(arrays, moving.len(), name) }?;
        let given = arrays.iter().enumerate().map(|(number, array)| {
            // SAFETY: the list has the array, and the caller promises its name and lists.
            unsafe { Given::read(array, &format!("{name}[{number}]")) }
        });
        Ok(Self { arrays, given: given.collect::<Result<_, _>>()? })
    }

    /// Returns address and bytes of each array.
    fn places<'b>(&'b self, bytes: &'b [usize]) -> impl Iterator<Item = (usize, usize)> + 'b {
        self.given.iter().zip(bytes).map(|(given, bytes)| (given.address, *bytes))
    }
}

/// Moves all arrays. Collective. Both lists have an array for each of the batch's, in order, as for
/// `redist_run_arrays`: types and shapes are compared where they are told. Local arrays are dense.
/// No destination overlaps another array. A wrong array has the effect that `redist_run` tells of;
/// the message of the rank at fault numbers the array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_run(
    bound: *mut BoundBatch,
    arrays: i64,
    sources: *const LocalArray,
    destinations: *const LocalArray,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live bound batch.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(false)?;
        // SAFETY: the header demands of the lists all that `both` needs.
        let (from, to, bytes) = match unsafe { both(&moving, arrays, [sources, destinations]) } {
            Ok(found) => found,
            Err(refusal) => return Err(moving.decline(refusal)),
        };
        let elements: Vec<_> = moving.arrays().iter().map(|array| array.element).collect();
        let pairs = from.arrays.iter().zip(to.arrays).enumerate().map(|(number, (from, to))| {
            let [from_bytes, to_bytes] = [0, 1].map(|side: usize| bytes[side][number]);
            // SAFETY: the header demands that many elements, which nothing writes to. The array is not
            // NULL, as `both` found.
            let source = unsafe { optional(from.data.cast::<u8>().cast_const(), from_bytes) };
            // SAFETY: the header demands that many elements, which nothing else uses. The array is
            // not NULL, and apart from all others, as `both` found.
            let destination = unsafe { bytes_mut(to.data.cast(), to_bytes) };
            BatchArrays::of_bytes(elements[number], source, destination)
        });
        let mut pairs: Vec<_> = pairs.collect();
        Ok(moving.bound.run(&mut pairs)?)
    })
}

/// Reads and checks the arrays of both sides. Returns their bytes, by side.
///
/// # Safety
/// Each list is NULL, or has so many arrays, with names and lists as `Given::read` needs.
unsafe fn both<'a>(
    moving: &MovingBatch,
    count: i64,
    [sources, destinations]: [*const LocalArray; 2],
) -> Result<(Listed<'a>, Listed<'a>, [Vec<usize>; 2]), Refusal> {
    // SAFETY: the caller promises of the lists all that `read` needs.
    let (from, to) = unsafe {
        let from = Listed::read(moving, count, sources, Side::Source)?;
        (from, Listed::read(moving, count, destinations, Side::Destination)?)
    };
    let bytes =
        [moving.bytes(&from.given, Side::Source)?, moving.bytes(&to.given, Side::Destination)?];
    let places = from.places(&bytes[0]).zip(to.places(&bytes[1])).map(|(from, to)| [from, to]);
    moving.check_apart(&places.collect::<Vec<_>>())?;
    Ok((from, to, bytes))
}

/// Begins a move of all arrays, which `redist_batch_finish` ends. Collective. Lists are as for
/// `redist_batch_run`. The sources may change when this returns; of the destinations only types,
/// shapes and lengths are used. After an error no move is under way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_start(
    bound: *mut BoundBatch,
    arrays: i64,
    sources: *const LocalArray,
    destinations: *const LocalArray,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live bound batch.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(false)?;
        // SAFETY: the header demands of the lists all that `started` needs.
        let (from, bytes) = match unsafe { started(&moving, arrays, [sources, destinations]) } {
            Ok(found) => found,
            Err(refusal) => return Err(moving.decline(refusal)),
        };
        let elements: Vec<_> = moving.arrays().iter().map(|array| array.element).collect();
        let sources = from.arrays.iter().zip(elements).zip(&bytes[0]);
        let sources = sources.map(|((from, element), bytes)| {
            // SAFETY: the header demands that many elements, which nothing writes to. The array is not
            // NULL, as `started` found.
            (element, unsafe { optional(from.data.cast::<u8>().cast_const(), *bytes) })
        });
        Ok(moving.bound.start_from(&sources.collect::<Vec<_>>(), &bytes[1])?)
    })
}

/// An address for a destination that `redist_batch_start` does not have yet: any but that of NULL.
const SOMEWHERE: usize = 1;

/// Reads and checks the arrays of a move to begin. Returns the sources, and all bytes by side.
///
/// # Safety
/// Each list is NULL, or has so many arrays, with names and lists as `Given::read` needs.
unsafe fn started<'a>(
    moving: &MovingBatch,
    count: i64,
    [sources, destinations]: [*const LocalArray; 2],
) -> Result<(Listed<'a>, [Vec<usize>; 2]), Refusal> {
    // SAFETY: the caller promises of the lists all that `read` needs.
    let (from, mut to) = unsafe {
        let from = Listed::read(moving, count, sources, Side::Source)?;
        (from, Listed::read(moving, count, destinations, Side::Destination)?)
    };
    to.given.iter_mut().for_each(|array| array.address = SOMEWHERE);
    let bytes =
        [moving.bytes(&from.given, Side::Source)?, moving.bytes(&to.given, Side::Destination)?];
    Ok((from, bytes))
}

/// Sets `done` to 1 if `redist_batch_finish` would not wait, else to 0. Lets MPI make progress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_test(bound: *mut BoundBatch, done: *mut i32) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live bound batch.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(true)?;
        let is_done = moving.bound.test()?;
        // SAFETY: the header demands NULL, or a place for a number.
        unsafe { put(done, || is_done.into(), "done") }
    })
}

/// Waits until all destinations hold their parts, for the move that `redist_batch_start` began. No move
/// is under way afterwards, but after the errors that `redist_finish` names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_finish(
    bound: *mut BoundBatch,
    arrays: i64,
    destinations: *const LocalArray,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live bound batch.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(true)?;
        // SAFETY: the header demands of the list all that `read` needs.
        let to = unsafe { Listed::read(&moving, arrays, destinations, Side::Destination) }?;
        let bytes = moving.bytes(&to.given, Side::Destination)?;
        let places = to.places(&bytes).map(|place| [(0, 0), place]);
        moving.check_apart(&places.collect::<Vec<_>>())?;
        let all = to.arrays.iter().zip(&bytes);
        // SAFETY: the header demands that many elements, which nothing else uses. The arrays are not
        // NULL, and apart from each other, as was found just now.
        let all = all.map(|(array, bytes)| unsafe { bytes_mut(array.data.cast(), *bytes) });
        let mut all: Vec<&mut [u8]> = all.collect();
        Ok(moving.bound.finish(&mut all)?)
    })
}

/// Stores the length of this rank's local array on one side, in elements, and its shape and strides,
/// of an array of a bound batch: see `redist_local`. Each pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_local(
    bound: *const BoundBatch,
    array: i64,
    side: i32,
    len: *mut i64,
    shape: *mut i64,
    strides: *mut i64,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live bound batch, and NULL or places for as many
        // entries.
        unsafe {
            let moving = reference(bound, "bound")?.enter()?;
            let found = &moving.arrays()[number_below(moving.len(), array)?];
            let part = &found.parts[side as usize];
            put_part([shape, strides, len], [&part.extents, &part.strides], part.len)
        }
    })
}

/// Describes a move of these ranks: its messages, and the code that packs them. The text is to be freed
/// by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_explain(
    bound: *const BoundBatch,
    text: *mut *mut c_char,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live bound batch, and NULL or a place for the text.
        unsafe {
            let said = reference(bound, "bound")?.enter()?.bound.explain();
            put_text(text, said, "text")
        }
    })
}

/// Frees a bound batch, on the thread that bound it: see `redist_bound_free`. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bound_batch_free(bound: *mut BoundBatch) -> Status {
    guarded(|| {
        if bound.is_null() {
            return Ok(());
        }
        // SAFETY: the header demands a bound batch of `put_handle`, which nothing uses after this
        // call.
        unsafe {
            reference(bound, "bound")?.check_thread()?;
            drop(taken(bound));
        }
        Ok(())
    })
}
