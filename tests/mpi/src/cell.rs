//! A case with a number of ranks: the unit that is selected, played and reported.

use crate::case::{Case, Expect, Launcher};
use crate::implementation::Implementation;
use crate::nodes;
use std::fmt;

#[derive(Clone)]
pub(crate) struct Cell {
    pub case: Case,
    pub programs: Vec<usize>,
}

/// `case::3+4` on 3 ranks of a program and 4 of a second program.
impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranks = self.programs.iter().map(usize::to_string).collect::<Vec<_>>().join("+");
        write!(formatter, "{}::{ranks}", self.case.name)
    }
}

impl Cell {
    pub fn all(cases: &[Case]) -> Vec<Self> {
        let of = |case: &Case| {
            let case = *case;
            case.ranks.iter().map(move |&first| Self { case, programs: case.programs(first) })
        };
        cases.iter().flat_map(of).collect()
    }

    pub fn ranks(&self) -> usize {
        self.programs.iter().sum()
    }

    pub fn program(&self, rank: usize) -> usize {
        let mut end = 0;
        let ends = self.programs.iter().map(|ranks| {
            end += ranks;
            end
        });
        ends.take_while(|end| *end <= rank).count()
    }

    pub fn is_alone(&self) -> bool {
        let Case { alone, expect, launcher, .. } = self.case;
        alone || launcher == Launcher::Foreign || matches!(expect, Expect::Failure(_))
    }

    pub fn fits(&self) -> bool {
        self.ranks() <= Implementation::asked_for().most_ranks()
    }

    pub fn is_ignored(&self) -> bool {
        let can_run =
            Implementation::asked_for().has(self.case.launcher) && nodes::allow(&self.case);
        self.case.ignored || !can_run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_follow_each_other() {
        let case = Case::new("some", &[2], |_| Ok(())).beside(&[1, 3]);
        let cell = Cell::all(&[case]).remove(0);
        assert_eq!(cell.to_string(), "some::2+1+3");
        assert_eq!((0..6).map(|rank| cell.program(rank)).collect::<Vec<_>>(), [0, 0, 1, 2, 2, 2]);
    }
}
