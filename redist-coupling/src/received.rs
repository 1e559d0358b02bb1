//! Readers of other programs' bytes, for fuzzing alone.

pub use crate::greeting::{read as read_greeting, settled, written};
pub use crate::notice::{Notice, can_meet, read as read_notice, written as written_notice};
pub use crate::parts::{
    ArrayPart, Claim, ProgramPart, met, read as read_claim, rounds, settled as settled_parts,
    written as written_claim,
};
