//! The vectors as in the file: `tests/data/README.md`.

use crate::dealing::{Blocks, Deal};
use crate::fnv::Fnv;
use crate::movement::{ByPair, Movement};
use redist::layout::{Dist, StorageOrder};
use redist::plan::Axis;
use redist::{Layout, Plan};
use serde::Deserialize;
use std::sync::LazyLock;

pub static VECTORS: LazyLock<Vectors> = LazyLock::new(|| {
    let text = include_str!("../../data/block_cyclic.json");
    serde_json::from_str(text).expect("the vectors have the fields below")
});

#[derive(Deserialize)]
pub struct Vectors {
    #[serde(rename = "d1")]
    pub lines: Vec<Line>,
    #[serde(rename = "periodic")]
    pub huge: Vec<Huge>,
    #[serde(rename = "nd")]
    pub arrays: Vec<Array>,
    #[serde(rename = "sched")]
    pub schedules: Vec<Schedule>,
    #[serde(rename = "relabel")]
    pub relabellings: Vec<Relabelling>,
}

/// Blocks of `s` on `P` ranks, the first on `rs`, to blocks of `t` on `Q` ranks, the first on `rt`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(from = "Named")]
pub struct Parameters {
    pub extent: usize,
    pub source: (usize, usize, usize),
    pub destination: (usize, usize, usize),
}

/// The reference's names. Full-period vectors have neither extent nor first ranks. Equal numbers of
/// ranks may occur once.
#[derive(Deserialize)]
struct Named {
    #[serde(rename = "N", default)]
    extent: usize,
    s: usize,
    #[serde(rename = "P")]
    source_ranks: usize,
    #[serde(default)]
    rs: usize,
    t: usize,
    #[serde(rename = "Q")]
    destination_ranks: Option<usize>,
    #[serde(default)]
    rt: usize,
}

impl From<Named> for Parameters {
    fn from(named: Named) -> Self {
        Self {
            extent: named.extent,
            source: (named.s, named.source_ranks, named.rs),
            destination: (named.t, named.destination_ranks.unwrap_or(named.source_ranks), named.rt),
        }
    }
}

impl Parameters {
    pub fn axis(&self) -> Axis {
        self.plan().axis(0)
    }

    pub fn plan(&self) -> Plan<1> {
        let layout =
            |(block, ranks, first)| Layout::new([Dist::Cyclic(block)], [ranks]).first([first]);
        let plan = Plan::new([self.extent], layout(self.source), layout(self.destination));
        plan.expect("the vectors keep to the rules")
    }

    pub fn movement(&self) -> Movement {
        let deal = |(block, ranks, first)| Deal {
            extent: self.extent,
            blocks: Blocks::Of(block),
            ranks,
            first,
        };
        Movement::whole(deal(self.source), deal(self.destination))
    }

    pub fn source_ranks(&self) -> usize {
        self.source.1
    }

    pub fn destination_ranks(&self) -> usize {
        self.destination.1
    }

    /// All pairs of ranks, in the order in which the vectors hash them.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let destinations = self.destination_ranks();
        (0..self.source_ranks()).flat_map(move |p| (0..destinations).map(move |q| (p, q)))
    }
}

#[derive(Deserialize)]
pub struct Line {
    pub id: usize,
    #[serde(flatten)]
    pub parameters: Parameters,
    #[serde(rename = "S")]
    pub period: usize,
    pub kind: String,
    pub counts: Vec<Vec<usize>>,
    pub n_pieces: usize,
    pub n_runs: usize,
    pub h_pieces: String,
    pub h_runs: String,
    pub h_desc: String,
    pub h_desc_recv: String,
    pub aspen_ops: usize,
    pub steps: usize,
    #[serde(default)]
    pub segs: Option<Vec<PairRuns>>,
    #[serde(default)]
    pub hc: Option<HsuChung>,
}

/// Source rank, destination rank, and the pair's runs: (source offset, destination offset, length).
pub type PairRuns = (usize, usize, Vec<(usize, usize, usize)>);

#[derive(Deserialize)]
#[serde(untagged)]
pub enum HsuChung {
    KrToR { eta: Vec<usize>, gamma: Vec<Vec<usize>>, alpha: Vec<Vec<Option<usize>>> },
    RToKr { phi: Vec<usize>, delta: Vec<Vec<usize>>, beta: Vec<Vec<Option<usize>>> },
}

/// One dimension with an extent that is too large to walk.
#[derive(Deserialize)]
pub struct Huge {
    #[serde(flatten)]
    pub parameters: Parameters,
    #[serde(rename = "S")]
    pub period: usize,
    pub kind: String,
    pub ranks: Vec<HugeRank>,
}

/// One source rank's part in it. A descriptor is (q, src, dst, len, count, last).
#[derive(Deserialize)]
pub struct HugeRank {
    pub p: usize,
    pub local_len: usize,
    pub n: usize,
    pub h: String,
    pub head: Vec<[usize; 6]>,
    pub tail: Option<[usize; 6]>,
    pub counts: Vec<(usize, usize)>,
}

#[derive(Deserialize)]
pub struct Array {
    /// (N, s, P, rs, t, Q, rt) of each dimension.
    pub dims: Vec<[usize; 7]>,
    pub grid: String,
    pub sorder: Storage,
    pub dorder: Storage,
    pub morder: String,
    pub counts: Vec<Vec<usize>>,
    pub h_msg: String,
}

#[derive(Clone, Copy, Deserialize)]
pub enum Storage {
    C,
    F,
}

impl From<Storage> for StorageOrder {
    fn from(storage: Storage) -> Self {
        match storage {
            Storage::C => StorageOrder::C,
            Storage::F => StorageOrder::Fortran,
        }
    }
}

#[derive(Deserialize)]
pub struct Schedule {
    #[serde(flatten)]
    pub parameters: Parameters,
    #[serde(rename = "G")]
    pub common: usize,
    pub gs: usize,
    pub gt: usize,
    pub a2a: bool,
    pub edges: usize,
    pub min_steps: usize,
    pub lb: usize,
    /// `true` if the closed form has as many steps and that cost.
    pub closed: bool,
    /// Steps that move anything, and the sum of their largest messages.
    pub cat: (usize, usize),
}

/// Elements that stay without relabelled destination ranks.
#[derive(Deserialize)]
pub struct Relabelling {
    #[serde(flatten)]
    pub parameters: Parameters,
    pub keep: usize,
    pub best: usize,
}

pub fn hash_of_pairs(parameters: &Parameters, pairs: &ByPair) -> (usize, String) {
    let mut hash = Fnv::default();
    for (p, q) in parameters.pairs() {
        let stretches = pairs.get(&(p, q)).map_or(&[][..], Vec::as_slice);
        hash.words([p, q, stretches.len()]);
        hash.words(stretches.iter().flat_map(|s| [s.source, s.destination, s.len]));
    }
    (pairs.values().map(Vec::len).sum(), hash.hex())
}
