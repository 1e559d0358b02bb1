//! Which two dimensions of an array are drawn, and where the others are cut.

use super::number::counted;
use crate::failure::CommandFailure;
use redist::{Plan, Side};

/// A slice through an array, in the source's axes; for one dimension, the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View<const D: usize> {
    /// The dimension that goes down, and the one that goes to the right.
    pub axes: [usize; 2],
    /// The index that is looked at in each of the others.
    pub index: [usize; D],
}

impl<const D: usize> View<D> {
    /// What the user asked for; else the first two dimensions that either side distributes, cut in the middle.
    ///
    /// # Errors
    /// Dimensions or indices that there are not.
    pub fn new(plan: &Plan<D>, axes: Option<[usize; 2]>, slices: &[(usize, usize)]) -> Result<Self, CommandFailure> {
        let axes = axes.unwrap_or_else(|| chosen(plan));
        if D > 1 && (axes[0] == axes[1] || axes.iter().any(|axis| *axis >= D)) {
            let [down, right] = axes;
            return Err(CommandFailure::InputOptions(format!(
                "--axes {down},{right}: name two dimensions out of 0..{D}"
            )));
        }
        let mut index = plan.extents().map(|extent| extent / 2);
        for (dimension, at) in slices {
            let Some(extent) = plan.extents().get(*dimension).copied().filter(|_| !axes.contains(dimension)) else {
                let reason =
                    if *dimension < D { "it is drawn whole; see --axes" } else { "there is no such dimension" };
                return Err(CommandFailure::InputOptions(format!(
                    "--slice {dimension}={at}: dimension {dimension}: {reason}"
                )));
            };
            if *at >= extent {
                let elements = counted(extent as u128, "element");
                let message =
                    format!("--slice {dimension}={at}: dimension {dimension} has {elements}; they count from 0");
                return Err(CommandFailure::InputOptions(message));
            }
            index[*dimension] = *at;
        }
        Ok(Self { axes, index })
    }

    /// The dimensions that are cut.
    pub fn cut(&self) -> impl Iterator<Item = usize> {
        (0..D).filter(|dimension| !self.axes.contains(dimension))
    }

    /// Where they are cut, in words; nothing where none is.
    pub fn note(&self) -> Option<String> {
        let cuts: Vec<String> = self.cut().map(|at| format!("dimension {at} = {}", self.index[at])).collect();
        (D > 2).then(|| format!("The slice at {}.", cuts.join(", ")))
    }
}

fn chosen<const D: usize>(plan: &Plan<D>) -> [usize; 2] {
    let ranks = |dimension: &usize| {
        let axis = plan.axis(*dimension);
        axis.side(Side::Source).ranks().max(axis.side(Side::Destination).ranks())
    };
    let (distributed, whole): (Vec<usize>, Vec<usize>) = (0..D).partition(|dimension| ranks(dimension) > 1);
    let mut first: Vec<usize> = distributed.into_iter().chain(whole).take(2).collect();
    first.sort_unstable();
    [first[0], first.last().copied().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan<4> {
        Plan::parse([8, 9, 10, 12], "(*, block, *, cyclic) onto (2, 3)", "(*, *, *, block) onto 6").unwrap()
    }

    fn refused(axes: Option<[usize; 2]>, slices: &[(usize, usize)]) -> String {
        match View::new(&plan(), axes, slices) {
            Err(CommandFailure::InputOptions(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn distributed_dimensions_are_drawn_and_others_cut_in_the_middle() {
        let view = View::new(&plan(), None, &[(2, 1)]).unwrap();
        assert_eq!((view.axes, view.index), ([1, 3], [4, 4, 1, 6]));
        assert_eq!(view.note().unwrap(), "The slice at dimension 0 = 4, dimension 2 = 1.");
        let line = Plan::parse([8], "block onto 2", "cyclic onto 2").unwrap();
        assert_eq!(View::new(&line, None, &[]).unwrap().note(), None);
    }

    #[test]
    fn what_there_is_not_is_refused() {
        assert!(refused(Some([1, 1]), &[]).contains("name two dimensions out of 0..4"));
        assert!(refused(Some([0, 4]), &[]).contains("--axes 0,4"));
        assert!(refused(None, &[(1, 2)]).contains("dimension 1: it is drawn whole"));
        assert!(refused(None, &[(4, 2)]).contains("no such dimension"));
        assert!(refused(None, &[(2, 10)]).contains("dimension 2 has 10 elements"));
    }
}
