//! Random layouts against the simulator. What fails is shrunk, printed in the macro's notation, and
//! kept in a `.regressions` file beside the property.

mod arrays;
mod aspen;
mod batch;
mod counts;
mod dealing;
mod digest;
mod direct;
mod execution;
mod figures;
mod huge;
mod huge_arrays;
mod in_place;
mod interchange;
mod messages;
mod notation;
mod replicated;
mod rounds;
mod strides;
mod window;
