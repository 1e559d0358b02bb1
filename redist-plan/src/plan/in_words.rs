//! Plans in the notation, equal for equal plans.

use super::{Axis, Plan, Side};
use crate::layout::{BlockCyclic, Dist, Layout};
use core::fmt;

/// See [`Plan::in_words`].
#[derive(Clone, Copy, Debug)]
pub struct InWords<'a, const D: usize>(&'a Plan<D>);

impl<const D: usize> Plan<D> {
    /// Writes the plan as a line for its extents and a line for each side, equal for plans of one
    /// digest. Regular blocks are `block(b)` if no rank has two, else `cyclic(b)`; `*` if one rank
    /// has all, and the other side has these blocks.
    #[doc(hidden)]
    pub const fn in_words(&self) -> InWords<'_, D> {
        InWords(self)
    }
}

impl<const D: usize> fmt::Display for InWords<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "array {:?}", self.0.extents())?;
        writeln!(f, "from {}", self.side(Side::Source))?;
        write!(f, "to {}", self.side(Side::Destination))
    }
}

impl<const D: usize> InWords<'_, D> {
    fn side(&self, side: Side) -> Layout<D> {
        let (descriptor, mut moved, mut dists) =
            (self.0.descriptor(side), [0; D], [Dist::Collapsed; D]);
        for dimension in 0..D {
            let (axis, here) = (self.0.axis(dimension), self.0.axis_on(side, dimension));
            moved[here] = axis.len();
            dists[here] = dist(&axis, side);
        }
        let given = descriptor.layout();
        let layout = Layout::new(dists, given.grid)
            .first(given.first)
            .ranks(given.ranks)
            .order(given.order)
            .storage(given.storage)
            .axes(given.axes);
        let stored = descriptor.extents();
        if stored == moved { layout } else { layout.of(stored).at(given.at) }
    }
}

fn dist(axis: &Axis, side: Side) -> Dist {
    let [here, there] = [side, side.other()].map(|side| axis.side(side).deal());
    let whole = |deal: &BlockCyclic| Dist::Collapsed.block_size(deal.extent(), 1);
    let is_whole = match (here.regular_block(), there.regular_block()) {
        (None, _) => false,
        (Some(block), None) => block == whole(&here),
        (Some(block), Some(other)) if there.ranks() == 1 && block == other => {
            // Both sides could be whole. The destination is; the source is if the block has the
            // longer side's length.
            side == Side::Destination || block == whole(&here).max(whole(&there))
        }
        (Some(block), Some(other)) => block == other,
    };
    if let Some(rows) = here.given_rows() {
        return Dist::of_rows(rows, here.ranks());
    }
    if let Some(last) = here.balanced_last() {
        return Dist::Balanced { last };
    }
    if let Some((cuts, owners)) = here.listed_parts() {
        return Dist::Blocks { cuts, owners };
    }
    if let Some(factors) = here.factors() {
        return Dist::split(&factors);
    }
    match here.given_sizes() {
        Some(sizes) => Dist::GenBlock(sizes),
        None if here.ranks() == 1 && is_whole => Dist::Collapsed,
        None if here.block().saturating_mul(here.ranks()) >= here.extent() => {
            Dist::BlockOf(here.block())
        }
        None => Dist::Cyclic(here.block()),
    }
}
