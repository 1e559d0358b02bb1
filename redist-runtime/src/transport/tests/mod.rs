//! Helpers that tests of several ways share.

pub mod in_parts;
