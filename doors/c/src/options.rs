//! Options of binding. Unsafe: lists of strides and extents are in C's memory.

use crate::layout::check_size;
use crate::pointers::{list, reference};
use crate::status::{Refusal, length};
use redist::Side;
use redist::exec::AnyBinder;
use redist::layout::Padding as LocalPadding;
use redist::layout::vocabulary::counted;
use redist::plan::schedule::Method;
use redist::plan::{Diag, Uplo};
use redist::transport::Route;

/// The place in memory of this rank's local array on one side, in elements. Ranks may differ.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Padding {
    /// A `REDIST_PADDING_…`.
    pub kind: i32,
    /// 0.
    pub reserved: i32,
    /// With `REDIST_PADDING_LEADING`: distance of neighbours along the second fastest dimension,
    /// ScaLAPACK's LLD.
    pub leading: i64,
    /// With `REDIST_PADDING_STRIDES`: distance of neighbours along each dimension.
    pub strides: *const i64,
    /// With `REDIST_PADDING_WITHIN`: the extents of the larger array.
    pub extents: *const i64,
    /// With `REDIST_PADDING_WITHIN`: the local array's first index in it.
    pub origin: *const i64,
}

/// The array is dense.
pub const REDIST_PADDING_NONE: i32 = 0;
/// It has a leading dimension.
pub const REDIST_PADDING_LEADING: i32 = 1;
/// It has strides.
pub const REDIST_PADDING_STRIDES: i32 = 2;
/// It is a box in a larger array, whose halo stays untouched.
pub const REDIST_PADDING_WITHIN: i32 = 3;

/// The way of elements if all ranks run a move: the same on all ranks. `REDIST_ROUTE_AUTOMATIC`
/// takes the way that is expected to be fastest.
pub const REDIST_ROUTE_AUTOMATIC: i32 = 0;
/// Chunks in shared memory, if all ranks are on one node.
pub const REDIST_ROUTE_CHUNKS: i32 = 1;
/// Packed messages.
pub const REDIST_ROUTE_MESSAGES: i32 = 2;

/// The schedule of messages: the same on all ranks. `REDIST_METHOD_AUTOMATIC` asks for none:
/// messages go all at once.
pub const REDIST_METHOD_AUTOMATIC: i32 = 0;
/// No steps.
pub const REDIST_METHOD_ALL_AT_ONCE: i32 = 1;
/// The circulant schedule, for x to kx and back.
pub const REDIST_METHOD_CIRCULANT: i32 = 2;
/// The closed form for s to t.
pub const REDIST_METHOD_CLOSED_FORM: i32 = 3;
/// König's edge colouring.
pub const REDIST_METHOD_KOENIG: i32 = 4;
/// Walker and Otto's caterpillar.
pub const REDIST_METHOD_CATERPILLAR: i32 = 5;

/// The whole array moves.
pub const REDIST_WHOLE: i32 = 0;
/// The part of a matrix on and above the diagonal moves.
pub const REDIST_UPPER: i32 = 1;
/// The part of a matrix on and below the diagonal moves.
pub const REDIST_LOWER: i32 = 2;

/// Options of binding. Members that are 0 have their defaults; begin with `redist_options options =
/// REDIST_OPTIONS_INIT;`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Options {
    /// `sizeof(redist_options)`.
    pub size: usize,
    /// A `REDIST_ROUTE_…`.
    pub route: i32,
    /// A `REDIST_METHOD_…`.
    pub method: i32,
    /// Bytes of the longest segment of a message. 0 is the library's eager limit to another node,
    /// and 1 MiB on the same node.
    pub max_message_bytes: i64,
    /// `REDIST_WHOLE`, or the trapezoid of a matrix that moves: `REDIST_UPPER` or `REDIST_LOWER`.
    /// The same on all ranks.
    pub part: i32,
    /// Not 0 if the diagonal does not belong to that (ScaLAPACK's DIAG is `U`).
    pub unit_diagonal: i32,
    /// The places of this rank's local arrays: of `REDIST_SOURCE`, of `REDIST_DESTINATION`.
    pub padding: [Padding; 2],
    /// Most bytes of message buffers on a rank; 0 is no bound. A larger move by `redist_run` goes in
    /// rounds; `redist_start` returns `REDIST_UNAVAILABLE`. The same on all ranks.
    pub max_bytes: i64,
    /// Not 0 if all ranks are to learn of a fault on any rank, before anything is written. They
    /// exchange a word in each move. The same on all ranks.
    pub collectively: i32,
    /// 0.
    pub reserved: i32,
}

/// Returns a binder with these options.
///
/// # Safety
/// The pointer is NULL, for all defaults, or points to options. Their lists are NULL or have an
/// entry for each dimension. Nothing writes to them while this runs.
pub unsafe fn applied(
    options: *const Options,
    dimensions: usize,
    mut binder: AnyBinder,
) -> Result<AnyBinder, Refusal> {
    if options.is_null() {
        return Ok(binder);
    }
    // SAFETY: the pointer is not NULL, so there are options, as the caller promises.
    let options = unsafe { reference(options, "options") }?;
    check_size::<Options>(options.size, "redist_options")?;
    binder = binder.route(route(options.route)?);
    if let Some(method) = method(options.method)? {
        binder = binder.method(method);
    }
    match options.max_message_bytes {
        0 => {}
        bytes @ 1.. => {
            binder = binder.max_message_bytes(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        bytes => return Err(refused("max_message_bytes", bytes, "must be at least 1")),
    }
    match options.max_bytes {
        0 => {}
        bytes @ 1.. => binder = binder.max_bytes(usize::try_from(bytes).unwrap_or(usize::MAX)),
        bytes => return Err(refused("max_bytes", bytes, "must be at least 1")),
    }
    if options.collectively != 0 {
        binder = binder.collectively();
    }
    let diag = if options.unit_diagonal == 0 { Diag::NonUnit } else { Diag::Unit };
    if let Some(uplo) = uplo(options.part, dimensions)? {
        binder = binder.trapezoid(uplo, diag);
    }
    for (side, padding) in [Side::Source, Side::Destination].into_iter().zip(&options.padding) {
        if dimensions == 0 && padding.kind != REDIST_PADDING_NONE {
            return Err(refused(
                "padding.kind",
                padding.kind.into(),
                "an array of no dimensions has none",
            ));
        }
        // SAFETY: the caller promises of the options' lists all that `padded` needs.
        if let Some(padding) = unsafe { padded(padding, dimensions) }? {
            binder = binder.padding(side, padding);
        }
    }
    Ok(binder)
}

fn refused(member: &str, value: i64, must: &str) -> Refusal {
    Refusal::argument(format!("`options.{member}` is {value}, and {must}"))
}

fn route(number: i32) -> Result<Route, Refusal> {
    Ok(match number {
        REDIST_ROUTE_AUTOMATIC => Route::Automatic,
        REDIST_ROUTE_CHUNKS => Route::Chunks,
        REDIST_ROUTE_MESSAGES => Route::Messages,
        other => return Err(refused("route", other.into(), "must be a REDIST_ROUTE_…")),
    })
}

fn method(number: i32) -> Result<Option<Method>, Refusal> {
    Ok(Some(match number {
        REDIST_METHOD_AUTOMATIC => return Ok(None),
        REDIST_METHOD_ALL_AT_ONCE => Method::AllAtOnce,
        REDIST_METHOD_CIRCULANT => Method::Circulant,
        REDIST_METHOD_CLOSED_FORM => Method::ClosedForm,
        REDIST_METHOD_KOENIG => Method::Koenig,
        REDIST_METHOD_CATERPILLAR => Method::Caterpillar,
        other => return Err(refused("method", other.into(), "must be a REDIST_METHOD_…")),
    }))
}

fn uplo(part: i32, dimensions: usize) -> Result<Option<Uplo>, Refusal> {
    match part {
        REDIST_WHOLE => Ok(None),
        REDIST_UPPER | REDIST_LOWER if dimensions != 2 => {
            let message = format!(
                "trapezoids are parts of matrices; this array has {}",
                counted(dimensions, "dimension")
            );
            Err(Refusal::argument(message))
        }
        REDIST_UPPER => Ok(Some(Uplo::Upper)),
        REDIST_LOWER => Ok(Some(Uplo::Lower)),
        other => Err(refused("part", other.into(), "must be one of REDIST_WHOLE, _UPPER, _LOWER")),
    }
}

/// # Safety
/// Lists are NULL or have an entry for each dimension, and nothing writes to them while this runs.
unsafe fn padded(padding: &Padding, dimensions: usize) -> Result<Option<LocalPadding>, Refusal> {
    let lengths = |pointer, member: &str| {
        let name = format!("options.padding.{member}");
        // SAFETY: if the list is not NULL, it has an entry for each dimension, as the caller
        // promises.
        let values = unsafe { list(pointer, dimensions, &name) }?;
        values.iter().map(|value| length(*value, &name)).collect::<Result<Vec<_>, _>>()
    };
    Ok(Some(match padding.kind {
        REDIST_PADDING_NONE => return Ok(None),
        REDIST_PADDING_LEADING => {
            LocalPadding::Leading(length(padding.leading, "options.padding.leading")?)
        }
        REDIST_PADDING_STRIDES => LocalPadding::Strides(lengths(padding.strides, "strides")?),
        REDIST_PADDING_WITHIN => {
            let (extents, origin) = (padding.extents, padding.origin);
            LocalPadding::Within([lengths(extents, "extents")?, lengths(origin, "origin")?])
        }
        other => return Err(refused("padding.kind", other.into(), "must be a REDIST_PADDING_…")),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are the positions in the engine's lists.
    #[test]
    fn every_route_and_method_has_its_number() {
        for (number, expected) in (0..).zip(Route::ALL) {
            assert_eq!(route(number), Ok(expected));
        }
        for (number, expected) in (1..).zip(Method::ALL) {
            assert_eq!(method(number), Ok(Some(expected)));
        }
        assert_eq!(method(0), Ok(None));
        assert!(route(4).unwrap_err().message.contains("`options.route` is 4"));
        assert!(method(-1).is_err());
    }

    #[test]
    fn parts_are_of_matrices() {
        assert_eq!(uplo(2, 2), Ok(Some(Uplo::Lower)));
        assert_eq!(uplo(0, 3), Ok(None));
        assert!(uplo(1, 3).is_err());
        assert!(uplo(3, 2).is_err());
    }
}
