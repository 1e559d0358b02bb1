use super::Layout;

/// The most ranks of all copies of a side.
pub const MAX_COPIED_RANKS: usize = 1 << 20;

impl<const D: usize> Layout<D> {
    /// Returns this layout and copies of it, each on the ranks after those of the one before.
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::Layout;
    /// let pairs = "cyclic(4) onto 2".parse::<Layout<1>>()?.copies(3);
    /// let ranks: Vec<String> = pairs.iter().map(ToString::to_string).collect();
    /// assert_eq!(ranks[2], "cyclic(4) onto 2 ranks 4..6");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn copies(self, copies: usize) -> Vec<Self> {
        let ranks = self.grid.iter().fold(1, |ranks: usize, along| ranks.saturating_mul(*along));
        let copy = |number: usize| self.ranks(self.ranks.behind(ranks.saturating_mul(number)));
        (0..copies).map(copy).collect()
    }

    #[doc(hidden)]
    pub fn ranks_of_copies(&self, copies: usize) -> usize {
        self.grid.iter().fold(copies, |ranks, along| ranks.saturating_mul((*along).max(1)))
    }
}
