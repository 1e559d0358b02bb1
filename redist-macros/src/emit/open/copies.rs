//! Items with `copies` on a side: the plan between first copies, and how many there are.

use super::constructor::counts;
use super::expressions::Expressions;
use super::planner::{self, Planner};
use crate::emit::declaration;
use crate::emit::implementation::braced;
use crate::emit::layout::number;
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::spec::Spec;

pub fn replication(spec: &Spec, planner: Planner, expressions: &Expressions<'_>) -> TokenStream {
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
    let (keyword, body) = braced(
        ident,
        quote! {
            type Element = #element;

            fn name(&self) -> &str {
                #name
            }

            fn first(&self) -> #krate::Plan<#rank> {
                #plan
            }

            fn copies(&self, side: #krate::Side) -> ::core::primitive::usize {
                let [from, to] = #copies;
                match side {
                    #krate::Side::Source => from,
                    #krate::Side::Destination => to,
                }
            }
        },
    );
    quote!(#keyword #generics #krate::Replication<#rank> for #ident #arguments #bounds #body)
}
