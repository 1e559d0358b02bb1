//! Laws for all layouts, without an oracle: arrays may be too large to simulate.

mod chains;
mod huge;
mod large;
mod sections;
mod support;
mod volumes;
