//! Writes the page of the feature matrix.

use super::{Cell, Expected, Feature, RANKS, TIERS, WAYS, Way, World, cells};
use redist::exec::Tier;
use std::fmt::Write as _;

pub fn page() -> String {
    let mut text = format!(
        "# Features and ways\n\n\
         Every feature works by every way, between ranks of every sort and in every tier, but for the cells on this page.\n\
         The table has {} cells. Tests move arrays of {RANKS} ranks in each of them, and compare all of every local array with\n\
         a simulator, which deals elements out one at a time and shares no code with the planner. They provoke each error, too.\n\
         `MATRIX=overwrite cargo test --test movement matrix` writes this page from the table that the tests play.\n\n\
         The macro plans *literal* items, rustc plans *constant* ones, and the others are planned at *run time*. A way is the one\n\
         that a plan is bound to. `start` … `finish` and moves in place take packed messages by any of them; so do functions of\n\
         elements, but for lent arrays and chunks, and shared arrays with gaps or between nodes.\n",
        World::ALL.into_iter().flat_map(cells).count(),
    );
    for world in World::ALL {
        text += &section(world);
    }
    text
}

fn section(world: World) -> String {
    let count = |is: fn(&Expected) -> bool| cells(world).filter(|c| is(&c.expected())).count();
    let mut text = format!(
        "\n## {}\n\n{} cells are tested, {} are errors, {} do not exist.\n\n| feature | by | instead |\n|---|---|---|\n",
        in_words_world(world),
        count(|expected| *expected == Expected::Tested),
        count(|expected| matches!(expected, Expected::Error(_))),
        count(|expected| matches!(expected, Expected::NotApplicable(_))),
    );
    for (features, ways, instead) in exceptions(world) {
        let features = in_words_features(&features);
        let ways = ways.into_iter().map(Way::in_words).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "| {features} | {ways} | {instead} |");
    }
    text
}

/// Names these features, or the missing ones if these are more.
fn in_words_features(features: &[Feature]) -> String {
    let missing: Vec<Feature> =
        Feature::ALL.iter().copied().filter(|feature| !features.contains(feature)).collect();
    let list = |features: &[Feature]| {
        features.iter().copied().map(in_words_feature).collect::<Vec<_>>().join(", ")
    };
    match missing.len() {
        0 => "every feature".into(),
        few if few < features.len() => format!("every feature but {}", list(&missing)),
        _ => list(features),
    }
}

/// Returns features that do not move by some ways, these ways, and the result.
fn exceptions(world: World) -> Vec<(Vec<Feature>, Vec<Way>, String)> {
    let mut by_way: Vec<(Way, String, Vec<Feature>)> = Vec::new();
    for way in WAYS {
        for &feature in Feature::ALL {
            let Some(instead) = of_tiers(feature, way, world) else { continue };
            match by_way
                .iter_mut()
                .find(|(of, words, _)| (*of, words) == (way, &mut instead.clone()))
            {
                Some((.., features)) => features.push(feature),
                None => by_way.push((way, instead, vec![feature])),
            }
        }
    }
    let mut joined: Vec<(Vec<Feature>, Vec<Way>, String)> = Vec::new();
    for (way, instead, features) in by_way {
        match joined.iter_mut().find(|(of, _, words)| *of == features && *words == instead) {
            Some((_, ways, _)) => ways.push(way),
            None => joined.push((features, vec![way], instead)),
        }
    }
    joined
}

/// Returns the result of three cells, if it is the same; `None` if all are tested.
fn of_tiers(feature: Feature, way: Way, world: World) -> Option<String> {
    let expected = TIERS.map(|tier| Cell { feature, way, world, tier }.expected());
    let [first, ..] = expected;
    if expected.iter().all(|other| *other == first) {
        return (first != Expected::Tested).then(|| in_words(first));
    }
    let words =
        expected.into_iter().zip(TIERS).filter(|(expected, _)| *expected != Expected::Tested);
    let words =
        words.map(|(expected, tier)| format!("{}: {}", in_words_tier(tier), in_words(expected)));
    Some(words.collect::<Vec<_>>().join("; "))
}

fn in_words(expected: Expected) -> String {
    match expected {
        Expected::Tested => "tested".into(),
        Expected::Error(variant) => format!("`{variant}` on every rank"),
        Expected::NotApplicable(reason) => reason.into(),
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
        Feature::Balanced => "`block balanced`",
        Feature::Listed => "`blocks`: cuts and owners",
        Feature::Split => "`split`: factors of a dimension",
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
        Feature::WithCopies => "copies (`PlanWithCopies`)",
        Feature::Packing => "`packing`, `unpacking`",
    }
}
