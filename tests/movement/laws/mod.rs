//! Laws for all layouts. They need no oracle, so they serve for arrays too large to simulate.

mod chains;
mod huge;
mod large;
mod sections;
mod support;
mod volumes;
