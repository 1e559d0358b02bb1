//! All ranks of a plan as threads of this process. Unsafe, because C passes pointers.

use super::functions::{Called, Function, kept_width};
use super::plan::Plan;
use super::side;
use crate::array::{Given, LocalArray};
use crate::element::{name_of, named};
use crate::guard::guarded;
use crate::pointers::{bytes_mut, list, optional, put_numbers, reference, text};
use crate::status::{Refusal, Status};
use redist::layout::Padding;
use redist::threads::Failure;
use redist::{AnyElement, Error, Side};
use redist_doors::{
    DoorPlan, LocalPart, NotVerified, RankArrays, Scaling, overlapping, simulate, simulate_scaled,
    simulate_with, verify,
};
use std::ffi::{c_char, c_void};

/// The arrays of all ranks on both sides, by rank. A rank past the end of a list has none.
pub struct Arrays<'a> {
    sources: &'a [*const c_void],
    destinations: &'a [*mut c_void],
    /// Names of both lists in messages.
    names: [&'a str; 2],
    /// The side with a single array that is not dense, if there is one, and its strides.
    strides: Option<(Side, Vec<usize>)>,
}

/// Address and bytes of an array on each side.
type Places = [(usize, usize); 2];

impl<'a> Arrays<'a> {
    /// Lists arrays that are dense.
    fn dense(sources: &'a [*const c_void], destinations: &'a [*mut c_void]) -> Self {
        Self { sources, destinations, names: ["sources", "destinations"], strides: None }
    }

    fn address(&self, side: Side, at: usize) -> usize {
        match side {
            Side::Source => self.sources.get(at).map_or(0, |array| array.addr()),
            Side::Destination => self.destinations.get(at).map_or(0, |array| array.addr()),
        }
    }

    /// Returns the places of arrays of these parts, whose elements have these bytes by side. No
    /// destination shares memory with another array.
    pub fn places(
        &self,
        parts: impl Iterator<Item = ([LocalPart; 2], [usize; 2])>,
    ) -> Result<Vec<Places>, Refusal> {
        let places = parts.enumerate().map(|(at, ([from, to], widths))| {
            let place = |part, side| self.place(part, widths[side as usize], (side, at));
            Ok([place(&from, Side::Source)?, place(&to, Side::Destination)?])
        });
        let places = places.collect::<Result<Vec<_>, Refusal>>()?;
        let Some(((at, side), (other, other_side))) = overlapping(&places) else {
            return Ok(places);
        };
        let [own, name] = [side, other_side].map(|side| self.names[side as usize]);
        let words =
            format!("`{own}[{at}]` overlaps `{name}[{other}]`; bring arrays that are apart");
        Err(Refusal::new(Status::RedistArray, words))
    }

    fn place(
        &self,
        part: &LocalPart,
        width: usize,
        (side, at): (Side, usize),
    ) -> Result<(usize, usize), Refusal> {
        let bytes = self.len(part, side, at).and_then(|len| len.checked_mul(width));
        let name = self.names[side as usize];
        let bytes = bytes
            .filter(|bytes| isize::try_from(*bytes).is_ok())
            .ok_or_else(|| Refusal::argument(format!("`{name}[{at}]` fits in no memory")))?;
        match self.address(side, at) {
            0 if bytes > 0 => Err(Refusal::null(&format!("{name}[{at}]"))),
            address => Ok((address, bytes)),
        }
    }

    /// Returns the elements of an array's memory, those between its own among them.
    fn len(&self, part: &LocalPart, side: Side, at: usize) -> Option<usize> {
        match &self.strides {
            Some((strided, strides)) if (*strided, 0) == (side, at) && part.len > 0 => {
                let mut along = part.extents.iter().zip(strides);
                along.try_fold(1, |len: usize, (n, step)| {
                    len.checked_add((n - 1).checked_mul(*step)?)
                })
            }
            _ => Some(part.len),
        }
    }

    fn padding(&self, side: Side, at: usize) -> Option<Padding> {
        let (strided, strides) = self.strides.as_ref().filter(|_| at == 0)?;
        (*strided == side).then(|| Padding::Strides(strides.clone()))
    }

    /// Returns the arrays as bytes.
    ///
    /// # Safety
    /// The places are those of [`places`](Self::places), and each array has as many bytes. Nothing else
    /// uses these in `'b`.
    pub unsafe fn of_ranks<'b>(&self, places: &[Places]) -> Vec<RankArrays<'b>> {
        let arrays = places.iter().enumerate().map(|(at, [from, to])| RankArrays {
            // SAFETY: the array is NULL only without elements, as `places` found. The caller promises
            // that many bytes, which nothing writes to.
            source: self
                .sources
                .get(at)
                .map_or(&[], |array| unsafe { optional(array.cast::<u8>(), from.1) }),
            paddings: [Side::Source, Side::Destination].map(|side| self.padding(side, at)),
            // SAFETY: the array is NULL only without elements, and no other array has any of these, as
            // `places` found. The caller promises that many bytes.
            destination: self
                .destinations
                .get(at)
                .map_or(&mut [], |array| unsafe { bytes_mut(array.cast::<u8>(), to.1) }),
        });
        arrays.collect()
    }

    /// Moves the arrays.
    ///
    /// # Safety
    /// Each pointer is NULL, or to as many elements as the rank's local array has in memory. Nothing else
    /// uses these while this runs.
    unsafe fn moved(
        &self,
        plan: &DoorPlan,
        element: AnyElement,
        through: Through<'_>,
    ) -> Result<(), Refusal> {
        let widths = [element.bytes(), through.kept_bytes(element)];
        let parts = (0..plan.any().ranks()).map(|rank| {
            ([Side::Source, Side::Destination].map(|side| plan.local(side, rank)), widths)
        });
        let places = self.places(parts)?;
        // SAFETY: the caller promises that many elements.
        let arrays = unsafe { self.of_ranks(&places) };
        let moved = match through {
            Through::Nothing => simulate(plan, element, arrays),
            Through::Factors(scaling) => simulate_scaled(plan, element, scaling, arrays),
            Through::Function(called, kept) => {
                let function = || called.of_runs(element.bytes(), kept);
                simulate_with(plan, element, kept, function, arrays)
            }
        };
        Ok(moved?)
    }
}

/// Elements on their way to a destination.
#[derive(Clone, Copy)]
enum Through<'a> {
    Nothing,
    Factors(&'a Scaling),
    /// A caller's function, and the bytes of an element of the destination.
    Function(&'a Called, usize),
}

impl Through<'_> {
    fn kept_bytes(self, element: AnyElement) -> usize {
        match self {
            Self::Function(_, kept) => kept,
            _ => element.bytes(),
        }
    }
}

impl From<Failure<Error>> for Refusal {
    fn from(failure: Failure<Error>) -> Self {
        match failure {
            Failure::Error { error, .. } => error.into(),
            Failure::Panic { .. } => Self::new(Status::RedistPanic, failure.to_string()),
            Failure::Spawn { .. } => Self::new(Status::RedistUnavailable, failure.to_string()),
        }
    }
}

impl From<NotVerified> for Refusal {
    fn from(error: NotVerified) -> Self {
        match error {
            NotVerified::Failure(failure) => failure.into(),
            NotVerified::Memory { .. } => Self::new(Status::RedistUnavailable, error.to_string()),
            NotVerified::Element { .. } => Self::new(Status::RedistDiffers, error.to_string()),
        }
    }
}

/// Moves an array between all ranks of the plan, which are threads of this process: neither MPI nor a
/// communicator is needed. Each list has the rank's dense local array for each of `ranks` ranks, as many
/// as `redist_plan_size` tells. Lengths are those of `redist_plan_local`. An array without elements may
/// be NULL. No two arrays may overlap. Elements for which nothing arrives stay as they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_simulate(
    plan: *const Plan,
    element: *const c_char,
    ranks: i64,
    sources: *const *const c_void,
    destinations: *const *mut c_void,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands all that both need: NULL or a live plan, a text, lists with a
        // pointer for each rank, and elements that nothing else uses.
        unsafe {
            let (plan, element) = (&reference(plan, "plan")?.0, element_of(element)?);
            let arrays = both_lists(sources, destinations, all_ranks(plan.any().ranks(), ranks)?)?;
            arrays.moved(plan, element, Through::Nothing)
        }
    })
}

/// As `redist_plan_simulate`, but that a function receives what arrives, run by run, with its place in
/// the destination: see `redist_run_with`. Elements of destinations have `kept_bytes` bytes each, and
/// lengths are in these. Several threads may call the function at a time, each for a rank of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_simulate_with(
    plan: *const Plan,
    element: *const c_char,
    ranks: i64,
    sources: *const *const c_void,
    destinations: *const *mut c_void,
    kept_bytes: i64,
    function: Function,
    state: *mut c_void,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands all that these need: NULL or a live plan, a text, lists with a
        // pointer for each rank, elements that nothing else uses, and a function that threads may call
        // with this state.
        unsafe {
            let (plan, element) = (&reference(plan, "plan")?.0, element_of(element)?);
            let (called, kept) = (Called::new(function, state)?, kept_width(kept_bytes)?);
            let arrays = both_lists(sources, destinations, all_ranks(plan.any().ranks(), ranks)?)?;
            arrays.moved(plan, element, Through::Function(&called, kept))
        }
    })
}

/// As `redist_plan_simulate`, but that each destination becomes `alpha` times what arrives plus `beta`
/// times what it had: see `redist_run_scaled`. If `conjugates` is not 0, the complex conjugate arrives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_simulate_scaled(
    plan: *const Plan,
    element: *const c_char,
    ranks: i64,
    alpha: *const c_void,
    sources: *const *const c_void,
    beta: *const c_void,
    destinations: *const *mut c_void,
    conjugates: i32,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands all that both need: NULL or a live plan, a text, lists with a
        // pointer for each rank, elements that nothing else uses, and an element at each factor.
        unsafe {
            let (plan, element) = (&reference(plan, "plan")?.0, element_of(element)?);
            let ranks = all_ranks(plan.any().ranks(), ranks)?;
            let factor = |of: *const c_void, name| list(of.cast::<u8>(), element.bytes(), name);
            let factors = [factor(alpha, "alpha")?.to_vec(), factor(beta, "beta")?.to_vec()];
            let scaling = Scaling { factors, conjugates: conjugates != 0 };
            if scaling.of(element).is_none() {
                let (name, types) = (name_of(element), "f32, f64, c32, c64, i32 and i64");
                let words = format!("{name} is not scaled; types are {types}");
                return Err(Refusal::argument(words));
            }
            let arrays = both_lists(sources, destinations, ranks)?;
            arrays.moved(plan, element, Through::Factors(&scaling))
        }
    })
}

/// Deals a whole array to the dense local arrays of all ranks on a side: see `redist_plan_simulate`.
/// The whole array has the extents of the side's stored array, of which a section is a part, and lies
/// row by row. `whole_len` is in elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_scatter(
    plan: *const Plan,
    element: *const c_char,
    side: i32,
    whole: *const c_void,
    whole_len: i64,
    ranks: i64,
    parts: *const *mut c_void,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands all that both need: NULL or a live plan, a text, a list with a
        // pointer for each rank, and elements that nothing else uses.
        unsafe {
            let (plan, element) = (&reference(plan, "plan")?.0, element_of(element)?);
            let destinations = list(parts, all_ranks(plan.any().ranks(), ranks)?, "parts")?;
            let (dealing, sources) = (plan.scattering(side), [whole]);
            check_whole(&dealing, Side::Source, whole_len)?;
            let names = ["whole", "parts"];
            let arrays = Arrays { sources: &sources, destinations, names, strides: None };
            arrays.moved(&dealing, element, Through::Nothing)
        }
    })
}

/// As `redist_plan_scatter`, for callers that know the shape of the array. `whole->element` is not
/// NULL. An array of 0 dimensions lies row by row. Any other has the shape of the side's stored array,
/// and may have any strides by which elements are apart.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_scatter_array(
    plan: *const Plan,
    side: i32,
    whole: *const LocalArray,
    ranks: i64,
    parts: *const *mut c_void,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands all that these need: NULL or a live plan, NULL or an array as `read`
        // needs it, and a list with a pointer for each rank. Nothing else uses the elements.
        unsafe {
            let (plan, given) = (&reference(plan, "plan")?.0, Given::read(whole, "whole")?);
            let destinations = list(parts, all_ranks(plan.any().ranks(), ranks)?, "parts")?;
            let (dealing, sources) = (plan.scattering(side), [(*whole).data.cast_const()]);
            let (element, strides) = whole_array(&dealing, Side::Source, &given)?;
            let names = ["whole", "parts"];
            let arrays = Arrays { sources: &sources, destinations, names, strides };
            arrays.moved(&dealing, element, Through::Nothing)
        }
    })
}

/// Puts the dense local arrays of all ranks on a side together: the reverse of `redist_plan_scatter`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_gather(
    plan: *const Plan,
    element: *const c_char,
    side: i32,
    ranks: i64,
    parts: *const *const c_void,
    whole: *mut c_void,
    whole_len: i64,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands all that both need: NULL or a live plan, a text, a list with a
        // pointer for each rank, and elements that nothing else uses.
        unsafe {
            let (plan, element) = (&reference(plan, "plan")?.0, element_of(element)?);
            let sources = list(parts, all_ranks(plan.any().ranks(), ranks)?, "parts")?;
            let (joining, destinations) = (plan.scattering(side).inverse(), [whole]);
            check_whole(&joining, Side::Destination, whole_len)?;
            let (names, destinations) = (["parts", "whole"], &destinations);
            let arrays = Arrays { sources, destinations, names, strides: None };
            arrays.moved(&joining, element, Through::Nothing)
        }
    })
}

/// As `redist_plan_gather`, for callers that know the shape of the array: see
/// `redist_plan_scatter_array`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_gather_array(
    plan: *const Plan,
    side: i32,
    ranks: i64,
    parts: *const *const c_void,
    whole: *const LocalArray,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands all that these need: NULL or a live plan, NULL or an array as `read`
        // needs it, and a list with a pointer for each rank. Nothing else uses the elements.
        unsafe {
            let (plan, given) = (&reference(plan, "plan")?.0, Given::read(whole, "whole")?);
            let sources = list(parts, all_ranks(plan.any().ranks(), ranks)?, "parts")?;
            let (joining, destinations) = (plan.scattering(side).inverse(), [(*whole).data]);
            let (element, strides) = whole_array(&joining, Side::Destination, &given)?;
            let (names, destinations) = (["parts", "whole"], &destinations);
            let arrays = Arrays { sources, destinations, names, strides };
            arrays.moved(&joining, element, Through::Nothing)
        }
    })
}

/// A side whose single array has strides of its own, and these.
type Strided = (Side, Vec<usize>);

/// Checks the array of all ranks. Returns its element type, and its strides where it has a shape.
fn whole_array(
    plan: &DoorPlan,
    side: Side,
    given: &Given,
) -> Result<(AnyElement, Option<Strided>), Refusal> {
    let element = given.element.ok_or_else(|| Refusal::null("whole.element"))?;
    let Some(shape) = &given.shape else {
        return check_whole(plan, side, given.len).map(|()| (element, None));
    };
    let must = plan.local(side, 0);
    let refused = |words: String| Refusal::new(Status::RedistArray, words);
    if shape.extents() != must.extents {
        let (found, must) = (shape.extents(), must.extents);
        return Err(refused(format!(
            "`whole` has the shape {found:?}, but the {side} array, of all ranks together, has {must:?}; bring \
             one of that shape"
        )));
    }
    let along = shape.strides().iter().zip(&must.strides).zip(&must.extents);
    // A single index never uses its stride.
    let along =
        along.map(|((found, dense), n)| if *n > 1 { usize::try_from(*found) } else { Ok(*dense) });
    let strides: Vec<usize> = along.collect::<Result<_, _>>().map_err(|_| {
        refused(format!(
            "`whole` has the strides {:?}, and must have none below 0",
            shape.strides()
        ))
    })?;
    Ok((element, Some((side, strides))))
}

/// Moves an array of bytes that tell all elements apart between all ranks of the plan, which are
/// threads, and looks at every element that arrives. `element` gives its size. Takes the memory of all
/// local arrays. Stores the number of elements that moved, unless the pointer is NULL.
/// `REDIST_DIFFERS` is a mistake of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_verify(
    plan: *const Plan,
    element: *const c_char,
    elements: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, a text, and NULL or a place for the number.
        unsafe {
            let (plan, element) = (&reference(plan, "plan")?.0, element_of(element)?);
            put_numbers(elements, &[verify(plan, element)?])
        }
    })
}

/// Reads the lists of both sides, of arrays that are dense.
///
/// # Safety
/// Each list is NULL, or has `count` pointers, which are not written to in `'a`.
pub unsafe fn both_lists<'a>(
    sources: *const *const c_void,
    destinations: *const *mut c_void,
    count: usize,
) -> Result<Arrays<'a>, Refusal> {
    // SAFETY: the caller promises of both all that `list` needs.
    unsafe {
        let sources = list(sources, count, "sources")?;
        Ok(Arrays::dense(sources, list(destinations, count, "destinations")?))
    }
}

/// # Safety
/// The name is NULL, or a text that ends with a zero and is not written to while this runs.
pub unsafe fn element_of(name: *const c_char) -> Result<AnyElement, Refusal> {
    // SAFETY: the caller promises NULL or a text.
    named(unsafe { text(name, "element") }?)
}

/// Checks that a caller brings arrays for each rank.
pub fn all_ranks(must: usize, ranks: i64) -> Result<usize, Refusal> {
    match usize::try_from(ranks) == Ok(must) {
        true => Ok(must),
        false => Err(Refusal::argument(format!(
            "`ranks` is {ranks}, but the plan has {must}; bring an array for each"
        ))),
    }
}

fn check_whole(plan: &DoorPlan, side: Side, found: i64) -> Result<(), Refusal> {
    let must = plan.local(side, 0).len;
    match usize::try_from(found) == Ok(must) {
        true => Ok(()),
        false => {
            let words = format!("`whole_len` is {found}, but the array has {must} elements");
            Err(Refusal::new(Status::RedistArray, words))
        }
    }
}
