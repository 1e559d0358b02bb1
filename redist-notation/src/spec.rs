//! A complete and checked item, for code generation.

// If every size is a literal, code generation needs neither the parameters nor the user's
// expressions.

pub use crate::ast::{Param, Require, Requirement};
pub use crate::size::{
    DistSpec, FactorKind, FactorSpec, FactorWord, RanksSpec, RowsKind, Size, Value,
};

use proc_macro2::{Span, TokenStream};
use redist_plan::layout::{RankOrder, StorageOrder};
use redist_plan::plan::{Relabelled, Side};
use syn::{Attribute, Expr, Generics, Ident, Type, Visibility};

/// Most pieces of a window table, unless the item says otherwise.
pub const DEFAULT_MAX_TABLE_PIECES: usize = 16_384;

/// One item, complete and checked.
pub struct Spec {
    /// Attributes and docs, to be passed on.
    pub attrs: Vec<Attribute>,
    /// Visibility.
    pub vis: Visibility,
    /// Name.
    pub ident: Ident,
    /// Generics, with the `where` clause.
    pub generics: Generics,
    /// Values that are given to `new`.
    pub params: Vec<Param>,
    /// Type of the elements.
    pub element: Type,
    /// The extents in the source's axes, at least one.
    pub extents: Vec<Size>,
    /// The source.
    pub from: SideSpec,
    /// In the order of its own dimensions, which `axes` may permute.
    pub to: SideSpec,
    /// Demands, which hold as far as the macro knows.
    pub require: Vec<Requirement>,
    /// The most pieces that are unrolled; 0 for none, `None` leaves it to the emitter.
    pub unroll: Option<usize>,
    /// The largest window table, in pieces; longer windows are streamed.
    pub tables: usize,
    /// The numbers of the `unroll` and the `tables` clause, in the user's own tokens.
    pub limits: [Option<Expr>; 2],
    /// Savings of the ranks that `relabel` chose.
    pub relabelled: Option<Saving>,
    /// Path of the facade crate.
    pub krate: TokenStream,
}

/// Elements that need not move, because `relabel` put ranks into other cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saving {
    /// Elements of the array.
    pub elements: usize,
    /// Elements that stayed on their rank before.
    pub stayed: usize,
    /// Elements that stay now, the most possible.
    pub stays: usize,
}

impl Saving {
    pub const fn of<const D: usize>(relabelled: &Relabelled<D>) -> Self {
        let Relabelled { plan, stayed, stays, .. } = *relabelled;
        Saving { elements: plan.elements(), stayed, stays }
    }
}

/// One side of an item.
#[cfg_attr(
    feature = "locations",
    expect(
        clippy::large_enum_variant,
        reason = "places make expressions larger, and an item has two sides"
    )
)]
pub enum SideSpec {
    /// A layout whose distributions the macro knows.
    Layout(Box<LayoutSpec>),
    /// A layout that is an expression, and the stage that knows its value.
    Value(Expr, Value),
}

/// Lists have one entry for each dimension of the array.
pub struct LayoutSpec {
    pub dists: Vec<DistSpec>,
    pub grid: Vec<Size>,
    pub first: Vec<Size>,
    pub ranks: RanksSpec,
    pub order: RankOrder,
    pub storage: StorageOrder,
    /// Extents of the stored array, if only a part of it is moved.
    pub of: Option<Vec<Size>>,
    pub at: Option<Vec<Size>>,
    /// The own axis of each of the source's; on the source, that itself.
    pub axes: Vec<usize>,
    /// `None` for one.
    pub copies: Option<Size>,
    /// The axis of the grid that copies are along, among the axes of `onto` and this axis.
    pub along: Option<usize>,
    pub span: Span,
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

impl Spec {
    pub fn sides(&self) -> [(Side, &SideSpec); 2] {
        [(Side::Source, &self.from), (Side::Destination, &self.to)]
    }

    pub fn layouts(&self) -> impl Iterator<Item = &LayoutSpec> {
        [&self.from, &self.to].into_iter().filter_map(|side| side.layout())
    }

    pub fn has_copies(&self) -> bool {
        self.layouts().any(|layout| layout.copies.is_some())
    }

    pub fn required(&self, kind: Require) -> Option<&Requirement> {
        self.require.iter().find(|requirement| requirement.kind == kind)
    }

    /// Returns the demand for window tables, or the demand for everything.
    pub fn required_tables(&self) -> Option<&Requirement> {
        self.required(Require::Static).or_else(|| self.required(Require::Tables))
    }

    pub fn literal_layouts(&self) -> Option<(&LayoutSpec, &LayoutSpec)> {
        let known = |layout: &&LayoutSpec| layout.is_literal();
        let extents = self.extents.iter().all(|extent| extent.literal().is_some());
        let layouts = self.from.layout().filter(known).zip(self.to.layout().filter(known));
        layouts.filter(|_| self.params.is_empty() && extents)
    }
}
