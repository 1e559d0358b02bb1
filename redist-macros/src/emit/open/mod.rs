//! Items with sizes unknown to the macro: rustc plans constants, `new` what comes at run time.

mod constructor;
mod copies;
mod expressions;
mod plan;
mod planner;
mod table;

use super::blocks;
use super::declaration::{self, Constructor};
use super::demands;
use super::docs;
use super::implementation::{self, Made};
use super::loops::Loops;
use super::place::Place;
use expressions::Expressions;
use planner::Planner;
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::spec::{LayoutSpec, SideSpec, Spec, Value};
use redist_notation::tiers;

pub fn item(spec: &Spec) -> TokenStream {
    let expressions = Expressions::of(spec);
    let planner = planner(spec);
    let blocks = if spec.has_copies() {
        // The parts between copies are planned by `bind`.
        Loops::default()
    } else {
        blocks::constants(spec, |dimension| {
            table::constant_blocks(spec, planner, &expressions, dimension)
        })
    };
    let has_blocks = !blocks.constants.is_empty();
    let implementation = implementation(spec, planner, &expressions, blocks);
    let (krate, functions) = (&spec.krate, &expressions.functions);
    // A run-time local in a constant is an error that rustc marks there, too.
    let name = Place::at(spec.ident.span()).name(quote!(_));
    // The functions stand outside, so that what they name is the user's and not one of the names
    // inside.
    let lint = demands::lint(spec);
    let beside = quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        #lint
        #[allow(unused_variables, unused_parens, unused_braces, dead_code)]
        const #name: () = {
            #functions
            const _: () = {
                use #krate::exec::generated as __redist;
                #implementation
            };
        };
    };
    declaration::of(spec, &docs::of_open(spec, has_blocks), &beside)
}

fn planner(spec: &Spec) -> Planner {
    let sizes = spec.extents.iter().chain(
        spec.sides().into_iter().filter_map(|(_, s)| s.layout()).flat_map(LayoutSpec::sizes),
    );
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

fn implementation(
    spec: &Spec,
    planner: Planner,
    expressions: &Expressions<'_>,
    blocks: Loops,
) -> TokenStream {
    let constants = &expressions.constants;
    let demands = demands::of(spec, &planner::value(spec, planner), planner == Planner::Generic);
    let (demanded, of_instances) = (demands.of_item, demands.of_instances);
    let (plan, constructor) = match planner {
        Planner::Constant => {
            (plan::constant(spec, expressions), Constructor::of_constant(spec, of_instances))
        }
        Planner::Generic => {
            (plan::generic(spec, expressions), constructor::generic(spec, of_instances))
        }
        Planner::New => (
            table::demanded(spec, expressions),
            constructor::run_time(spec, expressions, of_instances),
        ),
    };
    let constructor = constructor.emitted(spec);
    let (tables, implementation) = if spec.has_copies() {
        (TokenStream::new(), copies::of_item(spec, planner, expressions))
    } else {
        let made = made(spec, planner, expressions, blocks);
        (table::statics(spec, planner, expressions), implementation::of(spec, &made))
    };
    quote! {
        #constants
        #plan
        #tables
        #constructor
        #implementation
        #demanded
    }
}

fn made(spec: &Spec, planner: Planner, expressions: &Expressions<'_>, blocks: Loops) -> Made {
    Made {
        tiers: Some(tier_list(spec)),
        plan: planner::value(spec, planner),
        windows: table::references(spec, planner, expressions),
        blocks,
    }
}

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
