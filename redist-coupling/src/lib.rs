//! Programs that meet over MPI. Use the crate `redist`, which re-exports them.
//!
//! [`Coupling`] joins a producer and a consumer, [`Programs`] the programs of one launch or of
//! several. [`JoinedParts`] moves one array that programs hold and want in parts.
#![forbid(unsafe_code)]
// Fuzz targets call private functions.
#![cfg_attr(fuzzing, allow(missing_docs))]

mod apart;
mod coupling;
mod greeting;
mod joined;
mod notice;
mod parts;
mod programs;
mod rendezvous;

/// Readers of other programs' bytes, only for fuzzing.
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod received {
    pub use crate::greeting::{read as read_greeting, settled, written};
    pub use crate::notice::{Notice, can_meet, read as read_notice, written as written_notice};
    pub use crate::parts::{
        ArrayPart, Claim, ProgramPart, met, read as read_claim, rounds, settled as settled_parts,
        written as written_claim,
    };
}

pub use coupling::Coupling;
pub use joined::{JoinedParts, StartedParts};
pub use parts::{ArrayPart, ProgramPart};
pub use programs::Programs;
