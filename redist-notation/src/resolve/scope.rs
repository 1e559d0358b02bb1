use super::bracket::bracketed;
use super::fold::{Folded, fold};
use crate::ast::Item;
use crate::diagnostic::{Diagnostics, message};
use crate::size::{Size, Value};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use redist_plan::layout::MAX_EXTENT;
use syn::GenericParam;

pub struct Scope {
    params: Vec<Ident>,
    generics: Vec<Ident>,
}

impl Scope {
    pub fn of(item: &Item) -> Self {
        Scope {
            params: item.params.iter().map(|param| param.ident.clone()).collect(),
            generics: generics(item),
        }
    }

    /// Finds the stage that knows a size, and reports a result that no size can have.
    pub fn resolve(&self, size: &mut Size, diagnostics: &mut Diagnostics) {
        match fold(&size.expr, &size.what, diagnostics) {
            Folded::Value(value) => in_range(value, size, diagnostics),
            Folded::Open => size.value = self.value(size.expr.to_token_stream()),
            Folded::Bad => size.is_wrong = true,
        }
        size.expr = bracketed(&size.expr);
    }

    /// Finds the stage that knows the last of an expression's names.
    pub fn value(&self, tokens: TokenStream) -> Value {
        let mut value = Value::Constant;
        let mut before = [None, None];
        for token in tokens {
            let found = match &token {
                TokenTree::Group(group) => self.value(group.stream()),
                TokenTree::Ident(name) if !is_member(before) => self.name(name),
                _ => Value::Constant,
            };
            value = value.max(found);
            let punct =
                if let TokenTree::Punct(punct) = token { Some(punct.as_char()) } else { None };
            before = [before[1], punct];
        }
        value
    }

    fn name(&self, name: &Ident) -> Value {
        if self.params.contains(name) {
            Value::Parameter
        } else if self.generics.contains(name) {
            Value::Generic
        } else {
            Value::Constant
        }
    }
}

/// Returns `true` if the tokens before a name make it a part: `x.name`, `x::name`, not `0..name`.
fn is_member(before: [Option<char>; 2]) -> bool {
    before == [Some(':'), Some(':')] || (before[1] == Some('.') && before[0] != Some('.'))
}

fn in_range(value: usize, size: &mut Size, diagnostics: &mut Diagnostics) {
    let problem = match value {
        _ if value < size.minimum => message::too_small(&size.what, size.minimum, value),
        _ if value > MAX_EXTENT => message::too_large(&size.what, value),
        _ => return size.value = Value::Literal(value),
    };
    diagnostics.error(&size.expr, problem);
    size.is_wrong = true;
}

pub fn generics(item: &Item) -> Vec<Ident> {
    let generic = |param: &GenericParam| match param {
        GenericParam::Type(parameter) => Some(parameter.ident.clone()),
        GenericParam::Const(parameter) => Some(parameter.ident.clone()),
        GenericParam::Lifetime(_) => None,
    };
    item.generics.params.iter().filter_map(generic).collect()
}

pub fn names(expression: TokenStream, name: &Ident) -> bool {
    Scope { params: vec![name.clone()], generics: Vec::new() }.value(expression) == Value::Parameter
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &str) -> Value {
        let names =
            |names: &[&str]| names.iter().map(|name| quote::format_ident!("{name}")).collect();
        let scope = Scope { params: names(&["m", "nb"]), generics: names(&["T", "B"]) };
        scope.value(expression.parse().expect("Rust tokens"))
    }

    #[test]
    fn a_size_is_known_when_its_last_name_is() {
        for constant in
            ["NB", "Qr::NB", "NB / 2", "f(3)", "<Qr as Tiles>::NB", "{ const K: usize = 3; K }"]
        {
            assert_eq!(value(constant), Value::Constant, "{constant}");
        }
        for generic in
            ["B", "2 * B + NB", "T::NB", "<T as Tiles>::NB", "size_of::<T>()", "[B, 1][0]"]
        {
            assert_eq!(value(generic), Value::Generic, "{generic}");
        }
        for parameter in
            ["m", "m * B", "2 * nb", "f(nb)", "max(B, m)", "m.min(4)", "(0..m).len()", "{ m }"]
        {
            assert_eq!(value(parameter), Value::Parameter, "{parameter}");
        }
    }

    #[test]
    fn members_are_not_parameters() {
        for constant in ["sizes.m", "sizes::m", "self::nb", "A.b.nb", "sizes.m()"] {
            assert_eq!(value(constant), Value::Constant, "{constant}");
        }
        assert_eq!(value("m.nb"), Value::Parameter);
        assert_eq!(value("0..m"), Value::Parameter);
    }
}
