//! The testers' moves, planned by the macro; the build script writes them, and `run` returns `false` for those
//! that were not drawn.

use redist::mpi::Communicator;
use redist::{Element, Error, Redistribution, redistribute};

include!(concat!(env!("OUT_DIR"), "/literal.rs"));
