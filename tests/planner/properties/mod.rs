//! Random layouts against the simulator. A failing case is kept in a `.regressions` file.

mod arrays;
mod aspen;
mod counts;
mod dealing;
mod digest;
mod direct;
mod figures;
mod huge;
mod huge_arrays;
mod interchange;
mod messages;
mod notation;
mod uneven;
mod window;
