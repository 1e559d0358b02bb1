//! Stage 4, **execute**: pack, exchange, unpack, or copy from array to array.
//!
//! [`Bound::run`] has all ranks meet, and drives what they can do together (`run.rs`): packed
//! messages, copies between arrays that they lend each other, or from chunks that they show each
//! other. Knows element types and buffers; not how the plan was found.

mod across;
mod any;
mod arrays;
mod batch;
mod binder;
mod bound;
mod calls;
mod combine;
mod decision;
mod direct;
mod element_functions;
mod engine;
mod exchange;
mod explain;
#[doc(hidden)]
pub mod generated;
#[cfg(any(feature = "mpi", test, fuzzing))]
pub(crate) mod greeting;
#[cfg(feature = "mpi")]
mod handshake;
mod in_place;
mod inverse;
#[cfg(feature = "mpi")]
mod joined;
mod kernels;
mod local;
mod mover;
#[cfg(feature = "ndarray")]
mod ndarrays;
mod packing;
#[cfg(any(feature = "mpi", test, fuzzing))]
pub(crate) mod parts;
mod prepared;
mod rank;
mod rank_copies;
mod recycle;
mod redistribution;
mod replicated;
mod replication;
mod rounds;
mod run;
mod run_with;
mod runtime_plan;
#[cfg(feature = "mpi")]
mod shared;
mod started;
mod transfer;
mod with_const;

pub use crate::error::PartsError;
pub use any::{AnyBinder, AnyBound};
pub use arrays::{BatchArrays, DestinationArray, SourceArray};
pub use batch::{Batch, BoundBatch};
pub use binder::Binder;
pub use bound::Bound;
#[doc(hidden)]
pub use calls::{Calls, CopiedBytes};
pub use element_functions::{Conjugate, conjugated, converted, scale_add};
pub use inverse::Inverse;
#[cfg(feature = "mpi")]
pub use joined::{JoinedParts, StartedParts};
pub use kernels::{Kernel, KernelChoice, Memory, Vectors};
pub use packing::{Packing, Unpacking};
#[cfg(feature = "mpi")]
pub use parts::{ArrayPart, CommonPart, MetPart, ProgramPart};
#[doc(hidden)]
pub use rank_copies::RankCopies;
#[doc(hidden)]
pub use redistribution::Kernels;
pub use redistribution::{Redistribution, Report, Tier};
pub use replicated::{BoundReplicas, Replicated};
pub use replication::Replication;
pub use run_with::StartedWith;
pub use runtime_plan::RuntimePlan;
pub use started::Started;
