//! The expressions that errors of `new` name, each with what it is.

use crate::emit::layout::number;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use redist_notation::spec::{LayoutSpec, SideSpec, Size, Spec, Value};
use redist_notation::tiers::text;
use redist_plan::plan::Side;

pub fn list(spec: &Spec) -> Vec<TokenStream> {
    let mut list = List { krate: &spec.krate, entries: Vec::new() };
    list.sizes(Side::Source, "Extent", &spec.extents);
    for (which, side) in spec.sides() {
        match side {
            SideSpec::Value(expr, value) => list.add(which, 0, "Layout", expr, *value),
            SideSpec::Layout(layout) => list.layout(which, layout),
        }
    }
    list.entries
}

struct List<'a> {
    krate: &'a TokenStream,
    entries: Vec<TokenStream>,
}

impl List<'_> {
    fn layout(&mut self, which: Side, layout: &LayoutSpec) {
        self.sizes(which, "Grid", &layout.grid);
        self.sizes(which, "First", &layout.first);
        self.sizes(which, "Stored", layout.of.as_deref().unwrap_or_default());
        self.sizes(which, "At", layout.at.as_deref().unwrap_or_default());
        for (dimension, dist) in layout.dists.iter().enumerate() {
            dist.sizes()
                .iter()
                .for_each(|size| self.add(which, dimension, "Block", &size.expr, size.value));
        }
        for size in layout.ranks.sizes() {
            self.add(which, 0, "Ranks", &size.expr, size.value);
        }
    }

    fn sizes(&mut self, which: Side, role: &str, sizes: &[Size]) {
        for (dimension, size) in sizes.iter().enumerate() {
            self.add(which, dimension, role, &size.expr, size.value);
        }
    }

    fn add(&mut self, which: Side, dimension: usize, role: &str, expr: &syn::Expr, value: Value) {
        if matches!(value, Value::Literal(_)) {
            return;
        }
        let (krate, side, role) = (self.krate, format_ident!("{which:?}"), format_ident!("{role}"));
        let (dimension, expression) = (number(dimension), text(expr));
        let given = quote!(__redist::Given::new(#krate::Side::#side, #dimension, __redist::Role::#role, #expression));
        self.entries.push(given);
    }
}
