//! Draws the elements that two ranks share.

mod line;
mod product;

use super::canvas::Canvas;
use super::view::View;
use redist_plan::plan::Plan;

pub fn picture<const D: usize>(plan: &Plan<D>, view: &View<D>) -> Canvas {
    if D == 1 { line::picture(plan, &view.pair) } else { product::picture(plan, view) }
}
