//! Statuses, and the errors that become statuses.

use redist::exec::WrongArgument;
use redist::{Error, Side};
use redist_doors::words::{C, in_names};
use redist_doors::{LayoutError, NoPlan};

/// The result of a call. All releases keep the numbers; new ones may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[expect(clippy::enum_variant_names, reason = "enumerators of C share one name space")]
pub enum Status {
    /// It is done.
    RedistOk = 0,
    /// A pointer is NULL that must not be.
    RedistNull = 1,
    /// A number is out of range, or a text is unknown.
    RedistArgument = 2,
    /// A text or numbers are no layout, or the layouts do not meet.
    RedistLayout = 3,
    /// A move is under way where none may be, or none where one must be.
    RedistState = 4,
    /// A bound plan was used on another thread than it was bound on.
    RedistThread = 5,
    /// A local array has another length than it must have, or overlaps the other one.
    RedistArray = 6,
    /// The communicator has too few ranks for the layouts.
    RedistRanks = 7,
    /// Ranks have different plans, element types or options, or call in different orders. Or parts of
    /// several programs do not make one array.
    RedistDiffers = 8,
    /// Another rank is at fault, or has ended; the message names it, and what is wrong there. This
    /// rank's call has failed, too.
    RedistPeer = 9,
    /// These ranks cannot have something that the caller asked for.
    RedistUnavailable = 10,
    /// MPI has failed, is not initialised, or is finalised.
    RedistMpi = 11,
    /// The library has panicked, which is an error of its own. In a move the destination may be half
    /// written.
    RedistPanic = 12,
    /// A file, or the system, does not allow it, or an element in a file differs.
    RedistFile = 13,
}

/// A failed call of this rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: Status,
    /// For this rank's caller.
    pub message: String,
    /// For other ranks, which have no room for the message in a move.
    pub error: Option<Box<Error>>,
}

impl Refusal {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), error: None }
    }

    pub fn null(name: &str) -> Self {
        Self::new(Status::RedistNull, format!("`{name}` is NULL"))
    }

    /// Refuses an argument of a move, in words that other ranks read, too.
    pub fn of_move(rank: usize, argument: WrongArgument) -> Self {
        let status = match argument {
            WrongArgument::Null { .. } => Status::RedistNull,
            WrongArgument::Overlap => Status::RedistArray,
            _ => Status::RedistArgument,
        };
        let error = Some(Box::new(Error::Argument { rank, argument }));
        Self { status, message: argument.to_string(), error }
    }

    /// Refuses an array of another shape, in words that name the mend.
    pub fn shape(error: Error) -> Self {
        let message = match &error {
            Error::ArrayShape { side, shape, strides, found_shape, found_strides, .. } => {
                misfit(*side, [shape, found_shape], strides, found_strides)
            }
            other => other.to_string(),
        };
        Self { status: Status::RedistArray, message, error: Some(Box::new(error)) }
    }

    /// Names the array of a batch at fault, in words that other ranks read, too.
    pub fn of_array(self, rank: usize, number: usize) -> Self {
        let message = format!("array {number} of the batch: {}", self.message);
        let error = Some(Box::new(Error::Batch { rank, reason: message.clone() }));
        Self { status: self.status, message, error }
    }

    /// Replaces the mend of an array that fits the other side, as the other array fits this one.
    pub fn exchanged(self) -> Self {
        let facts = self.message.rsplit_once("; ").map_or(&*self.message, |(facts, _)| facts);
        let message = format!("{facts}; the arrays seem exchanged, so bring the source first");
        Self { message, ..self }
    }

    pub fn argument(message: impl Into<String>) -> Self {
        Self::new(Status::RedistArgument, message)
    }
}

pub fn length(value: i64, name: &str) -> Result<usize, Refusal> {
    usize::try_from(value)
        .map_err(|_| Refusal::argument(format!("`{name}` is {value}, and must not be negative")))
}

fn misfit(
    side: Side,
    [shape, found]: [&Vec<usize>; 2],
    strides: &[usize],
    found_strides: &[isize],
) -> String {
    let by = |first: bool| if first { "column by column" } else { "row by row" };
    let are_columns = strides.first() < strides.last();
    if shape == found {
        let found_columns = found_strides.first() < found_strides.last();
        if are_columns != found_columns {
            let mend = match found_columns {
                true => "add `storage fortran` to the layout",
                false => "leave `storage fortran` out of the layout",
            };
            return format!(
                "the {side} array lies {}, but its layout is stored {}; {mend}, or bring the other array",
                by(found_columns),
                by(are_columns)
            );
        }
        return format!(
            "the {side} array has the strides {found_strides:?}, but must have {strides:?}; see `redist_local`"
        );
    }
    let reversed = found.iter().rev().eq(shape);
    let hint = if reversed { "it may be transposed" } else { "see `redist_local`" };
    format!("the {side} array has the shape {found:?}, but must have {shape:?}; {hint}")
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Plan(_) => Status::RedistLayout,
            Error::TooFewRanks { .. } => Status::RedistRanks,
            Error::LocalLength { .. } | Error::ShortArray { .. } | Error::ArrayShape { .. } => {
                Status::RedistArray
            }
            Error::Padding { .. } | Error::Batch { .. } => Status::RedistArgument,
            Error::DifferentPlan { .. }
            | Error::DifferentSchedule { .. }
            | Error::DifferentOptions { .. }
            | Error::DifferentMoves { .. }
            | Error::DifferentWire { .. }
            | Error::DifferentElement { .. }
            | Error::Parts(_) => Status::RedistDiffers,
            Error::PeerFailed { .. } | Error::RankEnded { .. } | Error::Unreadable { .. } => {
                Status::RedistPeer
            }
            Error::Library { .. } => Status::RedistMpi,
            _ => Status::RedistUnavailable,
        };
        Self::new(status, in_names(&error.to_string(), C))
    }
}

impl From<NoPlan> for Refusal {
    fn from(error: NoPlan) -> Self {
        let status = match error {
            NoPlan::Dimensions(_) => Status::RedistArgument,
            NoPlan::Parse(_) | NoPlan::Copies(_) => Status::RedistLayout,
            NoPlan::Relabel(_) => Status::RedistUnavailable,
        };
        Self::new(status, in_names(&error.to_string(), C))
    }
}

impl From<LayoutError> for Refusal {
    fn from(error: LayoutError) -> Self {
        Self::new(Status::RedistLayout, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::misfit;
    use redist::Side;

    #[test]
    fn arrays_of_another_shape_are_told_with_the_mend() {
        let told =
            |shape: [usize; 2], strides: [usize; 2], found: [usize; 2], theirs: [isize; 2]| {
                misfit(Side::Source, [&shape.to_vec(), &found.to_vec()], &strides, &theirs)
            };
        assert_eq!(
            told([3, 4], [4, 1], [3, 4], [1, 3]),
            "the source array lies column by column, but its layout is stored row by row; add \
             `storage fortran` to the layout, or bring the other array"
        );
        assert_eq!(
            told([3, 4], [1, 3], [4, 3], [1, 4]),
            "the source array has the shape [4, 3], but must have [3, 4]; it may be transposed"
        );
        assert!(told([3, 4], [1, 5], [3, 4], [1, 3]).contains("the strides [1, 3]"));
        assert!(told([3, 4], [1, 3], [2, 4], [1, 2]).ends_with("see `redist_local`"));
    }
}
