//! Shared by the examples: a landscape, soil creep on one rank, and pictures of both.
// Names say enough to the examples, the only users.
#![allow(missing_docs)]

mod adi;
mod creep;
mod dem;
mod picture;
mod relief;
pub mod single;
mod transpose;

pub use adi::Sweep;
pub use creep::Creep;
pub use dem::{Dem, Spacing};
pub use picture::{Picture, Place, Scale, hillshade};
pub use relief::Relief;

use std::error::Error;

/// A result whose error is only printed.
pub type Fallible<T> = Result<T, Box<dyn Error>>;
