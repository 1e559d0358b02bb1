//! SplitMix64.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, at least 1.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn within(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    pub fn take(&mut self, rest: &mut usize) -> usize {
        let taken = self.below(*rest + 1);
        *rest -= taken;
        taken
    }

    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }

    pub fn shuffled(&mut self, len: usize) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..len).collect();
        (0..len).map(|_| rest.remove(self.below(rest.len()))).collect()
    }
}
