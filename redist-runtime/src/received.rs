//! What reads numbers and bytes of other ranks, for fuzzing: no other build has it.

pub use crate::exec::greeting::{
    common, read as read_greeting, read_place, settled, written, written_place,
};
pub use crate::transport::wire::{
    Subject, VERSION, Verdict, WireError, body, clipped, head, length, read_body, read_head,
};
