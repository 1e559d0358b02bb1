use crate::ast::ParamKind;
use core::fmt::Display;
use redist_plan::layout::vocabulary::{counted, did_you_mean};
use redist_plan::plan::Side;
use syn::Ident;

pub fn unused_param(name: &Ident, kind: ParamKind) -> String {
    let example = match kind {
        ParamKind::Usize => format!("`cyclic({name})`"),
        ParamKind::Layout(_) => format!("`from: {name}`"),
    };
    format!("`{name}` is not used by the item; remove it, or use it, as in {example}")
}

pub fn undeclared(role: impl Display, name: &Ident, item: &Ident, params: &[&Ident]) -> String {
    let words: Vec<String> = params.iter().map(|param| param.to_string()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match did_you_mean(&name.to_string(), &words) {
        Some(near) => {
            format!("{role} is `{name}`, which is no parameter of `{item}`; did you mean `{near}`?")
        }
        None => format!(
            "{role} is `{name}`, which is no parameter of `{item}`, and a local variable is not seen here; declare \
             `struct {item}({}{name}: usize)` and give `{item}::new` its value, or, for a constant, write `{{ {name} }}`",
            params.iter().map(|param| format!("{param}: …, ")).collect::<String>()
        ),
    }
}

pub fn param_and_generic(name: &Ident) -> String {
    format!("`{name}` is a parameter and a generic of the item; give one of them another name")
}

pub fn layout_as_size(role: impl Display, name: &Ident, dimensions: usize) -> String {
    format!(
        "{role} is a number, but the parameter `{name}` is declared as `Layout<{dimensions}>`; use one that is declared \
         as `usize`"
    )
}

pub fn number_param_as_side(which: Side, name: &Ident, dimensions: usize) -> String {
    let dimensions = dimensions.max(1);
    format!(
        "the {which} is a layout, but the parameter `{name}` is declared as `usize`; declare it as \
         `{name}: Layout<{dimensions}>`, or write a layout, such as `cyclic({name}) onto 4`"
    )
}

pub fn layout_dimensions(which: Side, name: &Ident, found: usize, dimensions: usize) -> String {
    format!(
        "the {which} is the parameter `{name}`, a layout of {}, but the array has {}; declare it as \
         `{name}: Layout<{dimensions}>`",
        counted(found, "dimension"),
        counted(dimensions, "extent")
    )
}

pub fn rows_param(dimensions: usize) -> String {
    format!(
        "the numbers of `rows` and `points` are put into the binary, so none can be a parameter; declare a parameter \
         of type `Layout<{dimensions}>` as the whole side and give `new` a layout with `Dist::rows(&lengths, ..)` or \
         `Dist::points(&lengths)`"
    )
}

pub fn gen_block_param(dimensions: usize) -> String {
    format!(
        "the sizes of `gen_block` are put into the binary, so none can be a parameter; declare a parameter of type \
         `Layout<{dimensions}>` as the whole side and give `new` a layout with `Dist::gen_block(&sizes)`"
    )
}
