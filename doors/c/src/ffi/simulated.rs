//! All ranks of a plan as threads of this process. Unsafe, because C passes pointers.

use super::plan::Plan;
use super::side;
use crate::element::{name_of, named};
use crate::guard::guarded;
use crate::pointers::{bytes_mut, list, optional, reference, text};
use crate::status::{Refusal, Status};
use redist::threads::Failure;
use redist::{AnyElement, Error, Side};
use redist_doors::{DoorPlan, RankArrays, Scaling, overlap, simulate, simulate_scaled};
use std::ffi::{c_char, c_void};

/// The arrays of all ranks on both sides, by rank. A rank past the end of a list has none.
struct Arrays<'a> {
    sources: &'a [*const c_void],
    destinations: &'a [*mut c_void],
    /// Names of both lists in messages.
    names: [&'a str; 2],
}

impl Arrays<'_> {
    fn address(&self, side: Side, rank: usize) -> usize {
        match side {
            Side::Source => self.sources.get(rank).map_or(0, |array| array.addr()),
            Side::Destination => self.destinations.get(rank).map_or(0, |array| array.addr()),
        }
    }

    /// Returns the address of each rank's array on a side, and its bytes.
    fn places(
        &self,
        plan: &DoorPlan,
        element: AnyElement,
        side: Side,
    ) -> Result<Vec<(usize, usize)>, Refusal> {
        let places = (0..plan.any().ranks()).map(|rank| {
            let bytes = plan.local(side, rank).len.checked_mul(element.bytes());
            let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok()).ok_or_else(|| {
                Refusal::argument(format!("the {side} array of rank {rank} fits in no memory"))
            })?;
            match self.address(side, rank) {
                0 if bytes > 0 => {
                    Err(Refusal::null(&format!("{}[{rank}]", self.names[side as usize])))
                }
                address => Ok((address, bytes)),
            }
        });
        places.collect()
    }

    /// Moves the arrays.
    ///
    /// # Safety
    /// Each pointer is NULL, or to as many elements as the rank's dense local array has. Nothing else
    /// uses these while this runs.
    unsafe fn moved(
        &self,
        plan: &DoorPlan,
        element: AnyElement,
        scaling: Option<&Scaling>,
    ) -> Result<(), Refusal> {
        let from = self.places(plan, element, Side::Source)?;
        let to = self.places(plan, element, Side::Destination)?;
        self.check_apart(&from, &to)?;
        let both = from.iter().zip(&to).enumerate();
        let arrays = both.map(|(rank, (from, to))| RankArrays {
            // SAFETY: the array is NULL only without elements, as `places` found. The caller promises
            // that many elements, which nothing writes to.
            source: self
                .sources
                .get(rank)
                .map_or(&[], |array| unsafe { optional(array.cast::<u8>(), from.1) }),
            paddings: [None, None],
            // SAFETY: the array is NULL only without elements, as `places` found. The caller promises
            // that many elements. No other array has any of these, as `check_apart` found.
            destination: self
                .destinations
                .get(rank)
                .map_or(&mut [], |array| unsafe { bytes_mut(array.cast::<u8>(), to.1) }),
        });
        let arrays = arrays.collect();
        let moved = match scaling {
            Some(scaling) => simulate_scaled(plan, element, scaling, arrays),
            None => simulate(plan, element, arrays),
        };
        Ok(moved?)
    }

    /// Refuses a destination that shares memory with another array.
    fn check_apart(&self, from: &[(usize, usize)], to: &[(usize, usize)]) -> Result<(), Refusal> {
        for (rank, place) in to.iter().enumerate() {
            let shares = |other: &(usize, usize)| overlap([*place, *other]);
            let before = to[..rank].iter().position(shares).map(|other| (1, other));
            let found = before.or_else(|| from.iter().position(shares).map(|other| (0, other)));
            if let Some((side, other)) = found {
                let [own, name] = [self.names[1], self.names[side]];
                let words = format!(
                    "`{own}[{rank}]` overlaps `{name}[{other}]`; bring arrays that are apart"
                );
                return Err(Refusal::new(Status::RedistArray, words));
            }
        }
        Ok(())
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
            let ranks = all_ranks(plan, ranks)?;
            let sources = list(sources, ranks, "sources")?;
            let destinations = list(destinations, ranks, "destinations")?;
            let arrays = Arrays { sources, destinations, names: ["sources", "destinations"] };
            arrays.moved(plan, element, None)
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
            let ranks = all_ranks(plan, ranks)?;
            let factor = |of: *const c_void, name| list(of.cast::<u8>(), element.bytes(), name);
            let factors = [factor(alpha, "alpha")?.to_vec(), factor(beta, "beta")?.to_vec()];
            let scaling = Scaling { factors, conjugates: conjugates != 0 };
            if scaling.of(element).is_none() {
                let (name, types) = (name_of(element), "f32, f64, c32, c64, i32 and i64");
                let words = format!("{name} is not scaled; types are {types}");
                return Err(Refusal::argument(words));
            }
            let sources = list(sources, ranks, "sources")?;
            let destinations = list(destinations, ranks, "destinations")?;
            let arrays = Arrays { sources, destinations, names: ["sources", "destinations"] };
            arrays.moved(plan, element, Some(&scaling))
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
            let destinations = list(parts, all_ranks(plan, ranks)?, "parts")?;
            let (dealing, sources) = (plan.scattering(side), [whole]);
            check_whole(&dealing, Side::Source, whole_len)?;
            let arrays = Arrays { sources: &sources, destinations, names: ["whole", "parts"] };
            arrays.moved(&dealing, element, None)
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
            let sources = list(parts, all_ranks(plan, ranks)?, "parts")?;
            let (joining, destinations) = (plan.scattering(side).inverse(), [whole]);
            check_whole(&joining, Side::Destination, whole_len)?;
            let arrays = Arrays { sources, destinations: &destinations, names: ["parts", "whole"] };
            arrays.moved(&joining, element, None)
        }
    })
}

/// # Safety
/// The name is NULL, or a text that ends with a zero and is not written to while this runs.
unsafe fn element_of(name: *const c_char) -> Result<AnyElement, Refusal> {
    // SAFETY: the caller promises NULL or a text.
    named(unsafe { text(name, "element") }?)
}

fn all_ranks(plan: &DoorPlan, ranks: i64) -> Result<usize, Refusal> {
    let must = plan.any().ranks();
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
