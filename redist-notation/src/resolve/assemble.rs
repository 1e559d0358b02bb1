use super::number::Scope;
use super::{Number, scope};
use crate::ast::{Array, DistAst, DistKind, Item, LayoutAst, RanksAst, SideAst, Sizes};
use crate::diagnostic::{Diagnostics, message};
use crate::spec::{
    DEFAULT_MAX_TABLE_PIECES, DistSpec, LayoutSpec, RanksSpec, SideSpec, Size, Spec,
};
use quote::ToTokens;
use redist_plan::layout::{RankOrder, StorageOrder};

pub fn spec(item: &Item<Number>, diagnostics: &mut Diagnostics) -> Option<Spec> {
    if !diagnostics.is_empty() {
        return None;
    }
    let spec = complete(item);
    if spec.is_none() {
        // A rule is missing in `check`. To say so is better than to drop the item in silence.
        diagnostics.error(&item.ident, message::incomplete(&item.ident));
    }
    spec
}

fn complete(item: &Item<Number>) -> Option<Spec> {
    let array = item.array.as_ref()?;
    let scope = scope(item);
    Some(Spec {
        attrs: item.attrs.clone(),
        vis: item.vis.clone(),
        ident: item.ident.clone(),
        generics: item.generics.clone(),
        params: item.params.clone(),
        element: array.element.clone(),
        extents: sizes(&array.extents)?,
        from: side(item.from.given()?, array, &scope)?,
        to: side(item.to.given()?, array, &scope)?,
        require: item.require.clone(),
        unroll: optional(&item.unroll)?,
        tables: optional(&item.tables)?.unwrap_or(DEFAULT_MAX_TABLE_PIECES),
        limits: [&item.unroll, &item.tables]
            .map(|limit| limit.as_ref().map(|number| number.expr.clone())),
        relabelled: None,
        krate: item.krate.clone(),
    })
}

pub fn axes(layout: &LayoutAst<Number>, dimensions: usize) -> Option<Vec<usize>> {
    let axes = match (&layout.axes, &layout.transposed) {
        (None, None) => (0..dimensions).collect(),
        (None, Some(_)) => vec![1, 0],
        (Some(list), _) => {
            list.values.iter().map(Number::literal).collect::<Option<Vec<usize>>>()?
        }
    };
    let permutes = (0..dimensions).all(|axis| axes.contains(&axis));
    (axes.len() == dimensions && permutes).then_some(axes)
}

/// `Some(None)` without a number, `None` for a wrong one.
fn optional(number: &Option<Number>) -> Option<Option<usize>> {
    match number {
        Some(number) => number.literal().map(Some),
        None => Some(None),
    }
}

fn sizes(numbers: &[Number]) -> Option<Vec<Size>> {
    numbers.iter().map(Number::size).collect()
}

fn side(side: &SideAst<Number>, array: &Array<Number>, scope: &Scope) -> Option<SideSpec> {
    match side {
        SideAst::Layout(written) => {
            layout(written, array.extents.len()).map(|layout| SideSpec::Layout(Box::new(layout)))
        }
        SideAst::Value(value) => {
            Some(SideSpec::Value(value.clone(), scope.value(value.to_token_stream())))
        }
    }
}

fn layout(layout: &LayoutAst<Number>, dimensions: usize) -> Option<LayoutSpec> {
    if layout.broken || layout.dists.len() != dimensions {
        return None;
    }
    let storage = if layout.scalapack.is_some() { StorageOrder::Fortran } else { StorageOrder::C };
    Some(LayoutSpec {
        dists: layout.dists.iter().map(dist).collect::<Option<_>>()?,
        grid: spread(layout, &layout.grid, 1)?,
        first: spread(layout, &layout.first, 0)?,
        ranks: match &layout.ranks {
            Some(given) => ranks(given)?,
            None => RanksSpec::Range { first: Size::implied(0), end: None },
        },
        order: layout.order.unwrap_or(RankOrder::Row),
        storage: layout.storage.unwrap_or(storage),
        of: section(&layout.of, dimensions)?,
        at: section(&layout.at, dimensions)?,
        axes: axes(layout, dimensions)?,
        copies: match &layout.copies {
            Some(copies) => Some(copies.size()?),
            None => None,
        },
        span: layout.span,
    })
}

fn ranks(ranks: &RanksAst<Number>) -> Option<RanksSpec> {
    match ranks {
        RanksAst::Range { first, end, .. } => {
            let end = match end {
                Some(end) => Some(end.size()?),
                None => None,
            };
            Some(RanksSpec::Range { first: first.size()?, end })
        }
        RanksAst::Map(list) => sizes(&list.values).map(RanksSpec::Map),
    }
}

fn dist(dist: &DistAst<Number>) -> Option<DistSpec> {
    match &dist.kind {
        DistKind::Collapsed => Some(DistSpec::Collapsed),
        DistKind::Block => Some(DistSpec::Block),
        DistKind::BlockOf(block) => block.size().map(DistSpec::BlockOf),
        DistKind::Cyclic(Some(block)) => block.size().map(DistSpec::Cyclic),
        DistKind::Cyclic(None) => Some(DistSpec::Cyclic(Size::implied(1))),
        DistKind::GenBlock(blocks) => sizes(&blocks.values).map(DistSpec::GenBlock),
        DistKind::Rows(kind, list) => sizes(&list.values).map(|list| DistSpec::Rows(*kind, list)),
        DistKind::Unknown => None,
    }
}

fn spread(
    layout: &LayoutAst<Number>,
    list: &Option<Sizes<Number>>,
    implied: usize,
) -> Option<Vec<Size>> {
    let size = |number: &Option<&Number>| number.map_or(Some(Size::implied(implied)), Number::size);
    layout.spread(list).iter().map(size).collect()
}

fn section(list: &Option<Sizes<Number>>, dimensions: usize) -> Option<Option<Vec<Size>>> {
    match list {
        Some(list) if list.values.len() == dimensions => sizes(&list.values).map(Some),
        Some(_) => None,
        None => Some(None),
    }
}
