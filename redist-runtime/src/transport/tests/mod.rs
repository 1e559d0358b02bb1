//! What tests of several ways share.

pub mod in_parts;
