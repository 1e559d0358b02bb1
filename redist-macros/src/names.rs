//! Names that expansions use: each is absolute, the user's own, or begins with two underscores.

use super::element;
use super::tests::expand;
use proc_macro2::{Spacing, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const KEYWORDS: [&str; 25] = [
    "Self", "as", "const", "crate", "else", "false", "fn", "for", "if", "impl", "in", "let",
    "match", "mod", "mut", "pub", "return", "self", "static", "struct", "true", "type", "unsafe",
    "use", "where",
];

/// Words before a name that declare it.
const DECLARING: [&str; 6] = ["const", "fn", "static", "struct", "type", "mod"];

/// Items of every kind that the golden files have not.
const ITEMS: [&str; 5] = [
    "pub struct Broken(m: usize): [f64; m, 9] { from: (cyclic(4), *) onto, to: (*, block) onto 4 }",
    "pub struct Copied: [f64; 40, 6] { from: (block, *) onto 3 copies 2, to: (*, *) copies 4 }",
    "pub struct Demanding: [f64; 1000] { from: cyclic(10) onto 4, to: cyclic(4) onto 4, require: static, messages <= 3, \
     steps <= 4, stays >= 25%, memory <= 8 MiB, unroll: 64, tables: 64 }",
    "pub struct Listed: [f64; 30] { from: rows([10, 20], cyclic(2)) onto 2 ranks [3, 1], to: gen_block([9, 21]) onto 2 }",
    "pub struct Value(peer: Layout<1>): [f64; 100] { from: peer, to: cyclic(NB) onto 2 of 120 at 7 }",
];

/// A token and what stands directly before and behind it.
struct Around<'a> {
    before: [Option<&'a TokenTree>; 2],
    token: &'a TokenTree,
    behind: Option<&'a TokenTree>,
}

fn is_sign(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// Returns `true` for the colon behind a field or a parameter.
fn is_single_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':' && punct.spacing() == Spacing::Alone)
}

fn is_word(token: Option<&TokenTree>, words: &[&str]) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if words.contains(&ident.to_string().as_str()))
}

impl Around<'_> {
    /// Returns the name if it means what is in the user's scope.
    fn resolved(&self) -> Option<String> {
        let TokenTree::Ident(ident) = self.token else { return None };
        let [before, behind] = [self.before[0], self.behind];
        let is_segment = is_sign(before, ':') && is_sign(self.before[1], ':');
        let is_field = is_sign(before, '.') || is_single_colon(behind);
        let is_lifetime = is_sign(before, '\'');
        let is_declared = is_word(before, &DECLARING);
        let name = ident.to_string();
        let is_other = is_segment || is_field || is_lifetime || is_declared;
        (!is_other && !KEYWORDS.contains(&name.as_str())).then_some(name)
    }
}

fn visit(stream: TokenStream, seen: &mut impl FnMut(&Around<'_>)) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let at = |place: usize, back: usize| place.checked_sub(back).and_then(|at| tokens.get(at));
    for (place, token) in tokens.iter().enumerate() {
        // No name of the user's is in a module's scope.
        if is_word(at(place, 2), &["mod"]) {
            continue;
        }
        let is_attribute = is_sign(at(place, 1), '#');
        match token {
            // The compiler's own words, but for the items that `beside` holds.
            TokenTree::Group(group) if is_attribute => {
                let words = group.stream().to_string();
                if words.contains("__macros") {
                    visit(group.stream(), seen);
                }
            }
            TokenTree::Group(group) => visit(group.stream(), seen),
            _ => seen(&Around {
                before: [at(place, 1), at(place, 2)],
                token,
                behind: tokens.get(place + 1),
            }),
        }
    }
}

fn words(stream: TokenStream) -> BTreeSet<String> {
    let flat = |tree| match tree {
        TokenTree::Group(group) => words(group.stream()),
        TokenTree::Ident(ident) => BTreeSet::from([ident.to_string()]),
        _ => BTreeSet::new(),
    };
    stream.into_iter().flat_map(flat).collect()
}

/// Returns the names of an expansion that a user's item could take.
fn taken(input: &TokenStream, expansion: TokenStream) -> BTreeSet<String> {
    let own = words(input.clone());
    let (mut names, mut declared) = (BTreeSet::new(), BTreeSet::new());
    visit(expansion, &mut |around| {
        names.extend(around.resolved());
        if is_word(around.before[0], &DECLARING) {
            declared.insert(around.token.to_string());
        }
    });
    // An item of the expansion is nearer than one of the user's.
    let is_known = |name: &str| name == "_" || name.starts_with("__") || declared.contains(name);
    names.retain(|name| !is_known(name) && !own.contains(name));
    names
}

fn golden() -> Vec<(String, TokenStream)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let files = fs::read_dir(folder).expect("the golden folder");
    let files = files.map(|file| file.expect("a file").path());
    let inputs = files.filter(|file| file.to_string_lossy().ends_with(".in.rs"));
    let read = |file: std::path::PathBuf| {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(file).expect("a golden input");
        (name, text.parse().expect("tokens"))
    };
    inputs.map(read).collect()
}

#[test]
fn expansions_use_no_name_that_a_user_could_take() {
    let mut inputs = golden();
    inputs.extend(ITEMS.map(|item| (item.to_owned(), item.parse().expect("tokens"))));
    assert!(inputs.len() > 12, "{}", inputs.len());
    for (name, input) in inputs {
        let expansion = match name.starts_with("element") {
            true => element::derive(input.clone()),
            false => expand(input.clone()),
        };
        let taken = taken(&input, expansion);
        assert!(taken.is_empty(), "{name}: {taken:?} may be the user's");
    }
}

#[test]
fn names_in_scope_are_found() {
    let input: TokenStream = "struct A: [T; 3]".parse().expect("tokens");
    for (text, names) in [
        ("fn name(&self) -> &str { \"A\" }", &["str"][..]),
        ("fn name(&self) -> &'static ::core::primitive::str { \"A\" }", &[]),
        ("let plan: T = Some(__plan);", &["Some"]),
        ("match a { ::core::option::Option::Some(plan) => plan, _ => A }", &["a", "plan"]),
        ("#[allow(clippy::all)] const B: usize = f(C::D);", &["C", "f", "usize"]),
        ("mod inner { fn f() -> T { g() } } fn h() -> U {}", &["U"]),
        ("#[::redist::__macros::beside { fn f() -> u8 {} }] struct A;", &["u8"]),
    ] {
        let found = taken(&input, text.parse().expect("tokens"));
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), names, "{text}");
    }
}
