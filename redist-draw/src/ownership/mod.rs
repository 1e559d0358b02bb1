//! Draws owners of all elements on both sides.

mod line;
mod local;
mod matrix;

use super::canvas::Canvas;
use super::view::View;
use redist_plan::plan::Plan;

pub fn picture<const D: usize>(plan: &Plan<D>, view: &View<D>) -> Canvas {
    if D == 1 { line::picture(plan) } else { matrix::picture(plan, view) }
}
