//! The user's expressions: each stands once in the expansion, in the body of a function of its own, where editors find
//! it; everything else calls that function.

use crate::emit::{declaration, layout};
use crate::spec::{LayoutSpec, SideSpec, Size, Spec, Value, Which};
use crate::tiers::text;
use proc_macro2::{Group, Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::BTreeMap;
use syn::spanned::Spanned;

/// The functions that hold the user's expressions, and how to write each size and side.
pub struct Expressions<'a> {
    spec: &'a Spec,
    functions: TokenStream,
    constants: TokenStream,
    /// By the place of the size in the spec.
    sizes: BTreeMap<*const Size, TokenStream>,
    sides: Vec<TokenStream>,
    count: usize,
}

impl<'a> Expressions<'a> {
    pub fn of(spec: &'a Spec) -> Self {
        let (functions, constants) = (TokenStream::new(), TokenStream::new());
        let mut expressions = Self { spec, functions, constants, sizes: BTreeMap::new(), sides: Vec::new(), count: 0 };
        let layouts = spec.sides().into_iter().filter_map(|(_, side)| side.layout());
        for size in spec.extents.iter().chain(layouts.flat_map(LayoutSpec::sizes)) {
            let written = expressions.add(size);
            expressions.sizes.insert(size, written);
        }
        for (_, side) in spec.sides() {
            let written = expressions.add_side(side);
            expressions.sides.push(written);
        }
        expressions
    }

    /// The functions, to stand before everything that quotes the user, and outside of everything that has a name.
    pub fn functions(&self) -> &TokenStream {
        &self.functions
    }

    /// Constants for the sizes that the compiler knows once for the item; they check themselves.
    pub fn constants(&self) -> &TokenStream {
        &self.constants
    }

    /// How to write a size of the spec.
    pub fn size(&self, size: &Size) -> TokenStream {
        self.sizes.get(&core::ptr::from_ref(size)).cloned().unwrap_or_default()
    }

    /// How to write a size, where rustc knows it for the whole item.
    pub fn constant(&self, size: &Size) -> Option<TokenStream> {
        matches!(size.value, Value::Literal(_) | Value::Constant).then(|| self.size(size))
    }

    /// How to write a side.
    pub fn side(&self, which: Which) -> &TokenStream {
        match which {
            Which::Source => &self.sides[0],
            Which::Destination => &self.sides[1],
        }
    }

    fn add(&mut self, size: &Size) -> TokenStream {
        let number = match size.value {
            Value::Literal(value) => return layout::number(value),
            Value::Constant | Value::Generic | Value::Parameter => self.next(),
        };
        let function = format_ident!("__redist_size_{number}");
        self.function(&function, &quote!(::core::primitive::usize), &size.expr, size.value);
        let call = self.call(&function, size.value);
        match size.value {
            Value::Parameter => call,
            Value::Generic => {
                let checked = self.checked(size, &call);
                quote!(const { #checked })
            }
            Value::Literal(_) | Value::Constant => {
                let (name, checked) = (format_ident!("SIZE_{number}"), self.checked(size, &call));
                self.constants.extend(quote!(const #name: ::core::primitive::usize = #checked;));
                quote!(#name)
            }
        }
    }

    fn add_side(&mut self, side: &SideSpec) -> TokenStream {
        let krate = &self.spec.krate;
        match side {
            SideSpec::Layout(written) => layout::layout(krate, written, &mut |size| self.size(size)),
            SideSpec::Value(expr, value) => {
                let rank = layout::number(self.spec.extents.len());
                let result = quote!(#krate::Layout<#rank>);
                let function = format_ident!("__redist_layout_{}", self.next());
                self.function(&function, &result, expr, *value);
                self.call(&function, *value)
            }
        }
    }

    fn next(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }

    fn function(&mut self, name: &Ident, result: &TokenStream, expr: &syn::Expr, value: Value) {
        let (generics, params) = match value {
            Value::Literal(_) | Value::Constant => (None, Vec::new()),
            Value::Generic => (Some(&self.spec.generics), Vec::new()),
            Value::Parameter => (Some(&self.spec.generics), declaration::params(&self.spec.params, &self.spec.krate)),
        };
        let generics = generics.map(syn::Generics::split_for_impl);
        let (parameters, bounds) = generics.map_or((None, None), |(parameters, _, bounds)| (Some(parameters), bounds));
        // What is given at run time may be computed by functions that are not const.
        let constness = (value != Value::Parameter).then(|| quote!(const));
        self.functions.extend(quote! {
            #constness fn #name #parameters(#(#params),*) -> #result #bounds {
                #expr
            }
        });
    }

    fn call(&self, function: &Ident, value: Value) -> TokenStream {
        let (_, arguments, _) = self.spec.generics.split_for_impl();
        let arguments = arguments.as_turbofish();
        match value {
            Value::Literal(_) | Value::Constant => quote!(#function()),
            Value::Generic => quote!(#function #arguments ()),
            Value::Parameter => {
                let names = self.spec.params.iter().map(|param| &param.ident);
                quote!(#function #arguments (#(#names),*))
            }
        }
    }

    /// A call of the check, at the user's expression: only the function's name and the parentheses carry its span.
    fn checked(&self, size: &Size, call: &TokenStream) -> TokenStream {
        let (krate, expression, what) = (&self.spec.krate, text(&size.expr), &size.what);
        let (minimum, maximum) = (size.range.0, size.range.1);
        let maximum =
            if maximum == usize::MAX { quote!(::core::primitive::usize::MAX) } else { layout::number(maximum) };
        let minimum = layout::number(minimum);
        let span = size.expr.span();
        let function = quote_spanned!(span=> check_size);
        let mut arguments =
            Group::new(proc_macro2::Delimiter::Parenthesis, quote!(#call, #expression, #what, #minimum, #maximum));
        arguments.set_span(span);
        let arguments = arguments.to_token_stream();
        quote!(#krate::exec::generated::#function #arguments)
    }
}
