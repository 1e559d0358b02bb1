//! Plans between copies of an array, and sums of addends. Unsafe, because C passes pointers,
//! communicators, and functions.

use super::bind::{Over, bound_by};
use super::functions::{Called, Function};
use super::plan::{extents, rank_below};
use super::side;
use super::simulated::{all_ranks, both_lists, element_of};
use crate::bound::Bound;
use crate::communicator::Brought;
use crate::element::{name_of, named};
use crate::guard::guarded;
use crate::pointers::{put, put_handle, put_numbers, put_part, put_text, reference, taken, text};
use crate::status::{Refusal, Status, length};
use redist::exec::Combining;
use redist::{AnyElement, Side};
use redist_doors::{Combine, DoorCopies, DoorRanks, combined, simulate_copies};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// The source has equal copies of the array, or one.
pub const REDIST_COMBINE_NONE: i32 = 0;
/// The source has addends; each copy of the destination becomes their sum.
pub const REDIST_COMBINE_SUM: i32 = 1;
/// As `REDIST_COMBINE_SUM`, but the least of each element's addends.
pub const REDIST_COMBINE_MIN: i32 = 2;
/// As `REDIST_COMBINE_SUM`, but the greatest of each element's addends.
pub const REDIST_COMBINE_MAX: i32 = 3;
/// As `REDIST_COMBINE_SUM`, but a function of the caller combines them: by `redist_run_with`, or by
/// `redist_copies_simulate_with`.
pub const REDIST_COMBINE_FUNCTION: i32 = 4;

/// A plan between copies of one array, or a sum of addends. It never changes, and several threads may
/// use it at a time.
pub struct Copies {
    pub copies: Arc<DoorCopies>,
    /// The function that is named for addends.
    combine: Option<Combine>,
}

impl Copies {
    /// Names the function for addends, if there is one; `None` is for equal copies.
    pub fn new(copies: DoorCopies, combine: Option<Option<Combine>>) -> Self {
        Self { copies: copies.into(), combine: combine.flatten() }
    }

    /// Returns the named function for addends of this type.
    fn function(&self, element: AnyElement) -> Option<Combining> {
        self.combine.and_then(|how| combined(element, how))
    }

    fn check_element(&self, element: AnyElement) -> Result<(), Refusal> {
        if self.combine.is_none() || self.function(element).is_some() {
            return Ok(());
        }
        Err(Refusal::argument(format!(
            "{} is not combined so; types are f32, f64, i32 and i64, and c32 and c64 for sums; \
             REDIST_COMBINE_FUNCTION combines any by your function",
            name_of(element)
        )))
    }
}

/// Plans moves between copies of one array: broadcasts, all-gathers, and others. Behind a layout,
/// `copies k` stands for `k` copies on the ranks behind each other, and `copies k along a` for copies
/// along an axis of the grid. Each copy of the destination is read from one copy of the source, and
/// all messages go in one exchange. `combine` is a `REDIST_COMBINE_…`: with any but
/// `REDIST_COMBINE_NONE` the copies of the source are addends. They are combined in their order, so
/// that all ranks and all runs have the same bits. All else is as for `redist_plan_parse`. The plan is
/// to be freed by `redist_copies_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_copies_parse(
    dimensions: i32,
    extents: *const i64,
    from: *const c_char,
    to: *const c_char,
    combine: i32,
    copies: *mut *mut Copies,
) -> Status {
    guarded(|| {
        let combine = combine_of(combine)?;
        // SAFETY: the header demands NULL, or lists with as many entries, texts that end with a
        // zero, and a place for the handle. Nothing else uses these now.
        unsafe {
            let extents = self::extents(dimensions, extents)?;
            let (from, to) = (text(from, "from")?, text(to, "to")?);
            let made = match combine {
                None => DoorCopies::parse(&extents, from, to)?,
                Some(_) => DoorCopies::parse_sums(&extents, from, to)?,
            };
            put_handle(copies, Copies::new(made, combine), "copies")
        }
    })
}

/// Returns the named function for addends, if a `REDIST_COMBINE_…` names one, of copies that are addends.
pub fn combine_of(number: i32) -> Result<Option<Option<Combine>>, Refusal> {
    Ok(Some(match number {
        REDIST_COMBINE_NONE => return Ok(None),
        REDIST_COMBINE_FUNCTION => None,
        REDIST_COMBINE_SUM => Some(Combine::Sum),
        REDIST_COMBINE_MIN => Some(Combine::Min),
        REDIST_COMBINE_MAX => Some(Combine::Max),
        other => {
            let words = format!("`combine` is {other}, and must be a REDIST_COMBINE_…");
            return Err(Refusal::argument(words));
        }
    }))
}

/// Frees a plan between copies; what was bound from it, and batches that have it, stay. NULL is
/// ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_copies_free(copies: *mut Copies) {
    guarded(|| {
        // SAFETY: the header demands NULL, or a plan of `put_handle`, which nothing uses after this
        // call.
        drop(unsafe { taken(copies) });
        Ok(())
    });
}

/// Stores the number of dimensions, one past the highest rank that takes part, and the number of
/// copies of each side. Those of a sum's source are its addends. Each pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_copies_size(
    copies: *const Copies,
    dimensions: *mut i32,
    ranks: *mut i64,
    source_copies: *mut i64,
    destination_copies: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for each number.
        unsafe {
            let copies = &reference(copies, "copies")?.copies;
            if !dimensions.is_null() {
                // At most `MAX_DIMENSIONS`.
                put(dimensions, || copies.dimensions() as i32, "dimensions")?;
            }
            put_numbers(ranks, &[copies.ranks()])?;
            put_numbers(source_copies, &[copies.count(Side::Source)])?;
            put_numbers(destination_copies, &[copies.count(Side::Destination)])
        }
    })
}

/// Stores a rank's part of its copy of the array on one side: see `redist_plan_local`. A rank without
/// a copy has extents and a length of 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_copies_local(
    copies: *const Copies,
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
            let copies = &reference(copies, "copies")?.copies;
            let part = copies.local(side, rank_below(copies.ranks(), rank)?);
            put_part([extents, strides, len], [&part.extents, &part.strides], part.len)
        }
    })
}

/// Stores the global index of the element at `offset` in the dense local array of a rank: see
/// `redist_plan_global_index`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_copies_global_index(
    copies: *const Copies,
    side: i32,
    rank: i64,
    offset: i64,
    index: *mut i64,
) -> Status {
    guarded(|| {
        let (side, place) = (self::side(side)?, length(offset, "offset")?);
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for as many entries.
        unsafe {
            let copies = &reference(copies, "copies")?.copies;
            if index.is_null() && copies.dimensions() > 0 {
                return Err(Refusal::null("index"));
            }
            let found = copies.global_index(side, rank_below(copies.ranks(), rank)?, place);
            let found = found.ok_or_else(|| {
                Refusal::argument(format!("rank {rank} has no element at offset {place}"))
            })?;
            put_numbers(index, &found)
        }
    })
}

/// Lists the source's copy of each of the destination's copies, or the addends. The text is to be
/// freed by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_copies_explain(
    copies: *const Copies,
    text: *mut *mut c_char,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for the text.
        unsafe { put_text(text, reference(copies, "copies")?.copies.explain(), "text") }
    })
}

/// As `redist_bind_copies`, which calls this: see `redist_bind_place`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind_copies_place(
    copies: *const Copies,
    element: *const c_char,
    communicator: *const c_void,
    bytes: usize,
    library: *const c_char,
    bound: *mut *mut Bound,
) -> Status {
    // SAFETY: the header demands all that `bind` needs of pointers and of the communicator.
    guarded(|| unsafe {
        bind(copies, element, Brought::place(communicator, bytes, library).into(), bound)
    })
}

/// As `redist_bind_copies_place`, with a communicator as Fortran's integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind_copies_number(
    copies: *const Copies,
    element: *const c_char,
    communicator: i32,
    library: *const c_char,
    bound: *mut *mut Bound,
) -> Status {
    // SAFETY: the header demands all that `bind` needs of pointers and of the communicator.
    guarded(|| unsafe {
        bind(copies, element, Brought::number(communicator, library).into(), bound)
    })
}

/// # Safety
/// Pointers are NULL or to the things that the functions name, which nothing writes to while this
/// runs. Communicator and ranks are alive, or none.
pub unsafe fn bind(
    copies: *const Copies,
    element: *const c_char,
    over: Over,
    bound: *mut *mut Bound,
) -> Result<(), Refusal> {
    // SAFETY: the caller promises NULL, or a live plan, and NULL, or a text that ends with a zero.
    let prepared = || unsafe {
        let copies = reference(copies, "copies")?;
        let element = named(text(element, "element")?)?;
        copies.check_element(element)?;
        Ok((copies, element))
    };
    let bind = |(own, element): (&Copies, AnyElement), ranks: DoorRanks<'_>| {
        let copies = &own.copies;
        let moves = copies.any(element, ranks.rank(), own.function(element));
        Ok(Bound::new(ranks.bind(moves)?, copies.dimensions(), copies.is_sum(), ranks.call_mpi()))
    };
    // SAFETY: the caller promises ranks that are alive, or none, and NULL or a place.
    unsafe { bound_by(over, "a plan between copies", prepared, bind, bound) }
}

/// Moves copies, or makes sums, between all ranks, which are threads of this process: see
/// `redist_plan_simulate`. `ranks` are as many as `redist_copies_size` tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_copies_simulate(
    copies: *const Copies,
    element: *const c_char,
    ranks: i64,
    sources: *const *const c_void,
    destinations: *const *mut c_void,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands all that `simulated` needs of the pointers.
        unsafe {
            let (copies, element) = (reference(copies, "copies")?, element_of(element)?);
            copies.check_element(element)?;
            let function = || copies.function(element);
            simulated(copies, element, ranks, [sources.cast(), destinations.cast()], function)
        }
    })
}

/// As `redist_copies_simulate`, but that a function combines addends: see `redist_run_with`. Several
/// threads may call it at a time, each for a rank of its own. The copies of the plan's source are
/// addends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_copies_simulate_with(
    copies: *const Copies,
    element: *const c_char,
    ranks: i64,
    sources: *const *const c_void,
    destinations: *const *mut c_void,
    function: Function,
    state: *mut c_void,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands all that `simulated` needs of the pointers, and a function that
        // threads may call with this state.
        unsafe {
            let called = Called::new(function, state)?;
            let (copies, element) = (reference(copies, "copies")?, element_of(element)?);
            if !copies.copies.is_sum() {
                let words =
                    "copies are not combined; plan addends by a `combine` of `redist_copies_parse`";
                return Err(Refusal::argument(words));
            }
            let combine =
                || -> Option<Combining> { Some(called.of_runs(element.bytes(), element.bytes())) };
            simulated(copies, element, ranks, [sources.cast(), destinations.cast()], combine)
        }
    })
}

/// # Safety
/// Each list is NULL, or has a pointer for each rank, which is NULL or to as many elements as the rank's
/// local array has. Nothing else uses these while this runs.
unsafe fn simulated(
    copies: &Copies,
    element: AnyElement,
    ranks: i64,
    lists: [*const *mut c_void; 2],
    combine: impl Fn() -> Option<Combining> + Sync,
) -> Result<(), Refusal> {
    let copies = &copies.copies;
    let ranks = all_ranks(copies.ranks(), ranks)?;
    // SAFETY: each list is NULL, or has as many pointers, as the caller promises.
    let arrays = unsafe { both_lists(lists[0].cast(), lists[1], ranks) }?;
    let parts = (0..ranks).map(|rank| {
        let parts = [Side::Source, Side::Destination].map(|side| copies.local(side, rank));
        (parts, [element.bytes(); 2])
    });
    let places = arrays.places(parts)?;
    // SAFETY: the caller promises that many elements, as `places` found.
    let own = unsafe { arrays.of_ranks(&places) };
    Ok(simulate_copies(copies, element, combine, own)?)
}
