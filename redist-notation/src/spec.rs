//! A complete and checked item: everything that code generation knows of the user's text.
#![allow(missing_docs)] // Fields have the names of the grammar.

// If every size is a literal, code generation needs neither the parameters nor the user's
// expressions.

pub use crate::ast::{Param, Require, Requirement, RowsKind, Which};

use proc_macro2::{Span, TokenStream};
use redist_plan::layout::{RankOrder, StorageOrder};
use redist_plan::plan::Relabelled;
use syn::{Attribute, Expr, Generics, Ident, Type, Visibility};

/// The largest window table of a binary, in pieces, unless the item says otherwise.
pub const DEFAULT_MAX_TABLE_PIECES: usize = 16_384;

pub struct Spec {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub generics: Generics,
    pub params: Vec<Param>,
    pub element: Type,
    /// The extents of the array as the source has it, at least one.
    pub extents: Vec<Size>,
    pub from: SideSpec,
    /// The destination; its lists are in the order of its own dimensions, which `axes` may permute.
    pub to: SideSpec,
    /// The demands; met, as far as the macro can tell.
    pub require: Vec<Requirement>,
    /// The pieces of a window that may be unrolled; 0 means none, `None` leaves it to the emitter.
    pub unroll: Option<usize>,
    /// The largest window table of the binary, in pieces; longer windows are streamed.
    pub tables: usize,
    /// The number of the `unroll` clause and that of the `tables` clause, in the user's own tokens.
    pub limits: [Option<Expr>; 2],
    /// The saving of the map of the destination's ranks, if `relabel` made it.
    pub relabelled: Option<Saving>,
    pub krate: TokenStream,
}

/// The elements that a relabelling saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saving {
    pub elements: usize,
    /// Elements that stayed on their rank before.
    pub stayed: usize,
    /// Elements that stay now, the most that can.
    pub stays: usize,
}

impl Saving {
    pub const fn of<const D: usize>(relabelled: &Relabelled<D>) -> Self {
        let Relabelled { plan, stayed, stays, .. } = *relabelled;
        Saving { elements: plan.elements(), stayed, stays }
    }
}

#[cfg_attr(
    feature = "locations",
    expect(
        clippy::large_enum_variant,
        reason = "places make expressions larger, and an item has two sides"
    )
)]
pub enum SideSpec {
    Layout(Box<LayoutSpec>),
    /// A value of type `Layout<D>`, and who knows it; never a literal.
    Value(Expr, Value),
}

/// One layout. Every list has one entry for each dimension of the array.
pub struct LayoutSpec {
    pub dists: Vec<DistSpec>,
    /// Extents of the process grid; 1 where the dimension is collapsed.
    pub grid: Vec<Size>,
    /// Grid coordinate that holds the first block; 0 where not given.
    pub first: Vec<Size>,
    pub ranks: RanksSpec,
    pub order: RankOrder,
    pub storage: StorageOrder,
    /// Extents of the stored array, where the redistributed one is a part of it.
    pub of: Option<Vec<Size>>,
    /// The first index of that part; only beside `of`.
    pub at: Option<Vec<Size>>,
    /// The destination's axis of each axis of the source; the identity for a source.
    pub axes: Vec<usize>,
    /// How many copies there are; `None` for one.
    pub copies: Option<Size>,
    /// The first token or group of the layout.
    pub span: Span,
}

#[allow(clippy::large_enum_variant, reason = "an item has two sides")]
pub enum RanksSpec {
    Range {
        first: Size,
        /// One past the last rank, where the item names it.
        end: Option<Size>,
    },
    Map(Vec<Size>),
}

#[derive(Clone)]
pub enum DistSpec {
    Collapsed,
    /// One block a process, all of the same size but the last ones.
    Block,
    BlockOf(Size),
    /// Blocks of this size, dealt in turn; `cyclic` alone deals single elements.
    Cyclic(Size),
    GenBlock(Vec<Size>),
    /// Rows of these lengths; behind them stand the numbers that [`RowsKind`] speaks of.
    Rows(RowsKind, Vec<Size>),
}

#[derive(Clone)]
pub struct Size {
    pub expr: Expr,
    pub value: Value,
    /// Its role, in words.
    pub what: String,
    pub minimum: usize,
}

/// How much is known of a size, in the order of who knows it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// The macro: an integer literal, or arithmetic on such.
    Literal(usize),
    /// The compiler: a constant expression.
    Constant,
    /// The compiler, for each instance: it names a generic of the item.
    Generic,
    /// `new`: it names a parameter.
    Parameter,
}

impl Size {
    pub fn literal(&self) -> Option<usize> {
        match self.value {
            Value::Literal(value) => Some(value),
            Value::Constant | Value::Generic | Value::Parameter => None,
        }
    }

    /// True where it stands nowhere in the user's text.
    pub fn is_implied(&self) -> bool {
        self.what.is_empty()
    }

    /// Returns its role as a name: `block_size_of_source_dimension_0`.
    pub fn name(&self) -> String {
        self.what.trim_start_matches("the ").replace([' ', '-'], "_")
    }

    pub fn implied(value: usize) -> Self {
        let literal = proc_macro2::Literal::usize_unsuffixed(value);
        Size {
            expr: syn::parse_quote!(#literal),
            value: Value::Literal(value),
            what: String::new(),
            minimum: 0,
        }
    }
}

impl SideSpec {
    pub fn layout(&self) -> Option<&LayoutSpec> {
        match self {
            SideSpec::Layout(layout) => Some(layout),
            SideSpec::Value(..) => None,
        }
    }
}

impl LayoutSpec {
    /// The axis of the source that becomes this one.
    pub fn source_axis(&self, axis: usize) -> usize {
        self.axes.iter().position(|own| *own == axis).unwrap_or(axis)
    }

    pub fn is_literal(&self) -> bool {
        self.sizes().all(|size| size.literal().is_some())
    }

    pub fn sizes(&self) -> impl Iterator<Item = &Size> {
        let blocks = self.dists.iter().flat_map(DistSpec::sizes);
        let lists = self.of.iter().chain(&self.at).flatten();
        let ranks = self.ranks.sizes();
        let grid = self.grid.iter().chain(&self.first);
        blocks.chain(grid).chain(lists).chain(ranks).chain(&self.copies)
    }
}

impl RanksSpec {
    pub fn sizes(&self) -> Vec<&Size> {
        match self {
            RanksSpec::Range { first, end } => [first].into_iter().chain(end).collect(),
            RanksSpec::Map(ranks) => ranks.iter().collect(),
        }
    }

    pub fn end(&self) -> Option<&Size> {
        match self {
            RanksSpec::Range { end, .. } => end.as_ref(),
            RanksSpec::Map(_) => None,
        }
    }

    /// True where it is what is so without a word: ranks from 0 on.
    pub fn is_default(&self) -> bool {
        matches!(self, RanksSpec::Range { first, end: None } if first.literal() == Some(0))
    }
}

impl DistSpec {
    pub fn sizes(&self) -> &[Size] {
        match self {
            DistSpec::BlockOf(size) | DistSpec::Cyclic(size) => core::slice::from_ref(size),
            DistSpec::GenBlock(sizes) | DistSpec::Rows(_, sizes) => sizes,
            DistSpec::Collapsed | DistSpec::Block => &[],
        }
    }
}

impl Spec {
    pub fn sides(&self) -> [(Which, &SideSpec); 2] {
        [(Which::Source, &self.from), (Which::Destination, &self.to)]
    }

    /// True where a side has copies: there is a plan for each copy of the destination.
    pub fn has_copies(&self) -> bool {
        let mut layouts = self.sides().into_iter().filter_map(|(_, side)| side.layout());
        layouts.any(|layout| layout.copies.is_some())
    }

    pub fn required(&self, kind: Require) -> Option<&Requirement> {
        self.require.iter().find(|requirement| requirement.kind == kind)
    }

    /// The demand for window tables, if one is made: that for everything includes it.
    pub fn required_tables(&self) -> Option<&Requirement> {
        self.required(Require::Static).or_else(|| self.required(Require::Tables))
    }

    /// The distribution of a side that has blocks of sizes of their own, so that nothing repeats.
    pub fn given_blocks(&self, dimension: usize) -> Option<&DistSpec> {
        let own = |which, layout: &LayoutSpec| {
            if which == Which::Source { dimension } else { layout.axes[dimension] }
        };
        let layouts = self
            .sides()
            .into_iter()
            .filter_map(|(which, side)| side.layout().map(|layout| (which, layout)));
        let mut dists = layouts.map(|(which, layout)| &layout.dists[own(which, layout)]);
        dists.find(|dist| matches!(dist, DistSpec::GenBlock(_) | DistSpec::Rows(..)))
    }

    pub fn literal_layouts(&self) -> Option<(&LayoutSpec, &LayoutSpec)> {
        let known = |layout: &&LayoutSpec| layout.is_literal();
        let extents = self.extents.iter().all(|extent| extent.literal().is_some());
        let layouts = self.from.layout().filter(known).zip(self.to.layout().filter(known));
        layouts.filter(|_| self.params.is_empty() && extents)
    }
}
