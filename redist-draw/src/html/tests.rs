//! Pages hold the planner's elements and messages.

use crate::{Drawing, PageTexts};
use redist_plan::plan::{Plan, Side};
use serde_json::Value;
use std::collections::BTreeMap;

const SIDES: [Side; 2] = [Side::Source, Side::Destination];

fn plan<const D: usize>(extents: [usize; D], from: &str, to: &str) -> Plan<D> {
    Plan::parse(extents, from, to).unwrap()
}

fn page<const D: usize>(drawing: &Drawing, plan: &Plan<D>) -> String {
    let texts = PageTexts { element: "f64".into(), name: None };
    drawing.html(plan, &texts).unwrap()
}

fn data_of(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn numbers(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn block_at(blocks: &Value, index: usize) -> Vec<usize> {
    let mut blocks = blocks.as_array().unwrap().iter().map(numbers);
    blocks.find(|block| (block[0]..block[1]).contains(&index)).unwrap()
}

fn indices<const D: usize>(data: &Value) -> Vec<[usize; D]> {
    (0..D).fold(vec![[0; D]], |all, dimension| {
        let range = numbers(&data["shown"][dimension]);
        let stride = ((range[1] - range[0]) / 40).max(1);
        let along = (range[0]..range[1]).step_by(stride);
        let with = |index: [usize; D]| {
            along.clone().map(move |at| {
                let mut index = index;
                index[dimension] = at;
                index
            })
        };
        all.into_iter().flat_map(with).collect()
    })
}

fn on_page<const D: usize>(data: &Value, side: usize, index: [usize; D]) -> (usize, [usize; D]) {
    let side = &data["sides"][side];
    let blocks: Vec<_> =
        index.iter().enumerate().map(|(at, index)| block_at(&side["blocks"][at], *index)).collect();
    let coordinates: Vec<usize> = blocks.iter().map(|block| block[2]).collect();
    let mut ranks = side["ranks"].as_array().unwrap().iter();
    let rank = ranks.find(|rank| numbers(&rank["at"]) == coordinates).unwrap();
    let mut local = [0; D];
    for (dimension, axis) in numbers(&side["axes"]).into_iter().enumerate() {
        local[axis] = blocks[dimension][3] + index[dimension] - blocks[dimension][0];
    }
    (number(&rank["rank"]), local)
}

/// Compares a page's elements and messages with the planner's. Returns the number of elements.
fn compare<const D: usize>(drawing: &Drawing, plan: &Plan<D>) -> usize {
    let data = data_of(&page(drawing, plan));
    let messages: BTreeMap<(usize, usize), String> = data["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| ((number(&entry[0]), number(&entry[1])), entry[2].as_str().unwrap().into()))
        .collect();
    for ((source, destination), elements) in &messages {
        let volume = plan.volume(*source, *destination);
        assert_eq!(*elements, crate::number::grouped(volume as u128));
    }
    let indices = indices::<D>(&data);
    for index in &indices {
        let ranks = [0, 1].map(|at| {
            let (side, (rank, local)) = (SIDES[at], on_page(&data, at, *index));
            let (descriptor, mut stored) = (plan.descriptor(side), [0; D]);
            for (dimension, at) in index.iter().enumerate() {
                let axis = plan.axis_on(side, dimension);
                stored[axis] = at + descriptor.layout().at[axis];
            }
            assert_eq!(rank, descriptor.owner(stored), "{side} {index:?}");
            let strides = descriptor.strides(descriptor.local_extents(rank).unwrap());
            let offset: usize = local.iter().zip(strides).map(|(at, stride)| at * stride).sum();
            assert_eq!(offset, descriptor.local_offset(stored), "{side} {index:?}");
            rank
        });
        assert!(messages.contains_key(&(ranks[0], ranks[1])), "{index:?}");
    }
    indices.len()
}

#[test]
fn elements_and_messages_are_the_planner_s() {
    let all = Drawing::default();
    let lines = [
        (60, "cyclic(10) onto 3", "cyclic(2) onto 3"),
        (1003, "cyclic(2) onto 3", "cyclic(10) onto 4 ranks 3..7"),
        (55, "cyclic(7) onto 4 first 2", "cyclic(3) onto 5 of 90 at 11"),
        (40, "gen_block([9, 0, 31]) onto 3", "block onto 4"),
        (1 << 62, "block onto 7", "cyclic onto 1000000"),
    ];
    let compared: usize =
        lines.map(|(len, from, to)| compare(&all, &plan([len], from, to))).iter().sum();
    assert!(compared > 150, "{compared}");
    let tiles = "(cyclic(16), cyclic(16)) onto (2, 3) first (1, 2)";
    compare(&all, &plan([100, 90], tiles, "(cyclic(8), *) onto 5 storage fortran"));
    compare(&all, &plan([100, 90], tiles, "(*, block) onto 5 transposed"));
    let (from, to) = ("(block, cyclic(2), *) onto (3, 2)", "(*, block, cyclic(7)) onto (4, 5)");
    let cut = Drawing { slices: vec![(2, 33)], axes: Some([0, 1]), ..Drawing::default() };
    compare(&all, &plan([60, 36, 70], from, to));
    compare(&cut, &plan([60, 36, 70], from, to));
    let four = "(*, block, *, cyclic) onto (2, 3)";
    compare(&all, &plan([8, 9, 10, 12], four, "(*, *, *, block) onto 6"));
}

#[test]
fn large_arrays_are_shown_in_part_and_the_page_says_so() {
    let tiles = plan(
        [4_000_000, 3_000_000],
        "(cyclic(3), cyclic(5)) onto (400, 500)",
        "(cyclic(4), cyclic(7)) onto (500, 400)",
    );
    let cube = plan(
        [1 << 20; 3],
        "(cyclic(3), cyclic(5), cyclic) onto (40, 50, 60)",
        "(cyclic(4), cyclic(7), cyclic(2)) onto (50, 40, 60)",
    );
    for page in [page(&Drawing::default(), &tiles), page(&Drawing::default(), &cube)] {
        assert!(page.len() < 2 << 20, "{} bytes", page.len());
        let data = data_of(&page);
        assert!(data["notes"][0].as_str().unwrap().contains("The page shows a part: dimension 0:"));
        assert!(data["matrix"]["note"].as_str().unwrap().contains("The first 16 of"));
    }
    let far = Drawing { slices: vec![(2, 1 << 50)], axes: Some([0, 1]), ..Drawing::default() };
    let texts = PageTexts { element: "f64".into(), name: None };
    let long = plan([4, 4, 1 << 58], "(block, *, *) onto 2", "(*, block, *) onto 2");
    assert!(far.html(&long, &texts).unwrap_err().to_string().contains("indices up to"));
}

#[test]
fn steps_are_the_schedule_s() {
    let plan = plan([1003], "cyclic(10) onto 3", "cyclic(2) onto 3");
    let data = data_of(&page(&Drawing::default(), &plan));
    let steps = data["schedule"]["steps"].as_array().unwrap();
    let messages = steps.iter().flat_map(|step| step["messages"].as_array().unwrap());
    let mut pairs: Vec<_> = messages.map(|entry| (number(&entry[0]), number(&entry[1]))).collect();
    pairs.sort_unstable();
    let all: Vec<_> = (0..3).flat_map(|from| (0..3).map(move |to| (from, to))).collect();
    assert_eq!((steps.len(), pairs), (3, all));
}

#[test]
fn a_page_needs_nothing_else_and_no_text_ends_its_script() {
    let plan = plan([12], "block onto 2", "cyclic onto 3");
    let page =
        page(&Drawing { title: Some("{{data}} </script>".into()), ..Drawing::default() }, &plan);
    let addresses =
        page.matches("http").count() - page.matches("http://www.w3.org/2000/svg").count();
    assert_eq!((addresses, page.matches("src=").count(), page.matches("<link").count()), (0, 0, 0));
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(data_of(&page)["title"], "{{data}} </script>");
    assert!(page.contains("<title>{{data}} &lt;/script></title>"));
}

#[test]
fn the_call_has_the_item_s_name() {
    let plan = plan([12, 9], "(block, *) onto 2", "(*, cyclic) onto 3");
    let call = |name: &str| {
        let name = Some(name.to_owned());
        let texts = PageTexts { element: "f32".into(), name };
        texts.macro_call(&plan)
    };
    assert_eq!(
        call("Turn"),
        "redist::redistribute! {\n    pub struct Turn: [f32; 12, 9] {\n        \
         from: (block, *) onto 2,\n        to: (*, cyclic) onto 3,\n    }\n}"
    );
    assert!(call("Turn, copy 1").contains("struct Move:"));
}
