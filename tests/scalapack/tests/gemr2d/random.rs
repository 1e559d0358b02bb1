//! Random cases of matrices on grids.

use crate::case::{Case, Side};
use crate::draw::Draw;
use redist::layout::RankOrder;
use redist::mpi::Communicator;

const SEED: u64 = 0x5CA1_A9AC;

/// Few cases use all of the job's ranks on both sides.
pub fn cases(world: &Communicator, draw: &mut Draw) -> Vec<Case> {
    let ranks = world.size();
    let mut random = Random(draw.seed(SEED + ranks as u64));
    (0..draw.count(15, 30)).map(|_| case(&mut random, ranks)).collect()
}

fn case(random: &mut Random, ranks: usize) -> Case {
    let moved = [random.between(1, 90), random.between(1, 90)];
    Case { moved, sides: [side(random, moved, ranks), side(random, moved, ranks)], literal: None }
}

fn side(random: &mut Random, moved: [usize; 2], ranks: usize) -> Side {
    let p = random.between(1, ranks);
    let grid = [p, random.between(1, ranks / p)];
    let at = moved.map(|_| if random.between(0, 2) == 0 { 0 } else { random.between(0, 40) });
    let beyond = moved.map(|_| if random.between(0, 2) == 0 { 0 } else { random.between(0, 40) });
    Side {
        extents: [0, 1].map(|d| at[d] + moved[d] + beyond[d]),
        blocks: moved.map(|_| random.between(1, 20)),
        grid,
        order: if random.between(0, 2) == 0 { RankOrder::Col } else { RankOrder::Row },
        source: grid.map(|ranks| random.between(0, ranks - 1)),
        at,
        padding: if random.between(0, 1) == 0 { 0 } else { random.between(1, 9) },
    }
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + (self.bits() % (most - least + 1) as u64) as usize
    }
}
