//! A bounded number of a communicator's plans, in places that all processes number alike: they use
//! and drop the same ones.

use crate::told::Told;

/// The most plans of a list: a plan for each bit of the agreement.
pub(crate) const MOST: usize = 32;

/// Most bytes that all plans but the last move on a process.
pub(crate) const MOST_BYTES: u64 = 1 << 29;

/// Plans of one communicator, in a fixed number of places.
pub(crate) struct Plans<P> {
    kept: [Option<Kept<P>>; MOST],
    /// Calls so far: the time of the last use of a plan.
    now: u64,
}

/// A plan with its last use.
struct Kept<P> {
    told: Told,
    /// Bytes that the plan holds.
    bytes: u64,
    /// Call that used the plan last.
    used: u64,
    plan: P,
}

impl<P> Plans<P> {
    pub fn new() -> Self {
        Self { kept: [const { None }; MOST], now: 0 }
    }

    /// Returns a bit for each plan that fits this process's knowledge.
    pub fn that_fit(&self, told: &Told) -> u64 {
        let fits = |kept: &Option<Kept<P>>| kept.as_ref().is_some_and(|kept| kept.told == *told);
        let bits = self.kept.iter().enumerate().map(|(place, kept)| u64::from(fits(kept)) << place);
        bits.sum()
    }

    /// Returns the plan whose bit all processes have set.
    pub fn found(&mut self, common: u64) -> Option<&mut P> {
        let kept = self.kept.get_mut(common.trailing_zeros() as usize)?.as_mut()?;
        self.now += 1;
        kept.used = self.now;
        Some(&mut kept.plan)
    }

    pub fn make_room(&mut self, bytes: u64) {
        while self.len() == MOST
            || self.bytes().saturating_add(bytes) > MOST_BYTES && self.len() > 0
        {
            let oldest = self.kept.iter_mut().filter(|kept| kept.is_some());
            let oldest = oldest.min_by_key(|kept| kept.as_ref().map(|kept| kept.used));
            *oldest.expect("there are some") = None;
        }
    }

    pub fn keep(&mut self, told: Told, bytes: u64, plan: P) -> &mut P {
        self.now += 1;
        let free = self.kept.iter_mut().find(|kept| kept.is_none()).expect("room was made");
        &mut free.insert(Kept { told, bytes, used: self.now, plan }).plan
    }

    fn len(&self) -> usize {
        self.kept.iter().flatten().count()
    }

    /// Returns the bytes that all of them move on a process.
    pub fn bytes(&self) -> u64 {
        self.kept.iter().flatten().map(|kept| kept.bytes).fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(m: i32) -> Told {
        Told { width: 8, part: None, extents: [m, 1], sides: [None, None] }
    }

    fn keep(plans: &mut Plans<i32>, m: i32, bytes: u64) {
        plans.make_room(bytes);
        plans.keep(told(m), bytes, m);
    }

    #[test]
    fn what_was_not_used_for_longest_goes() {
        let mut plans = Plans::new();
        for m in 0..MOST as i32 {
            keep(&mut plans, m, 1);
        }
        assert_eq!(plans.found(plans.that_fit(&told(0))), Some(&mut 0));
        keep(&mut plans, 100, 1);
        assert_eq!(plans.that_fit(&told(1)), 0);
        assert_eq!(plans.that_fit(&told(100)), 2, "it is in the place of the one that went");
        assert_eq!(plans.found(plans.that_fit(&told(0))), Some(&mut 0));
        assert_eq!(plans.len(), MOST);
    }

    #[test]
    fn a_plan_is_found_that_all_processes_mean() {
        let mut plans = Plans::new();
        // A process outside of both grids knows only M and N.
        for plan in 0..2 {
            plans.make_room(1);
            plans.keep(told(7), 1, plan);
        }
        assert_eq!(plans.that_fit(&told(7)), 0b11);
        assert_eq!(plans.found(0b11 & 0b10), Some(&mut 1));
        assert_eq!(plans.found(0b11 & 0b100), None);
        assert_eq!(plans.found(0), None);
    }

    #[test]
    fn heavy_plans_are_few_and_the_last_is_kept_in_any_case() {
        let mut plans = Plans::new();
        keep(&mut plans, 1, MOST_BYTES / 2);
        keep(&mut plans, 2, MOST_BYTES / 2);
        assert_eq!(plans.len(), 2);
        keep(&mut plans, 3, u64::MAX);
        assert_eq!((plans.len(), plans.that_fit(&told(3))), (1, 1));
        keep(&mut plans, 4, 1);
        assert_eq!((plans.len(), plans.that_fit(&told(4))), (1, 1));
    }
}
