//! Draws plans, and reads pictures back, for the tests.

use super::super::{canvas::Canvas, intersection, ownership, page, schedule, view::View, volumes};
use redist_plan::plan::Plan;
use redist_schedules::{Method, Schedule, Schedules};
use roxmltree::{Document, Node};

pub fn plan<const D: usize>(extents: [usize; D], from: &str, to: &str) -> Plan<D> {
    Plan::parse(extents, from, to).unwrap()
}

pub fn everything<const D: usize>(plan: &Plan<D>) -> String {
    let view = View::new(plan, None, &[], None).unwrap();
    page::page(
        plan,
        "Everything & <more>",
        vec![
            ownership::picture(plan, &view),
            intersection::picture(plan, &view),
            volumes::picture(plan),
            chart(plan),
        ],
    )
}

pub fn chart<const D: usize>(plan: &Plan<D>) -> Canvas {
    schedule::picture(plan, &*caterpillar(plan), Some(3))
}

pub fn caterpillar<const D: usize>(plan: &Plan<D>) -> Box<dyn Schedule> {
    plan.schedule(Method::Caterpillar).unwrap().unwrap()
}

pub fn alone<const D: usize>(plan: &Plan<D>, picture: Canvas) -> String {
    page::page(plan, "One", vec![picture])
}

pub fn pages() -> Vec<String> {
    let huge = isize::MAX as usize;
    let scalapack = "(cyclic(16), cyclic(16)) onto (2, 3) first (1, 2) storage fortran";
    let slabs = "(block, cyclic(2), *) onto (3, 2)";
    vec![
        everything(&plan([72], "cyclic(4) onto 3", "cyclic(6) onto 2")),
        everything(&plan([1003], "cyclic(10) onto 3", "cyclic(2) onto 3")),
        everything(&plan([huge], "cyclic(63) onto 1000000", "cyclic(64) onto 1000000")),
        everything(&plan([1 << 40], "block onto 4", "cyclic onto 6")),
        everything(&plan(
            [40],
            "gen_block([9, 0, 31]) onto 3",
            "block onto 4 ranks 100..104 of 90 at 7",
        )),
        everything(&plan([1], "cyclic(4) onto 3", "* ranks 5..6")),
        everything(&plan(
            [4, 40],
            "(*, rows([3, 7, 10 x 2, 7, 3], cyclic(2))) onto 2",
            "(*, points([3, 7, 10 x 2, 7, 3])) onto 3",
        )),
        everything(&plan([1000, 600], "scalapack(64, 64, 2, 3)", "(*, block) onto 6")),
        everything(&plan([100, 90], scalapack, "(cyclic(8), cyclic(12)) onto (3, 2) transposed")),
        everything(&plan(
            [1 << 31, 1 << 31],
            "(cyclic(64), cyclic(64)) onto (1000, 1000)",
            "(block, *) onto 1000000",
        )),
        everything(&plan([640, 50], "(cyclic(3), cyclic(2)) onto (10, 7)", "(*, cyclic) onto 45")),
        everything(&plan([200, 30, 70], slabs, "(*, block, cyclic(7)) onto (4, 5) ranks 6..26")),
        everything(&plan(
            [7, 5, 9, 4],
            "(*, *, block, *) onto 3",
            "(*, *, *, cyclic) onto 2 axes (3, 2, 1, 0)",
        )),
    ]
}

pub fn of_class<'a>(document: &'a Document, class: &str) -> Vec<Node<'a, 'a>> {
    document.descendants().filter(|node| node.attribute("class") == Some(class)).collect()
}

pub fn attribute(node: &Node, name: &str) -> f64 {
    node.attribute(name)
        .and_then(|value| value.parse().ok())
        .unwrap_or_else(|| panic!("{node:?} has no {name}"))
}

pub fn pointed_at(node: &Node) -> String {
    let title = node.children().find(|child| child.has_tag_name("title"));
    title.and_then(|title| title.text()).unwrap_or_default().trim().to_owned()
}
