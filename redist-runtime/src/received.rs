//! Readers of other ranks' numbers and bytes, for fuzzing: no other build has them.

pub use crate::transport::wire::report::{Bounds, read as read_report};
pub use crate::transport::wire::{
    Subject, VERSION, Verdict, WireError, body, clipped, head, length, read_body, read_head,
};
