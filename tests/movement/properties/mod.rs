//! Random layouts, moved between threads, against the simulator. A failing case is shrunk, printed
//! in the macro's notation, and kept in a `.regressions` file.

mod batch;
mod execution;
mod in_place;
mod replicated;
mod rounds;
mod strides;
