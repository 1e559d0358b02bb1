//! What reads numbers and bytes of other ranks, for fuzzing: no other build has it.

pub use crate::exec::greeting::{
    common, read as read_greeting, read_place, settled, written, written_place,
};
pub use crate::exec::parts::{
    ArrayPart, Claim, ProgramPart, read as read_claim, rounds, settled as settled_parts,
    written as written_claim,
};
pub use crate::transport::wire::notice::{
    Notice, can_meet, read as read_notice, written as written_notice,
};
pub use crate::transport::wire::report::{Bounds, read as read_report};
pub use crate::transport::wire::{
    Subject, VERSION, Verdict, WireError, body, clipped, head, length, read_body, read_head,
};
