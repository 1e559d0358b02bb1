//! Errors once layouts have met: when a plan is bound to ranks, and when it runs.

mod argument;

pub use argument::{Name, ShortName, WrongArgument};

use crate::layout::PaddingError;
use crate::layout::vocabulary::counted;
use crate::plan::schedule::{Method, ScheduleError};
use crate::plan::{ParsePlanError, PlanError, Side};
use core::ops::Range;
use redist_plan::quote;

/// Reasons why a plan, a binding or a move failed. After a failed move between ranks of one node the
/// destination is as it was. Between nodes, and after a rank that panicked or ended in the middle, it
/// may be half written.
///
/// [`Debug`](core::fmt::Debug) shows the text of [`Display`](core::fmt::Display), so `main` may
/// return it. Variants that are not shown are mistakes in a program; their text says how to mend
/// them.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::{Error, Redistribution, TypedPlan, Side, ok, threads};
///
/// let plan = TypedPlan::<f64, 1>::parse([6], "block onto 2", "* onto 1")?;
/// let errors = threads::run(2, |rank| {
///     let mut bound = plan.bind(rank)?;
///     // Rank 1 brings too short an array.
///     let source = vec![1.0; 3 - rank.rank()];
///     ok(bound.run(&source, &mut vec![0.0; bound.local_len(Side::Destination)]).unwrap_err())
/// })?;
/// assert!(matches!(errors[0], Error::PeerFailed { rank: 1, .. }));
/// assert!(errors[1].to_string().contains("must hold 3 elements, found 2"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The layouts do not meet, or a text is no layout.
    #[error(transparent)]
    Plan(#[from] ParsePlanError),
    #[error("`{item}::new`: {error}{}", given(expressions))]
    #[doc(hidden)]
    Given { item: &'static str, error: PlanError, expressions: Vec<String> },
    #[error(
        "the plan needs {}, but the communicator has {size}; use more ranks or smaller grids", counted(*needed, "rank")
    )]
    #[doc(hidden)]
    TooFewRanks { needed: usize, size: usize },
    #[error(transparent)]
    #[doc(hidden)]
    Schedule(#[from] ScheduleError),
    #[error(
        "rank {rank}: the local {side} array must hold {}, found {found}{}; see `Bound::local_len`",
        counted(*expected, "element"), exchanged_for(*side, *exchanged)
    )]
    #[doc(hidden)]
    LocalLength { rank: usize, side: Side, expected: usize, found: usize, exchanged: bool },
    #[error(
        "rank {rank}: the local {side} array must hold at least {}, as it was padded when the plan was bound, \
         found {found}{}; see `Bound::local_len`",
        counted(*needed, "element"), exchanged_for(*side, *exchanged)
    )]
    #[doc(hidden)]
    ShortArray { rank: usize, side: Side, needed: usize, found: usize, exchanged: bool },
    #[error(
        "rank {rank}: the {side} has shape {found_shape:?} and strides {found_strides:?}, but must have shape \
         {shape:?} and strides {strides:?}; {}", of_this_shape(shape == found_shape, *exchanged)
    )]
    #[doc(hidden)]
    ArrayShape {
        rank: usize,
        side: Side,
        shape: Vec<usize>,
        strides: Vec<usize>,
        found_shape: Vec<usize>,
        found_strides: Vec<isize>,
        /// Each array would fit the other side.
        exchanged: bool,
    },
    #[error(
        "rank {rank}: the {side} is an array with gaps, which may be other code's; bring all of the array that it \
         is a part of, and bind with `Binder::within`"
    )]
    #[doc(hidden)]
    ArrayGaps { rank: usize, side: Side },
    #[error("rank {rank}: {argument}")]
    #[doc(hidden)]
    Argument { rank: usize, argument: WrongArgument },
    #[error("rank {rank}: of the local {side} array, {error}")]
    #[doc(hidden)]
    Padding { rank: usize, side: Side, error: PaddingError },
    #[error("{}", different_plan((*here, ours), (*rank, theirs)))]
    #[doc(hidden)]
    DifferentPlan { rank: usize, theirs: String, here: usize, ours: String },
    #[error(
        "rank {rank} bound a plan with the schedule `{theirs}`, rank {here} with `{ours}`; \
         all ranks must bind with the same method"
    )]
    #[doc(hidden)]
    DifferentSchedule { rank: usize, theirs: Method, here: usize, ours: Method },
    #[error(
        "rank {rank} bound a plan with the route {theirs}, rank {here} with {ours}; all ranks must choose the same"
    )]
    #[doc(hidden)]
    DifferentOptions { rank: usize, theirs: String, here: usize, ours: String },
    /// Ranks have run plans of one communicator in different orders, or differently often.
    #[error(
        "rank {rank}: ranks run this communicator's plans in different orders, or one of them more often than the \
         others; run them in one order and equally often, or give each order its own communicator"
    )]
    DifferentMoves {
        /// The rank that reports it.
        rank: usize,
    },
    /// Another program speaks another version of the wire format.
    #[error(
        "rank {here} speaks version {ours} of the wire format, another rank version {theirs}; build all programs \
         with releases of `redist` that share one"
    )]
    DifferentWire {
        /// The rank that reports it.
        here: usize,
        /// The version of its program.
        ours: u64,
        /// The other version.
        theirs: u64,
    },
    #[error("rank {here} cannot read what another rank has sent: {reason}")]
    #[doc(hidden)]
    Unreadable { here: usize, reason: String },
    /// These ranks cannot have something that the caller asked for.
    #[error("{what} cannot be had here: {reason}")]
    Unavailable {
        /// The thing asked for.
        what: String,
        /// Why it cannot be had.
        reason: String,
    },
    /// Not even one element fits into what messages may take.
    #[error(
        "messages may take {} of a rank (`max_bytes`), but one element alone needs {needed}; allow at least that",
        counted(*max_bytes, "byte")
    )]
    Scratch {
        /// The bytes that are allowed.
        max_bytes: usize,
        /// The bytes that are needed at least.
        needed: usize,
    },
    /// Two programs that are to be coupled do not fit.
    #[error("rank {rank}: {reason}")]
    Coupling {
        /// The rank, in its program or in the coupling.
        rank: usize,
        /// The mismatch.
        reason: String,
    },
    #[error("rank {rank}: {reason}")]
    #[doc(hidden)]
    Batch { rank: usize, reason: String },
    #[error("the copies of the {side}: {reason}")]
    #[doc(hidden)]
    Copies { side: Side, reason: String },
    /// Parts of several programs do not make one array. All ranks of all programs find the same.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// Programs that are launched separately have not met.
    #[error("programs do not meet at {file}: {reason}")]
    Rendezvous {
        /// Path of the rendezvous.
        file: String,
        /// Why they have not, and what to do.
        reason: String,
    },
    #[error(
        "rank {rank} moves elements of type {theirs}, rank {here} of type {ours}{}; all ranks must move the same",
        if theirs == ours { ", another type of the same name" } else { "" }
    )]
    #[doc(hidden)]
    DifferentElement { rank: usize, theirs: String, here: usize, ours: String },
    /// A rank that this one receives from found an error, or any rank if the plan was bound
    /// [`collectively`](crate::exec::Binder::collectively). This rank's call has failed, too.
    #[error("rank {rank}: {reason}")]
    PeerFailed {
        /// The rank that failed.
        rank: usize,
        /// The fault, without that rank's number.
        reason: String,
    },
    #[error(
        "rank {rank}: the {side} is a shared array of other ranks; make it with the plan's communicator, or with \
         `Bound::shared_array`"
    )]
    #[doc(hidden)]
    ForeignArray { rank: usize, side: Side },
    /// The message-passing library failed.
    #[error("rank {rank}: {call} failed: {text} (error class {class})")]
    Library {
        /// The rank.
        rank: usize,
        /// The function that failed.
        call: &'static str,
        /// The library's class of the error.
        class: i32,
        /// The library's text.
        text: String,
    },
    /// Another rank is gone: it returned, failed or panicked while this one waited for it.
    #[error("rank {rank} {how} while rank {here} waited for it{}", of_all(how))]
    RankEnded {
        /// The rank that is gone.
        rank: usize,
        /// Its end: "returned", "failed: …" or "panicked: …".
        how: String,
        /// The rank that waited.
        here: usize,
    },
}

/// Returns the mend of a call that a rank has left out; nothing where it has failed or panicked.
fn of_all(how: &str) -> &'static str {
    match how {
        "returned" | "finalised MPI" => "; all ranks make each call of a plan",
        _ => "",
    }
}

/// Returns `Ok` of this library's [`Error`]. Closures of
/// [`threads::run`](crate::transport::threads::run) end with it, because the compiler cannot infer
/// the error of their `?`.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::{Redistribution, TypedPlan, ok, threads};
///
/// let plan = TypedPlan::<u8, 1>::parse([4], "block onto 2", "cyclic onto 2")?;
/// assert_eq!(threads::run(2, |rank| ok(plan.bind(rank)?.rank()))?, [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub const fn ok<T>(value: T) -> Result<T, Error> {
    Ok(value)
}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Self {
        Error::Plan(error.into())
    }
}

impl Error {
    /// Returns the text without this rank's number, if the error is of one rank only. Other ranks
    /// show it in [`PeerFailed`](Error::PeerFailed).
    #[doc(hidden)]
    pub fn reason(&self) -> String {
        let text = self.to_string();
        let after_rank = text
            .strip_prefix("rank ")
            .map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()))
            .and_then(|rest| rest.strip_prefix(": "));
        after_rank.unwrap_or(&text).to_owned()
    }

    /// Returns the error of a call inside a move's function: all ranks would wait for each other.
    pub(crate) fn within_another(rank: usize) -> Self {
        let reason = format!(
            "rank {rank} asks for it in the function of another move, for whose end the others wait"
        );
        Error::Unavailable { what: "a move or a plan".into(), reason }
    }
}

redist_plan::debug_in_words!(Error);

const EXCHANGED: &str = "the arrays seem exchanged, so bring the source first";

/// Returns the hint for a length, if each array would fit the other side.
fn exchanged_for(side: Side, exchanged: bool) -> String {
    match exchanged {
        true => format!(", which fits the {}: {EXCHANGED}", side.other()),
        false => String::new(),
    }
}

/// Returns the mend of an array of another shape, or of other strides.
fn of_this_shape(has_the_shape: bool, exchanged: bool) -> &'static str {
    match (exchanged, has_the_shape) {
        (true, _) => EXCHANGED,
        (false, true) => "make it by `Bound::array`, or bind with `Binder::strides`",
        (false, false) => {
            "make it by `Bound::array`, or, where the part is a box of that array, bind with `Binder::within`"
        }
    }
}

/// Returns the difference, and then both sides of it in two lines.
fn different_plan((here, ours): (usize, &str), (rank, theirs): (usize, &str)) -> String {
    let facts = format!("rank {rank} bound another plan than rank {here}");
    if ours == theirs {
        return format!(
            "{facts} in the same words: all ranks must run the same version of this library"
        );
    }
    let quoted =
        quote::differences([&format!("rank {here}"), ours], [&format!("rank {rank}"), theirs]);
    match quote::subjects(ours, theirs).as_slice() {
        [] => format!("{facts}; all ranks must bind the same: `{ours}`, `{theirs}`"),
        subjects => format!(
            "{facts}: `{}` differs; all ranks must bind the same{quoted}",
            subjects.join("` and `")
        ),
    }
}

fn given(expressions: &[String]) -> String {
    if expressions.is_empty() {
        String::new()
    } else {
        format!(" (given by {})", expressions.join(", "))
    }
}

/// Reasons why parts of several programs do not make one array. All programs find the same.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    #[error(
        "program {program} takes part with something else than {dimensions} dimensions: {reason}"
    )]
    #[doc(hidden)]
    Unreadable { program: usize, dimensions: usize, reason: String },
    #[error(
        "dimension {dimension} of the whole array has {} elements in program {}, and {} in program {}; \
         all programs must say the same", extents[0], programs[0], extents[1], programs[1]
    )]
    #[doc(hidden)]
    Extents { programs: [usize; 2], dimension: usize, extents: [usize; 2] },
    #[error(
        "program {} moves elements of type {}, program {} of type {}; all programs must move the same",
        programs[0], elements[0], programs[1], elements[1]
    )]
    #[doc(hidden)]
    Elements { programs: [usize; 2], elements: [String; 2] },
    #[error(
        "the part of program {program} has {} of dimension {dimension}, which has {extent} elements",
        shown(range)
    )]
    #[doc(hidden)]
    Outside { program: usize, dimension: usize, range: Range<usize>, extent: usize },
    #[error(
        "programs {} and {} both hold {}; each element may have one producer", programs[0], programs[1], boxed(ranges)
    )]
    #[doc(hidden)]
    Overlap { programs: [usize; 2], ranges: Vec<Range<usize>> },
    #[error("program {program} wants {}, which no producer holds", boxed(ranges))]
    #[doc(hidden)]
    NotProduced { program: usize, ranges: Vec<Range<usize>> },
    #[error("program {program}: {reason}")]
    #[doc(hidden)]
    Layout { program: usize, reason: String },
}

redist_plan::debug_in_words!(PartsError);

fn shown(range: &Range<usize>) -> String {
    format!("elements {}..{}", range.start, range.end)
}

fn boxed(ranges: &[Range<usize>]) -> String {
    let of = |(dimension, range)| format!("{} of dimension {dimension}", shown(range));
    ranges.iter().enumerate().map(of).collect::<Vec<_>>().join(" and ")
}
