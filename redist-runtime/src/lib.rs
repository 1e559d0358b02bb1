//! Layouts, planner and execution of `redist`, which re-exports all of it: use that crate.
//!
//! The folders are the stages of a pipeline, and each imports only from those before it: [`layout`]
//! → [`plan`] → [`program`] → [`exec`], the last over a [`transport`]. Sizes, offsets and counts
//! are in elements unless a name says bytes; ranks, dimensions and indices count from 0.
// Items repeat the feature of their module: only then do the pages of `redist` show it beside them.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[macro_use]
mod in_words;

mod arithmetic;
mod cache;
mod element;
mod error;
pub mod exec;
mod interned;
pub mod layout;
mod parts_error;
#[cfg(feature = "bytemuck")]
mod plain;
pub mod plan;
pub mod program;
mod quote;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod received;
#[cfg(feature = "serde")]
mod saved;
pub mod transport;

pub use element::{AnyElement, Element, ElementType};
pub use error::Error;
#[cfg(feature = "bytemuck")]
pub use plain::Plain;
