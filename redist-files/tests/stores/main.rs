//! Objects at stores: there and back, from servers that fail, and at a server of S3's language.

mod bucket;
#[cfg(feature = "zarr")]
mod chunks;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod moto;
mod running;
mod server;
mod web;

use common::{bytes, convert, quick};
use running::{Task, left, run, run_briefly, start};
use server::{Fault, Request, Server};
