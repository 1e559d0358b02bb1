//! What the user wrote: tokens sorted into fields, nothing judged yet.
//!
//! The tree is generic over what stands for a size: `syn::Expr` after parsing, `resolve::Number` after
//! resolving. Fields keep the user's tokens, so that every rule can point at the very token it is about.

mod walk;

use proc_macro2::{Ident, Span, TokenStream};
use redist_runtime::layout::{RankOrder, StorageOrder};
use syn::{Attribute, Expr, Generics, Path, Type, Visibility};

/// One `struct Name: [Element; extents] { from: ..., to: ... }`.
pub struct Item<S> {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    /// With the `where` clause inside.
    pub generics: Generics,
    pub params: Vec<Param>,
    /// `None` where the header could not be read; that was reported.
    pub array: Option<Array<S>>,
    /// The closing brace; `None` where there is no body, which was reported.
    pub end: Option<Span>,
    /// A clause is unreadable, which was reported: it may be one that seems to be missing.
    pub lost: bool,
    pub from: Slot<Side<S>>,
    pub to: Slot<Side<S>>,
    pub require: Option<RequireClause>,
    pub unroll: Option<S>,
    pub tables: Option<S>,
    pub krate: Option<Path>,
}

/// `[Element; extents]`.
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
    /// The type in the user's own tokens.
    pub ty: Type,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    Usize,
    /// `Layout<D>`, with its number of dimensions.
    Layout(usize),
}

/// `require: tables` or `require: static`.
#[derive(Clone)]
pub struct RequireClause {
    pub level: Require,
    /// The level in the user's own tokens.
    pub word: Ident,
}

/// What has to stand in the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Require {
    /// The window tables.
    Tables,
    /// Everything: nothing at all is decided at run time.
    Static,
}

/// A clause that has to be there.
pub enum Slot<T> {
    Absent,
    /// It is there but unreadable; that was reported.
    Broken,
    Given(T),
}

/// One of the two layouts.
pub enum Side<S> {
    Layout(Box<Layout<S>>),
    /// An expression of type `Layout<D>`.
    Value(Expr),
}

/// A layout in the notation of the macro. Lists are as long as the user made them.
pub struct Layout<S> {
    /// The first token or group.
    pub span: Span,
    /// The word, where the side was written `scalapack(...)`.
    pub scalapack: Option<Ident>,
    pub dists: Vec<Dist<S>>,
    pub grid: Option<Sizes<S>>,
    pub first: Option<Sizes<S>>,
    pub ranks: Option<Ranks<S>>,
    pub order: Option<RankOrder>,
    pub storage: Option<StorageOrder>,
    pub of: Option<Sizes<S>>,
    pub at: Option<Sizes<S>>,
    pub transposed: Option<Ident>,
    pub axes: Option<Sizes<S>>,
    /// A part could not be read, which was reported: what seems to be missing may be that part.
    pub broken: bool,
}

/// How one dimension is distributed.
pub struct Dist<S> {
    /// The word or the `*`.
    pub token: TokenStream,
    pub kind: DistKind<S>,
}

/// The distributions of the grammar.
pub enum DistKind<S> {
    /// `*`: the dimension stays whole.
    Collapsed,
    Block,
    BlockOf(S),
    /// `cyclic` alone deals single elements.
    Cyclic(Option<S>),
    GenBlock(Sizes<S>),
    /// Unreadable; that was reported.
    Unknown,
}

/// `3`, `(2, 3)` or `[2, 3]`.
pub struct Sizes<S> {
    /// All of it, in the user's own tokens.
    pub tokens: TokenStream,
    pub values: Vec<S>,
}

/// `first..end` or `first..`.
pub struct Ranks<S> {
    /// All of it, in the user's own tokens.
    pub tokens: TokenStream,
    pub first: S,
    pub end: Option<S>,
}

/// Which of the two layouts, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Source,
    Destination,
}
