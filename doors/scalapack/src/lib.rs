//! `libredist_scalapack.so`: ScaLAPACK's `p?gemr2d` and `p?trmr2d`, in all types and under all
//! names.

mod blacs;
mod call;
mod check;
mod exchange;
mod exports;
mod fault;
mod grid;
mod kept;
mod moves;
mod own_routines;
mod plans;
mod serve;
mod statistics;
mod told;
