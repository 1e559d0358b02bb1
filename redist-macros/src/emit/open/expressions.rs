//! The user's expressions: each stands once in the expansion, in the body of a function of its own,
//! where editors find it; everything else calls that function.

use crate::emit::place::Place;
use crate::emit::{declaration, layout};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use redist_notation::spec::{LayoutSpec, SideSpec, Size, Spec, Value};
use redist_notation::tiers::text;
use redist_plan::plan::Side;
use std::collections::BTreeMap;
use syn::Expr;

/// The user's expressions as functions, and the code of each size and side.
pub struct Expressions<'a> {
    spec: &'a Spec,
    /// To stand before everything that quotes the user, and outside of named things.
    pub functions: TokenStream,
    pub constants: TokenStream,
    /// Code of each size, by its address in the spec.
    sizes: BTreeMap<*const Size, TokenStream>,
    sides: Vec<TokenStream>,
}

impl<'a> Expressions<'a> {
    pub fn of(spec: &'a Spec) -> Self {
        let (functions, constants) = (TokenStream::new(), TokenStream::new());
        let mut expressions =
            Self { spec, functions, constants, sizes: BTreeMap::new(), sides: Vec::new() };
        let layouts = spec.sides().into_iter().filter_map(|(_, side)| side.layout());
        for size in spec.extents.iter().chain(layouts.flat_map(LayoutSpec::sizes)) {
            let written = expressions.add(size);
            expressions.sizes.insert(size, written);
        }
        for (which, side) in spec.sides() {
            let written = expressions.add_side(which, side);
            expressions.sides.push(written);
        }
        expressions
    }

    pub fn size(&self, size: &Size) -> TokenStream {
        self.sizes.get(&core::ptr::from_ref(size)).cloned().unwrap_or_default()
    }

    pub fn constant(&self, size: &Size) -> Option<TokenStream> {
        matches!(size.value, Value::Literal(_) | Value::Constant).then(|| self.size(size))
    }

    pub fn side(&self, which: Side) -> &TokenStream {
        &self.sides[which as usize]
    }

    fn add(&mut self, size: &Size) -> TokenStream {
        if let Value::Literal(value) = size.value {
            return layout::number(value);
        }
        let (name, place) = (size.name(), Place::of(&size.expr).unwrap_or_else(Place::of_call));
        let function = format_ident!("__redist_{name}");
        self.function(&function, &quote!(::core::primitive::usize), &size.expr, size.value);
        let call = self.call(&function, &size.expr, size.value);
        match size.value {
            Value::Parameter => call,
            Value::Generic => self.named().block(quote!(const), self.checked(size, place, &call)),
            Value::Literal(_) | Value::Constant => {
                let (name, checked) =
                    (format_ident!("{}", name.to_uppercase()), self.checked(size, place, &call));
                self.constants.extend(quote!(const #name: ::core::primitive::usize = #checked;));
                self.named().name(name)
            }
        }
    }

    fn add_side(&mut self, which: Side, side: &SideSpec) -> TokenStream {
        let krate = &self.spec.krate;
        match side {
            SideSpec::Layout(written) => {
                layout::layout(krate, written, &mut |size| self.size(size))
            }
            SideSpec::Value(expr, value) => {
                let rank = layout::number(self.spec.extents.len());
                let result = quote!(#krate::Layout<#rank>);
                let function = format_ident!("__redist_{which}");
                self.function(&function, &result, expr, *value);
                self.call(&function, expr, *value)
            }
        }
    }

    /// Returns the one place at which constants are used, because the compiler notes each use of a
    /// wrong one.
    fn named(&self) -> Place {
        Place::at(self.spec.ident.span())
    }

    fn function(&mut self, name: &Ident, result: &TokenStream, expr: &Expr, value: Value) {
        let (generics, params) = match value {
            Value::Literal(_) | Value::Constant => (None, Vec::new()),
            Value::Generic => (Some(&self.spec.generics), Vec::new()),
            Value::Parameter => (
                Some(&self.spec.generics),
                declaration::params(&self.spec.params, &self.spec.krate),
            ),
        };
        let generics = generics.map(syn::Generics::split_for_impl);
        let (parameters, bounds) =
            generics.map_or((None, None), |(parameters, _, bounds)| (Some(parameters), bounds));
        // Values that are given at run time may be computed by functions that are not const. In
        // constants rustc itself finds what the lints would find a second time.
        let constness = (value != Value::Parameter).then(|| {
            let computes = !matches!(expr, Expr::Path(_));
            let lints =
                computes.then(|| quote!(#[allow(arithmetic_overflow, unconditional_panic)]));
            quote!(#lints const)
        });
        let result = Place::of(expr).map_or_else(|| result.clone(), |place| place.name(result));
        self.functions.extend(quote! {
            #constness fn #name #parameters(#(#params),*) -> #result #bounds {
                #expr
            }
        });
    }

    fn call(&self, function: &Ident, expr: &Expr, value: Value) -> TokenStream {
        let (_, arguments, _) = self.spec.generics.split_for_impl();
        let arguments = arguments.as_turbofish();
        let place = Place::of(expr).unwrap_or_else(Place::of_call);
        match value {
            Value::Literal(_) | Value::Constant => {
                place.call(quote!(#function), TokenStream::new())
            }
            Value::Generic => place.call(quote!(#function #arguments), TokenStream::new()),
            Value::Parameter => {
                let names = self.spec.params.iter().map(|param| &param.ident);
                place.call(quote!(#function #arguments), quote!(#(#names),*))
            }
        }
    }

    fn checked(&self, size: &Size, place: Place, call: &TokenStream) -> TokenStream {
        let (expression, what) = (text(&size.expr), &size.what);
        let minimum = layout::number(size.minimum);
        let arguments = quote!(#call, #expression, #what, #minimum);
        place.call(quote!(__redist::check_size), arguments)
    }
}
