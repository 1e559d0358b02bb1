//! What ranks store and send, where the macro knows it.

use super::{array, cell, table};
use redist_notation::planned::{self, PaddedPlan};
use redist_notation::spec::Spec;
use redist_runtime::layout::{BlockCyclic, Descriptor};
use redist_runtime::plan::Side;
use std::ops::Range;

/// Largest number of ranks of a side that have a row or a column each.
const MAX_LISTED_RANKS: usize = 8;

/// Layouts, ranks and local arrays of both sides, as a table.
pub fn sides(spec: &Spec) -> Vec<String> {
    let Some(plan) = planned::padded_plan(spec) else { return super::layouts(spec) };
    let sides = [("from", &spec.from, Side::Source), ("to", &spec.to, Side::Destination)];
    let rows = sides.map(|(word, written, side)| {
        let ranks = ranks(&plan, side);
        let largest = extents(spec, &largest(plan.descriptor(side)));
        [word.into(), cell(written), format!("{}..{}", ranks.start, ranks.end), largest]
    });
    let heads = [array(spec), "layout".into(), "ranks".into(), "largest local array".into()];
    table(heads, [false; 4], rows)
}

/// How many elements each rank sends to each, between few ranks, with the local arrays of all.
pub fn volumes(spec: &Spec) -> Vec<String> {
    let Some(plan) = planned::padded_plan(spec) else { return Vec::new() };
    let (sources, destinations) = (ranks(&plan, Side::Source), ranks(&plan, Side::Destination));
    if sources.len().max(destinations.len()) > MAX_LISTED_RANKS {
        return Vec::new();
    }
    let stored = |side, rank| extents(spec, &plan.local(side, rank).extents());
    let heads = ["elements".into(), "local array".into()].into_iter();
    let heads = heads.chain(destinations.clone().map(|to| format!("to {to}")));
    let sent = sources.map(|from| {
        let volumes = destinations.clone().map(|to| plan.volume(from, to).to_string());
        [format!("from {from}"), stored(Side::Source, from)]
            .into_iter()
            .chain(volumes)
            .collect::<Vec<_>>()
    });
    let after = destinations.clone().map(|to| stored(Side::Destination, to));
    let after = ["local array".into(), String::new()].into_iter().chain(after).collect();
    let right = (0..destinations.len() + 2).map(|column| column > 0);
    table(heads, right, sent.chain([after]))
}

fn ranks(plan: &PaddedPlan, side: Side) -> Range<usize> {
    let (first, count) = (plan.descriptor(side).layout().ranks_from, plan.descriptor(side).ranks());
    first..first + count
}

/// Extents that no local array exceeds, and some local array has.
fn largest<const D: usize>(side: &Descriptor<D>) -> [usize; D] {
    core::array::from_fn(|dimension| {
        let deal: BlockCyclic = side.axis(dimension);
        match deal.given_sizes() {
            Some(sizes) => sizes.iter().copied().max().unwrap_or(0),
            None => deal.numroc(deal.first()),
        }
    })
}

/// `512 × 300`, in as many dimensions as the item has.
fn extents(spec: &Spec, extents: &[usize]) -> String {
    let extents = extents[..spec.extents.len()].iter().map(usize::to_string);
    extents.collect::<Vec<_>>().join(" × ")
}
