//! The fields of the JSON: see `docs/cli.md`.

use crate::counts::{Counts, DEFAULT_MAX_PAIRS, PairCounts};
use crate::memory::MemoryReport;
use crate::rank::OneRank;
use crate::schedule::Chosen;
use redist_plan::layout::Ranks;
use redist_plan::plan::{Class, Plan, Side};
use serde::Serialize;

/// Most pieces of a window table, unless an item says otherwise: as `redist_notation` has it.
pub const MAX_TABLE_PIECES: usize = 16_384;

/// Facts that a plan does not have.
#[derive(Clone, Debug, Default)]
pub struct Described {
    pub name: Option<String>,
    /// The element type in the caller's words.
    pub element: String,
    /// Bytes of an element, if known.
    pub element_bytes: Option<usize>,
    pub relabelled: Option<RelabelReport>,
}

/// The parts of a report that take long for many ranks.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The most pairs of ranks whose counts are listed.
    pub most_pairs: usize,
    /// A rank of the plan whose messages are listed.
    pub rank: Option<usize>,
}

impl Default for Asked {
    fn default() -> Self {
        Self { most_pairs: DEFAULT_MAX_PAIRS, rank: None }
    }
}

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
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RelabelReport {
    /// Elements that stayed on their rank before.
    pub stayed: usize,
    /// Elements that stay now.
    pub stays: usize,
    /// Elements that move in the best order of ranks.
    pub moves_at_least: usize,
}

impl RelabelReport {
    /// Reports an array of so many elements, of which some stayed before and some stay now.
    pub const fn new(elements: usize, stayed: usize, stays: usize) -> Self {
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
    /// Reports a plan.
    pub fn new<const D: usize>(plan: &Plan<D>, of: Described, asked: Asked) -> Self {
        let Described { name, element, element_bytes, relabelled } = of;
        let Asked { most_pairs, rank } = asked;
        let axes: Vec<_> = (0..D).map(|dimension| plan.axis(dimension)).collect();
        let elements = plan.elements();
        let pairs = PairCounts::of(plan);
        let schedule = Chosen::of(plan, element_bytes);
        let each = |number: &dyn Fn(usize) -> usize| (0..D).map(number).collect::<Vec<usize>>();
        let dimension_pieces = each(&|dimension| axes[dimension].pieces());
        PlanReport {
            name,
            from: plan.descriptor(Side::Source).layout().to_string(),
            to: plan.descriptor(Side::Destination).layout().to_string(),
            extents: plan.extents().to_vec(),
            elements,
            element,
            element_bytes,
            bytes: element_bytes.and_then(|bytes| elements.checked_mul(bytes)),
            ranks: GridRanks {
                needed: plan.ranks(),
                source: Grid::of(plan, Side::Source),
                destination: Grid::of(plan, Side::Destination),
            },
            relabelled,
            class: axes.iter().map(|axis| class(axis.class()).0).collect(),
            class_parameters: axes.iter().map(|axis| class(axis.class()).1).collect(),
            window: each(&|dimension| axes[dimension].window()),
            window_pieces: each(&|dimension| axes[dimension].window_pieces()),
            table_pieces: each(&|dimension| axes[dimension].table_len(MAX_TABLE_PIECES)),
            pieces: dimension_pieces
                .iter()
                .try_fold(1usize, |all, pieces| all.checked_mul(*pieces)),
            dimension_pieces,
            counts: Counts::of(plan, &pairs, most_pairs),
            steps: schedule.steps,
            min_steps: schedule.min_steps,
            schedule,
            memory: MemoryReport::of(plan, element_bytes),
            digest: plan.digest().to_string(),
            rank: rank.map(|rank| OneRank::of(plan, rank, most_pairs)),
            explained: plan.explain(),
        }
    }

    /// Returns the report as one line of JSON.
    ///
    /// # Panics
    /// Never: a report has nothing that JSON lacks.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are JSON")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_json_of_what_the_plan_says() {
        let plan =
            Plan::parse([12, 8], "(cyclic(3), *) onto 4", "(*, block) onto 2").expect("a plan");
        let described = Described {
            name: Some("turn".into()),
            element: "f64".into(),
            element_bytes: Some(8),
            relabelled: Some(RelabelReport::new(96, 10, 20)),
        };
        let asked = Asked { rank: Some(1), ..Asked::default() };
        let text = PlanReport::new(&plan, described, asked).to_json();
        let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert!(!text.contains('\n') && found["name"] == "turn" && found["bytes"] == 768);
        assert_eq!(found["relabelled"]["moves_at_least"], 76);
        assert_eq!(found["digest"], plan.digest().to_string());
        for (source, destination) in (0..4).flat_map(|source| [(source, 0), (source, 1)]) {
            assert_eq!(found["counts"][source][destination], plan.volume(source, destination));
        }
        assert_eq!(found["rank"]["source"]["message_elements"], 24);
        let bare = PlanReport::new(&plan, Described::default(), Asked::default());
        assert!(bare.bytes.is_none() && !bare.to_json().contains("relabelled"));
    }

    #[test]
    fn few_pairs_are_listed_where_few_are_asked_for() {
        let plan = Plan::parse([12], "cyclic onto 4", "block onto 3").expect("a plan");
        let listed = |most_pairs| {
            let asked = Asked { most_pairs, rank: None };
            PlanReport::new(&plan, Described::default(), asked).counts.counts.is_some()
        };
        assert_eq!([11, 12].map(listed), [false, true]);
    }
}
