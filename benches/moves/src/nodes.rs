//! Nodes and links of a measurement.

use redist::Plan;
use redist_measuring::cluster::Link;

/// Nodes, to which ranks are dealt in turn, and their links.
#[derive(Clone, Debug)]
pub struct Network {
    /// Number of nodes.
    pub nodes: usize,
    pub link: Link,
}

impl Network {
    /// Returns the busiest link's seconds, with `bytes` an element.
    pub fn wire<const D: usize>(&self, plan: &Plan<D>, bytes: usize) -> f64 {
        let (nodes, ranks) = (self.nodes, plan.ranks());
        let (mut out, mut into) = (vec![0; nodes], vec![0; nodes]);
        for (from, to) in (0..ranks).flat_map(|p| (0..ranks).map(move |q| (p, q))) {
            if from % nodes != to % nodes {
                let elements = plan.volume(from, to);
                out[from % nodes] += elements;
                into[to % nodes] += elements;
            }
        }
        let busiest = out.into_iter().chain(into).max().unwrap_or_default();
        (bytes * busiest) as f64 / self.link.rate
    }
}

/// Cases for `P` ranks and a grid of `Q` × `R` of them: a rank's bytes, and the layouts.
/// `HALF` has ranks of the other half: with two ranks a node, all bytes stay within nodes.
const CASES: [&str; 17] = [
    "64 KiB a rank, to the other half: f64 256,N | (cyclic(4), *) onto P | HALF",
    "1 MiB a rank, to the other half: f64 1024,N | (cyclic(4), *) onto P | HALF",
    "8 KiB a rank, 16² → 8²: f64 64,N | scalapack(16, 16, Q, R) | scalapack(8, 8, Q, R)",
    "8 KiB a rank, rows → columns: f64 64,N | (block, *) onto P | (*, block) onto P",
    "8 KiB a rank, cyclic(10) → (2): f32 L | cyclic(10) onto P | cyclic(2) onto P",
    "64 KiB a rank, 64² → 32²: f64 256,N | scalapack(64, 64, Q, R) | scalapack(32, 32, Q, R)",
    "64 KiB a rank, rows → columns: f64 256,N | (block, *) onto P | (*, block) onto P",
    "64 KiB a rank, cyclic(10) → (2): f32 L | cyclic(10) onto P | cyclic(2) onto P",
    "1 MiB a rank, 64² → 32²: f64 1024,N | scalapack(64, 64, Q, R) | scalapack(32, 32, Q, R)",
    "1 MiB a rank, rows → columns: f64 1024,N | (block, *) onto P | (*, block) onto P",
    "1 MiB a rank, cyclic(10) → (2): f32 L | cyclic(10) onto P | cyclic(2) onto P",
    "16 MiB a rank, 64² → 32²: f64 4096,N | scalapack(64, 64, Q, R) | scalapack(32, 32, Q, R)",
    "16 MiB a rank, rows → columns: f64 4096,N | (block, *) onto P | (*, block) onto P",
    "16 MiB a rank, cyclic(10) → (2): f32 L | cyclic(10) onto P | cyclic(2) onto P",
    "128 MiB a rank, 64² → 32²: f64 8192,N | scalapack(64, 64, Q, R) | scalapack(32, 32, Q, R)",
    "128 MiB a rank, rows → columns: f64 8192,N | (block, *) onto P | (*, block) onto P",
    "128 MiB a rank, cyclic(10) → (2): f32 L | cyclic(10) onto P | cyclic(2) onto P",
];

/// Lists all cases of `ranks` ranks: a name, a colon, and the case.
pub fn cases(ranks: usize) -> Vec<String> {
    CASES.iter().map(|case| for_ranks(case, ranks)).collect()
}

fn half(ranks: usize) -> Vec<usize> {
    (0..ranks).map(|rank| (rank + ranks / 2) % ranks).collect()
}

fn for_ranks(case: &str, ranks: usize) -> String {
    let mib = if case.contains(" KiB") { 1.0 / 1024.0 } else { 1.0 };
    let number: f64 = case.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let bytes = (number * mib * f64::from(1 << 20)) as usize * ranks;
    let rows: usize = case
        .split_once("f64 ")
        .and_then(|(_, rest)| rest.split(',').next()?.parse().ok())
        .unwrap_or(1);
    let across =
        (1..=ranks).rev().find(|q| ranks.is_multiple_of(*q) && q * q <= ranks).unwrap_or(1);
    case.replace(",N", &format!(",{}", bytes / 8 / rows))
        .replace("f32 L", &format!("f32 {}", bytes / 4))
        .replace("onto P", &format!("onto {ranks}"))
        .replace("HALF", &format!("(cyclic(4), *) onto {ranks} ranks {:?}", half(ranks)))
        .replace("Q, R)", &format!("{}, {across})", ranks / across))
}
