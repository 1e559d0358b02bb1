//! Many producers and many consumers of one matrix.

use super::row::{self, Row};
use crate::sampling::medians;
use anyhow::Context as _;
use redist::layout::Dist;
use redist::plan::schedule::MessageGraph;
use redist::{Layout, Plan, Redistribution, TypedPlan};
use std::hint::black_box;

/// Rows and columns of the matrix.
const SIDE: usize = 4096;

/// Rows or columns of a block within a program's part.
const BLOCK: usize = 32;

/// Producers, consumers, and ranks of each program.
const CASES: [(usize, usize, usize); 5] =
    [(1, 1, 16), (4, 2, 4), (4, 4, 4), (16, 4, 4), (16, 16, 4)];

pub fn measure(quick: bool, passes: usize) -> anyhow::Result<Vec<Row>> {
    let cases = if quick { &CASES[..2] } else { &CASES[..] };
    cases.iter().map(|of| case(*of, passes)).collect()
}

/// Returns the plans of all pairs: each producer has neighbouring rows, each consumer neighbouring
/// columns, so that every pair shares a rectangle.
fn plans((producers, consumers, ranks): (usize, usize, usize)) -> anyhow::Result<Vec<Plan<2>>> {
    let (height, width) = (SIDE / producers, SIDE / consumers);
    let pair = |(producer, consumer): (usize, usize)| {
        let mut from = Layout::new([Dist::Cyclic(BLOCK), Dist::Collapsed], [ranks, 1]);
        from.of = Some([height, SIDE]);
        from.at = [0, consumer * width];
        let mut to = Layout::new([Dist::Collapsed, Dist::Cyclic(BLOCK)], [1, ranks]);
        to.of = Some([SIDE, width]);
        to.at = [producer * height, 0];
        Plan::new([height, width], from, to).context("a producer's rows, a consumer's columns")
    };
    let pairs = (0..producers).flat_map(|at| (0..consumers).map(move |to| (at, to)));
    pairs.map(pair).collect()
}

fn case(case: (usize, usize, usize), passes: usize) -> anyhow::Result<Row> {
    let (producers, consumers, ranks) = case;
    let plans_of_all = plans(case)?;
    let mut found = Vec::new();
    let walk = |found: &mut Vec<_>| {
        let of_plan = |plan: &Plan<2>| {
            let [rows, columns] = [0, 1].map(|dimension| plan.axis(dimension));
            (row::aspen(&rows, ranks, found) + row::aspen(&columns, 1, found)).total()
        };
        plans_of_all.iter().map(of_plan).sum::<usize>()
    };
    let operations = walk(&mut found);
    let messages = plans_of_all.iter().map(|plan| Ok(MessageGraph::of(plan)?.edges().len()));
    let messages = messages.sum::<anyhow::Result<usize>>()?;
    let runtime = TypedPlan::<f64, 2>::from(plans_of_all[0]);
    let both = || (runtime.binder().packing(0), runtime.binder().unpacking(0));
    let (packing, unpacking) = both();
    let source = vec![1.0; packing.local_len()];
    let mut destination = vec![0.0; unpacking.local_len()];
    let mut outbox = crate::scale::messages(packing.envelopes());
    let inbox = crate::scale::messages(unpacking.envelopes());
    let mut works: Vec<Box<dyn FnMut() + '_>> = vec![
        Box::new(|| {
            let all = plans(black_box(case)).unwrap_or_default();
            all.iter().for_each(|plan| {
                black_box(plan.digest());
            });
        }),
        Box::new(|| {
            black_box(walk(&mut found));
        }),
        Box::new(|| drop(black_box(both()))),
        Box::new(|| {
            let mut out: Vec<&mut [f64]> = outbox.iter_mut().map(Vec::as_mut_slice).collect();
            packing.pack(&source, &mut out);
            let arrived: Vec<&[f64]> = inbox.iter().map(Vec::as_slice).collect();
            unpacking.unpack(&mut destination, &arrived);
        }),
    ];
    let seconds = medians(&mut works, passes);
    drop(works);
    let blocks = SIDE / BLOCK;
    Ok(Row {
        case: format!("{producers} producers, {consumers} consumers, {ranks} ranks each"),
        source: format!("rows, cyclic({BLOCK})"),
        destination: format!("columns, cyclic({BLOCK})"),
        sources: producers * ranks,
        destinations: consumers * ranks,
        elements: SIDE * SIDE,
        plans: plans_of_all.len(),
        messages,
        operations,
        // Each pair compares its blocks of rows with one block, and one block with its blocks of
        // columns.
        classical: consumers * blocks + producers * blocks,
        plan_nanoseconds: seconds[0] * 1e9,
        intersect_nanoseconds: seconds[1] * 1e9,
        program_nanoseconds: seconds[2] * 1e9,
        pack_nanoseconds: seconds[3] * 1e9,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element of the matrix is in the plan of one pair.
    #[test]
    fn plans_move_the_whole_matrix_once() {
        let all = plans((4, 2, 4)).unwrap();
        assert_eq!(all.len(), 8);
        let elements: usize = all.iter().map(|plan| plan.extents().iter().product::<usize>()).sum();
        assert_eq!(elements, SIDE * SIDE);
        let graphs = all.iter().map(|plan| MessageGraph::of(plan).unwrap());
        let moved: usize = graphs.flat_map(|it| it.edges().to_vec()).map(|it| it.elements).sum();
        assert_eq!(moved, SIDE * SIDE);
        assert_eq!(case((4, 2, 4), 1).unwrap().messages, 8 * 16);
    }
}
