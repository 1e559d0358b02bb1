//! Items of random layouts, by a random tier.

use crate::case::Case;
use crate::notation::{Role, layout, list, value};
use crate::random::Random;
use crate::speller::Speller;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Literals,
    Constants,
    Generics,
    Values,
    Parameters,
    Half,
    Any,
}

pub struct Item {
    pub declarations: String,
    pub text: String,
    pub new: String,
    /// If certain.
    pub tier: Option<&'static str>,
}

impl Item {
    pub fn new(random: &mut Random, case: &Case, kind: Kind) -> Item {
        let mut speller = Speller::new(random, kind);
        let extents =
            list(Role::Extent, &case.extents, &mut |role, size| speller.spell(role, size));
        let mut given = Vec::new();
        let [from, to] = sides(case, kind, &mut speller, &mut given);
        let (header, new) = header(kind, case.extents.len(), &speller, &given);
        let mut declarations = constants(&speller.constants);
        if kind == Kind::Values {
            let dimensions = case.extents.len();
            declarations += &format!(
                "const FROM_VALUE: redist::Layout<{dimensions}> = {};\n",
                value(&case.from)
            );
            declarations +=
                &format!("const TO_VALUE: redist::Layout<{dimensions}> = {};\n", value(&case.to));
        }
        let text =
            format!("struct {kind:?}{header}: [Element; {extents}] {{ from: {from}, to: {to} }}");
        Item { declarations, text, new, tier: tier(kind, speller.blocks) }
    }
}

fn sides(
    case: &Case,
    kind: Kind,
    speller: &mut Speller,
    given: &mut Vec<(&'static str, &'static str)>,
) -> [String; 2] {
    let static_side = usize::from(speller.flip());
    let mut side = |number: usize, side, [value, parameter, notation]: [&'static str; 3]| match kind
    {
        Kind::Values if number != static_side => value.to_owned(),
        Kind::Half if number == static_side => {
            layout(side, &mut |role, size| speller.spell(role, size))
        }
        Kind::Half | Kind::Any => {
            given.push((parameter, notation));
            parameter.to_owned()
        }
        _ => layout(side, &mut |role, size| speller.spell(role, size)),
    };
    [
        side(0, &case.from, ["FROM_VALUE", "peer", "FROM"]),
        side(1, &case.to, ["TO_VALUE", "other", "TO"]),
    ]
}

fn header(
    kind: Kind,
    dimensions: usize,
    speller: &Speller,
    given: &[(&str, &str)],
) -> (String, String) {
    let names = |before: &str| {
        speller.parameters.iter().map(|(name, _)| format!("{before}{name}: usize")).collect()
    };
    let values = speller.parameters.iter().map(|(_, value)| value.to_string());
    match kind {
        Kind::Generics if !speller.parameters.is_empty() => {
            let (names, values): (Vec<String>, Vec<String>) = (names("const "), values.collect());
            (format!("<{}>", names.join(", ")), format!("Generics::<{}>::new()", values.join(", ")))
        }
        _ => {
            let mut names: Vec<String> = names("");
            let mut values: Vec<String> = values.collect();
            names.extend(given.iter().map(|(name, _)| format!("{name}: Layout<{dimensions}>")));
            values.extend(given.iter().map(|(_, notation)| format!("{notation}.parse().unwrap()")));
            let fallible = if names.is_empty() { "" } else { ".unwrap()" };
            let header =
                if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
            (header, format!("{kind:?}::new({}){fallible}", values.join(", ")))
        }
    }
}

/// Only block sizes are certain to decide it, and the extent of a `block`.
fn tier(kind: Kind, blocks: &'static str) -> Option<&'static str> {
    match kind {
        Kind::Literals => Some("Literal"),
        Kind::Values => Some("Constant"),
        Kind::Half | Kind::Any => Some("RunTime"),
        Kind::Constants | Kind::Generics => Some(blocks).filter(|&tier| tier == "Constant"),
        Kind::Parameters => Some(blocks).filter(|&tier| tier == "RunTime"),
    }
}

fn constants(constants: &[(String, usize)]) -> String {
    let (mut alone, mut own, mut named, mut of_trait) =
        (String::new(), String::new(), String::new(), String::new());
    for (path, value) in constants {
        let name = path.rsplit(':').next().unwrap_or(path);
        let constant = format!("const {name}: usize = {value};\n");
        match path {
            path if path.starts_with('<') => {
                named += &format!("const {name}: usize;\n");
                of_trait += &constant;
            }
            path if path.contains(':') => own += &constant,
            _ => alone += &constant,
        }
    }
    let sizes = if own.is_empty() && named.is_empty() { "" } else { "struct Sizes;\n" };
    let own = if own.is_empty() { own } else { format!("impl Sizes {{ {own} }}\n") };
    let trait_ = format!("trait Numbers {{ {named} }}\nimpl Numbers for Sizes {{ {of_trait} }}\n");
    format!("{sizes}{alone}{own}{}", if named.is_empty() { "" } else { &trait_ })
}
