//! Redistributions that grow with the number of ranks: each rank holds the same.

use anyhow::Context as _;
use redist::layout::Dist;
use redist::{Layout, Plan};

/// Elements that a rank holds: 1 MiB in double precision.
const ELEMENTS_PER_RANK: usize = 1 << 17;

/// A change of layouts for any number of ranks.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub name: &'static str,
    from: Dist,
    to: Dist,
}

/// Few partners; a partner for each piece of a window; a partner for each rank or block.
pub const CASES: [Case; 3] = [
    Case { name: "cyclic(80) → cyclic(8)", from: Dist::Cyclic(80), to: Dist::Cyclic(8) },
    Case { name: "cyclic(63) → cyclic(64)", from: Dist::Cyclic(63), to: Dist::Cyclic(64) },
    Case { name: "BLOCK → cyclic(64)", from: Dist::Block, to: Dist::Cyclic(64) },
];

impl Case {
    pub fn plan(&self, ranks: usize) -> anyhow::Result<Plan<1>> {
        let [from, to] = [self.from, self.to].map(|dist| Layout::new([dist], [ranks]));
        Plan::new([ranks * ELEMENTS_PER_RANK], from, to).context(self.name)
    }
}
