//! Execution of `redist`, which re-exports all of it: use that crate.
//!
//! The crate `redist-plan` has the stages before: layouts, plans and programs. [`exec`] executes
//! programs over a [`transport`]. Sizes, offsets and counts are in elements unless a name says bytes;
//! ranks, dimensions and indices count from 0.
// Items repeat the feature of their module: only then do the pages of `redist` show it beside them.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod cache;
mod element;
mod error;
pub mod exec;
mod learnt;
#[cfg(feature = "bytemuck")]
mod plain;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod received;
#[cfg(feature = "serde")]
mod saved;
pub mod transport;

pub use redist_plan::{layout, program};

/// Plans, with the schedules of their messages.
pub mod plan {
    pub use redist_plan::plan::*;
    pub use redist_schedules as schedule;
    pub use redist_schedules::Method;
}

// Examples use the names of `redist`.
#[doc(hidden)]
pub use {
    exec::{Bound, Redistribution, Started, TypedPlan, WithCopies},
    layout::Layout,
    plan::{Plan, Side},
    transport::{Transport, threads},
};

pub use element::{AnyElement, Element, ElementType};
pub use error::{Error, ok};
#[cfg(feature = "bytemuck")]
pub use plain::Plain;
