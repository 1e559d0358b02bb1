//! Batches: plans of arrays that move in one exchange. Unsafe, because C passes pointers and
//! communicators.

use super::bind::{Over, bound_by};
use super::copies::Copies;
use super::plan::{Plan, rank_below};
use super::side;
use super::simulated::{all_ranks, both_lists, element_of};
use crate::bound_batch::BoundBatch;
use crate::communicator::Brought;
use crate::guard::guarded;
use crate::pointers::{put_handle, put_numbers, put_part, reference, taken};
use crate::status::{Refusal, Status};
use redist::exec::BatchArrays;
use redist::{AnyElement, Side};
use redist_doors::{DoorBatch, DoorRanks, Moved, RankArrays};
use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// Arrays that move in one exchange: at most one message from a rank to another, with its parts of all
/// arrays. Several threads may use it at a time.
pub struct Batch(Mutex<DoorBatch>);

impl Batch {
    fn read(&self) -> DoorBatch {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, moved: Moved, element: AnyElement) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.push((moved, element));
    }
}

/// Makes a batch without arrays. It is to be freed by `redist_batch_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_new(batch: *mut *mut Batch) -> Status {
    // SAFETY: the header demands NULL, or a place for the handle.
    guarded(|| unsafe { put_handle(batch, Batch(Mutex::default()), "batch") })
}

/// Adds an array, with its plan and its element type, as for `redist_bind`. Arrays are numbered from 0;
/// all ranks add them in the same order. Layouts, element types and numbers of dimensions may differ.
/// The plan may be freed afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_add(
    batch: *mut Batch,
    plan: *const Plan,
    element: *const c_char,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live batch, a live plan and a text.
        unsafe {
            let (batch, plan) = (reference(batch, "batch")?, reference(plan, "plan")?);
            batch.add(Moved::Plan(Arc::clone(&plan.0)), element_of(element)?);
        }
        Ok(())
    })
}

/// As `redist_batch_add`, with a plan between copies. Sums move by themselves (`redist_bind_copies`),
/// and are refused here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_add_copies(
    batch: *mut Batch,
    copies: *const Copies,
    element: *const c_char,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live batch, a live plan and a text.
        unsafe {
            let (batch, copies) = (reference(batch, "batch")?, reference(copies, "copies")?);
            if copies.copies.is_sum() {
                let words = "addends move by themselves; bind them by `redist_bind_copies`";
                return Err(Refusal::argument(words));
            }
            batch.add(Moved::Copies(Arc::clone(&copies.copies)), element_of(element)?);
        }
        Ok(())
    })
}

/// Frees a batch; what was bound from it stays. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_free(batch: *mut Batch) {
    guarded(|| {
        // SAFETY: the header demands NULL, or a batch of `put_handle`, which nothing uses after this
        // call.
        drop(unsafe { taken(batch) });
        Ok(())
    });
}

/// Stores the number of arrays, and one past the highest rank that takes part. Either pointer may be
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_size(
    batch: *const Batch,
    arrays: *mut i64,
    ranks: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live batch, and NULL or a place for each number.
        unsafe {
            let batch = reference(batch, "batch")?.read();
            put_numbers(arrays, &[batch.0.len()])?;
            put_numbers(ranks, &[batch.ranks()])
        }
    })
}

/// Stores a rank's part of an array of the batch on one side: see `redist_plan_local`. Each pointer may
/// be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_part(
    batch: *const Batch,
    array: i64,
    side: i32,
    rank: i64,
    extents: *mut i64,
    strides: *mut i64,
    len: *mut i64,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live batch, and NULL or places for as many entries.
        unsafe {
            let batch = reference(batch, "batch")?.read();
            let (moved, _) = &batch.0[number_below(batch.0.len(), array)?];
            let part = moved.local(side, rank_below(batch.ranks(), rank)?);
            put_part([extents, strides, len], [&part.extents, &part.strides], part.len)
        }
    })
}

/// As `redist_batch_bind`, which calls this: see `redist_bind_place`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_bind_place(
    batch: *const Batch,
    communicator: *const c_void,
    bytes: usize,
    library: *const c_char,
    bound: *mut *mut BoundBatch,
) -> Status {
    // SAFETY: the header demands all that `bind` needs of pointers and of the communicator.
    guarded(|| unsafe { bind(batch, Brought::place(communicator, bytes, library).into(), bound) })
}

/// As `redist_batch_bind_place`, with a communicator as Fortran's integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_bind_number(
    batch: *const Batch,
    communicator: i32,
    library: *const c_char,
    bound: *mut *mut BoundBatch,
) -> Status {
    // SAFETY: the header demands all that `bind` needs of pointers and of the communicator.
    guarded(|| unsafe { bind(batch, Brought::number(communicator, library).into(), bound) })
}

/// # Safety
/// Pointers are NULL or to the things that the functions name. Communicator and ranks are alive, or none.
pub unsafe fn bind(
    batch: *const Batch,
    over: Over,
    bound: *mut *mut BoundBatch,
) -> Result<(), Refusal> {
    let prepared = || {
        // SAFETY: the caller promises NULL, or a live batch.
        let batch = unsafe { reference(batch, "batch") }?.read();
        match batch.0.is_empty() {
            true => {
                Err(Refusal::argument("the batch has no arrays; call `redist_batch_add` before"))
            }
            false => Ok(batch),
        }
    };
    let bind = |batch: DoorBatch, ranks: DoorRanks<'_>| {
        let bound = ranks.bind(batch.any(ranks.rank()))?;
        Ok(BoundBatch::new(&batch, bound, ranks))
    };
    // SAFETY: the caller promises ranks that are alive, or none, and NULL or a place.
    unsafe { bound_by(over, "a batch", prepared, bind, bound) }
}

/// Moves all arrays between all ranks, which are threads of this process: see `redist_plan_simulate`.
/// `arrays` and `ranks` are as many as `redist_batch_size` tells. Each list has, array after array, the
/// dense local array of each rank: that of rank `r` of array `a` is at `a * ranks + r`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_batch_simulate(
    batch: *const Batch,
    arrays: i64,
    ranks: i64,
    sources: *const *const c_void,
    destinations: *const *mut c_void,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live batch.
        let batch = unsafe { reference(batch, "batch") }?.read();
        check_count(batch.0.len(), arrays)?;
        let ranks = all_ranks(batch.ranks(), ranks)?;
        let count = ranks.saturating_mul(batch.0.len());
        // SAFETY: the header demands NULL, or lists with as many pointers.
        let arrays = unsafe { both_lists(sources, destinations, count) }?;
        let numbers = batch.0.iter().flat_map(|member| (0..ranks).map(move |rank| (member, rank)));
        let parts = numbers.map(|((moved, element), rank)| {
            let parts = [Side::Source, Side::Destination].map(|side| moved.local(side, rank));
            (parts, [element.bytes(); 2])
        });
        let places = arrays.places(parts)?;
        // SAFETY: the header demands that many elements, as `places` found, which nothing else uses.
        let own = unsafe { arrays.of_ranks(&places) };
        Ok(batch.simulate(by_rank(&batch, ranks, own))?)
    })
}

/// Sorts arrays, which come array after array, by rank.
fn by_rank<'a>(
    batch: &DoorBatch,
    ranks: usize,
    arrays: Vec<RankArrays<'a>>,
) -> Vec<Vec<BatchArrays<'a>>> {
    let mut sorted: Vec<Vec<BatchArrays<'a>>> = (0..ranks).map(|_| Vec::new()).collect();
    for (at, RankArrays { source, destination, .. }) in arrays.into_iter().enumerate() {
        let (_, element) = batch.0[at / ranks];
        sorted[at % ranks].push(BatchArrays::of_bytes(element, source, destination));
    }
    sorted
}

/// Checks that a caller brings an array for each plan.
pub fn check_count(must: usize, found: i64) -> Result<(), Refusal> {
    match usize::try_from(found) == Ok(must) {
        true => Ok(()),
        false => Err(Refusal::argument(format!(
            "`arrays` is {found}, but the batch has {must}; bring each, in the order of `redist_batch_add`"
        ))),
    }
}

/// Returns the number of an array of so many.
pub fn number_below(count: usize, array: i64) -> Result<usize, Refusal> {
    let found = usize::try_from(array).ok().filter(|array| *array < count);
    found.ok_or_else(|| {
        Refusal::argument(format!(
            "`array` is {array}, but the batch has {count} arrays, from 0 on"
        ))
    })
}
