//! Elements that stay: as written, by the best rotation, by `relabel`, by the best order.

use crate::report::Table;
use anyhow::ensure;
use redist::plan::{Plan, Side};

const MOST_RANKS: usize = 7;

/// The elements that stay in one case, by several orders of the destination's ranks.
#[derive(Debug)]
pub struct Mapped {
    what: String,
    /// Elements of the array.
    elements: usize,
    /// Elements that stay without another order.
    none: usize,
    /// Elements that stay by the best rotation of the ranks.
    rotation: usize,
    /// Elements that stay by the planner's `relabelling`.
    relabel: usize,
    /// Elements that stay by the best of all orders; `None` for more than [`MOST_RANKS`] ranks.
    optimal: Option<usize>,
}

const CASES: [(usize, &str, &str); 9] = [
    (840, "block onto 4", "cyclic onto 4"),
    (840, "block onto 4", "cyclic(14) onto 4"),
    (840, "cyclic(2) onto 6", "cyclic(10) onto 6"),
    (840, "cyclic(10) onto 7", "cyclic(2) onto 7"),
    (840, "cyclic(7) onto 6", "cyclic(11) onto 6"),
    (840, "cyclic(4) onto 5", "cyclic(6) onto 5 first 2"),
    (840, "gen_block([300, 40, 250, 50, 200]) onto 5", "block onto 5 first 1"),
    (6720, "cyclic(16) onto 64", "cyclic(15) onto 64"),
    (6720, "block onto 64", "cyclic(3) onto 64"),
];

pub fn compare(quick: bool) -> anyhow::Result<Vec<Mapped>> {
    let most = if quick { 5 } else { CASES.len() };
    CASES.iter().take(most).map(|case| mapped(*case)).collect()
}

fn mapped((len, from, to): (usize, &str, &str)) -> anyhow::Result<Mapped> {
    let plan = Plan::<1>::parse([len], from, to)?;
    let ranks = plan.axis(0).side(Side::Source).ranks();
    let kept = |order: &[usize]| -> usize {
        order.iter().enumerate().map(|(rank, &cell)| plan.axis(0).count(rank, cell)).sum()
    };
    let rotated = |by: usize| (0..ranks).map(|rank| (rank + by) % ranks).collect::<Vec<_>>();
    let rotation = (0..ranks).map(|by| kept(&rotated(by))).max().unwrap_or(0);
    let best = plan.relabelling()?;
    let optimal = (ranks <= MOST_RANKS).then(|| best_order(&mut rotated(0), 0, &kept));
    ensure!(optimal.is_none_or(|most| most == best.stays), "{from} → {to}: {optimal:?} can stay");
    let what = format!("{len}, {from} → {to}");
    let (none, relabel) = (best.stayed, best.stays);
    ensure!(none == kept(&rotated(0)), "{what}: {none} elements do not stay");
    Ok(Mapped { what, elements: len, none, rotation, relabel, optimal })
}

fn best_order(order: &mut [usize], fixed: usize, kept: &dyn Fn(&[usize]) -> usize) -> usize {
    if fixed == order.len() {
        return kept(order);
    }
    let mut most = 0;
    for other in fixed..order.len() {
        order.swap(fixed, other);
        most = most.max(best_order(order, fixed + 1, kept));
        order.swap(fixed, other);
    }
    most
}

pub fn findings_text(rows: &[Mapped]) -> String {
    let tried = rows.iter().filter(|row| row.optimal.is_some()).count();
    let rotations = rows.iter().filter(|row| row.rotation == row.relabel).count();
    format!(
        "`relabel` chooses processors as Kalns and Ni do, exactly and for any layouts: in the {tried} cases whose orders were all \
         tried, no order keeps more elements. The best rotation of the destination keeps as many in {rotations} of {} cases.",
        rows.len()
    )
}

pub fn table(rows: &[Mapped]) -> Table {
    let caption = "Processor mapping: the part of the elements that stays on its rank.";
    let head = ["elements, layouts", "as written", "best rotation", "relabel", "all orders tried"];
    let cells = |row: &Mapped| {
        let part = |kept: usize| format!("{:.1} %", 100.0 * kept as f64 / row.elements as f64);
        let optimal = row.optimal.map_or("–".into(), part);
        vec![row.what.clone(), part(row.none), part(row.rotation), part(row.relabel), optimal]
    };
    Table::new(caption, head, rows.iter().map(cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_are_tried() {
        // Only the order 2, 0, 1 is worth anything.
        let kept = |order: &[usize]| usize::from(order == [2, 0, 1]);
        assert_eq!(best_order(&mut [0, 1, 2], 0, &kept), 1);
    }
}
