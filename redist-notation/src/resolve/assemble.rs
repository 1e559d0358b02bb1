//! Makes the spec of an item from its words.

use super::scope::Scope;
use crate::ast::{Array, Item, LayoutAst, SideAst, Sizes};
use crate::diagnostic::{Diagnostics, message};
use crate::spec::{DEFAULT_MAX_TABLE_PIECES, LayoutSpec, RanksSpec, SideSpec, Size, Spec};
use quote::ToTokens;
use redist_plan::layout::{RankOrder, StorageOrder};

pub fn spec(item: &Item, diagnostics: &mut Diagnostics) -> Option<Spec> {
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

fn complete(item: &Item) -> Option<Spec> {
    let array = item.array.as_ref()?;
    let scope = Scope::of(item);
    Some(Spec {
        attrs: item.attrs.clone(),
        vis: item.vis.clone(),
        ident: item.ident.clone(),
        generics: item.generics.clone(),
        params: item.params.clone(),
        element: array.element.clone(),
        extents: array.extents.clone(),
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

pub fn axes(layout: &LayoutAst, dimensions: usize) -> Option<Vec<usize>> {
    let axes = match (&layout.axes, &layout.transposed) {
        (None, None) => (0..dimensions).collect(),
        (None, Some(_)) => vec![1, 0],
        (Some(list), _) => Size::literals(&list.values)?,
    };
    let permutes = (0..dimensions).all(|axis| axes.contains(&axis));
    (axes.len() == dimensions && permutes).then_some(axes)
}

/// `Some(None)` without a number, `None` for a wrong one.
fn optional(number: &Option<Size>) -> Option<Option<usize>> {
    match number {
        Some(number) => number.literal().map(Some),
        None => Some(None),
    }
}

fn side(side: &SideAst, array: &Array, scope: &Scope) -> Option<SideSpec> {
    match side {
        SideAst::Layout(written) => {
            layout(written, array.extents.len()).map(|layout| SideSpec::Layout(Box::new(layout)))
        }
        SideAst::Value(value) => {
            Some(SideSpec::Value(value.clone(), scope.value(value.to_token_stream())))
        }
    }
}

fn layout(layout: &LayoutAst, dimensions: usize) -> Option<LayoutSpec> {
    if layout.broken || layout.dists.len() != dimensions {
        return None;
    }
    let storage = if layout.scalapack.is_some() { StorageOrder::Fortran } else { StorageOrder::C };
    Some(LayoutSpec {
        dists: layout.dists.iter().map(|dist| dist.kind.clone()).collect::<Option<_>>()?,
        grid: spread(layout, &layout.grid, 1),
        first: spread(layout, &layout.first, 0),
        ranks: match &layout.ranks {
            Some((_, ranks)) => ranks.clone(),
            None => RanksSpec::Range { first: Size::implied(0), end: None },
        },
        order: layout.order.unwrap_or(RankOrder::Row),
        storage: layout.storage.unwrap_or(storage),
        of: section(&layout.of, dimensions)?,
        at: section(&layout.at, dimensions)?,
        axes: axes(layout, dimensions)?,
        copies: layout.copies.clone(),
        along: layout.along.as_ref().and_then(Size::literal),
        span: layout.span,
    })
}

fn spread(layout: &LayoutAst, list: &Option<Sizes>, implied: usize) -> Vec<Size> {
    let size = |size: Option<&Size>| size.cloned().unwrap_or_else(|| Size::implied(implied));
    layout.spread(list).into_iter().map(size).collect()
}

fn section(list: &Option<Sizes>, dimensions: usize) -> Option<Option<Vec<Size>>> {
    match list {
        Some(list) if list.values.len() == dimensions => Some(Some(list.values.clone())),
        Some(_) => None,
        None => Some(None),
    }
}
