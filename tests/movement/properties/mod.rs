//! Random layouts, moved between threads, against the simulator.

mod batch;
mod execution;
mod in_place;
mod replicated;
mod rounds;
mod strides;
