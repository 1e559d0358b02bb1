//! Attacks on files of every format: cut off, with holes, with headers that lie, missing, links, and
//! a disk that is full. An error names the file and the array. Nothing is published, the sources stay
//! as they are, and no lie takes memory.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../tests/common/src/drawn.rs"]
#[allow(dead_code, reason = "other suites call the rest")]
mod drawn;
mod full;
mod lies;
mod set;
mod shapes;

use set::{Kind, Set};
