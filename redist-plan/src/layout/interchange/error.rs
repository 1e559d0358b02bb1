//! Formats of other libraries, and errors of exchanges with them.

use crate::layout::LayoutError;
use core::fmt;

/// Formats that layouts are exchanged in.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// ScaLAPACK's array descriptor.
    Scalapack,
    /// The arguments of `MPI_Type_create_darray`.
    Darray,
    /// Placements on a mesh of devices.
    Placements,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Scalapack => "a descriptor of ScaLAPACK",
            Format::Darray => "`MPI_Type_create_darray`",
            Format::Placements => "placements on a mesh",
        })
    }
}

/// An error of an exchange of layouts, with the dimension at fault, if there is one.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::{Descriptor, interchange::to_darray};
/// let array = Descriptor::new([9, 8], "(block, *) onto 3 first 1".parse()?)?;
/// let error = to_darray(&array).unwrap_err();
/// assert!(error.to_string().contains("in dimension 0: block 0 is on coordinate 0 there"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum InterchangeError {
    #[error("{format} cannot be exchanged with this layout{}: {reason}", at(*dimension))]
    #[doc(hidden)]
    Inexpressible { format: Format, dimension: Option<usize>, reason: String },
    #[error("{argument}{} of {format} is {value}: {reason}", at(*dimension))]
    #[doc(hidden)]
    Argument {
        format: Format,
        /// The argument's name in the format.
        argument: &'static str,
        dimension: Option<usize>,
        value: i128,
        reason: String,
    },
    #[error("what {format} says is no layout: {error}")]
    #[doc(hidden)]
    Layout { format: Format, error: LayoutError },
}

debug_in_words!(InterchangeError);

fn at(dimension: Option<usize>) -> String {
    dimension.map_or_else(String::new, |dimension| format!(" in dimension {dimension}"))
}

pub(super) fn cannot_say(
    format: Format,
    dimension: Option<usize>,
    reason: impl Into<String>,
) -> InterchangeError {
    InterchangeError::Inexpressible { format, dimension, reason: reason.into() }
}

pub(super) fn wrong(
    format: Format,
    argument: &'static str,
    dimension: Option<usize>,
    value: i128,
    reason: impl Into<String>,
) -> InterchangeError {
    InterchangeError::Argument { format, argument, dimension, value, reason: reason.into() }
}
