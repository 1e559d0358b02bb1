//! The user's words: tokens sorted into fields, nothing judged yet.
//!
//! Sizes are `syn::Expr` after parsing, and `resolve::Number` after resolving. Rules point at the
//! kept tokens.

mod walk;

use proc_macro2::{Ident, Span, TokenStream};
use redist_plan::layout::{RankOrder, StorageOrder};
use redist_plan::plan::Demand;
use syn::{Attribute, Expr, Generics, Type, Visibility};

/// One `struct Name: [Element; extents] { from: ..., to: ... }`.
pub struct Item<S> {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub generics: Generics,
    pub params: Vec<Param>,
    /// `None` for an unreadable header, which was reported.
    pub array: Option<Array<S>>,
    /// The closing brace; `None` without a body, which was reported.
    pub end: Option<Span>,
    /// A clause is unreadable, and may be one that seems to be missing.
    pub lost: bool,
    pub from: Clause<SideAst<S>>,
    pub to: Clause<SideAst<S>>,
    pub require: Vec<Requirement>,
    pub unroll: Option<S>,
    pub tables: Option<S>,
    /// The word `to`: the side whose ranks are mapped.
    pub relabel: Option<Ident>,
    /// The path of the facade crate, by the code that expands the item.
    pub krate: TokenStream,
}

pub struct Array<S> {
    pub element: Type,
    pub extents: Vec<S>,
    /// The closing bracket: the place of a missing extent.
    pub end: Span,
}

#[derive(Clone)]
pub struct Param {
    pub ident: Ident,
    pub kind: ParamKind,
    pub ty: Type,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    Usize,
    /// `Layout<D>`, with its number of dimensions.
    Layout(usize),
}

#[derive(Clone)]
pub struct Requirement {
    pub kind: Require,
    pub tokens: TokenStream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Require {
    /// The window tables are in the binary.
    Tables,
    Static,
    Unrolled,
    Figure(Demand),
}

pub enum Clause<T> {
    Absent,
    Broken,
    Given(T),
}

#[cfg_attr(
    feature = "locations",
    expect(
        clippy::large_enum_variant,
        reason = "places make expressions larger, and an item has two sides"
    )
)]
pub enum SideAst<S> {
    Layout(Box<LayoutAst<S>>),
    Value(Expr),
}

/// A layout in the notation of the macro. Lists are as long as the user made them.
pub struct LayoutAst<S> {
    pub span: Span,
    /// The word of `scalapack(...)`.
    pub scalapack: Option<Ident>,
    pub dists: Vec<DistAst<S>>,
    pub grid: Option<Sizes<S>>,
    pub first: Option<Sizes<S>>,
    pub ranks: Option<RanksAst<S>>,
    pub order: Option<RankOrder>,
    pub storage: Option<StorageOrder>,
    pub of: Option<Sizes<S>>,
    pub at: Option<Sizes<S>>,
    pub transposed: Option<Ident>,
    pub axes: Option<Sizes<S>>,
    pub copies: Option<S>,
    /// An unreadable part may be one that seems to be missing.
    pub broken: bool,
}

pub struct DistAst<S> {
    pub token: TokenStream,
    pub kind: DistKind<S>,
}

pub enum DistKind<S> {
    Collapsed,
    Block,
    BlockOf(S),
    Cyclic(Option<S>),
    GenBlock(Sizes<S>),
    /// Lengths, and behind them the further numbers.
    Rows(RowsKind, Sizes<S>),
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsKind {
    Points,
    Rows {
        /// `cyclic(size)`, whose size is the first behind the lengths, instead of `block`.
        cyclic: bool,
        /// `points(size)`, whose size is the last.
        shared: bool,
    },
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

pub struct Sizes<S> {
    pub tokens: TokenStream,
    pub values: Vec<S>,
}

pub enum RanksAst<S> {
    Range {
        tokens: TokenStream,
        first: S,
        end: Option<S>,
    },
    /// One for each cell of the grid.
    Map(Sizes<S>),
}
