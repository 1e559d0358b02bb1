//! Exchanges layouts with the arguments of `MPI_Type_create_darray`.

use super::{Format, InterchangeError, cannot_say, checked, count, int};
use crate::layout::{Descriptor, Dist, Layout, RankOrder, Ranks, StorageOrder};

/// The format of all errors of this file.
const FORMAT: Format = Format::Darray;

/// Returns the arguments of `MPI_Type_create_darray` that are equal on all processes: the gsizes,
/// the distributions, the psizes, and the order. [`Dist::Collapsed`] is `MPI_DISTRIBUTE_NONE`,
/// [`Dist::Block`] is `MPI_DISTRIBUTE_BLOCK` with its default, [`Dist::BlockOf`] with a darg, and
/// [`Dist::Cyclic`] is `MPI_DISTRIBUTE_CYCLIC` with a darg.
///
/// Source: MPI-3.1, section 4.1.4. Processes fill the grid row-major in either order of the array.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::interchange::{from_darray, to_darray};
/// use redist::layout::{Descriptor, Dist, Layout};
/// let layout: Layout<2> = "(cyclic(2), block) onto (2, 3)".parse()?;
/// let (gsizes, dists, psizes, order) = to_darray(&Descriptor::new([10, 9], layout)?)?;
/// assert_eq!((gsizes, psizes), ([10, 9], [2, 3]));
/// assert_eq!(dists, [Dist::Cyclic(2), Dist::Block]);
/// assert_eq!(*from_darray(gsizes, dists, psizes, order)?.layout(), layout);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// MPI has no such array; the error names the dimension.
#[expect(clippy::type_complexity, reason = "the arguments of one call")]
pub fn to_darray<const D: usize>(
    descriptor: &Descriptor<D>,
) -> Result<([i32; D], [Dist; D], [i32; D], StorageOrder), InterchangeError> {
    let layout = descriptor.layout();
    if layout.ranks != Ranks::From(0) {
        let reason = "its ranks are those of the communicator, from 0 on and in their order";
        return Err(cannot_say(FORMAT, None, reason));
    }
    let wide = layout.grid.iter().filter(|ranks| **ranks > 1).count();
    if layout.order == RankOrder::Col && wide > 1 {
        return Err(cannot_say(FORMAT, None, "ranks fill the grid row by row there"));
    }
    let (mut gsizes, mut psizes) = ([0; D], [0; D]);
    for dimension in 0..D {
        let (axis, at) = (descriptor.axis(dimension), Some(dimension));
        if axis.first() != 0 {
            let reason = "block 0 is on coordinate 0 there";
            return Err(cannot_say(FORMAT, at, reason));
        }
        gsizes[dimension] = int(FORMAT, at, "the extent", axis.extent())?;
        psizes[dimension] = int(FORMAT, at, "the grid", axis.ranks())?;
        whole_blocks(layout.dists[dimension], dimension)?;
    }
    Ok((gsizes, layout.dists, psizes, layout.storage))
}

/// Returns the layout of the arguments that [`to_darray`] returns.
///
/// # Errors
/// MPI does not allow the arguments; the error names the dimension.
pub fn from_darray<const D: usize>(
    gsizes: [i32; D],
    dists: [Dist; D],
    psizes: [i32; D],
    order: StorageOrder,
) -> Result<Descriptor<D>, InterchangeError> {
    let (mut extents, mut grid) = ([0; D], [1; D]);
    for dimension in 0..D {
        whole_blocks(dists[dimension], dimension)?;
        extents[dimension] = count(FORMAT, "gsize", Some(dimension), gsizes[dimension])?;
        grid[dimension] = count(FORMAT, "psize", Some(dimension), psizes[dimension])?;
    }
    checked(FORMAT, extents, Layout::new(dists, grid).storage(order))
}

/// Returns an error if MPI has no such distribution.
fn whole_blocks(dist: Dist, dimension: usize) -> Result<(), InterchangeError> {
    let at = Some(dimension);
    match dist {
        Dist::Collapsed | Dist::Block => Ok(()),
        Dist::BlockOf(block) | Dist::Cyclic(block) => int(FORMAT, at, "the block", block).map(drop),
        Dist::Balanced { .. }
        | Dist::GenBlock(_)
        | Dist::Blocks { .. }
        | Dist::Rows { .. }
        | Dist::Points(_)
        | Dist::Split(_) => {
            let reason = "blocks of different sizes: all but the last are alike there";
            Err(cannot_say(FORMAT, at, reason))
        }
    }
}
