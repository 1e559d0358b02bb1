//! `new` of items that the macro does not plan itself.

use super::expressions::Expressions;
use super::plan;
use super::planner::{self, Planner};
use crate::emit::declaration::{self, Constructor};
use crate::emit::layout::number;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use redist_notation::spec::{LayoutSpec, SideSpec, Size, Spec, Value};
use redist_notation::tiers::text;
use redist_plan::plan::Side;

/// `new` makes the compiler look at the instance's plan, so that mistakes are told at its use.
pub fn generic(spec: &Spec, demands: Option<TokenStream>) -> Constructor {
    let plan = planner::value(spec, Planner::Generic);
    Constructor::of_constant(spec, Some(quote!(let _ = #plan; #demands)))
}

pub fn run_time(
    spec: &Spec,
    expressions: &Expressions<'_>,
    demands: Option<TokenStream>,
) -> Constructor {
    let krate = &spec.krate;
    let marker =
        declaration::marker(&spec.generics).map(|_| quote!(generics: ::core::marker::PhantomData,));
    let field = declaration::plan_field(spec);
    let [counted, checked, kept] = copied(spec, expressions);
    let (name, given) = (spec.ident.to_string(), given(spec));
    let extents = plan::extents(spec, expressions);
    let (from, to) = (expressions.side(Side::Source), expressions.side(Side::Destination));
    let (from_end, to_end) = (plan::end(&spec.from, expressions), plan::end(&spec.to, expressions));
    Constructor {
        attributes: quote! {
            /// Plans the redistribution.
            ///
            /// # Errors
            /// Layouts that do not meet, naming the values and the expressions at fault.
        },
        constness: None,
        params: declaration::params(&spec.params, krate),
        result: quote!(::core::result::Result<Self, #krate::Error>),
        // Parameters may have the names of these variables: they are not used after the first
        // `let`.
        body: quote! {
            #demands
            #counted
            let (__extents, __from, __to) = (#extents, (#from, #from_end), (#to, #to_end));
            let __given: &[__redist::Given] = &[#(#given),*];
            match __redist::planned(#name, __extents, __from, __to, __given) #checked {
                ::core::result::Result::Ok(__plan) => ::core::result::Result::Ok(Self { #field: __plan, #kept #marker }),
                ::core::result::Result::Err(__error) => ::core::result::Result::Err(__error),
            }
        },
    }
}

/// Counts the copies of the sides, if any, while parameters have their names. Returns the counts,
/// their check against the plan, and the field that keeps them.
fn copied(spec: &Spec, expressions: &Expressions<'_>) -> [Option<TokenStream>; 3] {
    if !spec.has_copies() {
        return [None, None, None];
    }
    let (counts, along) = (counts(spec, expressions), along(spec));
    let field = declaration::copies_field(spec);
    [
        quote!(let __copies = #counts;),
        quote!(.and_then(|__plan| __redist::copied(__plan, __copies, #along))),
        quote!(#field: __copies,),
    ]
    .map(Some)
}

/// Returns the axes of the grids that copies are along.
pub fn along(spec: &Spec) -> TokenStream {
    let [from, to] =
        [&spec.from, &spec.to].map(|side| match side.layout().and_then(|layout| layout.along) {
            Some(axis) => quote!(::core::option::Option::Some(#axis)),
            None => quote!(::core::option::Option::None),
        });
    quote!([#from, #to])
}

pub fn counts(spec: &Spec, expressions: &Expressions<'_>) -> TokenStream {
    let count = |side: &SideSpec| {
        let copies = side.layout().and_then(|layout| layout.copies.as_ref());
        copies.map_or_else(|| number(1), |copies| expressions.size(copies))
    };
    let (from, to) = (count(&spec.from), count(&spec.to));
    quote!([#from, #to])
}

/// The expressions that errors of `new` name, each with what it is.
fn given(spec: &Spec) -> Vec<TokenStream> {
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

/// A list of expressions that `new` reports at fault, in the expansion.
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
