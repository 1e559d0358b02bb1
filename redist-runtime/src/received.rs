//! Readers of other ranks' numbers and bytes, for fuzzing: no other build has them.

pub use crate::transport::wire::{
    Head, Subject, VERSION, Verdict, WireError, body, clipped, head, length, read_body, read_head,
};
