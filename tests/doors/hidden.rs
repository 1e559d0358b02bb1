//! Compares the hidden items of the code with the items in `docs/internals/unsafe.md`.

use crate::architecture::sources;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The libraries whose hidden items other crates reach; the command line is a program.
const LIBRARIES: [&str; 6] = [
    "src",
    "redist-coupling/src",
    "redist-mpi/src",
    "redist-plan/src",
    "redist-runtime/src",
    "redist-schedules/src",
];

/// A file, and the name of an item in it.
type Hidden = (String, String);

/// Returns the name that a declaration, a variant or a field begins with; `use` for other names.
fn name(declaration: &str) -> String {
    let words = declaration.split(|c: char| !c.is_alphanumeric() && c != '_');
    let before = ["pub", "const", "unsafe", "fn", "struct", "trait", "enum", "mod", "macro_rules"];
    let mut words = words.filter(|word| !word.is_empty() && !before.contains(word));
    words.next().unwrap_or_default().to_owned()
}

/// Returns the names of a text's hidden items, except for hidden items of its tests.
fn hidden(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().map(str::trim_start).collect();
    let is_before = |line: &&&str| line.starts_with("#[") || line.starts_with("//");
    let declared = |at: usize| lines[at + 1..].iter().find(|line| !is_before(line));
    let places = (0..lines.len()).filter(|at| lines[*at].starts_with("#[doc(hidden)]"));
    places.filter_map(declared).map(|line| name(line)).collect()
}

fn in_code(root: &Path) -> BTreeSet<Hidden> {
    let files = LIBRARIES.iter().flat_map(|library| sources(&root.join(library)));
    let library = files.filter(|file| !file.starts_with(root.join("src/bin")));
    let of_file = |file: std::path::PathBuf| {
        let text = fs::read_to_string(&file).expect("a source");
        let place = file.strip_prefix(root).expect("a file of the project").display().to_string();
        hidden(&text).into_iter().map(move |name| (place.clone(), name))
    };
    library.flat_map(of_file).collect()
}

/// Returns what the table lists; each row says what its items trust.
fn on_page(page: &str) -> BTreeSet<Hidden> {
    let table = page.split("## Hidden items").nth(1).expect("a section of hidden items");
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert!(cells.len() == 5 && !cells[3].is_empty(), "{row}: a row says what it trusts");
        let file = cells[1].trim_matches('`').to_owned();
        let names = cells[2].split(", ").map(|name| name.trim_matches('`').to_owned());
        names.map(move |name| (file.clone(), name)).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn hidden_items_are_listed_with_what_they_trust() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/internals/unsafe.md")).expect("the page");
    let (code, page) = (in_code(root), on_page(&page));
    assert!(code.len() > 150, "the hidden items were not found: only {}", code.len());
    let unlisted: Vec<_> = code.difference(&page).collect();
    assert!(unlisted.is_empty(), "say in unsafe.md what these trust: {unlisted:#?}");
    let gone: Vec<_> = page.difference(&code).collect();
    assert!(gone.is_empty(), "unsafe.md lists items that are not hidden: {gone:#?}");
}

#[test]
fn hidden_items_of_every_kind_are_found() {
    let text = "#[doc(hidden)]\npub const fn one(self) {}\n    #[doc(hidden)] // why\n    #[inline]\n    Two { a: u8 },\n\
                #[doc(hidden)]\npub use three::*;\n/// #[doc(hidden)]\nfn four() {}\n    #[doc(hidden)]\n    pub five: u8,\n\
                #[cfg(test)]\nmod tests {\n#[doc(hidden)]\nfn six() {}\n}\n";
    assert_eq!(hidden(text), ["one", "Two", "use", "five"]);
}
