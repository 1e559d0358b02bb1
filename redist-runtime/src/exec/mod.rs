//! Stage 4, **execute**: pack, exchange, unpack.
//!
//! One engine walks a rank's local array in message order and copies between it and the messages, in either direction,
//! for any number of dimensions and any storage orders. Knows element types and buffers; not how the plan was found.

mod arrival;
mod bound;
mod decision;
mod delivery;
pub mod direct;
mod engine;
mod fragments;
pub mod generated;
#[cfg(feature = "mpi")]
mod handshake;
mod inverse;
mod kernels;
mod local;
mod mover;
mod packing;
mod rank;
mod redistribution;
mod runtime_plan;
#[cfg(feature = "mpi")]
mod shared;
mod started;
mod transfer;
mod width;

pub use bound::Bound;
pub use inverse::Inverse;
pub use kernels::{Kernel, Memory, Recipe, Vectors, limit_vectors, set_nontemporal_threshold};
pub use packing::{Packing, Unpacking};
pub use redistribution::{Kernels, PackKernel, Redistribution, Report, Tier, UnpackKernel};
pub use runtime_plan::RuntimePlan;
pub use started::Started;
