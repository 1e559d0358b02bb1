//! Programs that hold and want parts of one array, of any number of dimensions.

use crate::plan::{MAX_DIMENSIONS, NoPlan};
use redist::exec::{AnyBound, ArrayPart, ProgramPart};
use redist::mpi::Programs;
use redist::plan::ParsePlanError;
use redist::{AnyElement, Error, Side};

/// A part of an array that a program holds or wants. Lists have an entry for each dimension.
pub struct DoorPart<'a> {
    pub role: Side,
    /// Extents of the whole array, in elements.
    pub whole: Vec<usize>,
    /// First index of the part in the whole array.
    pub at: Vec<usize>,
    /// Extents of the part, in elements.
    pub extents: Vec<usize>,
    /// Layout of the part in the notation, on the ranks of the program.
    pub layout: &'a str,
}

/// Joins parts of one array: see [`Programs::join_parts`]. A rank that cannot take part brings its
/// error, which every rank then returns. Collective over all ranks of all programs.
///
/// # Errors
/// Those of [`Programs::join_parts`], on every rank. The caller's error comes back as it is.
pub fn join_parts(
    programs: &Programs,
    element: AnyElement,
    dimensions: usize,
    own: Result<Option<DoorPart<'_>>, Error>,
) -> Result<AnyBound, Error> {
    macro_rules! joined {
        ($($dimensions:literal)*) => {
            match dimensions {
                $($dimensions => programs.join_any_parts::<$dimensions>(own.and_then(of_size), element),)*
                more => {
                    let reason = NoPlan::Dimensions(more).to_string();
                    let what = format!("a part of more than {MAX_DIMENSIONS} dimensions");
                    programs.join_any_parts::<0>(own.and(Err(Error::Unavailable { what, reason })), element)
                }
            }
        };
    }
    joined! { 0 1 2 3 4 5 6 7 8 }
}

fn of_size<const D: usize>(part: Option<DoorPart<'_>>) -> Result<Option<ProgramPart<D>>, Error> {
    let Some(DoorPart { role, whole, at, extents, layout }) = part else { return Ok(None) };
    let layout = layout.parse().map_err(|error| ParsePlanError::Notation { side: role, error })?;
    let list = |list: Vec<usize>| list.try_into().expect("an entry for each dimension");
    let part = ArrayPart { at: list(at), extents: list(extents) };
    Ok(Some(ProgramPart { role, whole: list(whole), part, layout }))
}
