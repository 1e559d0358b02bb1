//! What the examples share: a landscape, what soil creep makes of it on one rank, and pictures of
//! it.

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

/// What went wrong is told to a person, and that is all.
pub type Fallible<T> = Result<T, Box<dyn Error>>;
