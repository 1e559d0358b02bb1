//! The two drawn dimensions, and the cuts of all further dimensions.

use super::common::pieces;
use super::number::counted;
use super::pair::Pair;
use crate::error::DrawError;
use redist_plan::plan::Axis;
use redist_plan::plan::{Plan, Side};

/// A slice through an array, and the two ranks that are compared in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View<const D: usize> {
    /// Dimensions that go down and to the right, in the source's axes.
    pub axes: [usize; 2],
    /// Index of the slice in each dimension.
    pub index: [usize; D],
    /// The two ranks.
    pub pair: Pair<D>,
}

impl<const D: usize> View<D> {
    /// By the user's words, else as [`Drawing`](crate::Drawing) has it.
    pub fn new(
        plan: &Plan<D>,
        axes: Option<[usize; 2]>,
        slices: &[(usize, usize)],
        pair: Option<[usize; 2]>,
    ) -> Result<Self, DrawError> {
        let axes = axes.unwrap_or_else(|| chosen(plan));
        if D > 1 && (axes[0] == axes[1] || axes.iter().any(|axis| *axis >= D)) {
            let [down, right] = axes;
            return Err(DrawError::of(
                "axes",
                format!("{down},{right}: name two dimensions out of 0..{D}"),
            ));
        }
        let mut wanted = [None; D];
        for &(dimension, at) in slices {
            let refused = |reason: &str| {
                let reason = format!("{dimension}={at}: dimension {dimension}{reason}");
                Err(DrawError::of("slice", reason))
            };
            if axes.contains(&dimension) && dimension < D {
                return refused(": it is drawn whole; axes are those that are");
            }
            let Some(extent) = plan.extents().get(dimension).copied() else {
                return refused(": there is no such dimension");
            };
            if at >= extent {
                let elements = counted(extent as u128, "element");
                return refused(&format!(" has {elements}; they count from 0"));
            }
            wanted[dimension] = Some(at);
        }
        let pair =
            pair.map_or_else(|| Ok(Pair::busiest(plan, wanted)), |ranks| Pair::of(plan, ranks))?;
        let index = std::array::from_fn(|dimension| match wanted[dimension] {
            Some(at) => at,
            None => near_the_middle(&plan.axis(dimension), pair.along(dimension)),
        });
        Ok(Self { axes, index, pair })
    }

    pub fn cut(&self) -> impl Iterator<Item = usize> {
        (0..D).filter(|dimension| !self.axes.contains(dimension))
    }

    pub fn note(&self) -> Option<String> {
        let cuts: Vec<String> =
            self.cut().map(|at| format!("dimension {at} = {}", self.index[at])).collect();
        (D > 2).then(|| format!("The slice at {}.", cuts.join(", ")))
    }
}

fn near_the_middle(axis: &Axis, pair: (usize, usize)) -> usize {
    let middle = axis.len() / 2;
    let first = |range| pieces(axis, pair, range).next().map(|piece| piece.start);
    first(middle..axis.len()).or_else(|| first(0..middle)).unwrap_or(middle)
}

fn chosen<const D: usize>(plan: &Plan<D>) -> [usize; 2] {
    let ranks = |dimension: &usize| {
        let axis = plan.axis(*dimension);
        axis.side(Side::Source).ranks().max(axis.side(Side::Destination).ranks())
    };
    let (distributed, whole): (Vec<usize>, Vec<usize>) =
        (0..D).partition(|dimension| ranks(dimension) > 1);
    let mut first: Vec<usize> = distributed.into_iter().chain(whole).take(2).collect();
    first.sort_unstable();
    [first[0], first.last().copied().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan<4> {
        Plan::parse([8, 9, 10, 12], "(*, block, *, cyclic) onto (2, 3)", "(*, *, *, block) onto 6")
            .unwrap()
    }

    fn refused(axes: Option<[usize; 2]>, slices: &[(usize, usize)]) -> String {
        View::new(&plan(), axes, slices, None).unwrap_err().to_string()
    }

    #[test]
    fn distributed_dimensions_are_drawn_and_others_cut_in_the_middle() {
        let view = View::new(&plan(), None, &[(2, 1)], None).unwrap();
        assert_eq!((view.axes, view.index[0], view.index[2]), ([1, 3], 4, 1));
        assert_eq!(view.note().unwrap(), "The slice at dimension 0 = 4, dimension 2 = 1.");
        let line = Plan::parse([8], "block onto 2", "cyclic onto 2").unwrap();
        assert_eq!(View::new(&line, None, &[], None).unwrap().note(), None);
    }

    #[test]
    fn the_slice_goes_through_what_the_pair_shares() {
        let (from, to) =
            ("(*, cyclic(2), block) onto (2, 5)", "(cyclic, *, cyclic(3)) onto (2, 5)");
        let plan = Plan::parse([8, 6, 70], from, to).unwrap();
        let holds = |view: &View<3>| {
            let owner = |side| plan.axis(2).side(side).owner(view.index[2]);
            (owner(Side::Source), owner(Side::Destination)) == view.pair.along(2)
        };
        let asked: Vec<_> = (0..100).map(|number| [number / 10, number % 10]).collect();
        for ranks in asked {
            let view = View::new(&plan, Some([0, 1]), &[], Some(ranks)).unwrap();
            assert!(holds(&view) || plan.volume(ranks[0], ranks[1]) == 0, "{view:?}");
        }
        for index in 0..70 {
            let view = View::new(&plan, Some([0, 1]), &[(2, index)], None).unwrap();
            assert!(holds(&view) && view.pair.ranks[0] != view.pair.ranks[1], "{view:?}");
        }
        assert!(holds(&View::new(&plan, Some([0, 1]), &[], None).unwrap()));
    }

    #[test]
    fn what_there_is_not_is_refused() {
        assert!(refused(Some([1, 1]), &[]).contains("name two dimensions out of 0..4"));
        assert!(refused(Some([0, 4]), &[]).contains("axes 0,4"));
        assert!(refused(None, &[(1, 2)]).contains("dimension 1: it is drawn whole"));
        assert!(refused(None, &[(4, 2)]).contains("no such dimension"));
        assert!(refused(None, &[(2, 10)]).contains("dimension 2 has 10 elements"));
    }
}
