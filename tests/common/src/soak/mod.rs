//! What a soak does.
