use redist::Error;
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
    /// Ranks have different plans, element types or options, or call in different orders.
    RedistDiffers = 8,
    /// Another rank has failed, with that rank's text; this rank has not moved, either.
    RedistPeer = 9,
    /// These ranks cannot have something that the caller asked for.
    RedistUnavailable = 10,
    /// MPI has failed, is not initialised, or is finalised.
    RedistMpi = 11,
    /// The library has panicked, which is an error of its own. Nothing of the call has been done.
    RedistPanic = 12,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: Status,
    pub message: String,
}

impl Refusal {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    pub fn null(name: &str) -> Self {
        Self::new(Status::RedistNull, format!("`{name}` is NULL"))
    }

    pub fn argument(message: impl Into<String>) -> Self {
        Self::new(Status::RedistArgument, message)
    }
}

pub fn length(value: i64, name: &str) -> Result<usize, Refusal> {
    usize::try_from(value)
        .map_err(|_| Refusal::argument(format!("`{name}` is {value}, and must not be negative")))
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Plan(_) => Status::RedistLayout,
            Error::TooFewRanks { .. } => Status::RedistRanks,
            Error::LocalLength { .. } | Error::ShortArray { .. } => Status::RedistArray,
            Error::Padding { .. } => Status::RedistArgument,
            Error::DifferentPlan { .. }
            | Error::DifferentSchedule { .. }
            | Error::DifferentOptions { .. }
            | Error::DifferentMoves { .. }
            | Error::DifferentWire { .. }
            | Error::DifferentElement { .. } => Status::RedistDiffers,
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
            NoPlan::Parse(_) => Status::RedistLayout,
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
