//! Checks that types, numbers and files have docs, and that proofs name what exists.

use super::prose::git;
use super::sizes::is_test;
use super::text::{code, shipped};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// How many types, number fields and files of a folder may be without a line: these only go down.
const ALLOWED: &[(&str, [usize; 3])] = &[
    // Docs of its one enum would be in the help of the command line.
    ("src/bin/redist/main.rs", [1, 0, 0]),
];

/// Files that the compiler or a test reads by the line, and programs that pages quote whole.
const READ_BY_LINE: [&str; 3] = ["tests/macro/ui/", "golden/", "tests/getting-started/mistakes/"];

/// Types of numbers, whose unit no name tells, and of switches.
const NUMBERS: [&str; 16] = [
    "usize",
    "isize",
    "u128",
    "i128",
    "u64",
    "i64",
    "u32",
    "i32",
    "u16",
    "i16",
    "u8",
    "i8",
    "f64",
    "f32",
    "bool",
    "AtomicU64",
];

/// Returns the text behind a visibility.
fn behind_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    match rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
        Some((_, rest)) => rest,
        None => rest.strip_prefix(' ').unwrap_or(line),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Returns the kind and the name of the type that a line defines.
fn defined(line: &str) -> Option<(&str, &str)> {
    let line = behind_visibility(line);
    let line = line.strip_prefix("unsafe ").unwrap_or(line);
    let (kind, rest) = line.split_once(' ')?;
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let is_kind = ["struct", "enum", "trait", "union"].contains(&kind);
    // An item of `redistribute!` is a struct with an array's extents behind it.
    (is_kind && is_name(name) && !rest.contains(": [")).then_some((kind, name))
}

/// Returns the name of the field with a number that a line of a struct has.
fn number_field(line: &str) -> Option<&str> {
    let (name, kind) = behind_visibility(line).strip_suffix(',')?.split_once(": ")?;
    let mut words = kind.split(|c: char| !c.is_alphanumeric());
    (is_name(name) && words.any(|word| NUMBERS.contains(&word))).then_some(name)
}

/// Returns `true` if docs stand before a line, above its attributes.
fn is_documented(before: &[(usize, &str)]) -> bool {
    let mut is_inside = false;
    for (_, line) in before.iter().rev().map(|(number, line)| (number, line.trim())) {
        if line.starts_with("///") || line.starts_with("#[doc") {
            return true;
        }
        is_inside |= line.ends_with(']') && !line.starts_with("//");
        if line.starts_with("#[") {
            is_inside = false;
        } else if !is_inside {
            return false;
        }
    }
    false
}

/// Returns types, number fields, and the file itself, where they have no docs.
fn undocumented(name: &str, text: &str) -> [Vec<String>; 3] {
    let lines = shipped(text);
    let (mut types, mut fields, mut struct_indent) = (Vec::new(), Vec::new(), None);
    for (at, (number, line)) in lines.iter().enumerate() {
        let (trimmed, indent) = (line.trim_start(), line.len() - line.trim_start().len());
        let place = |what: &str| format!("{name}:{number}: `{what}` has no line");
        if let Some((kind, what)) = defined(trimmed) {
            types.extend((!is_documented(&lines[..at])).then(|| place(what)));
            if kind == "struct" && line.ends_with('{') {
                struct_indent = Some(indent);
            }
        } else if struct_indent.is_some_and(|outer| indent == outer && trimmed.starts_with('}')) {
            struct_indent = None;
        } else if struct_indent.is_some()
            && let Some(what) = number_field(trimmed)
        {
            fields.extend((!is_documented(&lines[..at])).then(|| place(what)));
        }
    }
    let is_setting = |line: &&str| line.starts_with("#![") && !line.starts_with("#![doc");
    let has_first_line = text.lines().find(|line| !line.is_empty() && !is_setting(line));
    let has_first_line =
        has_first_line.is_some_and(|line| line.starts_with("//!") || line.starts_with("#![doc"));
    let file = (!has_first_line).then(|| format!("{name}: the file begins without `//!`"));
    [types, fields, file.into_iter().collect()]
}

/// Returns the longest place of [`ALLOWED`] that the path begins with.
fn place(name: &str) -> &'static str {
    let places = ALLOWED.iter().map(|(place, _)| *place);
    let places = places.filter(|place| Path::new(name).starts_with(place));
    places.max_by_key(|place| place.len()).unwrap_or("")
}

fn rust_files() -> Option<Vec<(String, String)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = git(&["ls-files", "*.rs"])?;
    let text = |name: &str| Some((name.to_owned(), fs::read_to_string(root.join(name)).ok()?));
    Some(files.lines().filter_map(text).collect())
}

#[test]
fn types_numbers_and_files_have_a_line() {
    let Some(files) = rust_files() else { return eprintln!("skipped: no tracked files") };
    let mut found: BTreeMap<&str, [Vec<String>; 3]> = BTreeMap::new();
    for (name, text) in &files {
        if READ_BY_LINE.iter().any(|part| name.contains(part)) {
            continue;
        }
        let [types, fields, file] = undocumented(name, text);
        let of = found.entry(place(name)).or_default();
        of[2].extend(file);
        if !is_test(Path::new(name)) {
            of[0].extend(types);
            of[1].extend(fields);
        }
    }
    let mut wrong = Vec::new();
    for (place, lines) in found {
        let allowed = ALLOWED.iter().find(|(name, _)| *name == place).map_or([0; 3], |row| row.1);
        let over = lines.into_iter().zip(allowed).filter(|(lines, most)| lines.len() > *most);
        wrong.extend(over.flat_map(|(lines, _)| lines));
    }
    assert!(wrong.is_empty(), "{} without a line:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns the words of a text that can be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Returns the code spans of a file's proofs, with their lines.
fn cited(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((_, first)) = line.split_once("// SAFETY:") else { continue };
        let more = lines[at + 1..].iter().map_while(|line| line.strip_prefix("//"));
        let proof = [first].into_iter().chain(more).collect::<Vec<_>>().join(" ");
        found.extend(proof.split('`').skip(1).step_by(2).map(|span| (at + 1, span.to_owned())));
    }
    found
}

/// Returns names that proofs cite and that no file has: a path's names have to be in one file.
fn dangling(files: &[(String, String)]) -> Vec<(&str, String)> {
    let code: Vec<String> = files.iter().map(|(_, text)| code(text)).collect();
    let known: Vec<BTreeSet<&str>> = code.iter().map(|code| words(code).collect()).collect();
    let is_known = |span: &str| {
        let mut paths = span.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        paths.all(|path| known.iter().any(|known| words(path).all(|word| known.contains(word))))
    };
    let mut found = Vec::new();
    for (name, text) in files {
        let spans = cited(text).into_iter().filter(|(_, span)| !is_known(span));
        found.extend(spans.map(|(line, span)| (name.as_str(), format!("{line}: `{span}`"))));
    }
    found
}

#[test]
fn names_in_proofs_exist() {
    let Some(files) = rust_files() else { return eprintln!("skipped: no tracked files") };
    let found = dangling(&files);
    assert!(found.is_empty(), "proofs cite what does not exist: {found:#?}");
    let cited: usize = files.iter().map(|(_, text)| cited(text).len()).sum();
    assert!(cited > 200, "the proofs were not found: only {cited} names");
}

#[test]
fn what_has_no_line_is_found() {
    let count = |text: &str| undocumented("a.rs", text).map(|found| found.len());
    assert_eq!(
        count("//! First.\n/// A.\npub struct A {\n    /// Bytes.\n    len: usize,\n}\n"),
        [0; 3]
    );
    assert_eq!(count("#![no_std]\n\n//! First.\nstruct A;\n"), [1, 0, 0]);
    assert_eq!(
        count("/// A.\n#[derive(\n    Clone,\n)]\npub(crate) unsafe trait A {}\n"),
        [0, 0, 1]
    );
    assert_eq!(count("// A.\n#[derive(Clone)]\nenum A {}\n"), [1, 0, 1]);
    let fields = ["len: usize,", "pub len: Option<[usize; D]>,", "pub(super) is_open: bool,"];
    for field in fields {
        assert_eq!(count(&format!("//! A.\n/// A.\nstruct A {{\n    {field}\n}}\n")), [0, 1, 0]);
    }
    assert_eq!(
        count("//! A.\n/// A.\nstruct A {\n    name: String,\n}\nlet a = B { len: usize, };\n"),
        [0; 3]
    );
    assert_eq!(count("//! A.\n#[cfg(test)]\nmod tests {\n    struct A;\n}\n"), [0; 3]);
}

#[test]
fn a_proof_that_cites_nothing_is_found() {
    let count = |cited: &str| {
        let user = format!("// SAFETY: `len` is as\n// `{cited}` says.\nfn a(len: usize) {{}}\n");
        let used = "/// `Gone::new`\nstruct Kept;\nimpl Kept {\n    fn new() {}\n}\n";
        dangling(&[("a.rs".into(), user), ("b.rs".into(), used.into())]).len()
    };
    assert_eq!(["Kept::new", "2 * len <= 8", "new"].map(count), [0; 3]);
    assert_eq!(["Gone::new", "Kept::a", "size", "2 * size"].map(count), [1; 4]);
}
