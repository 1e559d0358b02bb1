//! What packing and unpacking have in common: a rank's program, and the kernel of its rows.

use super::calls::CopiedBytes;
use super::kernels::{Allowed, CopyDirection, RowKernel, RowSizes, WrittenStep};
use crate::program::{Clip, LoopDim, Program};

/// One rank's program in one direction, with what copies its rows.
pub(super) struct Half<D> {
    /// Bytes of an element.
    pub width: usize,
    pub program: Program,
    pub row: RowKernel<D>,
    /// Levels that rows are not part of: where rows are whole and lie together, several levels are
    /// one row.
    pub depth: usize,
    /// Where only a part of each row moves.
    pub clip: Option<Clip>,
}

impl<D: CopyDirection> Half<D> {
    pub fn new(
        program: Program,
        element: usize,
        written: &'static [WrittenStep],
        allowed: Allowed,
    ) -> Self {
        let (depth, unit) = folded(&program.dims);
        let whole = program.dims.len();
        let bytes = program
            .local_len()
            .checked_mul(element)
            .filter(|bytes| isize::try_from(*bytes).is_ok());
        let row = match (program.dims[..depth].last(), bytes) {
            (Some(level), Some(array)) => {
                let extent = RowSizes { bytes: element, unit, array };
                // Code is written out for elements, not for several levels as one.
                let written = if depth == whole { written } else { &[] };
                RowKernel::new(level, extent, written, allowed)
            }
            // No such array exists, so that nothing will be copied; kernels count on bytes that can
            // be numbered.
            (Some(_), None) | (None, _) => RowKernel::idle(),
        };
        // Other loops know nothing of several levels as one.
        let depth = if row.copies() { depth } else { whole };
        Self { width: element, depth, program, row, clip: None }
    }

    /// The same of a trapezoid only.
    pub fn clipped(mut self, clip: Clip) -> Self {
        self.program.clip(&clip);
        let depth = self.program.dims.len();
        Self { clip: Some(clip), row: RowKernel::of_parts(), depth, ..self }
    }

    /// All bytes of all messages, copied run by run.
    pub fn walked(&self) -> CopiedBytes {
        CopiedBytes { walked: self.program.moved() * self.width, ..CopiedBytes::default() }
    }

    /// The levels of the loop nest, the last of which is the row's.
    pub fn levels(&self) -> &[LoopDim] {
        &self.program.dims[..self.depth]
    }
}

/// How many levels are left when those are one whose rows are whole, go to one peer and lie
/// together; and how many elements are then one element of the last.
fn folded(levels: &[LoopDim]) -> (usize, usize) {
    let (mut depth, mut unit) = (levels.len(), 1);
    while let [.., slower, fastest] = &levels[..depth]
        && let [count] = fastest.counts[..]
        && fastest.stride == unit
        && slower.stride == unit * count
        && fastest.start == 0
    {
        (depth, unit) = (depth - 1, unit * count);
    }
    (depth, unit)
}
