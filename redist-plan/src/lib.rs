//! Layouts, planner and programs of `redist`, which re-exports all of it: use that crate.
//!
//! The folders are the first stages of a pipeline, and each imports only from those before it:
//! [`layout`] → [`plan`] → [`program`]. The crate `redist-runtime` executes programs. Sizes, offsets
//! and counts are in elements unless a name says bytes; ranks, dimensions and indices count from 0.
#![forbid(unsafe_code)]
// Items repeat the feature of their module: only then do the pages of `redist` show it beside them.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[macro_use]
mod in_words;

#[doc(hidden)]
pub mod arithmetic;
#[doc(hidden)]
pub mod interned;
pub mod layout;
pub mod plan;
pub mod program;
#[doc(hidden)]
pub mod quote;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod saved;

// Examples use the names of `redist`.
#[doc(hidden)]
pub use {
    layout::Layout,
    plan::{Plan, Side},
};
