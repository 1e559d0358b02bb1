use super::{Format, InterchangeError, cannot_say, checked, wrong};
use crate::layout::{Descriptor, Dist, Layout, RankOrder, Ranks, StorageOrder};

const FORMAT: Format = Format::Protocol;

/// The Distributed Array Protocol's dictionary of one dimension on one process (`dim_data`, version
/// 0.10), without padding, and not periodic. See [`to_protocol`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ProtocolDimension {
    /// `dist_type` 'n': `size`.
    Undistributed { size: usize },
    /// `dist_type` 'b', one block a process: `size`, `proc_grid_size`, `proc_grid_rank`, `start`, and
    /// `stop`, one past the last element here.
    Block { size: usize, processes: usize, process: usize, start: usize, stop: usize },
    /// `dist_type` 'c', blocks in turn: `size`, `proc_grid_size`, `proc_grid_rank`, `block_size`, and
    /// `start`, at which this process's first block begins, or would with more elements.
    Cyclic { size: usize, processes: usize, process: usize, start: usize, block: usize },
}

/// The dictionaries of a rank's process by dimension; `None` where the rank is not in the grid.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::Descriptor;
/// use redist::layout::interchange::{ProtocolDimension, to_protocol};
/// use redist::Layout;
/// let layout: Layout<2> = "(cyclic(2), *) onto 3".parse()?;
/// let array = Descriptor::new([11, 5], layout)?;
/// let (size, processes, process) = (11, 3, 2);
/// assert_eq!(
///     to_protocol(&array, 2)?,
///     Some([
///         ProtocolDimension::Cyclic { size, processes, process, start: 4, block: 2 },
///         ProtocolDimension::Undistributed { size: 5 },
///     ]),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Blocks that are not cyclic begin on another process than the first, or rows differ in length.
pub fn to_protocol<const D: usize>(
    descriptor: &Descriptor<D>,
    rank: usize,
) -> Result<Option<[ProtocolDimension; D]>, InterchangeError> {
    let layout = descriptor.layout();
    for dimension in 0..D {
        let is_cyclic = matches!(layout.dists[dimension], Dist::Cyclic(_));
        if !is_cyclic && layout.first[dimension] != 0 {
            let reason = "block 0 is on the first process there";
            return Err(cannot_say(FORMAT, Some(dimension), reason));
        }
    }
    for dimension in 0..D {
        if descriptor.axis(dimension).given_rows().is_some() {
            let reason = "a process has one block there, or blocks of one size";
            return Err(cannot_say(FORMAT, Some(dimension), reason));
        }
    }
    let Some(coordinates) = descriptor.coordinates(rank) else { return Ok(None) };
    Ok(Some(core::array::from_fn(|dimension| {
        let axis = descriptor.axis(dimension);
        let (size, processes, process) = (axis.extent(), axis.ranks(), coordinates[dimension]);
        match layout.dists[dimension] {
            Dist::Collapsed => ProtocolDimension::Undistributed { size },
            Dist::Cyclic(block) => {
                let start = axis.relative(process).saturating_mul(block);
                ProtocolDimension::Cyclic { size, processes, process, start, block }
            }
            Dist::Block
            | Dist::BlockOf(_)
            | Dist::GenBlock(_)
            | Dist::Rows { .. }
            | Dist::Points(_) => {
                let before: usize = (0..process).map(|process| axis.numroc(process)).sum();
                let (start, stop) = (before, before + axis.numroc(process));
                ProtocolDimension::Block { size, processes, process, start, stop }
            }
        }
    })))
}

/// Returns the layout from the dictionaries of all processes, by rank, with this storage order.
/// Blocks that HPF lacks become `gen_block`.
///
/// # Errors
/// Processes differ in common fields, share a place of the grid or leave one out; blocks overlap or
/// leave elements out. The error names rank and dimension.
pub fn from_protocol<const D: usize>(
    of_ranks: &[[ProtocolDimension; D]],
    storage: StorageOrder,
) -> Result<Descriptor<D>, InterchangeError> {
    let Some(first) = of_ranks.first() else {
        return Err(wrong(FORMAT, "the number of processes", None, 0, "there is at least one"));
    };
    let (extents, grid) =
        (first.map(Entry::of).map(|own| own.size), first.map(Entry::of).map(|own| own.processes));
    let cells = grid.iter().try_fold(1usize, |cells, extent| cells.checked_mul(*extent));
    if cells != Some(of_ranks.len()) {
        let reason = format!("a grid of {grid:?} has another number of processes");
        return Err(wrong(FORMAT, "the number of processes", None, of_ranks.len() as i128, reason));
    }
    let (mut dists, mut firsts) = ([Dist::Collapsed; D], [0; D]);
    for dimension in 0..D {
        let all: Vec<Entry> = of_ranks.iter().map(|own| Entry::of(own[dimension])).collect();
        let own = all[0];
        if let Some(rank) = all.iter().position(|other| !other.agrees(&own)) {
            let reason = format!("rank {rank} says something else of it than rank 0");
            return Err(cannot_say(FORMAT, Some(dimension), reason));
        }
        if let Some(other) = all.iter().find(|other| other.process >= own.processes) {
            let (process, reason) = (other.process, format!("{} is the number", own.processes));
            return Err(wrong(FORMAT, "proc_grid_rank", Some(dimension), process as i128, reason));
        }
        (dists[dimension], firsts[dimension]) = own.dist(&all, dimension)?;
    }
    let mut ranks = vec![None; of_ranks.len()];
    for (rank, own) in of_ranks.iter().enumerate() {
        let cell = own
            .iter()
            .zip(grid)
            .fold(0, |cell, (dimension, extent)| cell * extent + Entry::of(*dimension).process);
        if let Some(other) = ranks[cell].replace(rank) {
            let reason = format!("ranks {other} and {rank} are in the same place of the grid");
            return Err(cannot_say(FORMAT, None, reason));
        }
    }
    let ranks: Vec<usize> = ranks.into_iter().flatten().collect();
    let layout = Layout::new(dists, grid).first(firsts).order(RankOrder::Row).storage(storage);
    checked(FORMAT, extents, layout.ranks(Ranks::map(&ranks)))
}

#[derive(Clone, Copy)]
struct Entry {
    size: usize,
    processes: usize,
    process: usize,
    kind: ProtocolDimension,
}

impl Entry {
    fn of(kind: ProtocolDimension) -> Self {
        let (size, processes, process) = match kind {
            ProtocolDimension::Undistributed { size } => (size, 1, 0),
            ProtocolDimension::Block { size, processes, process, .. }
            | ProtocolDimension::Cyclic { size, processes, process, .. } => {
                (size, processes, process)
            }
        };
        Self { size, processes, process, kind }
    }

    fn agrees(&self, other: &Self) -> bool {
        let block = |entry: &Self| match entry.kind {
            ProtocolDimension::Cyclic { block, .. } => Some(block),
            _ => None,
        };
        core::mem::discriminant(&self.kind) == core::mem::discriminant(&other.kind)
            && (self.size, self.processes, block(self))
                == (other.size, other.processes, block(other))
    }

    fn dist(&self, all: &[Self], dimension: usize) -> Result<(Dist, usize), InterchangeError> {
        match self.kind {
            ProtocolDimension::Undistributed { .. } => Ok((Dist::Collapsed, 0)),
            ProtocolDimension::Cyclic { block, .. } => {
                let is_first = |entry: &&Self| {
                    matches!(entry.kind, ProtocolDimension::Cyclic { start: 0, .. })
                };
                let first = all.iter().find(is_first).map_or(0, |entry| entry.process);
                for entry in all {
                    let ProtocolDimension::Cyclic { start, .. } = entry.kind else { continue };
                    let after = (entry.process + self.processes - first) % self.processes;
                    let expected = after.saturating_mul(block);
                    if start != expected {
                        let reason = format!(
                            "block 0 is on process {first}, so that process {} begins at {expected}",
                            entry.process
                        );
                        return Err(wrong(FORMAT, "start", Some(dimension), start as i128, reason));
                    }
                }
                Ok((Dist::Cyclic(block), first))
            }
            ProtocolDimension::Block { .. } => self.blocks(all, dimension).map(|dist| (dist, 0)),
        }
    }

    fn blocks(&self, all: &[Self], dimension: usize) -> Result<Dist, InterchangeError> {
        let mut ranges = vec![None; self.processes];
        for entry in all {
            let ProtocolDimension::Block { start, stop, .. } = entry.kind else { continue };
            let known = ranges[entry.process].replace((start, stop));
            if known.is_some_and(|known| known != (start, stop)) {
                let reason = format!("processes {} of the grid differ in it", entry.process);
                return Err(wrong(FORMAT, "start", Some(dimension), start as i128, reason));
            }
        }
        let (mut sizes, mut end) = (Vec::with_capacity(self.processes), 0);
        for (process, range) in ranges.into_iter().enumerate() {
            let Some((start, stop)) = range else {
                let reason = format!("there is no process {process} of the grid");
                return Err(cannot_say(FORMAT, Some(dimension), reason));
            };
            if start != end || stop < start {
                let reason = format!(
                    "process {process} of the grid begins where the one before ends, at {end}"
                );
                return Err(wrong(FORMAT, "start", Some(dimension), start as i128, reason));
            }
            sizes.push(stop - start);
            end = stop;
        }
        if end != self.size {
            let reason = format!("the last process ends at {end}");
            return Err(wrong(FORMAT, "size", Some(dimension), self.size as i128, reason));
        }
        let dealt = Dist::Block.deal(self.size, self.processes, 0);
        let as_hpf_deals = dealt.is_ok_and(|axis| {
            sizes.iter().enumerate().all(|(process, size)| axis.numroc(process) == *size)
        });
        Ok(if as_hpf_deals { Dist::Block } else { Dist::gen_block(&sizes) })
    }
}
