//! Exchanges layouts with placements on a mesh of devices.

use super::{Format, InterchangeError, cannot_say, checked, wrong};
use crate::layout::{BlockCyclic, Descriptor, Dist, Layout, Ranks, StorageOrder};
use core::iter;
use core::ops::Range;

/// The format of all errors of this file.
const FORMAT: Format = Format::Placements;

/// The placement of the tensor along a dimension of the mesh: see [`from_placements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// `Shard(dim)`: cuts a dimension of the tensor into a chunk for each device, as `torch.chunk`.
    Shard(usize),
    /// `_StridedShard(dim, split_factor)`: cuts a dimension into `split_factor` chunks, and each of
    /// them into a piece for each device, which stores its pieces of all chunks one after the
    /// other.
    StridedShard {
        /// The dimension of the tensor.
        dim: usize,
        /// Number of chunks, each of which all devices share.
        split_factor: usize,
    },
    /// `Replicate()`: every device has all, which is a layout only of one device.
    Replicate,
    /// `Partial()`: every device has an addend of all, which is a layout only of one device.
    Partial,
}

/// Returns the layout of a tensor of these extents on a mesh of devices, with a placement for each
/// of the mesh's dimensions, as of PyTorch's DTensor. Each placement cuts the chunks of the
/// placements before it. `ranks` are the mesh's, in row-major order.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::interchange::{Placement, from_placements};
/// let placements = [Placement::Shard(1), Placement::Shard(0)];
/// let tensor = from_placements([9, 8], &[2, 3], &[0, 1, 2, 3, 4, 5], &placements)?;
/// assert_eq!(*tensor.layout(), "(block, block) onto (3, 2) ranks [0, 3, 1, 4, 2, 5]".parse()?);
///
/// // FSDP over tensor parallelism; where all divides, it is block-cyclic.
/// let strided = [Placement::StridedShard { dim: 0, split_factor: 3 }];
/// let tensor = from_placements([12], &[2], &[0, 1], &strided)?;
/// assert_eq!(*tensor.layout(), "cyclic(2) onto 2".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The placements are of another mesh or tensor, replicate, or are partial; [`Placed`] has copies.
pub fn from_placements<const D: usize>(
    extents: [usize; D],
    mesh: &[usize],
    ranks: &[usize],
    placements: &[Placement],
) -> Result<Descriptor<D>, InterchangeError> {
    let mut placed = Placed::new(extents, mesh, ranks, placements)?;
    let kept = placements.iter().zip(mesh).enumerate();
    let mut kept = kept.filter(|(_, (placement, devices))| !is_cut(placement) && **devices > 1);
    match (kept.next(), placed.copies.pop()) {
        (None, Some(copy)) => Ok(copy),
        (Some((at, (placement, devices))), _) => {
            let what = if *placement == Placement::Partial { "addends" } else { "copies" };
            let reason =
                format!("dimension {at} of the mesh keeps {devices} {what}; a layout has one");
            Err(cannot_say(FORMAT, None, reason))
        }
        (None, None) => Err(cannot_say(FORMAT, None, "the mesh has no devices")),
    }
}

/// Copies of a tensor on a mesh of devices, some of whose dimensions replicate it or have addends.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::interchange::{Placed, Placement};
/// let mesh = [2, 2];
/// let placements = [Placement::Shard(0), Placement::Replicate];
/// let placed = Placed::new([5], &mesh, &[0, 1, 2, 3], &placements)?;
/// let copies: Vec<String> = placed.copies.iter().map(|copy| copy.layout().to_string()).collect();
/// assert_eq!(copies, ["block onto 2 ranks [0, 2]", "block onto 2 ranks [1, 3]"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placed<const D: usize> {
    /// The copies, on ranks of their own, as `PlanWithCopies::new` takes their layouts.
    pub copies: Vec<Descriptor<D>>,
    /// Number of consecutive ones whose sum is the tensor: 1 unless a placement is partial. A
    /// `Reduction` adds so many of them; a `PlanWithCopies` moves copies, and adds nothing.
    pub addends: usize,
}

impl<const D: usize> Placed<D> {
    /// Returns the layout of placements, with the copies of placements that replicate, and their
    /// addends.
    ///
    /// # Errors
    /// The placements are of another mesh or tensor.
    pub fn new(
        extents: [usize; D],
        mesh: &[usize],
        ranks: &[usize],
        placements: &[Placement],
    ) -> Result<Self, InterchangeError> {
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
        let cutting = cutting::<D>(placements)?;
        let grid = cutting.each_ref().map(|along| along.iter().map(|at| mesh[*at]).product());
        let dists = core::array::from_fn(|dimension| {
            let cut = |at: &usize| ShardCut { ways: mesh[*at], factor: factor(&placements[*at]) };
            dist(extents[dimension], &cutting[dimension].iter().map(cut).collect::<Vec<_>>())
        });
        let of = |kind: Placement| {
            let along = (0..count).filter(move |at| placements[*at] == kind);
            along.collect::<Vec<usize>>()
        };
        // Addends of a copy follow each other.
        let kept = [of(Placement::Replicate), of(Placement::Partial)];
        let counts = kept.each_ref().map(|along| along.iter().map(|at| mesh[*at]).product());
        let [copies, addends]: [usize; 2] = counts;
        let cells: usize = grid.iter().product();
        let copy = |number: usize| {
            let mut place = vec![0; count];
            put(&mut place, number, &kept.concat(), mesh);
            let rank = |cell| ranks[device(cell, mesh, (&grid, &cutting), place.clone())];
            let ranks: Vec<usize> = (0..cells).map(rank).collect();
            checked(FORMAT, extents, Layout::new(dists, grid).ranks(Ranks::map(&ranks)))
        };
        let copies = (0..copies * addends).map(copy).collect::<Result<_, _>>()?;
        Ok(Self { copies, addends })
    }

    /// Returns a mesh, its ranks and its placements, as [`Placed::new`] takes them. Its first
    /// dimensions replicate or have addends, if any do.
    ///
    /// # Errors
    /// The layout has no placements ([`to_placements`]), or copies differ in more than their ranks.
    #[expect(clippy::type_complexity, reason = "the arguments of one call")]
    pub fn placements(&self) -> Result<(Vec<usize>, Vec<usize>, Vec<Placement>), InterchangeError> {
        let Some((first, others)) = self.copies.split_first() else {
            return Err(cannot_say(FORMAT, None, "there is no copy"));
        };
        let alike = |copy: &Descriptor<D>| {
            copy.layout().ranks(first.layout().ranks) == *first.layout()
                && copy.extents() == first.extents()
        };
        if !others.iter().all(alike) {
            return Err(cannot_say(FORMAT, None, "copies differ in more than their ranks"));
        }
        let (mut mesh, _, mut placements) = to_placements(first)?;
        let addends = self.addends.max(1);
        for (devices, placement) in
            [(addends, Placement::Partial), (self.copies.len() / addends, Placement::Replicate)]
        {
            if devices > 1 {
                mesh.insert(0, devices);
                placements.insert(0, placement);
            }
        }
        Ok((mesh, self.copies.iter().flat_map(ranks_of).collect(), placements))
    }
}

/// Returns the mesh, its ranks and its placements of an array, as [`from_placements`] takes them.
/// The mesh has a dimension for each of the array's that several ranks share, or two for nested and
/// strided shards.
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
    for dim in 0..D {
        let axis = descriptor.axis(dim);
        let Some(cuts) = cuts_of(&axis) else {
            let reason = format!("`{}` is not what `torch.chunk` does", layout.dists[dim]);
            return Err(cannot_say(FORMAT, Some(dim), reason));
        };
        for ShardCut { ways, factor } in cuts {
            mesh.push(ways);
            placements.push(match factor {
                None => Placement::Shard(dim),
                Some(split_factor) => Placement::StridedShard { dim, split_factor },
            });
        }
    }
    if mesh.is_empty() {
        (mesh, placements) = (vec![1], vec![Placement::Replicate]);
    }
    Ok((mesh, ranks_of(descriptor).collect(), placements))
}

/// Lists the ranks of the cells, in row-major order.
fn ranks_of<const D: usize>(descriptor: &Descriptor<D>) -> impl Iterator<Item = usize> + '_ {
    (0..descriptor.ranks()).map(|cell| {
        let mut rest = cell;
        let mut coordinates = [0; D];
        for dimension in (0..D).rev() {
            coordinates[dimension] = rest % descriptor.layout().grid[dimension];
            rest /= descriptor.layout().grid[dimension];
        }
        descriptor.rank_at(coordinates)
    })
}

/// Returns the device of a cell of the grid, in row-major order; `place` has its coordinates along
/// dimensions of the mesh that cut nothing.
fn device<const D: usize>(
    mut cell: usize,
    mesh: &[usize],
    (grid, cutting): (&[usize; D], &[Vec<usize>; D]),
    mut place: Vec<usize>,
) -> usize {
    for dimension in (0..D).rev() {
        put(&mut place, cell % grid[dimension], &cutting[dimension], mesh);
        cell /= grid[dimension];
    }
    place.iter().zip(mesh).fold(0, |device, (at, extent)| device * extent + at)
}

/// Sets the coordinates along some dimensions of the mesh, the last of which is the fastest.
fn put(place: &mut [usize], mut number: usize, along: &[usize], mesh: &[usize]) {
    for &at in along.iter().rev() {
        place[at] = number % mesh[at];
        number /= mesh[at];
    }
}

fn is_cut(placement: &Placement) -> bool {
    matches!(placement, Placement::Shard(_) | Placement::StridedShard { .. })
}

fn factor(placement: &Placement) -> Option<usize> {
    match placement {
        Placement::StridedShard { split_factor, .. } => Some(*split_factor),
        _ => None,
    }
}

fn cutting<const D: usize>(placements: &[Placement]) -> Result<[Vec<usize>; D], InterchangeError> {
    let mut cutting: [Vec<usize>; D] = [const { Vec::new() }; D];
    for (at, placement) in placements.iter().enumerate() {
        let dimension = match *placement {
            Placement::StridedShard { split_factor: 0, .. } => {
                let reason = "a tensor is cut into at least one chunk";
                return Err(wrong(FORMAT, "split_factor", Some(at), 0, reason));
            }
            Placement::Shard(dim) | Placement::StridedShard { dim, .. } => dim,
            Placement::Replicate | Placement::Partial => continue,
        };
        if dimension >= D {
            let reason = format!("the tensor has {D} dimensions");
            return Err(wrong(FORMAT, "Shard", Some(at), dimension as i128, reason));
        }
        cutting[dimension].push(at);
    }
    Ok(cutting)
}

/// One placement that cuts a dimension.
#[derive(Clone, Copy)]
struct ShardCut {
    /// Devices along the dimension of the mesh.
    ways: usize,
    /// Chunks that all devices share, if it is strided.
    factor: Option<usize>,
}

/// A device's indices along a dimension: neighbours apart from each other, none of them empty.
type Held = Vec<Range<usize>>;

/// Most ranges of indices that are looked at to find placements.
const MAX_RANGES: usize = 1 << 20;

/// Returns the distribution that some placements make, each cutting the chunks of those before it.
fn dist(extent: usize, cuts: &[ShardCut]) -> Dist {
    match cuts {
        [] => return Dist::Collapsed,
        [ShardCut { factor: None, .. }] => return Dist::Block,
        _ => {}
    }
    let held = held(extent, cuts);
    let starts = || held.iter().filter_map(|ranges| ranges.first()).map(|range| range.start);
    if held.iter().all(|ranges| ranges.len() <= 1) && starts().is_sorted() {
        let sizes = held.iter().map(|ranges| ranges.first().map_or(0, Range::len));
        return Dist::gen_block(&sizes.collect::<Vec<_>>());
    }
    let block = held.first().and_then(|ranges| ranges.first()).map_or(1, Range::len);
    let dealt = BlockCyclic::new(extent, block, held.len(), 0);
    if dealt.is_ok_and(|dealt| ranges_of(&dealt).is_some_and(|dealt| dealt == held)) {
        return Dist::Cyclic(block);
    }
    let owned = held.iter().enumerate();
    let owned = owned.flat_map(|(owner, ranges)| ranges.iter().map(move |range| (range, owner)));
    let mut parts: Vec<(usize, usize)> = owned.map(|(range, owner)| (range.start, owner)).collect();
    parts.sort_unstable();
    let (starts, owners): (Vec<usize>, Vec<usize>) = parts.into_iter().unzip();
    Dist::blocks(&starts[1..], &owners)
}

fn held(extent: usize, cuts: &[ShardCut]) -> Vec<Held> {
    let whole = iter::once(0..extent).filter(|range| !range.is_empty()).collect();
    cuts.iter().fold(vec![whole], |held: Vec<Held>, cut| {
        held.iter().flat_map(|ranges| cut_of(ranges, *cut)).collect()
    })
}

fn cut_of(ranges: &Held, ShardCut { ways, factor }: ShardCut) -> Vec<Held> {
    let Some(factor) = factor else { return chunks(ranges, ways) };
    let mut all = vec![Held::new(); ways];
    for chunk in chunks(ranges, factor) {
        for (held, part) in all.iter_mut().zip(chunks(&chunk, ways)) {
            part.into_iter().for_each(|range| push(held, range));
        }
    }
    all
}

/// Cuts as `torch.chunk`: chunks of one length, the last shorter, and empty ones behind it.
fn chunks(ranges: &Held, ways: usize) -> Vec<Held> {
    let len: usize = ranges.iter().map(Range::len).sum();
    let chunk = len.div_ceil(ways.max(1)).max(1);
    let mut all = vec![Held::new(); ways];
    let (mut number, mut room) = (0, chunk);
    for range in ranges {
        let mut start = range.start;
        while start < range.end {
            if room == 0 {
                (number, room) = (number + 1, chunk);
            }
            let end = range.end.min(start.saturating_add(room));
            push(&mut all[number], start..end);
            (room, start) = (room - (end - start), end);
        }
    }
    all
}

/// Adds a range behind others, joined to the last if it goes on there.
fn push(held: &mut Held, range: Range<usize>) {
    match held.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => held.push(range),
    }
}

/// Returns the indices of each coordinate; `None` if they are too many ranges.
fn ranges_of(axis: &BlockCyclic) -> Option<Vec<Held>> {
    let blocks = match axis.regular_block() {
        Some(block) => axis.extent().div_ceil(block),
        None => axis.given_blocks().unwrap_or(axis.ranks()),
    };
    if blocks.max(axis.ranks()) > MAX_RANGES {
        return None;
    }
    let mut held = vec![Held::new(); axis.ranks()];
    let mut block = axis.block_at(0);
    while block.start < axis.extent() {
        let range = block.start..block.end().min(axis.extent());
        push(&mut held[axis.owner_of_block(block.number)], range);
        block = axis.block_after(block);
    }
    Some(held)
}

/// Returns the placements that cut a dimension so.
fn cuts_of(axis: &BlockCyclic) -> Option<Vec<ShardCut>> {
    let (extent, ranks) = (axis.extent(), axis.ranks());
    if ranks == 1 {
        return Some(Vec::new());
    }
    let found = ranges_of(axis)?;
    let shard = |ways| ShardCut { ways, factor: None };
    let strided = |ways, factor| ShardCut { ways, factor: Some(factor) };
    let chunks = found.iter().map(Vec::len).max().unwrap_or(0);
    let nested = (2..ranks).filter(|ways| ranks.is_multiple_of(*ways)).flat_map(|ways| {
        let others = ranks / ways;
        [vec![shard(ways), shard(others)], vec![strided(ways, others), shard(others)]]
    });
    let single = [vec![shard(ranks)], vec![strided(ranks, chunks.max(1))]];
    single.into_iter().chain(nested).find(|cuts| held(extent, cuts) == found)
}
