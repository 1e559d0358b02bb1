//! Laws for all layouts. They need no oracle, so they hold for arrays that are too large to
//! simulate.

mod chains;
mod huge;
mod large;
mod sections;
mod support;
mod volumes;
