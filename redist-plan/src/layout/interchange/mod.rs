//! Layouts in the words of other libraries, both ways.
//!
//! | | what it is | cannot be said there |
//! |---|---|---|
//! | [`from_scalapack`], [`to_scalapack`] | ScaLAPACK's array descriptor | anything but block-cyclic matrices in Fortran order |
//! | [`from_darray`], [`to_darray`] | the arguments of `MPI_Type_create_darray` | first coordinates, `gen_block`, ranks in another order |
//! | [`from_placements`], [`to_placements`] | a mesh of devices with a placement for each of its dimensions, as PyTorch's DTensor has them | cyclic blocks that no strided shard has, Fortran order |
//!
//! Nothing is rounded: other layouts are an [`InterchangeError`]. Sections are left out.

mod darray;
mod error;
mod placements;
mod scalapack;
#[cfg(test)]
mod tests;

pub use darray::{from_darray, to_darray};
#[doc(hidden)]
pub use error::Format;
pub use error::InterchangeError;
pub use placements::{Placed, Placement, from_placements, to_placements};
pub use scalapack::{from_scalapack, to_scalapack};

use super::{Descriptor, Layout};
use error::{cannot_say, wrong};

fn checked<const D: usize>(
    format: Format,
    extents: [usize; D],
    layout: Layout<D>,
) -> Result<Descriptor<D>, InterchangeError> {
    Descriptor::new(extents, layout).map_err(|error| InterchangeError::Layout { format, error })
}

fn count(
    format: Format,
    argument: &'static str,
    dimension: Option<usize>,
    value: i32,
) -> Result<usize, InterchangeError> {
    usize::try_from(value)
        .map_err(|_| wrong(format, argument, dimension, i128::from(value), "it is negative"))
}

fn int(
    format: Format,
    dimension: Option<usize>,
    what: &str,
    value: usize,
) -> Result<i32, InterchangeError> {
    i32::try_from(value).map_err(|_| {
        cannot_say(format, dimension, format!("{what} {value} is more than an int can hold"))
    })
}
