//! Messages of the busiest rank, and the least steps of a schedule.

use super::{Effort, Figure};
use crate::plan::{AnyPlan, Plan, Side};

impl AnyPlan {
    /// Returns the least number of steps of any schedule, as [`Plan::steps`] does.
    pub fn steps(&self) -> Figure {
        let mut effort = Effort::OF_PROGRAMS;
        let [out, into] = [Side::Source, Side::Destination].map(|side| {
            let along = self.axes().iter().map(|axis| axis.most_partners(side, &mut effort));
            along.fold(Figure::exact(1), Figure::times)
        });
        busier(out, into)
    }
}

impl<const D: usize> Plan<D> {
    /// Returns a rank's most messages to or from others; an upper bound if a search is too long.
    pub const fn messages(&self) -> Figure {
        self.messages_within(Effort::OF_PROGRAMS)
    }

    pub(super) const fn messages_within(&self, mut effort: Effort) -> Figure {
        let out = self.most_parts(Side::Source, &mut effort);
        let into = self.most_parts(Side::Destination, &mut effort);
        let most = busier(product(&out), product(&into));
        if most.value == 0 || !most.is_exact {
            return most;
        }
        // A rank that keeps something has one message less.
        let mut gives_all = Some(false);
        if product(&out).value == most.value {
            gives_all = self.gives_all(Side::Source, &out, &mut effort);
        }
        if product(&into).value == most.value && matches!(gives_all, Some(false)) {
            gives_all = self.gives_all(Side::Destination, &into, &mut effort);
        }
        match gives_all {
            Some(true) => most,
            Some(false) => Figure::exact(most.value - 1),
            None => Figure::bound(most.value),
        }
    }

    /// Returns the least number of steps of any schedule (Kőnig's theorem): the most parts of a
    /// rank, with the part that it keeps. `Method::Koenig`
    /// reaches it. A search that takes too long gives an upper bound.
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::Plan;
    /// let plan = Plan::<1>::parse([1200], "cyclic(10) onto 4", "cyclic(30) onto 6")?;
    /// assert_eq!((plan.steps().value, plan.messages().value), (6, 5)); // all keep something
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn steps(&self) -> Figure {
        self.steps_within(Effort::OF_PROGRAMS)
    }

    pub(super) const fn steps_within(&self, mut effort: Effort) -> Figure {
        let out = self.most_parts(Side::Source, &mut effort);
        let into = self.most_parts(Side::Destination, &mut effort);
        busier(product(&out), product(&into))
    }

    const fn most_parts(&self, side: Side, effort: &mut Effort) -> [Figure; D] {
        let (mut most, mut dimension) = ([Figure::exact(0); D], 0);
        while dimension < D {
            most[dimension] = self.axis(dimension).most_partners(side, effort);
            dimension += 1;
        }
        most
    }
}

const fn product<const D: usize>(most: &[Figure; D]) -> Figure {
    let (mut product, mut dimension) = (Figure::exact(1), 0);
    while dimension < D {
        product = product.times(most[dimension]);
        dimension += 1;
    }
    product
}

const fn busier(one: Figure, other: Figure) -> Figure {
    let is_exact = one.is_exact && other.is_exact;
    Figure { value: if one.value > other.value { one.value } else { other.value }, is_exact }
}
