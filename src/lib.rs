//! redist
