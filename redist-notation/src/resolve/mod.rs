//! Finds the stage that knows each size of an item.

mod assemble;
mod bracket;
mod fold;
mod number;
mod role;

pub use assemble::{axes, spec};
pub use number::Number;

use crate::ast::{Array, DistAst, DistKind, Item, LayoutAst, RanksAst, RowsKind, SideAst, Sizes};
use crate::diagnostic::Diagnostics;
use crate::spec::Value;
use number::Scope;
use proc_macro2::TokenStream;
use redist_plan::plan::Side;
use role::SizeRole;
use syn::{Expr, GenericParam, Ident};

pub fn item(item: Item<Expr>, diagnostics: &mut Diagnostics) -> Item<Number> {
    let resolver = &mut Resolver { scope: scope(&item), diagnostics };
    let array = item.array.map(|array| resolver.array(array));
    let from = item.from.map(|side| resolver.side(side, Side::Source));
    let to = item.to.map(|side| resolver.side(side, Side::Destination));
    Item {
        array,
        from,
        to,
        unroll: item.unroll.map(|size| resolver.number(size, SizeRole::of_item("`unroll` budget"))),
        tables: item.tables.map(|size| resolver.number(size, SizeRole::of_item("`tables` limit"))),
        attrs: item.attrs,
        vis: item.vis,
        ident: item.ident,
        generics: item.generics,
        params: item.params,
        end: item.end,
        lost: item.lost,
        require: item.require,
        relabel: item.relabel,
        krate: item.krate,
    }
}

fn scope<S>(item: &Item<S>) -> Scope {
    Scope {
        params: item.params.iter().map(|param| param.ident.clone()).collect(),
        generics: generics(item),
    }
}

pub fn generics<S>(item: &Item<S>) -> Vec<Ident> {
    let generic = |param: &GenericParam| match param {
        GenericParam::Type(parameter) => Some(parameter.ident.clone()),
        GenericParam::Const(parameter) => Some(parameter.ident.clone()),
        GenericParam::Lifetime(_) => None,
    };
    item.generics.params.iter().filter_map(generic).collect()
}

pub fn names(expression: TokenStream, name: &Ident) -> bool {
    Scope { params: vec![name.clone()], generics: Vec::new() }.value(expression) == Value::Parameter
}

struct Resolver<'a> {
    scope: Scope,
    diagnostics: &'a mut Diagnostics,
}

impl Resolver<'_> {
    fn number(&mut self, expr: Expr, role: SizeRole) -> Number {
        self.scope.number(expr, &role, self.diagnostics)
    }

    fn array(&mut self, array: Array<Expr>) -> Array<Number> {
        let extents = array.extents.into_iter().enumerate();
        let extents = extents.map(|(dimension, extent)| {
            self.number(extent, SizeRole::of_array("extent", dimension))
        });
        Array { extents: extents.collect(), element: array.element, end: array.end }
    }

    fn side(&mut self, side: SideAst<Expr>, which: Side) -> SideAst<Number> {
        match side {
            SideAst::Layout(layout) => SideAst::Layout(Box::new(self.layout(*layout, which))),
            SideAst::Value(value) => SideAst::Value(value),
        }
    }

    fn layout(&mut self, layout: LayoutAst<Expr>, which: Side) -> LayoutAst<Number> {
        let distributed = layout.distributed();
        let all: Vec<usize> = (0..layout.dists.len()).collect();
        let role = |noun| move |dimension| SizeRole::of_dimension(noun, which, dimension);
        let mut list =
            |sizes: Option<Sizes<Expr>>, dimensions: &[usize], role: &dyn Fn(usize) -> SizeRole| {
                sizes.map(|sizes| self.sizes(sizes, dimensions, role))
            };
        let grid = list(layout.grid, &distributed, &|dimension| {
            role("grid extent")(dimension).at_least_one()
        });
        let first = list(layout.first, &distributed, &role("first-block coordinate"));
        let of = list(layout.of, &all, &|dimension| role("stored extent")(dimension));
        let at = list(layout.at, &all, &role("offset"));
        let axes = list(layout.axes, &all, &role("axis"));
        let copies = layout.copies.map(|copies| {
            self.number(copies, SizeRole::of_side("number of copies", which).at_least_one())
        });
        let dists = layout.dists.into_iter().enumerate();
        LayoutAst {
            dists: dists.map(|(dimension, dist)| self.dist(dist, which, dimension)).collect(),
            grid,
            first,
            of,
            at,
            axes,
            copies,
            ranks: layout.ranks.map(|ranks| self.ranks(ranks, which)),
            span: layout.span,
            scalapack: layout.scalapack,
            order: layout.order,
            storage: layout.storage,
            transposed: layout.transposed,
            broken: layout.broken,
        }
    }

    /// Resolves one size for each of `dimensions`, and counts on beyond them.
    fn sizes(
        &mut self,
        sizes: Sizes<Expr>,
        dimensions: &[usize],
        role: &dyn Fn(usize) -> SizeRole,
    ) -> Sizes<Number> {
        let values = sizes.values.into_iter().enumerate().map(|(index, size)| {
            let dimension = dimensions.get(index).copied().unwrap_or(index);
            self.number(size, role(dimension))
        });
        Sizes { values: values.collect(), tokens: sizes.tokens }
    }

    fn dist(&mut self, dist: DistAst<Expr>, which: Side, dimension: usize) -> DistAst<Number> {
        let role = SizeRole::of_dimension("block size", which, dimension);
        let kind = match dist.kind {
            DistKind::Collapsed => DistKind::Collapsed,
            DistKind::Block => DistKind::Block,
            DistKind::BlockOf(size) => DistKind::BlockOf(self.number(size, role.at_least_one())),
            DistKind::Cyclic(size) => {
                DistKind::Cyclic(size.map(|size| self.number(size, role.at_least_one())))
            }
            DistKind::GenBlock(sizes) => DistKind::GenBlock(
                self.sizes(sizes, &[], &|block| SizeRole::of_block(which, dimension, block)),
            ),
            DistKind::Rows(kind, sizes) => {
                let lengths = sizes.values.len() - kind.more();
                let turn = matches!(kind, RowsKind::Rows { cyclic: true, .. });
                let what = |row| match row {
                    row if row < lengths => SizeRole::of_row(which, dimension, row),
                    row if row == lengths && turn => {
                        SizeRole::of_dimension("rows at a time", which, dimension).at_least_one()
                    }
                    _ => SizeRole::of_dimension("ranks that share a row", which, dimension)
                        .at_least_one(),
                };
                DistKind::Rows(kind, self.sizes(sizes, &[], &what))
            }
            DistKind::Unknown => DistKind::Unknown,
        };
        DistAst { token: dist.token, kind }
    }

    fn ranks(&mut self, ranks: RanksAst<Expr>, which: Side) -> RanksAst<Number> {
        match ranks {
            RanksAst::Range { tokens, first, end } => RanksAst::Range {
                first: self.number(first, SizeRole::of_side("first rank", which)),
                end: end.map(|end| self.number(end, SizeRole::of_side("end of the ranks", which))),
                tokens,
            },
            RanksAst::Map(list) => {
                RanksAst::Map(self.sizes(list, &[], &|number| SizeRole::of_cell(which, number)))
            }
        }
    }
}
