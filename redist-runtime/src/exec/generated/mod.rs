//! Targets of the macro's expansions. Not for direct use, and not stable.

mod checks;
mod compiled;
mod fault;
mod table;

pub use crate::element::{Element, Signature};
pub use crate::exec::kernels::{Bytes, Loops, of_1, of_2, of_4, of_8, of_16};
pub use crate::plan::{Class, Demand, Piece, WindowPieces, WindowTable};
pub use crate::program::BlocksAndRanks;
pub use checks::{Field, check_demand, check_generic_tables, check_padding, check_size};
pub use checks::{check_tables, check_unroll, check_unrolled, checked};
pub use compiled::{Compiled, blocks, inverse, kernels};
pub use fault::{Given, Role, copied, fault, planned, report};
pub use table::{Constants, Table, dimension, window};
