//! What the blocks of one source rank and of one destination rank have in common.

mod common;
mod line;
mod pair;
mod product;

use super::canvas::Canvas;
use super::view::View;
use crate::failure::CommandFailure;
use redist::Plan;

pub use pair::Pair;

/// Two rows of blocks for one dimension; the product of two of them for more.
///
/// # Errors
/// A pair of ranks that there is not.
pub fn picture<const D: usize>(
    plan: &Plan<D>,
    view: &View<D>,
    wanted: Option<[usize; 2]>,
) -> Result<Canvas, CommandFailure> {
    let pair = Pair::new(plan, wanted)?;
    Ok(if D == 1 { line::picture(plan, &pair) } else { product::picture(plan, view, &pair) })
}
