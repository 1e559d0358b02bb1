//! One phase and the cheapest chain of phases, by the model of costs.

use crate::report::{Table, ratio};
use anyhow::Context as _;
use redist::layout::Dist;
use redist::plan::schedule::CostModel;
use redist::{Layout, Plan};
use redist_study::baseline::MultiPhase;

const BYTES: usize = 8;

/// Elements of a rank: from where startups are all to where they are nothing.
const ELEMENTS_PER_RANK: [usize; 3] = [1 << 8, 1 << 12, 1 << 15];

pub fn table(quick: bool) -> anyhow::Result<Table> {
    let caption = "One phase of x→kx and the cheapest chain of phases, on P → P ranks, by the model (startups and bytes of the \
                   busiest rank): messages, elements sent, and the chain's cost over that of one phase.";
    let head = [
        "k, P",
        "elements of a rank",
        "messages, one phase",
        "cheapest chain of blocks",
        "messages",
        "elements sent, over one phase's",
        "cost over one phase's",
    ];
    let cases: &[usize] = if quick { &[16] } else { &[16, 64] };
    let of_case = |k: &usize| ELEMENTS_PER_RANK.map(|elements| row(*k, *k, elements));
    let rows: anyhow::Result<Vec<_>> = cases.iter().flat_map(of_case).collect();
    Ok(Table::new(caption, head, rows?))
}

fn row(k: usize, ranks: usize, elements: usize) -> anyhow::Result<Vec<String>> {
    let layout = |block| Layout::new([Dist::Cyclic(block)], [ranks]);
    let plan = Plan::new([ranks * elements], layout(1), layout(k)).context("x→kx")?;
    let chains = MultiPhase::nested(&plan.axis(0)).map_err(anyhow::Error::msg)?;
    let cost = |chain: &MultiPhase| {
        let bytes = (chain.moved_of_a_rank() * BYTES) as f64;
        CostModel::NETWORK.seconds(chain.messages(), bytes)
    };
    let costs: Vec<f64> = chains.iter().map(cost).collect();
    let all = || chains.iter().zip(&costs);
    let (one, once) = all().next().context("the chain without intermediate blocks is missing")?;
    let (best, cheapest) = all().min_by(|a, b| a.1.total_cmp(b.1)).unwrap_or((one, once));
    let blocks = [vec![1], best.blocks().to_vec(), vec![k]].concat();
    let words: Vec<String> = blocks.iter().map(usize::to_string).collect();
    Ok(vec![
        format!("{k}, {ranks}"),
        elements.to_string(),
        one.messages().to_string(),
        words.join(" → "),
        best.messages().to_string(),
        ratio(best.moved_of_a_rank() as f64 / one.moved_of_a_rank() as f64),
        ratio(cheapest / once),
    ])
}
