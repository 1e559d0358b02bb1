//! The user's words: tokens sorted into fields, nothing judged yet.
//!
//! Sizes are `syn::Expr` after parsing, and `resolve::Number` after resolving. Fields keep the
//! user's tokens, so that every rule can point at a token.
#![allow(missing_docs)] // Fields have the names of the grammar.

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
    /// `None` where the header could not be read; that was reported.
    pub array: Option<Array<S>>,
    /// The closing brace; `None` where there is no body, which was reported.
    pub end: Option<Span>,
    /// A clause is unreadable, which was reported: it may be one that seems to be missing.
    pub lost: bool,
    pub from: Clause<SideAst<S>>,
    pub to: Clause<SideAst<S>>,
    pub require: Vec<Requirement>,
    pub unroll: Option<S>,
    pub tables: Option<S>,
    /// The side whose ranks go to other cells: the word, which is `to`.
    pub relabel: Option<Ident>,
    /// The path of the facade crate. No item says it: the code that expands one does.
    pub krate: TokenStream,
}

pub struct Array<S> {
    pub element: Type,
    pub extents: Vec<S>,
    /// The closing bracket: where a missing extent should stand.
    pub end: Span,
}

/// A value that is given to `new`.
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

/// One of the things that `require` lists: `tables`, or `messages <= 6`.
#[derive(Clone)]
pub struct Requirement {
    pub kind: Require,
    pub tokens: TokenStream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Require {
    /// The window tables stand in the binary.
    Tables,
    /// Everything stands in the binary: nothing at all is decided at run time.
    Static,
    /// Code for the blocks stands in the binary.
    Unrolled,
    Figure(Demand),
}

/// A clause that has to be there.
pub enum Clause<T> {
    Absent,
    /// It is there but unreadable; that was reported.
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
    /// An expression of type `Layout<D>`.
    Value(Expr),
}

/// A layout in the notation of the macro. Lists are as long as the user made them.
pub struct LayoutAst<S> {
    /// The first token or group.
    pub span: Span,
    /// The word, where the side was written `scalapack(...)`.
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
    /// A part could not be read, which was reported: what seems to be missing may be that part.
    pub broken: bool,
}

pub struct DistAst<S> {
    pub token: TokenStream,
    pub kind: DistKind<S>,
}

pub enum DistKind<S> {
    /// `*`: the dimension stays whole.
    Collapsed,
    /// `block`: one block for each rank.
    Block,
    /// `block(size)`: one block of this size for each rank.
    BlockOf(S),
    /// `cyclic` alone deals single elements.
    Cyclic(Option<S>),
    /// `gen_block([...])`: a block of its own size for each rank.
    GenBlock(Sizes<S>),
    /// `rows([...], ...)` or `points([...])`: lengths, and behind them the numbers of what follows.
    Rows(RowsKind, Sizes<S>),
    /// Unreadable; that was reported.
    Unknown,
}

/// How rows of different lengths are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsKind {
    /// `points([...])`: each row is divided among all ranks.
    Points,
    /// `rows([...], ...)`: whole rows, or rows that some ranks share.
    Rows {
        /// `cyclic(size)`, whose size is the first behind the lengths, instead of `block`.
        cyclic: bool,
        /// `points(size)`, whose size is the last.
        shared: bool,
    },
}

impl RowsKind {
    /// How many numbers come behind the lengths.
    pub fn more(self) -> usize {
        match self {
            RowsKind::Points => 0,
            RowsKind::Rows { cyclic, shared } => usize::from(cyclic) + usize::from(shared),
        }
    }

    /// The lengths, and where said, the rows dealt at a time and the ranks that share a row.
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

/// `3`, `(2, 3)` or `[2, 3]`.
pub struct Sizes<S> {
    pub tokens: TokenStream,
    pub values: Vec<S>,
}

pub enum RanksAst<S> {
    /// `first..end` or `first..`.
    Range {
        tokens: TokenStream,
        first: S,
        /// One past the last rank, where it is named.
        end: Option<S>,
    },
    /// `[rank, rank, ...]`: one for each cell of the grid.
    Map(Sizes<S>),
}

/// Which of the two layouts, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Source,
    Destination,
}
