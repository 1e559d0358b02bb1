//! Shared by the examples: a landscape, soil creep on one rank, and pictures of both.

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

/// An error is only printed for a person.
pub type Fallible<T> = Result<T, Box<dyn Error>>;
