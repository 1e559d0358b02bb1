use super::{Plan, PlanError, Side};
use crate::layout::{BlockCyclicError, Layout, LayoutError, MAX_EXTENT, MAX_PARTS_OF_ROWS, Ranks};

/// Text that rustc's const evaluator can put together.
#[derive(Clone, Copy, Debug)]
pub struct ConstText {
    bytes: [u8; 384],
    len: usize,
}

impl ConstText {
    #[doc(hidden)]
    pub const fn new(text: &str) -> Self {
        ConstText { bytes: [0; 384], len: 0 }.text(text)
    }

    #[doc(hidden)]
    pub const fn text(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut index = 0;
        while index < text.len() && self.len < self.bytes.len() {
            self.bytes[self.len] = text[index];
            self.len += 1;
            index += 1;
        }
        self
    }

    #[doc(hidden)]
    pub const fn number(mut self, number: usize) -> Self {
        if number >= 10 {
            self = self.number(number / 10);
        }
        let digit = [b'0' + (number % 10) as u8];
        match core::str::from_utf8(&digit) {
            Ok(digit) => self.text(digit),
            Err(_) => self,
        }
    }

    #[doc(hidden)]
    pub const fn counted(self, count: usize, noun: &str) -> Self {
        let text = self.number(count).text(" ").text(noun);
        if count == 1 { text } else { text.text("s") }
    }

    #[doc(hidden)]
    pub const fn then(self, next: &Self) -> Self {
        match core::str::from_utf8(next.bytes.split_at(next.len).0) {
            Ok(text) => self.text(text),
            Err(_) => self,
        }
    }

    /// Returns the text itself.
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            // A character was cut in two.
            Err(_) => "redistribute!: the layouts do not meet",
        }
    }

    #[track_caller]
    #[doc(hidden)]
    pub const fn panic(&self) -> ! {
        panic!("{}", self.as_str())
    }
}

impl<const D: usize> Plan<D> {
    /// As [`Plan::new`], for constants.
    ///
    /// # Panics
    /// Panics if [`Plan::new`] fails.
    #[track_caller]
    #[doc(hidden)]
    pub const fn constant(extents: [usize; D], from: Layout<D>, to: Layout<D>) -> Self {
        match Self::new(extents, from, to) {
            Ok(plan) => plan,
            Err(error) => error.panic(),
        }
    }

    /// Checks the number of ranks of a range that ends before `end`, if it is named.
    ///
    /// # Errors
    /// The grid has more or fewer.
    #[doc(hidden)]
    pub const fn check_ranks(&self, side: Side, end: Option<usize>) -> Result<(), PlanError> {
        let descriptor = self.descriptor(side);
        let (ranks, right) = (descriptor.ranks(), descriptor.ranks_end());
        match (descriptor.layout().ranks, end) {
            (Ranks::From(first), Some(end)) if end != right => {
                Err(PlanError::Ranks { side, first, end, ranks })
            }
            _ => Ok(()),
        }
    }
}

impl PlanError {
    #[track_caller]
    #[doc(hidden)]
    pub const fn panic(self) -> ! {
        text(self).panic()
    }
}

const fn text(error: PlanError) -> ConstText {
    let start = ConstText::new("redistribute!: ");
    match error {
        PlanError::Layout { side, error } => layout_text(start.text(name(side)).text(" layout: "), error),
        PlanError::SectionOutside { side, dimension, start: at, len, stored } => start
            .text(name(side))
            .text(" layout: dimension ")
            .number(dimension)
            .text(": the section ")
            .number(at)
            .text("..")
            .number(at.saturating_add(len))
            .text(" reaches past the stored extent ")
            .number(stored)
            .text("; move it or make it shorter"),
        PlanError::Ranks { side, first, end, ranks } => start
            .text(name(side))
            .text(" layout: `ranks ")
            .number(first)
            .text("..")
            .number(end)
            .text("` does not fit the grid, which has ")
            .number(ranks)
            .text("; write `ranks ")
            .number(first)
            .text("..")
            .number(first.saturating_add(ranks))
            .text("`"),
        PlanError::SourcePermuted => {
            start.text("source layout: it cannot be `transposed` or have `axes`; permute the destination instead")
        }
        PlanError::NotAPermutation { axis } => {
            start.text("destination layout: `axes` must name each axis once; ").number(axis).text(" is missing")
        }
    }
}

const fn layout_text(start: ConstText, error: LayoutError) -> ConstText {
    match error {
        LayoutError::Dimension { dimension, error } => {
            dimension_text(start.text("dimension ").number(dimension).text(": "), error)
        }
        LayoutError::CollapsedOnGrid { dimension, ranks } => start
            .text("dimension ")
            .number(dimension)
            .text(" is collapsed (`*`), but the grid gives it ")
            .counted(ranks, "rank")
            .text("; give it 1"),
        LayoutError::TooManyRanks { base } => start
            .text("the grid and its first rank ")
            .number(base)
            .text(" reach past rank 2^31 - 1, the last that MPI can number; use a smaller grid"),
        LayoutError::WrongNumberOfRanks { listed, cells } => start
            .text("`ranks` lists ")
            .counted(listed, "rank")
            .text(", but the grid has ")
            .counted(cells, "cell")
            .text("; list one rank for each"),
        LayoutError::RankTwice { rank, first, second } => start
            .text("`ranks` lists rank ")
            .number(rank)
            .text(" twice, at places ")
            .number(first)
            .text(" and ")
            .number(second)
            .text(" (counted from 0); a rank has one cell of the grid"),
        LayoutError::RankTooHigh { rank, place } => start
            .text("`ranks` lists rank ")
            .number(rank)
            .text(" at place ")
            .number(place)
            .text(" (counted from 0), above 2^31 - 2, the highest of any communicator; use a lower one"),
        LayoutError::TooManyElements => start
            .text("the array has more than ")
            .number(MAX_EXTENT)
            .text(" elements; use smaller extents"),
    }
}

const fn dimension_text(start: ConstText, error: BlockCyclicError) -> ConstText {
    match error {
        BlockCyclicError::ZeroBlock => start.text("a block must hold at least 1 element, found 0"),
        BlockCyclicError::BlockTooLarge { block } => start
            .text("a block must hold at most ")
            .number(MAX_EXTENT)
            .text(" elements, found ")
            .number(block),
        BlockCyclicError::ZeroRanks => start.text("a grid extent must be at least 1, found 0"),
        BlockCyclicError::FirstOutsideGrid { first, ranks } => start
            .text("the first block goes to coordinate ")
            .number(first)
            .text(", but the grid has coordinates 0..")
            .number(ranks)
            .text("; choose one of them"),
        BlockCyclicError::ExtentTooLarge { extent } => start
            .text("an extent must be at most ")
            .number(MAX_EXTENT)
            .text(", found ")
            .number(extent),
        BlockCyclicError::BlockTooSmall { block, ranks, extent } => start
            .text("block(")
            .number(block)
            .text(") on ")
            .counted(ranks, "rank")
            .text(" holds ")
            .counted(block.saturating_mul(ranks), "element")
            .text(", but the extent is ")
            .number(extent)
            .text("; use `block` or `cyclic(")
            .number(block)
            .text(")`"),
        BlockCyclicError::WrongNumberOfSizes { .. }
        | BlockCyclicError::SizesMissExtent { .. }
        | BlockCyclicError::SizesTooLarge => gen_block_text(start, error),
        BlockCyclicError::RowsMissExtent { rows, sum, extent } => start
            .text("the ")
            .counted(rows, "row")
            .text(" hold ")
            .counted(sum, "point")
            .text(", ")
            .number(sum.abs_diff(extent))
            .text(if sum < extent { " less" } else { " more" })
            .text(" than the extent ")
            .number(extent)
            .text("; give at least one row, and lengths that add up to it exactly"),
        BlockCyclicError::PointsDoNotDivideRanks { points, ranks } => start
            .text("the points of a row are divided among ")
            .counted(points, "rank")
            .text(", but the grid has ")
            .counted(ranks, "rank")
            .text(" along the dimension; make that a multiple, at least 1"),
        BlockCyclicError::TooManyParts { rows, points } => start
            .counted(rows, "row")
            .text(" divided among ")
            .counted(points, "rank")
            .text(" each are more than ")
            .number(MAX_PARTS_OF_ROWS)
            .text(" parts; divide them among fewer ranks"),
    }
}

const fn gen_block_text(start: ConstText, error: BlockCyclicError) -> ConstText {
    match error {
        BlockCyclicError::WrongNumberOfSizes { sizes, ranks } => start
            .text("gen_block has ")
            .counted(sizes, "size")
            .text(", but the grid has ")
            .counted(ranks, "rank")
            .text(" along the dimension; give each rank one size"),
        BlockCyclicError::SizesMissExtent { sum, extent } => start
            .text("the sizes of gen_block add up to ")
            .number(sum)
            .text(", ")
            .number(sum.abs_diff(extent))
            .text(if sum < extent { " less" } else { " more" })
            .text(" than the extent ")
            .number(extent)
            .text("; they must add up to it exactly"),
        _ => start
            .text("the sizes of gen_block add up to more than the largest extent, ")
            .number(MAX_EXTENT)
            .text("; use smaller sizes"),
    }
}

const fn name(side: Side) -> &'static str {
    match side {
        Side::Source => "source",
        Side::Destination => "destination",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Dist;

    fn panic_of(from: Layout<1>, to: Layout<1>) -> String {
        let panic = std::panic::catch_unwind(|| Plan::constant([100], from, to)).unwrap_err();
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    }

    #[test]
    fn constants_fail_in_the_words_of_values() {
        for (from, to) in [
            ("cyclic(0) onto 3", "block onto 2"),
            ("cyclic(2) onto 0", "block onto 2"),
            ("block onto 3", "cyclic(2) onto 3 first 7"),
            ("block onto 3", "cyclic(2) onto 3 of 110 at 20"),
            ("block(33) onto 3", "cyclic(2) onto 3"),
            ("cyclic onto 3 axes 0", "block onto 2 ranks 2147483647.."),
            ("gen_block([99, 1]) onto 1", "block onto 2"),
            ("gen_block([100]) onto 3", "block onto 2"),
            ("block onto 2", "gen_block([90, 7]) onto 2"),
            ("block onto 2", "gen_block([9223372036854775807, 7]) onto 2"),
            ("rows([90, 7], block) onto 3", "block onto 2"),
            ("block onto 2", "points([90, 11]) onto 2"),
            ("block onto 2", "rows([90, 10], cyclic, points(2)) onto 3"),
            ("rows([90, 10], cyclic(0)) onto 3", "points([]) onto 2"),
            ("points([90, 10]) onto 10000000", "block onto 2"),
            ("block(33) onto 1", "cyclic onto 1"),
            ("gen_block([9]) onto 1", "gen_block([]) onto 1"),
        ] {
            let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
            let error = Plan::new([100], from, to).unwrap_err();
            assert_eq!(panic_of(from, to), format!("redistribute!: {error}"));
        }
        let (large, whole) =
            (Layout::new([Dist::Cyclic(MAX_EXTENT + 1)], [2]), Layout::new([Dist::Collapsed], [1]));
        let on_grid = Layout::new([Dist::Collapsed], [2]);
        let mapped = |ranks| Layout::new([Dist::Block], [3]).ranks(Ranks::Map(ranks));
        for (from, to) in [
            (large, whole),
            (whole, large),
            (whole, on_grid),
            (whole, mapped(&[4, 1])),
            (mapped(&[4, 1, 4]), whole),
            (mapped(&[4, 1, 1 << 31]), whole),
        ] {
            let error = Plan::new([100], from, to).unwrap_err();
            assert_eq!(panic_of(from, to), format!("redistribute!: {error}"));
        }
    }
}
