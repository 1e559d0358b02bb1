//! Items with sizes that the macro does not know: rustc plans what is constant, `new` what is given at run time.

mod expressions;
mod kernel;
mod table;

use super::{declaration, docs, layout};
use crate::spec::{LayoutSpec, SideSpec, Size, Spec, Value, Which};
use crate::tiers;
use expressions::Expressions;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

/// How an item's plan comes to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Planner {
    /// One constant.
    Constant,
    /// One constant for each instance.
    Generic,
    /// A value made by `new`.
    New,
}

/// The parts of an item's plan, as expressions.
struct Parts {
    extents: TokenStream,
    from: TokenStream,
    to: TokenStream,
    from_end: TokenStream,
    to_end: TokenStream,
}

/// The items of one redistribution.
pub fn item(spec: &Spec) -> TokenStream {
    let expressions = Expressions::of(spec);
    let planner = planner(spec);
    let kernels = kernel::kernels(spec, planner, &expressions);
    let implementation = implementation(spec, planner, &expressions, &kernels);
    let declaration = declaration::of(spec, &docs::of_open(spec, kernels.docs));
    let functions = expressions.functions();
    // The functions stand outside, so that what they name is the user's and not one of the names inside.
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        #[allow(unused_variables, dead_code)]
        const _: () = {
            #functions
            const _: () = { #implementation };
        };
        #declaration
    }
}

fn planner(spec: &Spec) -> Planner {
    let sizes =
        spec.extents.iter().chain(spec.sides().into_iter().filter_map(|(_, s)| s.layout()).flat_map(LayoutSpec::sizes));
    let values = spec.sides().into_iter().filter_map(|(_, side)| match side {
        SideSpec::Value(_, value) => Some(*value),
        SideSpec::Layout(_) => None,
    });
    let latest = sizes.map(|size| size.value).chain(values).max();
    match latest {
        _ if !spec.params.is_empty() => Planner::New,
        Some(Value::Generic) => Planner::Generic,
        _ => Planner::Constant,
    }
}

fn parts(spec: &Spec, expressions: &Expressions<'_>) -> Parts {
    let end = |side: &SideSpec| match side.layout().and_then(|layout| layout.end.as_ref()) {
        Some(end) => {
            let end = expressions.size(end);
            quote!(::core::option::Option::Some(#end))
        }
        None => quote!(::core::option::Option::None),
    };
    Parts {
        extents: layout::list(&spec.extents, &mut |size| expressions.size(size)),
        from: expressions.side(Which::Source).clone(),
        from_end: end(&spec.from),
        to: expressions.side(Which::Destination).clone(),
        to_end: end(&spec.to),
    }
}

fn implementation(
    spec: &Spec,
    planner: Planner,
    expressions: &Expressions<'_>,
    kernels: &kernel::Kernels,
) -> TokenStream {
    let (parts, constants) = (&parts(spec, expressions), expressions.constants());
    let Spec { krate, ident, element, .. } = spec;
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let rank = layout::number(spec.extents.len());
    let (plan, constructor) = match planner {
        Planner::Constant => (constant(spec, parts), declaration::constructor(spec)),
        Planner::Generic => (generic(spec, parts), generic_constructor(spec)),
        Planner::New => (TokenStream::new(), run_time_constructor(spec, parts)),
    };
    let value = match planner {
        Planner::Constant => quote!(PLAN),
        Planner::Generic => quote!(<Self as #krate::exec::generated::Constants<#rank>>::PLAN),
        Planner::New => quote!(self.plan),
    };
    let (tables, windows) = (table::statics(spec, planner, expressions), table::references(spec, planner, expressions));
    let (functions, method) = (&kernels.functions, &kernels.method);
    let (name, tiers) = (ident.to_string(), tier_list(spec));
    quote! {
        #constants
        #plan
        #tables
        #functions
        #constructor
        impl #generics #krate::Redistribution<#rank> for #ident #arguments #bounds {
            type Element = #element;

            fn name(&self) -> &str {
                #name
            }

            fn tiers(&self) -> [(#krate::Tier, &'static str); #rank] {
                #tiers
            }

            fn plan(&self) -> #krate::Plan<#rank> {
                #value
            }

            fn windows(&self) -> [&'static [#krate::Piece]; #rank] {
                #windows
            }

            #method
        }
    }
}

/// The plan as one constant, and what the item demands of it.
fn constant(spec: &Spec, parts: &Parts) -> TokenStream {
    let (krate, rank) = (&spec.krate, layout::number(spec.extents.len()));
    let plan = plan(spec, parts);
    let demands = table::demands(spec, &quote!(PLAN));
    quote! {
        const PLAN: #krate::Plan<#rank> = #plan;
        #(const _: () = #demands;)*
    }
}

/// The plan as a constant of each instance.
fn generic(spec: &Spec, parts: &Parts) -> TokenStream {
    let Spec { krate, ident, tables, .. } = spec;
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let (rank, tables, plan) = (layout::number(spec.extents.len()), layout::number(*tables), plan(spec, parts));
    let demands = table::demands(spec, &quote!(plan));
    quote! {
        impl #generics #krate::exec::generated::Constants<#rank> for #ident #arguments #bounds {
            const PLAN: #krate::Plan<#rank> = {
                let plan = #plan;
                #(#demands;)*
                plan
            };
            const TABLES: ::core::primitive::usize = #tables;
        }
    }
}

/// `new` makes the compiler look at the plan of the instance, so that what is wrong is said where it is used.
fn generic_constructor(spec: &Spec) -> TokenStream {
    let Spec { krate, vis, ident, generics, .. } = spec;
    let (impl_generics, arguments, bounds) = generics.split_for_impl();
    let rank = layout::number(spec.extents.len());
    let value = match declaration::marker(generics) {
        Some(_) => quote!(Self(::core::marker::PhantomData)),
        None => quote!(Self),
    };
    quote! {
        #[allow(dead_code)]
        impl #impl_generics #ident #arguments #bounds {
            /// The redistribution, planned when this crate was compiled.
            #[must_use]
            #vis const fn new() -> Self {
                let _ = <Self as #krate::exec::generated::Constants<#rank>>::PLAN;
                #value
            }
        }
    }
}

/// The plan as an expression for constants, at the place of the layouts.
fn plan(spec: &Spec, Parts { extents, from, to, from_end, to_end }: &Parts) -> TokenStream {
    let (krate, rank) = (&spec.krate, layout::number(spec.extents.len()));
    let span = spec.to.layout().or(spec.from.layout()).map_or_else(Span::call_site, |layout| layout.span);
    let function = quote_spanned!(span=> constant);
    quote!(#krate::Plan::<#rank>::#function(#extents, #from, #to).with_ranks(#from_end, #to_end))
}

fn run_time_constructor(spec: &Spec, Parts { extents, from, to, from_end, to_end }: &Parts) -> TokenStream {
    let Spec { krate, vis, ident, generics, .. } = spec;
    let (impl_generics, arguments, bounds) = generics.split_for_impl();
    let params = declaration::params(&spec.params, krate);
    let marker = declaration::marker(generics).map(|_| quote!(generics: ::core::marker::PhantomData,));
    let (name, given) = (ident.to_string(), given(spec));
    quote! {
        #[allow(dead_code)]
        impl #impl_generics #ident #arguments #bounds {
            /// Plans the redistribution.
            ///
            /// # Errors
            /// Layouts that do not meet, naming the values and the expressions at fault.
            #vis fn new(#(#params),*) -> ::core::result::Result<Self, #krate::Error> {
                let given: &[#krate::exec::generated::Given] = &[#(#given),*];
                let (extents, from, to) = (#extents, (#from, #from_end), (#to, #to_end));
                match #krate::exec::generated::planned(#name, extents, from, to, given) {
                    ::core::result::Result::Ok(plan) => ::core::result::Result::Ok(Self { plan, #marker }),
                    ::core::result::Result::Err(error) => ::core::result::Result::Err(error),
                }
            }
        }
    }
}

/// The expressions that errors of `new` name, each with what it is.
fn given(spec: &Spec) -> Vec<TokenStream> {
    let mut entries = Vec::new();
    let krate = &spec.krate;
    let mut add = |which: Which, dimension: usize, role: &str, expr: &syn::Expr, value: Value| {
        if !matches!(value, Value::Literal(_)) {
            let side = if which == Which::Source { quote!(Source) } else { quote!(Destination) };
            let (dimension, role) = (layout::number(dimension), quote::format_ident!("{role}"));
            let expression = tiers::text(expr);
            entries.push(quote!(#krate::exec::generated::Given {
                side: #krate::Side::#side,
                dimension: #dimension,
                role: #krate::exec::generated::Role::#role,
                expression: #expression,
            }));
        }
    };
    for (dimension, extent) in spec.extents.iter().enumerate() {
        add(Which::Source, dimension, "Extent", &extent.expr, extent.value);
    }
    for (which, side) in spec.sides() {
        let layout = match side {
            SideSpec::Value(expr, value) => {
                add(which, 0, "Layout", expr, *value);
                continue;
            }
            SideSpec::Layout(layout) => layout,
        };
        let none: &[Size] = &[];
        let optional = |sizes: &Option<Vec<Size>>| sizes.clone().unwrap_or_default();
        for (role, sizes) in [
            ("Grid", &layout.grid),
            ("First", &layout.first),
            ("Stored", &optional(&layout.of)),
            ("At", &optional(&layout.at)),
        ] {
            for (dimension, size) in sizes.iter().chain(none).enumerate() {
                add(which, dimension, role, &size.expr, size.value);
            }
        }
        for (dimension, dist) in layout.dists.iter().enumerate() {
            dist.sizes().iter().for_each(|size| add(which, dimension, "Block", &size.expr, size.value));
        }
        for size in core::iter::once(&layout.base).chain(&layout.end) {
            add(which, 0, "Ranks", &size.expr, size.value);
        }
    }
    entries
}

/// The tiers with their reasons, as the `tiers` method returns them.
fn tier_list(spec: &Spec) -> TokenStream {
    let krate = &spec.krate;
    let tiers = tiers::tiers(spec).into_iter().map(|tier| {
        let name = match tier.blocks {
            Value::Literal(_) => quote!(Literal),
            Value::Constant | Value::Generic => quote!(Constant),
            Value::Parameter => quote!(RunTime),
        };
        let reason = tier.reason;
        quote!((#krate::Tier::#name, #reason))
    });
    quote!([#(#tiers),*])
}
