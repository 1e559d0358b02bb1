//! Expansions, pretty-printed and pinned: what users see of `cargo expand`.
//!
//! Each `golden/NAME.in.rs` is what stands in a call, `golden/NAME.out.rs` what becomes of it.
//! After a change that is meant, `BLESS=1 cargo test -p redist-macros golden` rewrites the
//! latter; read the difference before committing it.

use super::element;
use super::tests::expand;
use proc_macro2::TokenStream;
use std::fs;
use std::path::Path;
use syn::{Attribute, Item};

type Macro = fn(TokenStream) -> TokenStream;

fn expansion(by: Macro, input: &str) -> String {
    let tokens = by(input.parse().expect("a golden input is Rust tokens"));
    let mut file: syn::File = syn::parse2(tokens).expect("an expansion is a list of items");
    file.items = file.items.into_iter().flat_map(beside).collect();
    prettyplease::unparse(&file)
}

fn beside(mut item: Item) -> Vec<Item> {
    let mut held = None;
    if let Item::Struct(declaration) = &mut item {
        let is_ours = |attribute: &Attribute| {
            attribute.path().segments.iter().any(|name| name.ident == "__macros")
        };
        let at =
            declaration.attrs.iter().position(is_ours).expect("a declaration has the attribute");
        held = Some(declaration.attrs.remove(at));
    }
    let held = held.map(|attribute| {
        attribute.meta.require_list().expect("the attribute holds items").tokens.clone()
    });
    let held: syn::File = syn::parse2(held.unwrap_or_default()).expect("the attribute holds items");
    core::iter::once(item).chain(held.items).collect()
}

/// Returns `true` if the expansion is that of the folder.
fn is_as_before(folder: &Path, name: &str) -> bool {
    let by: Macro = if name.starts_with("element") { element::derive } else { expand };
    let input = fs::read_to_string(folder.join(format!("{name}.in.rs"))).expect("a golden input");
    let output = folder.join(format!("{name}.out.rs"));
    let (found, twice) = (expansion(by, &input), expansion(by, &input));
    assert_eq!(found, twice, "expansion is deterministic");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&output, &found).expect("the golden folder is writable");
    }
    let is_same = fs::read_to_string(&output).unwrap_or_default() == found;
    if !is_same {
        eprintln!("the expansion of {name} has changed; `BLESS=1` writes it anew:\n{found}");
    }
    is_same
}

#[test]
fn golden_expansions_are_those_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let files = fs::read_dir(&folder).expect("the golden folder").map(|file| file.expect("a file"));
    let inputs = files
        .filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".in.rs")?.to_owned()));
    let (same, changed): (Vec<_>, Vec<_>) = inputs.partition(|name| is_as_before(&folder, name));
    assert!(changed.is_empty() && same.len() >= 10, "changed: {changed:?}, the same: {same:?}");
}

/// README.md has the example of the golden files; the page on the binary shows its expansion.
#[test]
fn golden_pages_show_the_expansion() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).expect("a page or a golden file");
    let input = read("golden/readme.in.rs");
    assert!(read("../README.md").contains(&format!("redistribute! {{ {} }}", input.trim())));
    let page = read("../docs/internals/binary.md");
    let all = read("golden/readme.out.rs");
    shows(&page, "expansion", part(&all, "    /// Dimension 0", "    #[allow(dead_code)]"));
    let all = read("golden/tens.out.rs");
    shows(&page, "statements", part(&all, "            /// Packs", "            /// Copies steps"));
    let all = read("golden/rolled.out.rs");
    shows(&page, "nest", part(&all, "        /// Packs", "        pub(super) static"));
    let all = read("golden/rolled_general.out.rs");
    shows(&page, "walk", part(&all, "        /// Packs", "        /// Runs of a step"));
}

fn part<'a>(all: &'a str, first: &str, behind: &str) -> &'a str {
    let first = all.find(first).expect("a first line");
    &all[first..first + all[first..].find(behind).expect("a line behind")]
}

fn shows(page: &str, mark: &str, part: &str) {
    let begin = format!("<!-- begin {mark} -->\n```text\n");
    let shown = page.split(&begin).nth(1).expect("a beginning");
    let shown = shown.split(&format!("```\n<!-- end {mark} -->")).next().expect("its end");
    let indent = part.len() - part.trim_start().len();
    let lines = part.lines().map(|line| line.get(indent..).unwrap_or(line));
    let lines: Vec<_> = lines.collect();
    assert_eq!(shown.lines().collect::<Vec<_>>(), lines, "{}", lines.join("\n"));
}

#[test]
fn golden_expansions_do_not_grow_with_the_ranks() {
    let item = |ranks: &str| {
        format!(
            "struct R: [f64; 9_999_999] {{ from: cyclic(6) onto {ranks}, to: cyclic(4) onto {ranks} }}"
        )
    };
    let lines = |ranks: &str| expansion(expand, &item(ranks)).lines().count();
    assert_eq!(lines("100"), lines("1_000_000"));
}
