//! The page of the matrix, from what tests compare with.

use super::{Cell, Expected, Feature, RANKS, TIERS, WAYS, Way, World, cells};
use redist::exec::Tier;
use std::fmt::Write as _;

/// `docs/internals/matrix.md`.
pub fn page() -> String {
    let mut text = format!(
        "# What works with what\n\n\
         Every feature, by every way that an array can go, between ranks of every sort, planned in every tier: {} cells.\n\
         Each is *tested*, which is to say that tests move arrays between {RANKS} ranks and compare all of every\n\
         rank's array, gaps included, with what a simulator says that deals elements out one at a time and shares no code with\n\
         the planner; or it is an error that all ranks are told, which tests provoke; or there is no such thing, for the reason\n\
         whose letter stands there. This page is written from the table that the tests play\n\
         (`MATRIX=overwrite cargo test --test movement matrix`). Random layouts are in tests of their own\n\
         ([what can be relied on][trust.md]); this page says what can be combined.\n\n\
         Where tiers differ, a cell says so: *literal* items are planned by the macro, *constant* ones by rustc, and the others\n\
         at *run time*. A column is the way that a plan is bound to. `start` … `finish`, moves in place and, but for lent\n\
         arrays and chunks, functions of elements go by packed messages, whatever the plan is bound to; so does what is in shared arrays with gaps, and over several\n\
         nodes.\n",
        World::ALL.into_iter().flat_map(cells).count(),
    );
    for world in World::ALL {
        text += &section(world);
    }
    text += "\n[trust.md]: ../trust.md\n";
    text
}

/// Reasons, in the order in which they are first needed.
#[derive(Default)]
struct Reasons(Vec<&'static str>);

impl Reasons {
    fn letter(&mut self, reason: &'static str) -> char {
        let known = self.0.iter().position(|known| *known == reason);
        let number = known.unwrap_or_else(|| {
            self.0.push(reason);
            self.0.len() - 1
        });
        (b'a'..=b'z').nth(number).map_or('?', char::from)
    }
}

fn section(world: World) -> String {
    let count = |is: fn(&Expected) -> bool| cells(world).filter(|c| is(&c.expected())).count();
    let mut reasons = Reasons::default();
    let mut text = format!(
        "\n## {}\n\n{} cells are tested, {} are errors, {} are not applicable.\n\n| |",
        in_words_world(world),
        count(|expected| *expected == Expected::Tested),
        count(|expected| matches!(expected, Expected::Error(_))),
        count(|expected| matches!(expected, Expected::NotApplicable(_))),
    );
    WAYS.into_iter().for_each(|way| text += &format!(" {} |", way.in_words()));
    text += &format!("\n|---|{}\n", "---|".repeat(WAYS.len()));
    for &feature in Feature::ALL {
        let of_way = |way| of_tiers(feature, way, world, &mut reasons);
        let row: Vec<String> = WAYS.into_iter().map(of_way).collect();
        let _ = writeln!(text, "| {} | {} |", in_words_feature(feature), row.join(" | "));
    }
    text += "\n";
    for reason in &reasons.0.clone() {
        let _ = writeln!(text, "- **{}**: {reason}", reasons.letter(reason));
    }
    text
}

/// What three cells come to, which most often is the same.
fn of_tiers(feature: Feature, way: Way, world: World, reasons: &mut Reasons) -> String {
    let expected = TIERS.map(|tier| Cell { feature, way, world, tier }.expected());
    let mut parts: Vec<(Expected, Vec<&str>)> = Vec::new();
    for (expected, tier) in expected.into_iter().zip(TIERS) {
        match parts.iter_mut().find(|(known, _)| *known == expected) {
            Some((_, tiers)) => tiers.push(in_words_tier(tier)),
            None => parts.push((expected, vec![in_words_tier(tier)])),
        }
    }
    let is_one = parts.len() == 1;
    let words = parts.into_iter().map(|(expected, tiers)| {
        let word = in_words(expected, reasons);
        if is_one { word } else { format!("{}: {word}", tiers.join(", ")) }
    });
    words.collect::<Vec<_>>().join("; ")
}

fn in_words(expected: Expected, reasons: &mut Reasons) -> String {
    match expected {
        Expected::Tested => "tested".into(),
        Expected::Error(variant) => format!("`{variant}`"),
        Expected::NotApplicable(reason) => format!("– **{}**", reasons.letter(reason)),
    }
}

fn in_words_tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Literal => "literal",
        Tier::Constant => "constant",
        Tier::RunTime => "run time",
    }
}

fn in_words_world(world: World) -> &'static str {
    match world {
        World::Threads => "Threads of one process",
        World::OneNode => "MPI, on one node",
        World::SeveralNodes => "MPI, over several nodes",
        World::Coupling => "Two programs that are coupled, on one node",
    }
}

fn in_words_feature(feature: Feature) -> &'static str {
    match feature {
        Feature::Plain => "`run`, dense arrays",
        Feature::LeadingDimension => "`leading_dimension`",
        Feature::Strides => "`strides`",
        Feature::Within => "`within`: halos",
        Feature::RankMaps => "lists of ranks (`ranks […]`)",
        Feature::Sections => "sections (`of … at …`)",
        Feature::Transposition => "transposition (`axes`), to Fortran storage",
        Feature::GenBlock => "`gen_block`",
        Feature::ReducedGrids => "reduced grids (`rows`, `points`)",
        Feature::Relabelling => "relabelling (`relabel: to`)",
        Feature::Inverse => "`inverse`",
        Feature::RunWith => "`run_with`, a function",
        Feature::ScaleAdd => "`scale_add`",
        Feature::Converted => "`converted`",
        Feature::Trapezoid => "trapezoids",
        Feature::Derived => "elements: a struct that derives `Element`",
        Feature::Half => "elements: `half`",
        Feature::Complex => "elements: `num-complex`",
        Feature::Bytemuck => "elements: `bytemuck`",
        Feature::OddSize => "elements of 5 bytes",
        Feature::LongElement => "elements of 72 bytes",
        Feature::Ndarray => "arrays of `ndarray`",
        Feature::StartFinish => "`start` … `finish`",
        Feature::InPlace => "`run_in_place`",
        Feature::Batch => "`Batch`",
        Feature::Replication => "copies (`Replicated`)",
        Feature::Packing => "`packing`, `unpacking`",
    }
}
