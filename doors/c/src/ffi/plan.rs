//! Plans, and what they say of each rank. Unsafe, because C passes pointers.

use super::side;
use crate::guard::guarded;
use crate::layout::{Layout, notation};
use crate::pointers::{
    list, put, put_handle, put_numbers, put_part, put_text, reference, taken, text,
};
use crate::status::{Refusal, Status, length};
use redist_doors::{DoorPlan, MAX_DIMENSIONS};
use std::ffi::c_char;
use std::sync::Arc;

/// The messages of a move: senders, receivers, elements. It never changes, and several threads may
/// use it at a time.
pub struct Plan(pub Arc<DoorPlan>);

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Plan>();
};

/// # Safety
/// `extents` is NULL, or has an entry for each dimension, which nothing writes to while this runs.
pub unsafe fn extents(dimensions: i32, extents: *const i64) -> Result<Vec<usize>, Refusal> {
    // SAFETY: if it is not NULL, there is an entry for each dimension, as the caller promises.
    unsafe { lengths(extents, dimensions_of(dimensions)?, "extents") }
}

/// Reads numbers of elements, or of places.
///
/// # Safety
/// The pointer is NULL, or has so many entries, which nothing writes to while this runs.
pub unsafe fn lengths(
    numbers: *const i64,
    count: usize,
    name: &str,
) -> Result<Vec<usize>, Refusal> {
    // SAFETY: if it is not NULL, there are as many entries, as the caller promises.
    let numbers = unsafe { list(numbers, count, name) }?;
    numbers.iter().map(|number| length(*number, name)).collect()
}

/// Returns a number of dimensions that an array may have.
pub fn dimensions_of(dimensions: i32) -> Result<usize, Refusal> {
    let count = usize::try_from(dimensions).ok().filter(|count| *count <= MAX_DIMENSIONS);
    count.ok_or_else(|| {
        Refusal::argument(format!(
            "`dimensions` is {dimensions}, and must be 0 to {MAX_DIMENSIONS}"
        ))
    })
}

/// Returns a rank of the plan.
pub fn rank_of(plan: &DoorPlan, rank: i64) -> Result<usize, Refusal> {
    rank_below(plan.any().ranks(), rank)
}

/// Returns a rank of a plan with so many.
pub fn rank_below(ranks: usize, rank: i64) -> Result<usize, Refusal> {
    let found = usize::try_from(rank).ok().filter(|rank| *rank < ranks);
    found.ok_or_else(|| {
        let (last, s) = (ranks.saturating_sub(1), if ranks == 1 { "" } else { "s" });
        Refusal::argument(format!(
            "`rank` is {rank}, but the plan has {ranks} rank{s}, 0 to {last}; ranks of a communicator past \
             these hold nothing"
        ))
    })
}

/// Plans the move of an array between two layouts in the notation, such as `(block, *) onto 4` or
/// `scalapack(64, 64, 2, 3)`. `extents` has an entry for each of 0 to 8 dimensions, in elements; an
/// array of 0 dimensions has one element, and layouts such as `() ranks 2..3`. The plan is to be freed by `redist_plan_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_parse(
    dimensions: i32,
    extents: *const i64,
    from: *const c_char,
    to: *const c_char,
    plan: *mut *mut Plan,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or lists with as many entries, texts that end with a
        // zero, and a place for the handle. Nothing else uses these now.
        unsafe {
            let extents = self::extents(dimensions, extents)?;
            let made = DoorPlan::parse(&extents, text(from, "from")?, text(to, "to")?)?;
            put_handle(plan, Plan(made.into()), "plan")
        }
    })
}

/// As `redist_plan_parse`, with layouts as numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_numbers(
    dimensions: i32,
    extents: *const i64,
    from: *const Layout,
    to: *const Layout,
    plan: *mut *mut Plan,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or lists and layouts with as many entries, and a place
        // for the handle. Nothing else uses these now.
        unsafe {
            let extents = self::extents(dimensions, extents)?;
            let from = notation(from, extents.len(), "from")?;
            let to = notation(to, extents.len(), "to")?;
            put_handle(plan, Plan(DoorPlan::parse(&extents, &from, &to)?.into()), "plan")
        }
    })
}

/// Frees a plan; plans bound from it stay. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_free(plan: *mut Plan) {
    guarded(|| {
        // SAFETY: the header demands NULL, or a plan of `put_handle`, which nothing uses after this
        // call.
        drop(unsafe { taken(plan) });
        Ok(())
    });
}

/// Stores the number of dimensions, and one past the highest rank that takes part. Either pointer
/// may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_size(
    plan: *const Plan,
    dimensions: *mut i32,
    ranks: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for each number.
        unsafe {
            let plan = &reference(plan, "plan")?.0;
            if !dimensions.is_null() {
                // At most `MAX_DIMENSIONS`.
                put(dimensions, || plan.extents().len() as i32, "dimensions")?;
            }
            put_numbers(ranks, &[plan.any().ranks()])
        }
    })
}

/// Describes layouts, classes, windows, volumes, and the least number of steps. The text is to be
/// freed by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_explain(plan: *const Plan, text: *mut *mut c_char) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for the text.
        unsafe { put_text(text, reference(plan, "plan")?.0.explain(), "text") }
    })
}

/// Stores a side's layout in the notation. The text is to be freed by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_layout(
    plan: *const Plan,
    side: i32,
    text: *mut *mut c_char,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for the text.
        unsafe { put_text(text, reference(plan, "plan")?.0.layout(side), "text") }
    })
}

/// Stores a rank's part of the array on one side, for a dense local array: extents, strides in
/// elements, and the length in elements. Lists have an entry for each dimension, in the order of
/// that side's axes, whichever is stored fastest. A rank that holds nothing has extents and a
/// length of 0. Ranks from the number of `redist_plan_size` on are refused. Each pointer may be
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_local(
    plan: *const Plan,
    side: i32,
    rank: i64,
    extents: *mut i64,
    strides: *mut i64,
    len: *mut i64,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live plan, and NULL or places for as many entries.
        unsafe {
            let plan = &reference(plan, "plan")?.0;
            let part = plan.local(side, rank_of(plan, rank)?);
            put_part([extents, strides, len], [&part.extents, &part.strides], part.len)
        }
    })
}

/// Stores the global index of the element at `offset` in the dense local array of a rank. It has an
/// entry for each dimension, in the order of that side's axes, whichever is stored fastest. All
/// count from 0. Ranks from the number of `redist_plan_size` on are refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_global_index(
    plan: *const Plan,
    side: i32,
    rank: i64,
    offset: i64,
    index: *mut i64,
) -> Status {
    guarded(|| {
        let (side, place) = (self::side(side)?, length(offset, "offset")?);
        if index.is_null() {
            return Err(Refusal::null("index"));
        }
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for as many entries.
        unsafe {
            let plan = &reference(plan, "plan")?.0;
            let found = plan.global_index(side, rank_of(plan, rank)?, place);
            let found = found.ok_or_else(|| {
                Refusal::argument(format!("rank {rank} has no element at offset {place}"))
            })?;
            put_numbers(index, &found)
        }
    })
}

/// Stores the rank that holds an element on one side. `index` has an entry for each dimension, in
/// the order of that side's axes, and counts from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_owner(
    plan: *const Plan,
    side: i32,
    index: *const i64,
    rank: *mut i64,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live plan, NULL or an index with as many entries, and
        // NULL or a place for the rank.
        unsafe {
            let plan = &reference(plan, "plan")?.0;
            let index = list(index, plan.extents().len(), "index")?;
            let places: Option<Vec<usize>> =
                index.iter().map(|at| usize::try_from(*at).ok()).collect();
            let owner = places.and_then(|places| plan.owner(side, &places));
            let owner = owner.ok_or_else(|| {
                Refusal::argument(format!("{index:?} is no index of the array on that side"))
            })?;
            if rank.is_null() {
                return Err(Refusal::null("rank"));
            }
            put_numbers(rank, &[owner])
        }
    })
}

/// Stores the elements that one rank sends to another rank, or keeps, if both are the same rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_volume(
    plan: *const Plan,
    source_rank: i64,
    destination_rank: i64,
    elements: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for the number.
        unsafe {
            let plan = &reference(plan, "plan")?.0;
            let (from, to) = (rank_of(plan, source_rank)?, rank_of(plan, destination_rank)?);
            if elements.is_null() {
                return Err(Refusal::null("elements"));
            }
            put_numbers(elements, &[plan.any().volume(from, to)])
        }
    })
}

/// Makes the plan of the way back. It is to be freed by `redist_plan_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_inverse(plan: *const Plan, inverse: *mut *mut Plan) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for the handle.
        unsafe { put_handle(inverse, Plan(reference(plan, "plan")?.0.inverse().into()), "inverse") }
    })
}

/// Makes the plan with relabelled destination ranks: each has the cell of its grid that lets most
/// elements stay. It is to be freed by `redist_plan_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_relabelled(
    plan: *const Plan,
    relabelled: *mut *mut Plan,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for the handle.
        unsafe {
            put_handle(
                relabelled,
                Plan(reference(plan, "plan")?.0.relabelled()?.into()),
                "relabelled",
            )
        }
    })
}

#[cfg(test)]
mod tests;
