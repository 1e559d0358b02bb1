//! Parts of one array that several programs hold and want. Unsafe, because C passes pointers.

use super::plan::{dimensions_of, lengths};
use super::programs::Programs;
use super::side;
use crate::bound::{Bound, told};
use crate::element::named;
use crate::guard::guarded;
use crate::pointers::{put_handle, reference, text};
use crate::status::{Refusal, Status};
use redist::AnyElement;
use redist_doors::{DoorPart, join_parts};
use std::ffi::c_char;

/// Joins programs that hold or want parts of one array, of which this one is the `side` `REDIST_SOURCE` or
/// `REDIST_DESTINATION`. Collective over all ranks of all programs. `whole` has the extents of the array. The
/// part begins at index `at`, from 0 on, and has `extents`. Lists have an entry for each of 0 to 8 dimensions.
/// The `layout` is that of the part on this program's ranks, which are numbered from 0.
/// It is NULL in a program that takes no part, where side and lists are not read.
///
/// Parts that are held do not overlap, and have all elements that are wanted: otherwise `REDIST_DIFFERS` on
/// every rank names programs and ranges. A rank's other mistake is an error on every rank, too. The bound
/// plan moves all parts by `redist_run`, or by `redist_start` and `redist_finish`, collectively over all
/// ranks of all programs. A wrong array on one rank is an error on every rank, and none is written to. An
/// array has length 0 where the program has no part on its side. The programs may be freed afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_programs_join(
    programs: *const Programs,
    element: *const c_char,
    side: i32,
    dimensions: i32,
    whole: *const i64,
    at: *const i64,
    extents: *const i64,
    layout: *const c_char,
    bound: *mut *mut Bound,
) -> Status {
    // SAFETY: the header demands NULL, or texts that end with a zero, and lists with an entry for each
    // dimension.
    let given = || unsafe {
        if bound.is_null() {
            return Err(Refusal::null("bound"));
        }
        let element = named(text(element, "element")?)?;
        let dimensions = dimensions_of(dimensions)?;
        if layout.is_null() {
            return Ok((element, dimensions, None));
        }
        let part = DoorPart {
            role: self::side(side)?,
            whole: lengths(whole, dimensions, "whole")?,
            at: lengths(at, dimensions, "at")?,
            extents: lengths(extents, dimensions, "extents")?,
            layout: text(layout, "layout")?,
        };
        Ok((element, dimensions, Some(part)))
    };
    guarded(|| {
        // SAFETY: the header demands NULL or live programs.
        let own = unsafe { reference(programs, "programs") }?.enter()?;
        let (element, dimensions, part) = given().inspect_err(|refusal| {
            // The other ranks wait for this one.
            let byte = AnyElement::of_bytes(1).expect("a byte has bytes");
            let _ = join_parts(own, byte, 0, Err(told("a part of an array", refusal)));
        })?;
        let joined = join_parts(own, element, dimensions, Ok(part))?;
        // SAFETY: the header demands a place for the handle.
        unsafe { put_handle(bound, Bound::new(joined, dimensions, false, true), "bound") }
    })
}
