//! Items with `copies` on a side: the plan between first copies, and how many there are.

use super::constructor::{along, counts};
use super::expressions::Expressions;
use super::planner::{self, Planner};
use crate::emit::declaration;
use crate::emit::implementation::braced;
use crate::emit::layout::number;
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::spec::Spec;

pub fn of_item(spec: &Spec, planner: Planner, expressions: &Expressions<'_>) -> TokenStream {
    let Spec { krate, ident, element, .. } = spec;
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let (rank, name) = (number(spec.extents.len()), ident.to_string());
    let plan = planner::value(spec, planner);
    let copies = match planner {
        Planner::New => {
            let field = declaration::copies_field(spec);
            quote!(self.#field)
        }
        Planner::Constant | Planner::Generic => counts(spec, expressions),
    };
    let is_along = spec.layouts().any(|layout| layout.along.is_some());
    let axes = is_along.then(|| along(spec));
    let along = axes.map(|axes| {
        quote! {
            fn along(&self, side: #krate::Side) -> ::core::option::Option<::core::primitive::usize> {
                let [from, to] = #axes;
                match side {
                    #krate::Side::Source => from,
                    #krate::Side::Destination => to,
                }
            }
        }
    });
    let (keyword, body) = braced(
        ident,
        quote! {
            type Element = #element;

            fn name(&self) -> &::core::primitive::str {
                #name
            }

            fn first(&self) -> #krate::Plan<#rank> {
                #plan
            }

            fn copies(&self, __side: #krate::Side) -> ::core::primitive::usize {
                let [__from, __to] = #copies;
                match __side {
                    #krate::Side::Source => __from,
                    #krate::Side::Destination => __to,
                }
            }

            #along
        },
    );
    quote!(#keyword #generics #krate::WithCopies<#rank> for #ident #arguments #bounds #body)
}
