//! Properties of moves, from random layouts.

mod batch;
mod copies;
mod execution;
mod in_place;
mod reductions;
mod rounds;
mod strides;
