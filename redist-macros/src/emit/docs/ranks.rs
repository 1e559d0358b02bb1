//! Documents the elements that ranks store and send, if the macro knows them.

use super::tables::{array, cell, layouts, table};
use redist_notation::planned::{self, PaddedPlan};
use redist_notation::spec::Spec;
use redist_plan::layout::{BlockCyclic, Descriptor, Ranks};
use redist_plan::plan::Side;

const MAX_LISTED_RANKS: usize = 8;

pub fn sides(spec: &Spec) -> Vec<String> {
    let Some(plan) = planned::padded_plan(spec) else { return layouts(spec) };
    let sides = [("from", &spec.from, Side::Source), ("to", &spec.to, Side::Destination)];
    let rows = sides.map(|(word, written, side)| {
        let largest = extents(spec, &largest(plan.descriptor(side)));
        [word.into(), cell(written), in_words(&plan, side), largest]
    });
    let heads = [array(spec), "layout".into(), "ranks".into(), "largest local array".into()];
    table(heads, [false; 4], rows)
}

pub fn volumes(spec: &Spec) -> Vec<String> {
    let Some(plan) = planned::padded_plan(spec) else { return Vec::new() };
    let sides = [Side::Source, Side::Destination];
    if sides.into_iter().any(|side| plan.descriptor(side).ranks() > MAX_LISTED_RANKS) {
        return Vec::new();
    }
    let [sources, destinations] = sides.map(|side| ranks(&plan, side));
    let stored = |side, rank| extents(spec, &plan.descriptor(side).local(rank).extents());
    let heads = ["elements".into(), "local array".into()].into_iter();
    let heads = heads.chain(destinations.iter().map(|to| format!("to {to}")));
    let sent = sources.into_iter().map(|from| {
        let volumes = destinations.iter().map(|&to| plan.volume(from, to).to_string());
        [format!("from {from}"), stored(Side::Source, from)]
            .into_iter()
            .chain(volumes)
            .collect::<Vec<_>>()
    });
    let after = destinations.iter().map(|&to| stored(Side::Destination, to));
    let after = ["local array".into(), String::new()].into_iter().chain(after).collect();
    let right = (0..destinations.len() + 2).map(|column| column > 0);
    table(heads, right, sent.chain([after]))
}

fn ranks(plan: &PaddedPlan, side: Side) -> Vec<usize> {
    let descriptor = plan.descriptor(side);
    (0..descriptor.ranks()).map(|number| descriptor.nth_rank(number)).collect()
}

/// `2..6`, or how many a map has: the layout lists them.
fn in_words(plan: &PaddedPlan, side: Side) -> String {
    let descriptor = plan.descriptor(side);
    match descriptor.layout().ranks {
        Ranks::From(first) => format!("{first}..{}", first + descriptor.ranks()),
        Ranks::Map(list) => format!("{} listed", list.len()),
    }
}

/// Extents that no local array exceeds, and some local array has.
fn largest<const D: usize>(side: &Descriptor<D>) -> [usize; D] {
    core::array::from_fn(|dimension| {
        let deal: BlockCyclic = side.axis(dimension);
        match deal.given_shares() {
            Some(shares) => shares.into_iter().max().unwrap_or(0),
            None => deal.numroc(deal.first()),
        }
    })
}

/// `512 × 300`, in as many dimensions as the item has.
fn extents(spec: &Spec, extents: &[usize]) -> String {
    let extents = extents[..spec.extents.len()].iter().map(usize::to_string);
    extents.collect::<Vec<_>>().join(" × ")
}
