//! Chooses the cells of a run: a selection that covers pairs, then a random sample of the rest.

use crate::case::Axes;
use crate::cell::Cell;
use fastrand::Rng;
use std::collections::BTreeSet;
use std::env;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    All,
    /// All pairs of values of a table's axes; every case.
    Pairs,
    /// Every value of each axis; every module.
    Values,
}

impl Share {
    pub fn asked() -> Self {
        match env::var("REDIST_MPI_PLAY").as_deref() {
            Err(_) | Ok("all") => Self::All,
            Ok("pairs") => Self::Pairs,
            Ok("values") => Self::Values,
            Ok(other) => panic!("REDIST_MPI_PLAY is all, pairs or values, not `{other}`"),
        }
    }

    /// Returns the goals that a cell reaches; a selection reaches the goals of all its cells.
    fn goals(self, cell: &Cell) -> Vec<String> {
        let (module, rest) = cell.case.name.split_once("::").unwrap_or((cell.case.name, ""));
        let ranks = cell.programs.iter().map(usize::to_string).collect::<Vec<_>>().join("+");
        let (case, of_module) = (cell.case.name.to_owned(), format!("{module} on {ranks}"));
        match (self, cell.case.axes) {
            (Self::All, _) => vec![cell.to_string()],
            (Self::Pairs, Axes::Module) => vec![case, of_module],
            (Self::Pairs, Axes::Ranks) => vec![cell.to_string(), of_module],
            (Self::Values, Axes::Module | Axes::Ranks) => {
                vec![module.to_owned(), format!("on {}", cell.ranks())]
            }
            (_, Axes::Name) => {
                let values = rest.split("::").enumerate();
                let values: Vec<_> = values.map(|(axis, is)| format!("{axis} {is}")).collect();
                let pairs = || values.iter().flat_map(|a| values.iter().map(move |b| (a, b)));
                let words = |(a, b)| format!("{module}: {a}, {b}");
                match self {
                    Self::Pairs => pairs().filter(|(a, b)| a < b).map(words).collect(),
                    _ => values.iter().map(|value| words((value, value))).collect(),
                }
            }
        }
    }
}

/// Splits cells into a selection and the rest, both in a random order. Each step takes the cell
/// that reaches most goals, if possible a cell that shares its launch.
pub(crate) fn split(cells: Vec<Cell>, share: Share, seed: u64) -> (Vec<Cell>, Vec<Cell>) {
    let mut rest = cells;
    Rng::with_seed(seed).shuffle(&mut rest);
    if share == Share::All {
        return (rest, Vec::new());
    }
    let mut selected = Vec::new();
    let mut goals: Vec<_> = rest.iter().map(|cell| share.goals(cell)).collect();
    let mut open: BTreeSet<String> = goals.iter().flatten().cloned().collect();
    while !open.is_empty() {
        let gain = |at: &usize| {
            let reached = goals[*at].iter().filter(|goal| open.contains(*goal)).count();
            (reached, !rest[*at].is_alone(), usize::MAX - at)
        };
        let best = (0..rest.len()).max_by_key(gain).expect("a cell reaches each goal");
        goals.remove(best).iter().for_each(|goal| {
            open.remove(goal);
        });
        selected.push(rest.remove(best));
    }
    (selected, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use redist_testing::faults::{self, Ranks};

    const SOME: &[Case] = &[
        Case::new("a::first", &[1, 2, 3, 4], |_| Ok(())),
        Case::new("a::second", &[3, 4], |_| Ok(())),
        Case::new("a::third", &[1], |_| Ok(())).beside(&[2]),
        Case::new("b::each", &[2, 3, 9], |_| Ok(())).with_each_number(),
        Case::new("b::other", &[2, 3, 9], |_| Ok(())),
    ];

    fn names(cells: &[Cell]) -> BTreeSet<String> {
        cells.iter().map(Cell::to_string).collect()
    }

    fn faults() -> Vec<Cell> {
        let name = |cell: faults::Cell| &*cell.name().leak();
        let cases = faults::cells(Ranks::Mpi)
            .into_iter()
            .map(|cell| Case::new(name(cell), &[faults::RANKS], |_| Ok(())).of_a_table());
        Cell::all(&cases.collect::<Vec<_>>())
    }

    #[test]
    fn every_case_and_every_module_with_every_number_of_ranks() {
        for seed in 0..20 {
            let (selected, rest) = split(Cell::all(SOME), Share::Pairs, seed);
            assert_eq!(selected.len() + rest.len(), 13);
            let selected = names(&selected);
            for case in ["a::first", "a::second", "a::third", "b::each", "b::other"] {
                assert!(selected.iter().any(|cell| cell.starts_with(case)), "{case}");
            }
            for ranks in ["1", "2", "3", "4", "1+2"] {
                let is_there = |cell: &String| {
                    cell.starts_with("a::") && cell.ends_with(&format!("::{ranks}"))
                };
                assert!(selected.iter().any(is_there), "{ranks} in {selected:?}");
            }
            for cell in ["b::each::2", "b::each::3", "b::each::9"] {
                assert!(selected.contains(cell), "{cell} in {selected:?}");
            }
            assert!(selected.len() < 13);
        }
    }

    #[test]
    fn every_pair_of_fault_call_and_way() {
        let pairs = |cells: &[Cell]| {
            let mut pairs = BTreeSet::new();
            for cell in cells {
                let values: Vec<_> = cell.case.name.split("::").skip(1).collect();
                let [way, call, fault] = values[..] else { panic!("{cell}") };
                pairs.extend([[way, call], [way, fault], [call, fault]].map(|[a, b]| (a, b)));
            }
            pairs
        };
        for seed in 0..3 {
            let all = faults();
            let (selected, rest) = split(all.clone(), Share::Pairs, seed);
            assert_eq!(pairs(&selected), pairs(&all));
            assert!(rest.len() > all.len() / 3, "{} are left", rest.len());
            assert_ne!(names(&selected), names(&split(all, Share::Pairs, seed + 1).0));
        }
    }

    #[test]
    fn every_value() {
        let values = |cells: &[Cell]| -> BTreeSet<&str> {
            cells.iter().flat_map(|cell| cell.case.name.split("::")).collect()
        };
        let (selected, _) = split(faults(), Share::Values, 1);
        assert_eq!(values(&selected), values(&faults()));
        assert!(selected.len() < 40, "{} are selected", selected.len());
    }
}
