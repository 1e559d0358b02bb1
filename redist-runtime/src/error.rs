//! Errors once layouts have met: when a plan is bound to ranks, and when it runs.

use crate::layout::PaddingError;
use crate::layout::vocabulary::counted;
pub use crate::parts_error::PartsError;
use crate::plan::schedule::{Method, ScheduleError};
use crate::plan::{ParsePlanError, PlanError, Side};
use redist_plan::quote;

/// Reasons why a redistribution did not happen. No destination has been written to.
///
/// [`Debug`](core::fmt::Debug) shows the text of [`Display`](core::fmt::Display), so `main` may
/// return it. Variants that are not shown are mistakes in a program; their text says how to mend
/// them.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::{Error, Redistribution, RuntimePlan, Side, ok, threads};
///
/// let plan = RuntimePlan::<f64, 1>::parse([6], "block onto 2", "* onto 1")?;
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
    /// An item of the macro was given values at run time that do not make a plan.
    #[error("`{item}::new`: {error}{}", given(expressions))]
    #[doc(hidden)]
    Given {
        /// The name of the item.
        item: &'static str,
        /// The plan's error.
        error: PlanError,
        /// The item's expressions that it depends on.
        expressions: Vec<String>,
    },
    /// The grids name more ranks than there are.
    #[error(
        "the plan needs {}, but the communicator has {size}; use more ranks or smaller grids", counted(*needed, "rank")
    )]
    #[doc(hidden)]
    TooFewRanks {
        /// Ranks that the grids reach to.
        needed: usize,
        /// Ranks in the communicator.
        size: usize,
    },
    /// The method that was asked for does not apply to the plan.
    #[error(transparent)]
    #[doc(hidden)]
    Schedule(#[from] ScheduleError),
    /// A local array has the wrong length.
    #[error(
        "rank {rank}: the local {side} array must hold {}, found {found}; see `Bound::local_len`",
        counted(*expected, "element")
    )]
    #[doc(hidden)]
    LocalLength {
        /// The rank at fault.
        rank: usize,
        /// Which array.
        side: Side,
        /// The length that the layout gives, in elements.
        expected: usize,
        /// The length of the slice.
        found: usize,
    },
    /// A local array is shorter than the caller's description of it.
    #[error(
        "rank {rank}: the local {side} array must hold at least {}, as it was padded when the plan was bound, \
         found {found}; see `Bound::local_len`",
        counted(*needed, "element")
    )]
    #[doc(hidden)]
    ShortArray {
        /// The rank at fault.
        rank: usize,
        /// Which array.
        side: Side,
        /// Elements up to the last one of the rank's part, or of the array that it is in.
        needed: usize,
        /// The length of the slice.
        found: usize,
    },
    /// An array of the crate `ndarray` has another shape or other strides than the plan was bound to.
    #[error(
        "rank {rank}: the {side} has shape {found_shape:?} and strides {found_strides:?}, but must have shape \
         {shape:?} and strides {strides:?}; make it by `Bound::array`{}", or_bind_so(shape == found_shape)
    )]
    #[doc(hidden)]
    ArrayShape {
        /// The rank at fault.
        rank: usize,
        /// Which array.
        side: Side,
        /// The shape that it must have.
        shape: Vec<usize>,
        /// The strides that it must have, in elements.
        strides: Vec<usize>,
        /// The shape that it has.
        found_shape: Vec<usize>,
        /// The strides that it has, in elements.
        found_strides: Vec<isize>,
    },
    /// An array of the crate `ndarray` has gaps.
    #[error(
        "rank {rank}: the {side} is an array with gaps, which may be other code's; bring all of the array that it \
         is a part of, and bind with `Binder::within`"
    )]
    #[doc(hidden)]
    ArrayGaps {
        /// The rank at fault.
        rank: usize,
        /// Which array.
        side: Side,
    },
    /// A rank describes its local array as no array can be.
    #[error("rank {rank}: of the local {side} array, {error}")]
    #[doc(hidden)]
    Padding {
        /// The rank at fault.
        rank: usize,
        /// Which array.
        side: Side,
        /// The error of the description.
        error: PaddingError,
    },
    /// Another rank brought another plan.
    #[error("{}", different_plan((*here, ours), (*rank, theirs)))]
    #[doc(hidden)]
    DifferentPlan {
        /// The rank that differs.
        rank: usize,
        /// Its plan, as `Plan::in_words`.
        theirs: String,
        /// The rank it was compared with.
        here: usize,
        /// The plan of `here`.
        ours: String,
    },
    /// Another rank brought another schedule.
    #[error(
        "rank {rank} bound a plan with the schedule `{theirs}`, rank {here} with `{ours}`; \
         all ranks must bind with the same method"
    )]
    #[doc(hidden)]
    DifferentSchedule {
        /// The rank that differs.
        rank: usize,
        /// Its schedule's method.
        theirs: Method,
        /// The rank it was compared with.
        here: usize,
        /// The method of `here`.
        ours: Method,
    },
    /// Another rank brought other options for how elements go.
    #[error(
        "rank {rank} bound a plan with the route {theirs}, rank {here} with {ours}; all ranks must choose the same"
    )]
    #[doc(hidden)]
    DifferentOptions {
        /// The rank that differs.
        rank: usize,
        /// Its route, with the lengths of pieces of messages.
        theirs: String,
        /// The rank it was compared with.
        here: usize,
        /// The route of `here`.
        ours: String,
    },
    /// Ranks have run plans of one communicator in different orders.
    #[error(
        "rank {rank}: ranks run this communicator's plans in different orders; run them in one \
         order, or give each order its own communicator; over several nodes, this one is unusable now"
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
    /// Bytes of another rank do not have the form that they must have.
    #[error("rank {here} cannot read what another rank has sent: {reason}")]
    #[doc(hidden)]
    Unreadable {
        /// The rank that reports it.
        here: usize,
        /// Their fault.
        reason: String,
    },
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
    /// The arrays of a batch are not those that its plans are for.
    #[error("rank {rank}: {reason}")]
    #[doc(hidden)]
    Batch {
        /// The rank at fault.
        rank: usize,
        /// Which array is wrong, and how.
        reason: String,
    },
    /// Copies of an array are impossible.
    #[error("the copies of the {side}: {reason}")]
    #[doc(hidden)]
    Copies {
        /// Which side.
        side: Side,
        /// The fault, and how to mend it.
        reason: String,
    },
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
    /// Another rank moves another element type.
    #[error(
        "rank {rank} moves elements of type {theirs}, rank {here} of type {ours}{}; all ranks must move the same",
        if theirs == ours { ", another type of the same name" } else { "" }
    )]
    #[doc(hidden)]
    DifferentElement {
        /// The rank that differs.
        rank: usize,
        /// Its element type.
        theirs: String,
        /// The rank it was compared with.
        here: usize,
        /// The element type of `here`.
        ours: String,
    },
    /// Another rank found an error, so this rank did not move either. The text is that rank's.
    #[error("rank {rank}: {reason}")]
    PeerFailed {
        /// The rank that failed.
        rank: usize,
        /// The text of its error, without its number.
        reason: String,
    },
    /// A shared array belongs to other ranks than those of the plan.
    #[error(
        "rank {rank}: the {side} is a shared array of other ranks; make it with the plan's communicator, or with \
         `Bound::shared_array`"
    )]
    #[doc(hidden)]
    ForeignArray {
        /// The rank.
        rank: usize,
        /// Which array.
        side: Side,
    },
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
    #[error("rank {rank} {how} while rank {here} waited for it")]
    RankEnded {
        /// The rank that is gone.
        rank: usize,
        /// Its end: "returned", "failed: …" or "panicked: …".
        how: String,
        /// The rank that waited.
        here: usize,
    },
}

/// Returns `Ok` of this library's [`Error`]. Closures of
/// [`threads::run`](crate::transport::threads::run) end with it, because the compiler cannot infer
/// the error of their `?`.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::{Redistribution, RuntimePlan, ok, threads};
///
/// let plan = RuntimePlan::<u8, 1>::parse([4], "block onto 2", "cyclic onto 2")?;
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
    /// Returns the text without this rank's number, if the error is that of one rank alone. Other
    /// ranks show it in [`PeerFailed`](Error::PeerFailed).
    #[doc(hidden)]
    pub fn reason(&self) -> String {
        let text = self.to_string();
        let culprit = match self {
            Error::LocalLength { rank, .. }
            | Error::ShortArray { rank, .. }
            | Error::ArrayShape { rank, .. }
            | Error::ArrayGaps { rank, .. }
            | Error::Padding { rank, .. }
            | Error::PeerFailed { rank, .. }
            | Error::ForeignArray { rank, .. }
            | Error::Coupling { rank, .. }
            | Error::Batch { rank, .. }
            | Error::DifferentMoves { rank }
            | Error::Library { rank, .. } => format!("rank {rank}: "),
            _ => String::new(),
        };
        text.strip_prefix(&culprit).unwrap_or(&text).to_owned()
    }
}

impl Error {
    /// Returns the error of a call inside a move's function: all ranks would wait for each other.
    pub(crate) fn within_another(rank: usize) -> Self {
        let reason = format!(
            "rank {rank} asks for it in the function of another move, for whose end the others wait"
        );
        Error::Unavailable { what: "a move or a plan".into(), reason }
    }
}

redist_plan::debug_in_words!(Error);

/// How a plan is bound for an array that is not dense.
fn or_bind_so(has_the_shape: bool) -> &'static str {
    if has_the_shape {
        ", or bind with `Binder::strides`"
    } else {
        ", or, where the part is a box of that array, bind with `Binder::within`"
    }
}

/// Returns the difference, and then both sides of it, one above the other.
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
