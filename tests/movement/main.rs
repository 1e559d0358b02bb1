//! Arrays that move between threads: by every way, of every kind, and with faulty ranks.

mod different_orders;
mod elements;
mod errors;
mod explained;
mod faults;
mod forged;
mod indices;
mod laws;
mod limits;
mod matrix;
mod ndarrays;
mod partners;
mod properties;
mod run_with;
mod scalars;
mod soak;
mod strides;
mod threads;
mod threads_lend;
mod threads_with_schedules;
mod trapezoid;
mod written;
mod wrong_runs;
