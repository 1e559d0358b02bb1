//! Items with `copies` on a side: the plan between first copies, and how many there are.

use super::constructor::{self, counts};
use super::expressions::Expressions;
use super::plan;
use super::planner::{self, Planner};
use crate::emit::declaration::{self, Constructor};
use crate::emit::implementation::braced;
use crate::emit::layout::number;
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::spec::Spec;

pub fn implementation(spec: &Spec, planner: Planner, expressions: &Expressions<'_>) -> TokenStream {
    let constants = expressions.constants();
    let (plan, constructor) = match planner {
        Planner::Constant => {
            (plan::constant(spec, expressions), Constructor::of_constant(spec, None))
        }
        Planner::Generic => (plan::generic(spec, expressions), constructor::generic(spec, None)),
        Planner::New => (TokenStream::new(), constructor::run_time(spec, expressions, None)),
    };
    let constructor = constructor.emitted(spec);
    let replication = replication(spec, planner, expressions);
    quote! {
        #constants
        #plan
        #constructor
        #replication
    }
}

fn replication(spec: &Spec, planner: Planner, expressions: &Expressions<'_>) -> TokenStream {
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
