use super::{Format, InterchangeError, cannot_say, checked, wrong};
use crate::layout::{Descriptor, Dist, Layout, Ranks, StorageOrder};

const FORMAT: Format = Format::Placements;

/// The placement of the tensor along a dimension of the mesh: see [`from_placements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// `Shard(dim)`: cuts a dimension of the tensor into a chunk for each device, as `torch.chunk`.
    Shard(usize),
    /// `Replicate()`: every device has all, which is a layout only of one device.
    Replicate,
}

/// Returns the layout of a tensor of these extents on a mesh of devices, with a placement for each
/// of the mesh's dimensions, as of PyTorch's DTensor. Each cuts the chunks of those before it.
/// `ranks` are those of the mesh, in row-major order.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::interchange::{Placement, from_placements};
/// let placements = [Placement::Shard(1), Placement::Shard(0)];
/// let tensor = from_placements([9, 8], &[2, 3], &[0, 1, 2, 3, 4, 5], &placements)?;
/// assert_eq!(*tensor.layout(), "(block, block) onto (3, 2) ranks [0, 3, 1, 4, 2, 5]".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The placements are of another mesh or tensor, or replicate.
pub fn from_placements<const D: usize>(
    extents: [usize; D],
    mesh: &[usize],
    ranks: &[usize],
    placements: &[Placement],
) -> Result<Descriptor<D>, InterchangeError> {
    let devices = mesh.iter().try_fold(1usize, |all, extent| all.checked_mul(*extent));
    if devices != Some(ranks.len()) {
        let reason = format!("a mesh of {mesh:?} has another number of devices");
        return Err(wrong(FORMAT, "the number of ranks", None, ranks.len() as i128, reason));
    }
    let count = placements.len();
    if count != mesh.len() {
        let reason = format!("the mesh has {} dimensions", mesh.len());
        return Err(wrong(FORMAT, "the number of placements", None, count as i128, reason));
    }
    let cutting = cutting::<D>(mesh, placements)?;
    let grid = cutting.each_ref().map(|along| along.iter().map(|at| mesh[*at]).product());
    let mut dists = [Dist::Collapsed; D];
    for dimension in 0..D {
        let ways: Vec<usize> = cutting[dimension].iter().map(|at| mesh[*at]).collect();
        dists[dimension] = match ways[..] {
            [] => Dist::Collapsed,
            [_] => Dist::Block,
            _ => Dist::gen_block(&chunks(extents[dimension], &ways)),
        };
    }
    let cells = 0..ranks.len();
    let ranks: Vec<usize> = cells.map(|cell| ranks[device(cell, mesh, &grid, &cutting)]).collect();
    checked(FORMAT, extents, Layout::new(dists, grid).ranks(Ranks::map(&ranks)))
}

fn device<const D: usize>(
    mut cell: usize,
    mesh: &[usize],
    grid: &[usize; D],
    cutting: &[Vec<usize>; D],
) -> usize {
    let mut place = vec![0; mesh.len()];
    for dimension in (0..D).rev() {
        let mut coordinate = cell % grid[dimension];
        cell /= grid[dimension];
        for &at in cutting[dimension].iter().rev() {
            place[at] = coordinate % mesh[at];
            coordinate /= mesh[at];
        }
    }
    place.iter().zip(mesh).fold(0, |device, (at, extent)| device * extent + at)
}

/// Returns the mesh, its ranks and its placements of an array, as [`from_placements`] takes them.
/// The mesh has a dimension for each of the array's that several ranks share.
///
/// # Errors
/// No mesh places the array so; the error names the dimension.
#[expect(clippy::type_complexity, reason = "the arguments of one call")]
pub fn to_placements<const D: usize>(
    descriptor: &Descriptor<D>,
) -> Result<(Vec<usize>, Vec<usize>, Vec<Placement>), InterchangeError> {
    let layout = descriptor.layout();
    if layout.storage != StorageOrder::C && D > 1 {
        return Err(cannot_say(FORMAT, None, "local tensors are stored row by row there"));
    }
    let (mut mesh, mut placements) = (Vec::new(), Vec::new());
    for dimension in 0..D {
        let axis = descriptor.axis(dimension);
        let expected = chunks(axis.extent(), &[axis.ranks()]);
        let found = (0..axis.ranks()).map(|coordinate| axis.numroc(coordinate));
        // One chunk a device, the first on the first, as far as there is something.
        let is_one_block = axis.given_sizes().is_some()
            || axis
                .regular_block()
                .is_some_and(|block| block.saturating_mul(axis.ranks()) >= axis.extent());
        if axis.first() != 0 || !is_one_block || !found.eq(expected) {
            let reason = format!("`{}` is not what `torch.chunk` does", layout.dists[dimension]);
            return Err(cannot_say(FORMAT, Some(dimension), reason));
        }
        if axis.ranks() > 1 {
            mesh.push(axis.ranks());
            placements.push(Placement::Shard(dimension));
        }
    }
    if mesh.is_empty() {
        (mesh, placements) = (vec![1], vec![Placement::Replicate]);
    }
    let ranks = (0..descriptor.ranks()).map(|cell| {
        let mut rest = cell;
        let mut coordinates = [0; D];
        for dimension in (0..D).rev() {
            coordinates[dimension] = rest % layout.grid[dimension];
            rest /= layout.grid[dimension];
        }
        descriptor.rank_at(coordinates)
    });
    Ok((mesh, ranks.collect(), placements))
}

fn cutting<const D: usize>(
    mesh: &[usize],
    placements: &[Placement],
) -> Result<[Vec<usize>; D], InterchangeError> {
    let mut cutting: [Vec<usize>; D] = [const { Vec::new() }; D];
    for (at, placement) in placements.iter().enumerate() {
        match *placement {
            Placement::Shard(dimension) if dimension < D => cutting[dimension].push(at),
            Placement::Shard(dimension) => {
                let reason = format!("the tensor has {D} dimensions");
                return Err(wrong(FORMAT, "Shard", Some(at), dimension as i128, reason));
            }
            Placement::Replicate if mesh[at] == 1 => {}
            Placement::Replicate => {
                let reason = format!(
                    "dimension {at} of the mesh keeps {} copies; a layout has one",
                    mesh[at]
                );
                return Err(cannot_say(FORMAT, None, reason));
            }
        }
    }
    Ok(cutting)
}

fn chunks(extent: usize, ways: &[usize]) -> Vec<usize> {
    let Some((first, rest)) = ways.split_first() else { return vec![extent] };
    let chunk = extent.div_ceil((*first).max(1));
    let starts = (0..*first).map(|at| (at * chunk).min(extent));
    starts.flat_map(|start| chunks(chunk.min(extent - start), rest)).collect()
}
