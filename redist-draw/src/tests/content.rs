//! Pictures hold the planner's pieces, volumes and messages.

use super::super::{intersection, ownership, palette, schedule, view::View, volumes};
use super::drawn::{alone, attribute, caterpillar, chart, of_class, plan, pointed_at};
use crate::{Drawing, PictureKind};
use redist_plan::plan::{Plan, Side};
use redist_schedules::{Method, Schedules};
use roxmltree::{Document, Node};
use std::collections::BTreeSet;

/// Lists a pair's common pieces along a dimension, by ASPEN.
fn pieces<const D: usize>(
    plan: &Plan<D>,
    dimension: usize,
    (source, destination): (usize, usize),
) -> usize {
    let mine =
        plan.axis(dimension).aspen(Side::Source, source).filter(|piece| piece.peer == destination);
    mine.map(|piece| piece.count).sum()
}

pub fn volumes_on(svg: &str) -> usize {
    let document = Document::parse(svg).unwrap();
    let volume = |node| pointed_at(node).split(": ").nth(1).unwrap().parse::<usize>().unwrap();
    of_class(&document, "volume").iter().map(volume).sum()
}

#[test]
fn every_common_piece_is_drawn_once() {
    let plan = plan([144], "cyclic(5) onto 3", "cyclic(8) onto 2 ranks 1..3");
    for source in 0..3 {
        for destination in 1..3 {
            let view = View::new(&plan, None, &[], Some([source, destination])).unwrap();
            let svg = alone(&plan, intersection::picture(&plan, &view));
            let document = Document::parse(&svg).unwrap();
            let found = of_class(&document, "common");
            assert_eq!(found.len(), pieces(&plan, 0, (source, destination - 1)));
            let elements =
                |node| pointed_at(node).split(' ').nth(1).unwrap().parse::<usize>().unwrap();
            assert_eq!(found.iter().map(elements).sum::<usize>(), plan.volume(source, destination));
        }
    }
}

#[test]
fn common_tiles_are_products() {
    let plan = plan(
        [50, 44],
        "(cyclic(6), cyclic(5)) onto (2, 3)",
        "(cyclic(4), cyclic(7)) onto (2, 2) transposed",
    );
    let view = View::new(&plan, None, &[], Some([4, 1])).unwrap();
    let svg = alone(&plan, intersection::picture(&plan, &view));
    let document = Document::parse(&svg).unwrap();
    // Rank 4 is (1, 1); rank 1 of the transposed side is (0, 1) there, which is (1, 0) here.
    let expected = pieces(&plan, 0, (1, 1)) * pieces(&plan, 1, (1, 0));
    assert_eq!(of_class(&document, "common").len(), expected);
    assert!(expected > 4, "too few to tell");
}

#[test]
fn every_rank_has_its_colour_on_both_sides() {
    let plan =
        plan([60, 44], "(cyclic(6), cyclic(5)) onto (2, 3)", "(block, *) onto 7 ranks 6..13");
    let view = View::new(&plan, None, &[], None).unwrap();
    let svg = alone(&plan, ownership::picture(&plan, &view));
    let document = Document::parse(&svg).unwrap();
    for (class, ranks) in [("source-block", 0..6), ("destination-block", 6..13)] {
        let found: BTreeSet<_> =
            of_class(&document, class).iter().filter_map(|node| node.attribute("fill")).collect();
        assert_eq!(found, ranks.map(palette::of_rank).collect());
    }
    assert_eq!(of_class(&document, "source-block").len(), 10 * 9);
}

fn placed(node: &Node) -> ([f64; 2], [f64; 2], [f64; 4]) {
    let words = pointed_at(node).replace('\u{2009}', "");
    let ranges = words.split(": ").nth(1).unwrap().split(" × ").map(|range| {
        let (start, end) = range.split_once("..").unwrap();
        [start, end].map(|number| number.parse::<f64>().unwrap())
    });
    let ranges: Vec<_> = ranges.collect();
    let area = ["y", "x", "height", "width"].map(|name| attribute(node, name));
    ([ranges[0][0], ranges[1][0]], [ranges[0][1] - ranges[0][0], ranges[1][1] - ranges[1][0]], area)
}

#[test]
fn an_element_is_at_the_same_place_of_both_matrices() {
    let section = "(cyclic(16), cyclic(16)) onto (2, 2) of [1280, 640] at [37, 5]";
    let other = "(cyclic(7), cyclic(4)) onto (2, 3) first (1, 2) of [600, 200] at [3, 0]";
    for (from, to) in [
        (section, other),
        (other, section),
        (section, "(block, *) onto 9"),
        ("(*, block) onto 3", other),
    ] {
        let plan = plan([500, 200], from, to);
        let view = View::new(&plan, None, &[], None).unwrap();
        let svg = alone(&plan, ownership::picture(&plan, &view));
        let document = Document::parse(&svg).unwrap();
        // Pixels of element (0, 0), pixels an element, and the elements that are drawn.
        let [source, destination] = ["source-block", "destination-block"].map(|class| {
            let blocks: Vec<_> = of_class(&document, class).iter().map(placed).collect();
            let ([row, column], [rows, columns], [y, x, height, width]) = blocks[0];
            assert_eq!([row, column], [0.0, 0.0]);
            let drawn: f64 = blocks.iter().map(|(_, [rows, columns], _)| rows * columns).sum();
            ([y, x], [height / rows, width / columns], drawn)
        });
        assert_eq!(source.0[0], destination.0[0], "rows begin at different heights: {from} {to}");
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 0.01;
        assert!(
            close(source.1[0], destination.1[0]) && close(source.1[1], destination.1[1]),
            "{from} {to}"
        );
        assert_eq!(source.2, destination.2, "{from} {to}");
    }
}

#[test]
fn the_slice_shows_the_pair_that_is_drawn_below_it() {
    let slabs = "(block, cyclic(2), *) onto (3, 2)";
    let plan = plan([60, 36, 70], slabs, "(*, block, cyclic(7)) onto (4, 5) ranks 6..26");
    for (slices, pair) in
        [(&[][..], None), (&[(2, 33)], None), (&[], Some([2, 9])), (&[], Some([5, 25]))]
    {
        let view = View::new(&plan, None, slices, pair).unwrap();
        let svg = alone(&plan, ownership::picture(&plan, &view));
        let document = Document::parse(&svg).unwrap();
        for (class, rank) in ["source-block", "destination-block"].into_iter().zip(view.pair.ranks)
        {
            let shown = format!("rank {rank}:");
            assert!(
                of_class(&document, class).iter().any(|node| pointed_at(node).starts_with(&shown)),
                "{view:?}"
            );
        }
    }
}

#[test]
fn the_heat_map_adds_up_to_the_array() {
    let small = plan([1003], "cyclic(10) onto 3", "cyclic(2) onto 4");
    let grouped = plan([640, 50], "(cyclic(3), cyclic(2)) onto (10, 7)", "(*, cyclic) onto 45");
    for (svg, elements, cells) in [
        (alone(&small, volumes::picture(&small)), 1003, 12),
        (alone(&grouped, volumes::picture(&grouped)), 32_000, 24 * 23),
    ] {
        let document = Document::parse(&svg).unwrap();
        assert_eq!((volumes_on(&svg), of_class(&document, "volume").len()), (elements, cells));
    }
}

#[test]
fn the_chart_has_every_message_in_its_step() {
    let plan = plan([1003], "cyclic(10) onto 3", "cyclic(2) onto 4 ranks 3..7");
    let svg = alone(&plan, chart(&plan));
    let document = Document::parse(&svg).unwrap();
    let pairs = (0..3).flat_map(|source| (3..7).map(move |destination| (source, destination)));
    let volumes: Vec<_> =
        pairs.map(|(source, destination)| plan.volume(source, destination) as f64).collect();
    let messages = of_class(&document, "message");
    assert_eq!((messages.len(), of_class(&document, "cell").len()), (volumes.len(), 4 * 3));
    let columns: BTreeSet<_> = messages.iter().filter_map(|node| node.attribute("x")).collect();
    assert_eq!(columns.len(), 4);
    assert!(
        svg.contains("Who sends when: caterpillar, 4 steps; the least there can be: 3"),
        "{svg}"
    );
    let heights: Vec<_> = messages.iter().map(|node| attribute(node, "height")).collect();
    let spread = |numbers: &[f64]| {
        let (least, most) =
            numbers.iter().fold((f64::MAX, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
        most / least
    };
    assert!(
        spread(&volumes) > 1.01 && (spread(&heights) - spread(&volumes)).abs() < 0.01,
        "{heights:?} {volumes:?}"
    );
}

#[test]
fn charts_have_the_steps_of_their_schedule() {
    let plan = plan([200], "cyclic(7) onto 5", "cyclic(11) onto 6");
    for method in [Method::ClosedForm, Method::Koenig, Method::Caterpillar] {
        let schedule = plan.schedule(method).unwrap().unwrap();
        let svg = alone(&plan, schedule::picture(&plan, &*schedule, None));
        let document = Document::parse(&svg).unwrap();
        assert_eq!(of_class(&document, "cell").len(), schedule.steps() * 5);
        let pairs = (0..5).flat_map(|source| (0..6).map(move |destination| (source, destination)));
        let messages = pairs.filter(|(source, destination)| plan.volume(*source, *destination) > 0);
        assert_eq!(of_class(&document, "message").len(), messages.count(), "{method}");
    }
}

#[test]
fn what_is_left_out_of_a_chart_is_said() {
    let plan = plan([1 << 20], "cyclic(3) onto 40", "cyclic(2) onto 50");
    let svg = alone(&plan, schedule::picture(&plan, &*caterpillar(&plan), None));
    assert!(svg.contains("The first 32 of 50 steps and the first 32 of 40 senders."));
    assert!(svg.contains("Who sends when: caterpillar, 50 steps\n"));
}

#[test]
fn the_slice_decides_who_is_drawn() {
    let plan = plan([8, 8, 8], "(*, cyclic(2), cyclic(4)) onto (2, 2)", "(block, *, *) onto 2");
    for (index, ranks) in [(3, [0, 2]), (4, [1, 3])] {
        let view = View::new(&plan, Some([1, 0]), &[(2, index)], None).unwrap();
        let svg = alone(&plan, ownership::picture(&plan, &view));
        let document = Document::parse(&svg).unwrap();
        let blocks = of_class(&document, "source-block");
        let found: BTreeSet<_> = blocks.iter().filter_map(|node| node.attribute("fill")).collect();
        assert_eq!(found, ranks.into_iter().map(palette::of_rank).collect());
        assert!(svg.contains(&format!("The slice at dimension 2 = {index}.")));
    }
}

#[test]
fn indices_of_sections_are_explained() {
    let note = "Global indices count from the start of the sections.";
    let page = |to| {
        let plan = plan([40], "block onto 4", to);
        alone(&plan, volumes::picture(&plan))
    };
    assert!(page("cyclic(3) onto 2 of 90 at 7").contains(note));
    assert!(!page("cyclic(3) onto 2 of 90").contains(note));
}

#[test]
fn pictures_apart_are_those_of_the_page() {
    let plan = plan([72], "cyclic(4) onto 3", "cyclic(6) onto 2");
    let apart = Drawing::default().apart(&plan).unwrap();
    let kinds: Vec<_> = apart.iter().map(|(kind, _)| kind.name()).collect();
    assert_eq!(kinds, ["ownership", "intersection", "volumes", "schedule"]);
    for (kind, svg) in &apart {
        let document = Document::parse(svg).unwrap();
        let title = document.root_element().children().find(|node| node.has_tag_name("title"));
        assert_eq!(title.and_then(|title| title.text()), Some(kind.shows()));
        assert!(document.descendants().any(|node| node.attribute("class") == Some(kind.name())));
        assert_eq!(document.descendants().filter(|node| node.has_tag_name("svg")).count(), 1);
    }
    let one = Drawing { kind: PictureKind::Volumes, ..Drawing::default() };
    assert_eq!(one.apart(&plan).unwrap(), apart[2..3]);
}
