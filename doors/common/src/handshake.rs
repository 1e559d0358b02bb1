//! Programs that tell each other their layouts, of any number of dimensions.

use crate::plan::NoPlan;
use redist::Error;
use redist::layout::{Layout, NotationError};
use redist::mpi::Coupling;

/// The reason why programs do not have one plan.
#[derive(Debug, thiserror::Error)]
pub enum NoHandshake {
    #[error(transparent)]
    Plan(#[from] NoPlan),
    #[error(transparent)]
    Layout(#[from] NotationError),
    #[error(transparent)]
    Met(#[from] Error),
}

/// Exchanges layouts with the other program, and the extents, which one of both knows at least. Returns the other
/// program's layout, and the extents. Collective over both.
///
/// # Errors
/// Too many dimensions, or a text that is no layout, of which the other program does not learn; the errors of
/// [`Coupling::handshake`] on both.
pub fn handshake(
    coupling: &Coupling,
    layout: &str,
    dimensions: usize,
    extents: Option<&[usize]>,
) -> Result<(String, Vec<usize>), NoHandshake> {
    macro_rules! told {
        ($($dimensions:literal)*) => {
            match dimensions {
                $($dimensions => exchanged::<$dimensions>(coupling, layout, extents),)*
                other => Err(NoPlan::Dimensions(other).into()),
            }
        };
    }
    told! { 0 1 2 3 4 5 6 7 8 }
}

fn exchanged<const D: usize>(
    coupling: &Coupling,
    layout: &str,
    extents: Option<&[usize]>,
) -> Result<(String, Vec<usize>), NoHandshake> {
    let own: Layout<D> = layout.parse()?;
    let extents = extents.map(|extents| extents.try_into().expect("as many extents as dimensions"));
    let (other, extents) = coupling.handshake(own, extents)?;
    Ok((other.to_string(), extents.into()))
}
