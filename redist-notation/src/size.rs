//! Sizes, and the parts of a layout that have them.

use proc_macro2::Literal;
use redist_plan::plan::Side;
use syn::Expr;

/// A number as the user wrote it.
#[derive(Clone)]
pub struct Size {
    /// The expression in the user's own tokens.
    pub expr: Expr,
    /// As read, the compiler's.
    pub value: Value,
    /// Its expression is no number, which was reported.
    pub is_wrong: bool,
    /// Its place in the item, in words; empty if it is not written.
    pub what: String,
    /// Least value that it may have.
    pub minimum: usize,
}

/// The stage that knows a size, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// The macro: an integer literal, or arithmetic on such.
    Literal(usize),
    /// The compiler: a constant expression.
    Constant,
    /// The compiler, for each instance: it has a generic of the item.
    Generic,
    /// `new`: it has a parameter.
    Parameter,
}

/// The distribution of one dimension.
#[derive(Clone)]
pub enum DistSpec {
    /// Not distributed: `*`.
    Collapsed,
    /// One block a rank, as long as needed.
    Block,
    /// One block a rank, of this size.
    BlockOf(Size),
    /// `block balanced`, with the longer blocks on the first ranks or on the last.
    Balanced { last: bool },
    /// Blocks dealt in turn.
    Cyclic(Size),
    /// One block a rank, each of its own size.
    GenBlock(Vec<Size>),
    /// So many cuts, and behind them the owners of the parts.
    Listed(usize, Vec<Size>),
    /// Lengths, and behind them the further numbers.
    Rows(RowsKind, Vec<Size>),
    /// Distributions of factors; the extents of all, and behind them the further numbers.
    Split(Vec<FactorKind>, Vec<Size>),
}

/// The words of a factor of a `split`, whose numbers are in a list of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactorKind {
    pub word: FactorWord,
    /// `onto` and its ranks, the last number of the factor.
    pub onto: bool,
}

/// The distribution of a factor of a `split`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorWord {
    Collapsed,
    Block,
    /// `block(size)`, whose size is the first number of the factor.
    BlockOf,
    Balanced {
        last: bool,
    },
    /// `cyclic(size)`, as `block(size)`.
    Cyclic,
}

/// A factor with its numbers.
pub struct FactorSpec<'a> {
    pub extent: &'a Size,
    pub word: FactorWord,
    /// Elements in a block, where the word has a size.
    pub block: Option<&'a Size>,
    /// Ranks along the factor, if they are said.
    pub ranks: Option<&'a Size>,
}

impl FactorKind {
    /// Joins the words of factors and their numbers.
    pub fn factors<'a>(kinds: &[Self], sizes: &'a [Size]) -> Vec<FactorSpec<'a>> {
        let mut more = sizes[kinds.len()..].iter();
        let factor = |(kind, extent): (&Self, &'a Size)| {
            let has_block = matches!(kind.word, FactorWord::BlockOf | FactorWord::Cyclic);
            let block = if has_block { more.next() } else { None };
            let ranks = if kind.onto { more.next() } else { None };
            FactorSpec { extent, word: kind.word, block, ranks }
        };
        kinds.iter().zip(sizes).map(factor).collect()
    }
}

/// The way in which rows of given lengths are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsKind {
    /// Each row is divided among all ranks.
    Points,
    /// Whole rows go to ranks, or to groups of ranks that divide them.
    Rows {
        /// `cyclic(size)`, whose size is the first behind the lengths, instead of `block`.
        cyclic: bool,
        /// `points(size)`, whose size is the last.
        shared: bool,
    },
}

/// The ranks that form a grid.
#[allow(clippy::large_enum_variant, reason = "an item has two sides")]
#[derive(Clone)]
pub enum RanksSpec {
    Range {
        first: Size,
        end: Option<Size>,
    },
    /// A rank for each cell of the grid.
    Map(Vec<Size>),
}

impl Size {
    pub fn written(expr: Expr) -> Self {
        let what = "the size".into();
        Size { expr, value: Value::Constant, is_wrong: false, what, minimum: 0 }
    }

    pub fn implied(value: usize) -> Self {
        let literal = Literal::usize_unsuffixed(value);
        Size {
            expr: syn::parse_quote!(#literal),
            value: Value::Literal(value),
            is_wrong: false,
            what: String::new(),
            minimum: 0,
        }
    }

    pub fn named(&mut self, what: String, minimum: usize) -> &mut Self {
        (self.what, self.minimum) = (what, minimum);
        self
    }

    pub fn literal(&self) -> Option<usize> {
        match self.value {
            Value::Literal(value) => Some(value),
            Value::Constant | Value::Generic | Value::Parameter => None,
        }
    }

    pub fn literals(sizes: &[Size]) -> Option<Vec<usize>> {
        sizes.iter().map(Size::literal).collect()
    }

    /// Returns `true` if the macro does not know the value of a correct size.
    pub fn is_open(&self) -> bool {
        !self.is_wrong && self.literal().is_none()
    }

    pub fn is_implied(&self) -> bool {
        self.what.is_empty()
    }

    /// Returns its role as a name: `block_size_of_source_dimension_0`.
    pub fn name(&self) -> String {
        self.what.trim_start_matches("the ").replace([' ', '-'], "_")
    }
}

impl DistSpec {
    pub fn sizes(&self) -> &[Size] {
        match self {
            DistSpec::BlockOf(size) | DistSpec::Cyclic(size) => core::slice::from_ref(size),
            DistSpec::GenBlock(sizes)
            | DistSpec::Listed(_, sizes)
            | DistSpec::Rows(_, sizes)
            | DistSpec::Split(_, sizes) => sizes,
            DistSpec::Collapsed | DistSpec::Block | DistSpec::Balanced { .. } => &[],
        }
    }

    /// Names every written size by its place, and visits it.
    pub fn for_each_size(
        &mut self,
        (side, dimension): (Side, usize),
        visit: &mut dyn FnMut(&mut Size),
    ) {
        let of = format!("of {side} dimension {dimension}");
        match self {
            DistSpec::BlockOf(size) | DistSpec::Cyclic(size) if !size.is_implied() => {
                visit(size.named(format!("the block size {of}"), 1));
            }
            DistSpec::GenBlock(sizes) => {
                for (block, size) in sizes.iter_mut().enumerate() {
                    visit(size.named(format!("the size of block {block} {of}"), 0));
                }
            }
            DistSpec::Listed(cuts, sizes) => {
                for (place, size) in sizes.iter_mut().enumerate() {
                    visit(match place.checked_sub(*cuts) {
                        None => size.named(format!("cut {place} {of}"), 0),
                        Some(part) => size.named(format!("the owner of part {part} {of}"), 0),
                    });
                }
            }
            DistSpec::Split(kinds, sizes) => {
                let (extents, more) = sizes.split_at_mut(kinds.len());
                let mut more = more.iter_mut();
                for (number, (kind, extent)) in kinds.iter().zip(extents).enumerate() {
                    visit(extent.named(format!("the extent of factor {number} {of}"), 0));
                    let has_block = matches!(kind.word, FactorWord::BlockOf | FactorWord::Cyclic);
                    let roles = [(has_block, "block size"), (kind.onto, "number of ranks")];
                    for (_, role) in roles.into_iter().filter(|(is_said, _)| *is_said) {
                        if let Some(size) = more.next().filter(|size| !size.is_implied()) {
                            visit(size.named(format!("the {role} of factor {number} {of}"), 1));
                        }
                    }
                }
            }
            DistSpec::Rows(kind, sizes) => {
                let lengths = sizes.len() - kind.more();
                let has_turn = matches!(kind, RowsKind::Rows { cyclic: true, .. });
                for (row, size) in sizes.iter_mut().enumerate() {
                    visit(match row {
                        _ if row < lengths => {
                            size.named(format!("the length of row {row} {of}"), 0)
                        }
                        _ if row == lengths && has_turn => {
                            size.named(format!("the rows at a time {of}"), 1)
                        }
                        _ => size.named(format!("the ranks that share a row {of}"), 1),
                    });
                }
            }
            _ => {}
        }
    }
}

impl RowsKind {
    pub fn more(self) -> usize {
        match self {
            RowsKind::Points => 0,
            RowsKind::Rows { cyclic, shared } => usize::from(cyclic) + usize::from(shared),
        }
    }

    /// Splits off the rows dealt at a time and the ranks that share a row, if given.
    pub fn split<S>(self, sizes: &[S]) -> (&[S], Option<&S>, Option<&S>) {
        let (lengths, more) = sizes.split_at(sizes.len() - self.more());
        match self {
            RowsKind::Points => (lengths, None, None),
            RowsKind::Rows { cyclic, shared } => {
                (lengths, more.first().filter(|_| cyclic), more.last().filter(|_| shared))
            }
        }
    }
}

impl RanksSpec {
    pub fn sizes(&self) -> Vec<&Size> {
        match self {
            RanksSpec::Range { first, end } => [first].into_iter().chain(end).collect(),
            RanksSpec::Map(ranks) => ranks.iter().collect(),
        }
    }

    /// Names every size by its place, and visits it.
    pub fn for_each_size(&mut self, side: Side, visit: &mut dyn FnMut(&mut Size)) {
        match self {
            RanksSpec::Range { first, end } => {
                visit(first.named(format!("the first rank of the {side}"), 0));
                if let Some(end) = end {
                    visit(end.named(format!("the end of the ranks of the {side}"), 0));
                }
            }
            RanksSpec::Map(ranks) => {
                for (number, rank) in ranks.iter_mut().enumerate() {
                    visit(rank.named(format!("the rank of cell {number} of the {side} grid"), 0));
                }
            }
        }
    }

    pub fn end(&self) -> Option<&Size> {
        match self {
            RanksSpec::Range { end, .. } => end.as_ref(),
            RanksSpec::Map(_) => None,
        }
    }

    pub fn is_default(&self) -> bool {
        matches!(self, RanksSpec::Range { first, end: None } if first.literal() == Some(0))
    }
}
