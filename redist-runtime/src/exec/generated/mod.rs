//! Targets of the macro's expansions. Not for direct use, and not stable.

mod class;
mod compiled;
mod demand;
mod element;
mod fault;
mod given;
mod size;
mod table;

pub use crate::element::{Element, Signature};
pub use crate::plan::{Class, Demand, Piece};
pub use crate::program::BlocksAndRanks;
pub use class::checked;
pub use compiled::{Compiled, Written, blocks, inverse, kernels};
pub use demand::{check_demand, check_unrolled};
pub use element::{Field, check_padding};
pub use fault::{fault, report};
pub use given::{Given, Role, copied, planned};
pub use size::{check_generic_tables, check_size, check_tables, check_unroll};
pub use table::{Constants, Table, dimension, window};
