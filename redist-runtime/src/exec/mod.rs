//! Binding plans to ranks, and moving arrays by them.
//!
//! A [`Redistribution`] is a plan for elements of one type: an item of the macro, or a
//! [`TypedPlan`]. [`Redistribution::bind`] makes a [`Bound`], whose [`run`](Bound::run) moves
//! arrays. A [`Binder`] has the options of both. A [`Batch`] moves several arrays at once,
//! [`PlanWithCopies`] copies of one, and a [`Reduction`] the sum of addends.

mod across;
mod any;
mod any_batch;
mod any_copies;
mod any_index_move;
mod any_packing;
mod array_shape;
mod arrays;
mod batch;
mod bound;
mod calls;
mod copies_mover;
mod direct;
mod element_functions;
mod engine;
mod exchange;
mod explain;
#[doc(hidden)]
pub mod generated;
mod index_move;
mod joined_mover;
mod kernels;
mod list_copier;
mod list_mover;
mod list_volume;
mod meeting;
mod mover;
#[cfg(feature = "ndarray")]
mod ndarrays;
mod packing;
mod prepared;
mod pull;
mod rank;
mod redistribution;
mod reduction;
mod rounds;
mod run;
mod run_receiver;
#[cfg(feature = "mpi")]
mod shared;
mod transfer;
mod ways;
mod with_const;
mod with_copies;

pub use crate::error::PartsError;
#[doc(hidden)]
pub use crate::error::{Name, ShortName, WrongArgument};
pub use crate::transport::Route;
pub use any::{AnyBinder, AnyBound};
pub use any_batch::{AnyBatch, AnyBoundBatch};
pub use any_copies::AnyCopies;
pub use any_index_move::AnyIndexMove;
pub use any_packing::{AnyPacking, PackingError};
pub use arrays::{BatchArrays, DestinationArray, SourceArray};
pub use batch::{Batch, BoundBatch, StartedBatch};
pub use bound::{Bound, Started};
#[doc(hidden)]
pub use calls::{Calls, CopiedBytes};
pub use copies_mover::Combining;
#[doc(hidden)]
pub use direct::RankCopies;
pub use element_functions::{Conjugate, conjugated, converted, max, min, scale_add, sum};
pub use index_move::{BoundIndexMove, IndexMove, StartedIndexMove};
#[doc(hidden)]
pub use joined_mover::{JoinedLine, JoinedMover};
pub use kernels::{Kernel, KernelChoice, Memory, Vectors};
#[doc(hidden)]
pub use kernels::{Kernels, Weights};
pub use list_volume::ListVolume;
pub use packing::{ElementCopier, Packing, Unpacking};
pub use redistribution::{Binder, Inverse, Redistribution, Report, Tier, TypedPlan};
pub use reduction::{BoundReduction, Reduction};
pub use run_receiver::{EachRun, JoinedRuns, RunReceiver};
pub use with_copies::{BoundWithCopies, PlanWithCopies, WithCopies};
