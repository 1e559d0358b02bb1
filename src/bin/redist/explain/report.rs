//! The fields of `--json`: see `docs/cli.md`.

use super::counts::{Counts, PairCounts};
use super::memory::MemoryReport;
use super::rank::OneRank;
use super::schedule::Chosen;
use crate::input::PlannedItem;
use redist::layout::Ranks;
use redist::plan::Class;
use redist::{Plan, Side};
use redist_notation::spec::{DEFAULT_MAX_TABLE_PIECES, Saving};
use serde::Serialize;

/// All facts about one item.
#[derive(Serialize)]
pub struct PlanReport {
    pub name: Option<String>,
    pub from: String,
    pub to: String,
    /// Extents of the moved array, in elements.
    pub extents: Vec<usize>,
    /// Product of the extents.
    pub elements: usize,
    pub element: String,
    /// Bytes of an element, if known.
    pub element_bytes: Option<usize>,
    /// Bytes of all elements, if known.
    pub bytes: Option<usize>,
    pub ranks: GridRanks,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relabelled: Option<RelabelReport>,
    pub class: Vec<&'static str>,
    pub class_parameters: Vec<Option<Parameters>>,
    /// Elements of the window of each dimension.
    pub window: Vec<usize>,
    /// Pieces of the window of each dimension.
    pub window_pieces: Vec<usize>,
    /// Pieces of the window table of each dimension; 0 without a table.
    pub table_pieces: Vec<usize>,
    /// Pieces of each whole dimension, on all ranks.
    pub dimension_pieces: Vec<usize>,
    /// Pieces of the array, on all ranks, if the number fits.
    pub pieces: Option<usize>,
    #[serde(flatten)]
    pub counts: Counts,
    /// Steps of the schedule.
    pub steps: Option<usize>,
    /// Least steps of any schedule.
    pub min_steps: Option<usize>,
    pub schedule: Chosen,
    pub memory: MemoryReport,
    pub digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<OneRank>,
    #[serde(skip)]
    pub explained: String,
}

/// Elements that need not move, because ranks have other cells.
#[derive(Clone, Copy, Serialize)]
pub struct RelabelReport {
    /// Elements that stayed on their rank before.
    pub stayed: usize,
    /// Elements that stay now.
    pub stays: usize,
    /// Elements that move in the best order of ranks.
    pub moves_at_least: usize,
}

impl From<Saving> for RelabelReport {
    fn from(Saving { elements, stayed, stays }: Saving) -> Self {
        RelabelReport { stayed, stays, moves_at_least: elements - stays }
    }
}

/// Ranks of the communicator that the plan needs.
#[derive(Serialize)]
pub struct GridRanks {
    /// Ranks that the communicator must have.
    pub needed: usize,
    pub source: Grid,
    pub destination: Grid,
}

/// The ranks of one side.
#[derive(Serialize)]
pub struct Grid {
    /// First rank, if the ranks are consecutive.
    pub first: Option<usize>,
    /// All ranks in the order of the grid's cells, if they are not consecutive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<&'static [usize]>,
    /// Number of ranks.
    pub count: usize,
    /// Extents of the grid, in ranks.
    pub extents: Vec<usize>,
}

/// `k` and `r` of a class that has them.
#[derive(Clone, Copy, Serialize)]
pub struct Parameters {
    /// Blocks of the finer side in a block of the coarser side.
    pub k: usize,
    /// Elements in a block of the finer side.
    pub r: usize,
}

impl PlanReport {
    /// Counts single pairs if there are at most `most_pairs`.
    pub fn new<const D: usize>(
        item: &PlannedItem<D>,
        most_pairs: usize,
        rank: Option<usize>,
    ) -> Self {
        let plan = &item.plan;
        let axes: Vec<_> = (0..D).map(|dimension| plan.axis(dimension)).collect();
        let elements = plan.elements();
        let pairs = PairCounts::of(plan);
        let schedule = Chosen::of(plan, item.element_bytes);
        let each = |number: &dyn Fn(usize) -> usize| (0..D).map(number).collect::<Vec<usize>>();
        let dimension_pieces = each(&|dimension| axes[dimension].pieces());
        PlanReport {
            name: item.name.clone(),
            from: plan.descriptor(Side::Source).layout().to_string(),
            to: plan.descriptor(Side::Destination).layout().to_string(),
            extents: plan.extents().to_vec(),
            elements,
            element: item.element.clone(),
            element_bytes: item.element_bytes,
            bytes: item.element_bytes.and_then(|bytes| elements.checked_mul(bytes)),
            ranks: GridRanks {
                needed: plan.ranks(),
                source: Grid::of(plan, Side::Source),
                destination: Grid::of(plan, Side::Destination),
            },
            relabelled: item.relabelled.map(RelabelReport::from),
            class: axes.iter().map(|axis| class(axis.class()).0).collect(),
            class_parameters: axes.iter().map(|axis| class(axis.class()).1).collect(),
            window: each(&|dimension| axes[dimension].window()),
            window_pieces: each(&|dimension| axes[dimension].window_pieces()),
            table_pieces: each(&|dimension| axes[dimension].table_len(DEFAULT_MAX_TABLE_PIECES)),
            pieces: dimension_pieces
                .iter()
                .try_fold(1usize, |all, pieces| all.checked_mul(*pieces)),
            dimension_pieces,
            counts: Counts::of(plan, &pairs, most_pairs),
            steps: schedule.steps,
            min_steps: schedule.min_steps,
            schedule,
            memory: MemoryReport::of(plan, item.element_bytes),
            digest: plan.digest().to_string(),
            rank: rank.map(|rank| OneRank::of(plan, rank, most_pairs)),
            explained: plan.explain(),
        }
    }
}

impl Grid {
    fn of<const D: usize>(plan: &Plan<D>, side: Side) -> Self {
        let descriptor = plan.descriptor(side);
        let layout = descriptor.layout();
        let (first, listed) = match layout.ranks {
            Ranks::From(first) => (Some(first), None),
            Ranks::Map(list) => (None, Some(list)),
        };
        Grid { first, listed, count: descriptor.ranks(), extents: layout.grid.to_vec() }
    }
}

fn class(class: Class) -> (&'static str, Option<Parameters>) {
    match class {
        Class::Identity => ("identity", None),
        Class::KrToR { k, r } => ("kr_to_r", Some(Parameters { k, r })),
        Class::RToKr { k, r } => ("r_to_kr", Some(Parameters { k, r })),
        Class::General => ("general", None),
    }
}
