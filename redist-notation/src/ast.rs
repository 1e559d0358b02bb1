//! The user's words: tokens sorted into fields, nothing judged yet. Rules point at the kept tokens.

mod walk;

use crate::size::{DistSpec, RanksSpec, Size};
use proc_macro2::{Ident, Span, TokenStream};
use redist_plan::layout::{RankOrder, StorageOrder};
use redist_plan::plan::Demand;
use syn::{Attribute, Expr, Generics, Type, Visibility};

/// One `struct Name: [Element; extents] { from: ..., to: ... }`.
pub struct Item {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub generics: Generics,
    pub params: Vec<Param>,
    /// `None` for an unreadable header, which was reported.
    pub array: Option<Array>,
    /// The closing brace; `None` without a body, which was reported.
    pub end: Option<Span>,
    /// A clause is unreadable, and may be one that seems to be missing.
    pub lost: bool,
    pub from: Clause<SideAst>,
    pub to: Clause<SideAst>,
    pub require: Vec<Requirement>,
    pub unroll: Option<Size>,
    pub tables: Option<Size>,
    /// The word `to`: the side whose ranks are mapped.
    pub relabel: Option<Ident>,
    /// The path of the facade crate, by the code that expands the item.
    pub krate: TokenStream,
}

pub struct Array {
    pub element: Type,
    pub extents: Vec<Size>,
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
pub enum SideAst {
    Layout(Box<LayoutAst>),
    Value(Expr),
}

/// A layout in the notation of the macro. Lists are as long as the user made them.
pub struct LayoutAst {
    pub span: Span,
    /// The word of `scalapack(...)`.
    pub scalapack: Option<Ident>,
    pub dists: Vec<DistAst>,
    pub grid: Option<Sizes>,
    pub first: Option<Sizes>,
    pub ranks: Option<(TokenStream, RanksSpec)>,
    pub order: Option<RankOrder>,
    pub storage: Option<StorageOrder>,
    pub of: Option<Sizes>,
    pub at: Option<Sizes>,
    pub transposed: Option<Ident>,
    pub axes: Option<Sizes>,
    pub copies: Option<Size>,
    /// An unreadable part may be one that seems to be missing.
    pub broken: bool,
}

pub struct DistAst {
    pub token: TokenStream,
    /// The list of sizes, if there is one.
    pub list: TokenStream,
    /// `None` for an unreadable one, which was reported.
    pub kind: Option<DistSpec>,
}

pub struct Sizes {
    pub tokens: TokenStream,
    pub values: Vec<Size>,
}
