//! Plans and random numbers of the schedules' tests.

use redist::layout::Dist;
use redist::plan::schedule::{
    Checked, MessageGraph, Method, Schedule, ScheduleError, Schedules, check,
};
use redist::{Layout, Plan};
use redist_testing::drawn;

/// Blocks of `s` on `P` ranks to blocks of `t` on `Q`: `(s, P, t, Q)`.
pub type Line = (usize, usize, usize, usize);

pub fn plan_of(
    extent: usize,
    (s, sources, t, destinations): Line,
    first: (usize, usize),
) -> Plan<1> {
    let layout = |block, ranks, first| Layout::new([Dist::Cyclic(block)], [ranks]).first([first]);
    Plan::new([extent], layout(s, sources, first.0), layout(t, destinations, first.1))
        .expect("a plan")
}

pub fn period((s, sources, t, destinations): Line) -> usize {
    num_integer::lcm(s * sources, t * destinations)
}

pub fn whole((s, p, t, q): Line) -> Plan<1> {
    plan_of(period((s, p, t, q)), (s, p, t, q), (0, 0))
}

pub fn checked<const D: usize>(plan: &Plan<D>, method: Method) -> Result<Checked, ScheduleError> {
    let schedule = plan.schedule(method)?.expect("a method with steps");
    assert_eq!(schedule.method(), method);
    let graph = MessageGraph::of(plan).expect("a small graph");
    Ok(check(&*schedule, &graph).unwrap_or_else(|fault| panic!("{method}: {fault}\n{plan}")))
}

pub fn pairs(schedule: &dyn Schedule) -> Vec<Vec<(usize, usize)>> {
    (0..schedule.steps()).map(|step| schedule.pairs(step)).collect()
}

pub struct Random(u64);

impl Random {
    pub fn new(test: u64) -> Self {
        let seed = drawn::seed();
        eprintln!("cases are drawn from REDIST_TEST_SEED={seed}");
        Self(seed.wrapping_shl(8) ^ test)
    }

    /// Returns a number from 1 to `most` (splitmix64).
    pub fn up_to(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        1 + ((bits ^ (bits >> 31)) % most as u64) as usize
    }
}
