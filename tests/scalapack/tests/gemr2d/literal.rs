//! The testers' moves, planned by the macro; `run` returns `false` for moves that were not drawn.

use redist::mpi::Communicator;
use redist::{Element, Error, Redistribution, redistribute};

include!(concat!(env!("OUT_DIR"), "/literal.rs"));
