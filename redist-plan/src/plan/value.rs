//! Plans: two layouts of one array.

use super::{Axis, Section, Side};
use crate::arithmetic::saturating_product;
use crate::layout::{Descriptor, Layout, LayoutError, NotationError, in_const_words};

/// Both layouts of a move: all that follows from them, for any rank, in constant memory.
///
/// The macro makes a plan at compile time, [`Plan::new`] at run time; they are the same value.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::Dist;
/// use redist::{Layout, Plan};
/// let from = Layout::new([Dist::Cyclic(10)], [3]);
/// let to = Layout::new([Dist::Cyclic(2)], [3]);
/// let plan = Plan::new([1003], from, to)?;
/// assert!(plan.explain().contains("kr→r, k = 5, r = 2"));
/// assert_eq!(plan.volume(0, 1), 136); // four elements of each of the 34 blocks
/// # Ok::<(), redist::plan::PlanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan<const D: usize> {
    source: Descriptor<D>,
    destination: Descriptor<D>,
    axes: [Axis; D],
}

/// Describes why two layouts do not make a plan, in elements and the side's own dimensions. The
/// macro and the command line tell the variants apart, to mark a word; programs show the text.
///
/// ```
/// # use redist_plan as redist;
/// use redist::{Layout, Plan};
/// let [rows, columns]: [Layout<2>; 2] = ["(block, *) onto 4".parse()?, "(*, block) onto 4".parse()?];
/// let error = Plan::new([8, 12], rows, columns.of([4, 12])).unwrap_err();
/// assert!(error.to_string().contains("dimension 0: the section 0..8 reaches past the stored extent 4"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PlanError {
    #[doc(hidden)]
    Layout { side: Side, error: LayoutError },
    #[doc(hidden)]
    SectionOutside { side: Side, dimension: usize, start: usize, len: usize, stored: usize },
    #[doc(hidden)]
    Ranks { side: Side, first: usize, end: usize, ranks: usize },
    #[doc(hidden)]
    SourcePermuted,
    #[doc(hidden)]
    NotAPermutation {
        /// The axis that no source axis becomes.
        axis: usize,
    },
}

in_const_words!(PlanError);

impl<const D: usize> Plan<D> {
    /// Plans the move of an array of `extents` elements, in the source's order of axes.
    ///
    /// # Errors
    /// A layout or a section is wrong; the error has its side and dimension.
    pub const fn new(
        extents: [usize; D],
        from: Layout<D>,
        to: Layout<D>,
    ) -> Result<Self, PlanError> {
        let permutation = to.axes;
        let mut moved = [0; D];
        let mut axis = 0;
        while axis < D {
            if from.axes[axis] != axis {
                return Err(PlanError::SourcePermuted);
            }
            let mut source_axis = 0;
            while source_axis < D && permutation[source_axis] != axis {
                source_axis += 1;
            }
            if source_axis == D {
                return Err(PlanError::NotAPermutation { axis });
            }
            moved[axis] = extents[source_axis];
            axis += 1;
        }
        let source = match describe(extents, from, Side::Source) {
            Ok(source) => source,
            Err(error) => return Err(error),
        };
        let destination = match describe(moved, to, Side::Destination) {
            Ok(destination) => destination,
            Err(error) => return Err(error),
        };
        let unit = Section::new(Descriptor::<D>::UNIT, 0);
        let unit = Axis::new(0, unit, unit, (false, false));
        let mut plan = Self { source, destination, axes: [unit; D] };
        let mut axis = 0;
        while axis < D {
            let (here, there) = (section(&source, axis), section(&destination, permutation[axis]));
            let collapsed =
                (!from.dists[axis].is_distributed(), !to.dists[permutation[axis]].is_distributed());
            plan.axes[axis] = Axis::new(extents[axis], here, there, collapsed);
            axis += 1;
        }
        Ok(plan)
    }

    /// Plans the move between layouts in the macro's notation.
    ///
    /// # Errors
    /// A text is no layout; the errors of [`Plan::new`].
    pub fn parse(extents: [usize; D], from: &str, to: &str) -> Result<Self, ParsePlanError> {
        let layout = |side, text: &str| {
            text.parse().map_err(|error| ParsePlanError::Notation { side, error })
        };
        let (from, to) = (layout(Side::Source, from)?, layout(Side::Destination, to)?);
        Ok(Self::new(extents, from, to)?.indexed())
    }

    /// Returns the same plan with indices of listed sizes, so that each rank's part takes time in
    /// proportion to its own blocks. Equal lists share an index, which is never freed.
    #[doc(hidden)]
    pub fn indexed(self) -> Self {
        Self {
            source: self.source.indexed(),
            destination: self.destination.indexed(),
            axes: self.axes.map(Axis::indexed),
        }
    }

    /// One side's layout and the extents of its array.
    pub const fn descriptor(&self, side: Side) -> &Descriptor<D> {
        match side {
            Side::Source => &self.source,
            Side::Destination => &self.destination,
        }
    }

    #[doc(hidden)]
    pub const fn axis(&self, dimension: usize) -> Axis {
        self.axes[dimension]
    }

    #[doc(hidden)]
    pub const fn destination_axis(&self, dimension: usize) -> usize {
        self.destination.layout().axes[dimension]
    }

    /// Returns source axis `dimension` as an axis of one side's own array.
    #[doc(hidden)]
    pub const fn axis_on(&self, side: Side, dimension: usize) -> usize {
        match side {
            Side::Source => dimension,
            Side::Destination => self.destination_axis(dimension),
        }
    }

    /// Returns the extents of the moved part, in elements, in the source's axes.
    pub const fn extents(&self) -> [usize; D] {
        let mut extents = [0; D];
        let mut axis = 0;
        while axis < D {
            extents[axis] = self.axes[axis].len();
            axis += 1;
        }
        extents
    }

    /// Returns the number of elements: the product of the extents.
    #[doc(hidden)]
    pub const fn elements(&self) -> usize {
        // An empty array may be too large in its other dimensions.
        saturating_product(&self.extents())
    }

    /// Returns the number of ranks of a communicator that both grids fit.
    pub const fn ranks(&self) -> usize {
        let (source, destination) = (self.source.ranks_end(), self.destination.ranks_end());
        if source > destination { source } else { destination }
    }

    /// Elements from rank `source` of the communicator to rank `destination`, in `O(log)` time; none
    /// where one is not in its grid, as ranks past [`Plan::ranks`].
    pub const fn volume(&self, source: usize, destination: usize) -> usize {
        let (Some(from), Some(to)) =
            (self.source.coordinates(source), self.destination.coordinates(destination))
        else {
            return 0;
        };
        let mut volume = 1;
        let mut axis = 0;
        while axis < D && volume > 0 {
            // An empty array may be too large in its other dimensions, so a product on the way to 0
            // may be, too.
            volume = self.axes[axis]
                .count(from[axis], to[self.destination_axis(axis)])
                .saturating_mul(volume);
            axis += 1;
        }
        volume
    }
}

/// Describes why two texts do not make a plan. A text that is no layout is quoted, with its mistake
/// marked.
///
/// ```
/// # use redist_plan as redist;
/// use redist::Plan;
/// let error = Plan::<1>::parse([12], "block onto 3", "cylic onto 3").unwrap_err();
/// assert!(error.to_string().starts_with("destination layout: unknown distribution `cylic`"));
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum ParsePlanError {
    #[error("{side} layout: {error}")]
    #[doc(hidden)]
    Notation { side: Side, error: NotationError },
    #[error(transparent)]
    #[doc(hidden)]
    Plan(#[from] PlanError),
}

debug_in_words!(ParsePlanError);

const fn section<const D: usize>(descriptor: &Descriptor<D>, dimension: usize) -> Section {
    Section::new(descriptor.axis(dimension), descriptor.layout().at[dimension])
}

/// Returns a side's descriptor; `moved` are the moved part's extents in that side's axes.
const fn describe<const D: usize>(
    moved: [usize; D],
    layout: Layout<D>,
    side: Side,
) -> Result<Descriptor<D>, PlanError> {
    let stored = match layout.of {
        Some(stored) => stored,
        None => moved,
    };
    let mut dimension = 0;
    while dimension < D {
        let (start, len, stored) = (layout.at[dimension], moved[dimension], stored[dimension]);
        if start > stored || len > stored - start {
            return Err(PlanError::SectionOutside { side, dimension, start, len, stored });
        }
        dimension += 1;
    }
    match Descriptor::new(stored, layout) {
        Ok(descriptor) => Ok(descriptor),
        Err(error) => Err(PlanError::Layout { side, error }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Dist;

    #[test]
    fn an_empty_array_may_be_large_in_other_dimensions() {
        let extents = [1 << 40, 1 << 40, 0];
        let plan = Plan::parse(extents, "(block, *, *) onto 2", "(*, block, *) onto 2");
        assert_eq!(plan.unwrap().volume(0, 1), 0);
    }

    #[test]
    fn errors_name_side_and_dimension() {
        let error = |from: &str, to: &str| Plan::parse([40, 25], from, to).unwrap_err().to_string();
        let from = "(block, *) onto 2";
        let outside = error(from, "(*, block) onto 2 of [40, 30] at [0, 6]");
        assert!(outside.contains("destination layout: dimension 1: the section 6..31"));
        let whole = Layout::new([Dist::Block, Dist::Collapsed], [2, 1]);
        let error_of_layout = Plan::new([40, 25], whole.at([1, 0]), whole).unwrap_err().to_string();
        assert!(error_of_layout.contains("source layout: dimension 0: the section 1..41"));
        assert!(error("(block, *) onto 2 transposed", from).contains("source layout"));
        let short = error("(block(19), *) onto 2", from);
        assert!(short.contains("source layout: dimension 0: block(19) on 2 ranks holds 38"));
    }
}
