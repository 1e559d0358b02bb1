use super::{Format, InterchangeError, cannot_say, checked, count, int, wrong};
use crate::layout::{Descriptor, Dist, Layout, RankOrder, Ranks, StorageOrder};

const FORMAT: Format = Format::Darray;

/// `array_of_distribs` with `array_of_dargs`; `None` is `MPI_DISTRIBUTE_DFLT_DARG`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DarrayDistribution {
    /// `MPI_DISTRIBUTE_NONE`.
    None,
    /// `MPI_DISTRIBUTE_BLOCK`.
    Block(Option<i32>),
    /// `MPI_DISTRIBUTE_CYCLIC`.
    Cyclic(Option<i32>),
}

/// The arguments of `MPI_Type_create_darray` that are equal on all processes.
///
/// Source: MPI-3.1, section 4.1.4. Processes fill the grid row-major in either order of the array.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::{Descriptor, Layout, interchange::{Darray, DarrayDistribution}};
/// let layout: Layout<2> = "(cyclic(2), block) onto (2, 3)".parse()?;
/// let darray = Darray::of(&Descriptor::new([10, 9], layout)?)?;
/// assert_eq!((&darray.extents[..], &darray.processes[..]), (&[10, 9][..], &[2, 3][..]));
/// let [first, second] = darray.distributions[..] else { unreachable!() };
/// assert_eq!((first, second), (DarrayDistribution::Cyclic(Some(2)), DarrayDistribution::Block(None)));
/// assert_eq!(*darray.descriptor::<2>()?.layout(), layout);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Darray {
    /// `array_of_gsizes`.
    pub extents: Vec<i32>,
    /// `array_of_distribs` with `array_of_dargs`.
    pub distributions: Vec<DarrayDistribution>,
    /// `array_of_psizes`.
    pub processes: Vec<i32>,
    /// `order`.
    pub order: StorageOrder,
}

impl Darray {
    /// Returns the arguments for an array.
    ///
    /// # Errors
    /// MPI has no such array; the error names the dimension.
    pub fn of<const D: usize>(descriptor: &Descriptor<D>) -> Result<Self, InterchangeError> {
        let layout = descriptor.layout();
        if layout.ranks != Ranks::From(0) {
            let reason = "its ranks are those of the communicator, from 0 on and in their order";
            return Err(cannot_say(FORMAT, None, reason));
        }
        let wide = layout.grid.iter().filter(|ranks| **ranks > 1).count();
        if layout.order == RankOrder::Col && wide > 1 {
            return Err(cannot_say(FORMAT, None, "ranks fill the grid row by row there"));
        }
        let mut darray = Self {
            extents: Vec::new(),
            distributions: Vec::new(),
            processes: Vec::new(),
            order: layout.storage,
        };
        for dimension in 0..D {
            let (axis, at) = (descriptor.axis(dimension), Some(dimension));
            if axis.first() != 0 {
                let reason = "block 0 is on coordinate 0 there";
                return Err(cannot_say(FORMAT, at, reason));
            }
            let block = |block| int(FORMAT, at, "the block", block).map(Some);
            darray.extents.push(int(FORMAT, at, "the extent", axis.extent())?);
            darray.processes.push(int(FORMAT, at, "the grid", axis.ranks())?);
            darray.distributions.push(match layout.dists[dimension] {
                Dist::Collapsed => DarrayDistribution::None,
                Dist::Block => DarrayDistribution::Block(None),
                Dist::BlockOf(size) => DarrayDistribution::Block(block(size)?),
                Dist::Cyclic(size) => DarrayDistribution::Cyclic(block(size)?),
                Dist::GenBlock(_) | Dist::Rows { .. } | Dist::Points(_) => {
                    let reason = "blocks of different sizes: all but the last are alike there";
                    return Err(cannot_say(FORMAT, at, reason));
                }
            });
        }
        Ok(darray)
    }

    /// Returns the layout of the arguments.
    ///
    /// # Errors
    /// MPI does not allow the arguments, or there are not `D` dimensions.
    pub fn descriptor<const D: usize>(&self) -> Result<Descriptor<D>, InterchangeError> {
        for len in [self.extents.len(), self.distributions.len(), self.processes.len()] {
            if len != D {
                let reason = format!("{D} are expected");
                return Err(wrong(FORMAT, "the number of dimensions", None, len as i128, reason));
            }
        }
        let (mut extents, mut grid, mut dists) = ([0; D], [1; D], [Dist::Collapsed; D]);
        for dimension in 0..D {
            let at = Some(dimension);
            extents[dimension] = count(FORMAT, "gsize", at, self.extents[dimension])?;
            grid[dimension] = count(FORMAT, "psize", at, self.processes[dimension])?;
            let size = |darg: i32| count(FORMAT, "darg", at, darg);
            dists[dimension] = match self.distributions[dimension] {
                DarrayDistribution::None => Dist::Collapsed,
                DarrayDistribution::Block(None) => Dist::Block,
                DarrayDistribution::Block(Some(darg)) => Dist::BlockOf(size(darg)?),
                DarrayDistribution::Cyclic(None) => Dist::Cyclic(1),
                DarrayDistribution::Cyclic(Some(darg)) => Dist::Cyclic(size(darg)?),
            };
        }
        checked(FORMAT, extents, Layout::new(dists, grid).storage(self.order))
    }
}
