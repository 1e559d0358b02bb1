//! What reads numbers and bytes of other ranks, for fuzzing: no other build has it.

pub use crate::exec::greeting::{read as read_greeting, settled, written};
pub use crate::transport::wire::{
    Subject, VERSION, Verdict, WireError, body, clipped, head, length, read_body, read_head,
};
