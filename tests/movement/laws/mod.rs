//! What must hold whatever the layouts: laws that need no oracle, so that they can be tried where
//! arrays are too large to be simulated.

mod chains;
mod huge;
mod large;
mod sections;
mod support;
mod volumes;
