//! Properties of moves, from random layouts.

mod batch;
mod execution;
mod in_place;
mod reductions;
mod replicated;
mod rounds;
mod strides;
