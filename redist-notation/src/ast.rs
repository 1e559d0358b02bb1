//! The user's words: tokens sorted into fields, nothing judged yet. Rules point at the kept tokens.

use crate::size::{DistSpec, RanksSpec, Size};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use redist_plan::layout::{RankOrder, StorageOrder};
use redist_plan::plan::{Demand, Side};
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
    /// A clause is unreadable, and a clause that seems to be missing may be this one.
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

/// The array of an item: `[Element; extents]`.
pub struct Array {
    /// Type of the elements.
    pub element: Type,
    /// Extent of each dimension.
    pub extents: Vec<Size>,
    /// The closing bracket: the place of a missing extent.
    pub end: Span,
}

/// A parameter of an item: a value that is given to `new`.
#[derive(Clone)]
pub struct Param {
    /// Name of the parameter.
    pub ident: Ident,
    /// Its sort of value.
    pub kind: ParamKind,
    /// Its type in the user's own tokens.
    pub ty: Type,
}

/// The sort of value that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A number.
    Usize,
    /// `Layout<D>`, with its number of dimensions.
    Layout(usize),
}

/// One demand of `require`, such as `tables` or `messages <= 6`.
#[derive(Clone)]
pub struct Requirement {
    /// The demand.
    pub kind: Require,
    /// The demand in the user's own tokens.
    pub tokens: TokenStream,
}

/// A demand on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Require {
    /// The window tables are in the binary.
    Tables,
    /// The plan is a constant.
    Static,
    /// The compiler writes code for the blocks.
    Unrolled,
    /// A figure of the plan is within a bound.
    Figure(Demand),
}

/// A clause that every item must have.
pub enum Clause<T> {
    /// There is none.
    Absent,
    /// It cannot be read, and an error says so.
    Broken,
    /// Its content.
    Given(T),
}

/// One side of an item.
#[cfg_attr(
    feature = "locations",
    expect(
        clippy::large_enum_variant,
        reason = "places make expressions larger, and an item has two sides"
    )
)]
pub enum SideAst {
    /// A layout in the notation.
    Layout(Box<LayoutAst>),
    /// An expression whose value is a layout.
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
    /// The axis of the grid that copies are along.
    pub along: Option<Size>,
    /// A part that seems to be missing may be an unreadable one.
    pub broken: bool,
}

/// The distribution of one dimension.
pub struct DistAst {
    /// The word, or `*`.
    pub token: TokenStream,
    /// The list of sizes, if there is one.
    pub list: TokenStream,
    /// `None` for an unreadable one, which was reported.
    pub kind: Option<DistSpec>,
}

/// A list of sizes: `3`, `(2, 3)` or `[2, 3]`.
pub struct Sizes {
    /// The list in the user's own tokens.
    pub tokens: TokenStream,
    /// The sizes.
    pub values: Vec<Size>,
}

impl<T> Clause<T> {
    pub fn given(&self) -> Option<&T> {
        match self {
            Clause::Given(value) => Some(value),
            Clause::Absent | Clause::Broken => None,
        }
    }
}

impl Item {
    pub fn sides(&self) -> impl Iterator<Item = (Side, &SideAst)> {
        let from = self.from.given().map(|side| (Side::Source, side));
        let to = self.to.given().map(|side| (Side::Destination, side));
        from.into_iter().chain(to)
    }

    pub fn layouts(&self) -> impl Iterator<Item = (Side, &LayoutAst)> {
        self.sides().filter_map(|(which, side)| match side {
            SideAst::Layout(layout) => Some((which, &**layout)),
            SideAst::Value(_) => None,
        })
    }

    /// Returns the parameter, if it is the whole expression.
    pub fn param(&self, expression: &Expr) -> Option<&Param> {
        let Expr::Path(path) = expression else { return None };
        let name = path.path.get_ident()?;
        self.params.iter().find(|param| param.ident == *name)
    }

    /// Names every written size by its place, and visits it.
    pub fn for_each_size(&mut self, visit: &mut dyn FnMut(&mut Size)) {
        let extents = self.array.iter_mut().flat_map(|array| &mut array.extents);
        for (dimension, extent) in extents.enumerate() {
            visit(extent.named(format!("the extent of dimension {dimension}"), 0));
        }
        for (which, side) in [(Side::Source, &mut self.from), (Side::Destination, &mut self.to)] {
            if let Clause::Given(SideAst::Layout(layout)) = side {
                layout.for_each_size(which, visit);
            }
        }
        if let Some(unroll) = &mut self.unroll {
            visit(unroll.named("the `unroll` budget".into(), 0));
        }
        if let Some(tables) = &mut self.tables {
            visit(tables.named("the `tables` limit".into(), 0));
        }
    }

    pub fn sizes(&self) -> impl Iterator<Item = &Size> {
        let extents = self.array.iter().flat_map(|array| &array.extents);
        extents.chain(self.layouts().flat_map(|(_, layout)| layout.sizes()))
    }
}

impl DistAst {
    pub fn new(token: impl ToTokens, kind: Option<DistSpec>) -> Self {
        DistAst { token: token.into_token_stream(), list: TokenStream::new(), kind }
    }
}

impl LayoutAst {
    pub fn starting_at(span: Span) -> Self {
        LayoutAst {
            span,
            scalapack: None,
            dists: Vec::new(),
            grid: None,
            first: None,
            ranks: None,
            order: None,
            storage: None,
            of: None,
            at: None,
            transposed: None,
            axes: None,
            copies: None,
            along: None,
            broken: false,
        }
    }

    /// Returns the dimensions of `onto` and `first`.
    pub fn distributed(&self) -> Vec<usize> {
        let is_dealt =
            |(_, dist): &(usize, &DistAst)| !matches!(dist.kind, Some(DistSpec::Collapsed));
        self.dists.iter().enumerate().filter(is_dealt).map(|(dimension, _)| dimension).collect()
    }

    pub fn spread<'a>(&self, list: &'a Option<Sizes>) -> Vec<Option<&'a Size>> {
        let mut spread: Vec<Option<&Size>> = self.dists.iter().map(|_| None).collect();
        let distributed = self.distributed();
        for list in list.iter().filter(|list| list.values.len() == distributed.len()) {
            for (dimension, size) in distributed.iter().zip(&list.values) {
                spread[*dimension] = Some(size);
            }
        }
        spread
    }

    fn sizes(&self) -> impl Iterator<Item = &Size> {
        let lists = [&self.grid, &self.first, &self.of, &self.at];
        let ranks = self.ranks.iter().flat_map(|(_, ranks)| ranks.sizes());
        let blocks = self.dists.iter().filter_map(|dist| dist.kind.as_ref());
        let lists = lists.into_iter().flatten().flat_map(|list| &list.values);
        blocks
            .flat_map(DistSpec::sizes)
            .chain(lists)
            .chain(ranks)
            .chain(&self.copies)
            .chain(&self.along)
    }

    fn for_each_size(&mut self, which: Side, visit: &mut dyn FnMut(&mut Size)) {
        let distributed = self.distributed();
        for (list, dimensions, noun, minimum) in [
            (&mut self.grid, &distributed[..], "grid extent", 1),
            (&mut self.first, &distributed, "first-block coordinate", 0),
            (&mut self.of, &[], "stored extent", 0),
            (&mut self.at, &[], "offset", 0),
            (&mut self.axes, &[], "axis", 0),
        ] {
            let sizes = list.iter_mut().flat_map(|list| &mut list.values).enumerate();
            for (index, size) in sizes {
                // Beyond its dimensions, a list counts on.
                let dimension = dimensions.get(index).copied().unwrap_or(index);
                visit(size.named(format!("the {noun} of {which} dimension {dimension}"), minimum));
            }
        }
        if let Some(copies) = &mut self.copies {
            visit(copies.named(format!("the number of copies of the {which}"), 1));
        }
        if let Some(along) = &mut self.along {
            visit(along.named(format!("the axis of the copies of the {which}"), 0));
        }
        for (dimension, dist) in self.dists.iter_mut().enumerate() {
            if let Some(kind) = &mut dist.kind {
                kind.for_each_size((which, dimension), visit);
            }
        }
        if let Some((_, ranks)) = &mut self.ranks {
            ranks.for_each_size(which, visit);
        }
    }
}
