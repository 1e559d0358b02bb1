//! The procedural macro of `redist`.
