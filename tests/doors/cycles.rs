//! No cycle among the files or the folders of a crate.
//!
//! A file uses a second file if a `use` or a path names an item of it; re-exports and test code do
//! not count. A folder uses a second folder if a file of it does, unless one holds both.

use super::architecture::sources;
use super::sizes::{CRATES, is_test};
use super::text::code;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Segments = Vec<String>;

type Uses<T> = BTreeMap<T, BTreeSet<T>>;

struct Module {
    file: PathBuf,
    names: Vec<(String, Segments)>,
    uses: Vec<Segments>,
}

#[derive(Default)]
struct Modules(BTreeMap<Segments, Module>);

fn segments(path: &str) -> Segments {
    path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn expanded(before: &str, tree: &str, found: &mut Vec<(String, Segments)>) {
    if let Some((prefix, group)) = tree.split_once('{') {
        let (mut depth, mut start) = (0, 0);
        let group = group.trim_end().trim_end_matches('}').to_owned() + ",";
        for (at, c) in group.char_indices() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if c == ',' && depth <= 0 {
                let closed = "}".repeat(usize::from(depth < 0));
                expanded(
                    &format!("{before}{prefix}"),
                    &(group[start..at].to_owned() + &closed),
                    found,
                );
                (start, depth) = (at + 1, 0);
            }
        }
        return;
    }
    let (path, name) = tree.trim().split_once(" as ").unwrap_or((tree, ""));
    let mut path = segments(&format!("{before}{path}"));
    path.pop_if(|last| last == "self");
    let last = path.last().cloned().unwrap_or_default();
    found.push((if name.is_empty() { last } else { name.trim().into() }, path));
}

impl Modules {
    fn of(root: &Path) -> Self {
        let mut modules = Self::default();
        modules.add(Vec::new(), root, true);
        modules
    }

    fn add(&mut self, module: Segments, file: &Path, is_root: bool) {
        let (folder, stem) = (file.parent().unwrap(), file.file_stem().unwrap());
        let below = if is_root || stem == "mod" { folder.into() } else { folder.join(stem) };
        let (mut names, mut uses) = (Vec::new(), Vec::new());
        for statement in code(&fs::read_to_string(file).unwrap()).split(';') {
            let (before, tree) = match statement.rsplit_once("use ") {
                Some((before, tree)) if before.ends_with(['\n', ' ']) || before.is_empty() => {
                    (before, tree)
                }
                _ => (statement, ""),
            };
            let mut brought = Vec::new();
            expanded("", tree, &mut brought);
            if !before.lines().last().unwrap_or_default().starts_with("pub") {
                uses.extend(brought.iter().map(|(_, path)| path.clone()));
            }
            names.extend(brought);
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let words = before.split(|c| !is_part(c)).filter(|word| !word.is_empty());
            let words: Vec<_> = ["{"].into_iter().chain(words).collect();
            // A visibility such as `pub(in …)` uses nothing.
            let paths = words.windows(2).filter(|two| two[0] != "in" && two[1].contains("::"));
            uses.extend(paths.map(|two| segments(two[1])));
            if let Some((_, name)) = statement.rsplit_once("mod ")
                && let name = name.trim()
                && let places = [below.join(format!("{name}.rs")), below.join(name).join("mod.rs")]
                && let Some(place) = places.iter().find(|place| place.exists())
            {
                self.add([&module[..], &[name.to_owned()]].concat(), place, false);
            }
        }
        self.0.insert(module, Module { file: file.into(), names, uses });
    }

    /// Returns the module of this crate that defines a path's item in a second module.
    fn definition(&self, from: &[String], path: &[String], depth: usize) -> Option<Segments> {
        let up = path.iter().take_while(|part| *part == "super").count();
        let (mut at, skipped) = match path.first().filter(|_| depth < 20)?.as_str() {
            "crate" => (Vec::new(), 1),
            "self" => (from.to_vec(), 1),
            _ => (from[..from.len().checked_sub(up)?].to_vec(), up),
        };
        let mut rest = &path[skipped..];
        while let Some(next) = rest.first() {
            let inner = [&at[..], &rest[..1]].concat();
            if self.0.contains_key(&inner) {
                (at, rest) = (inner, &rest[1..]);
                continue;
            }
            let is_it = |(name, whole): &&(String, Segments)| name == next && whole != &rest[..1];
            let mut brought = self.0[&at].names.iter().filter(is_it).peekable();
            if brought.peek().is_none() {
                // The first name of all is another crate's then.
                return (skipped > 0 || at != from).then_some(at);
            }
            let whole = |path: &Segments| [path, &rest[1..]].concat();
            return brought.find_map(|(_, path)| self.definition(&at, &whole(path), depth + 1));
        }
        Some(at)
    }

    fn uses(&self) -> (Uses<&Path>, Uses<&Path>) {
        let (mut files, mut folders) = (Uses::new(), Uses::new());
        for (from, module) in &self.0 {
            let defined = module.uses.iter().filter_map(|path| self.definition(from, path, 0));
            for to in defined.filter(|to| to != from) {
                let (a, b) = (module.file.as_path(), self.0[&to].file.as_path());
                files.entry(a).or_default().insert(b);
                let (a, b) = (a.parent().unwrap(), b.parent().unwrap());
                if !a.starts_with(b) && !b.starts_with(a) {
                    folders.entry(a).or_default().insert(b);
                }
            }
        }
        (files, folders)
    }
}

/// Returns each set of members that all use each other.
fn cycles<'a>(uses: &Uses<&'a Path>) -> BTreeSet<Vec<&'a Path>> {
    let reached = |from: &'a Path| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(at) = next.pop() {
            next.extend(uses.get(at).into_iter().flatten().filter(|to| reached.insert(**to)));
        }
        reached
    };
    let all: BTreeMap<_, _> = uses.keys().map(|from| (*from, reached(from))).collect();
    let both =
        |a: &Path, b: &Path| all[a].contains(b) && all.get(b).is_some_and(|to| to.contains(a));
    let cycle = |a: &&'a Path| all.keys().copied().filter(|b| both(a, b)).collect::<Vec<_>>();
    all.keys().map(cycle).filter(|cycle| !cycle.is_empty()).collect()
}

fn found(root: &Path) -> Vec<String> {
    let modules = Modules::of(root);
    let (files, folders) = modules.uses();
    let cycles = cycles(&files).into_iter().chain(cycles(&folders));
    cycles.map(|cycle| format!("{cycle:#?}")).collect()
}

#[test]
fn no_files_or_folders_use_each_other_in_a_circle() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_root = |file: &PathBuf| file.ends_with("lib.rs") || file.ends_with("main.rs");
    let files = CRATES.iter().flat_map(|(place, _)| sources(&top.join(place)));
    let roots: Vec<_> = files.filter(|file| is_root(file) && !is_test(file)).collect();
    assert!(roots.len() > 20, "the crates were not found: only {roots:?}");
    let cycles: Vec<_> = roots.iter().flat_map(|root| found(root)).collect();
    assert!(cycles.is_empty(), "move down what they share: {}", cycles.join("\n"));
}

fn planted(files: &[(&str, &str)]) -> usize {
    let folder = std::env::temp_dir().join(format!("redist-cycles-{}", std::process::id()));
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let cycles = found(&folder.join("lib.rs")).len();
    fs::remove_dir_all(&folder).unwrap();
    cycles
}

#[test]
fn a_planted_cycle_is_found() {
    let root = (
        "lib.rs",
        "mod a;\nmod b;\npub use a::A;\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\n",
    );
    let a = ("a.rs", "use crate::{\n    b::{B, C},\n};\npub struct A(B);\n");
    assert_eq!(planted(&[root, a, ("b.rs", "pub struct B;\n// crate::A\n")]), 0);
    assert_eq!(planted(&[root, a, ("b.rs", "use super::A;\npub struct B;\n")]), 1);
    assert_eq!(planted(&[root, a, ("b.rs", "fn b() -> u8 {\n    crate::a::one()\n}\n")]), 1);
    assert_eq!(planted(&[root, a, ("b.rs", "use super::D;\n")]), 0, "the root uses none of them");
    let [one, two] = ["pub mod one;\npub mod two;\n"; 2];
    let folders = [
        ("lib.rs", root.1),
        ("a/mod.rs", one),
        ("b/mod.rs", two),
        ("a/one.rs", "use crate::b::two::B;\n"),
        ("b/one.rs", "use crate::a::two::A;\n"),
        ("a/two.rs", "pub struct A;\n"),
        ("b/two.rs", "pub struct B;\n"),
    ];
    assert_eq!(planted(&folders), 1, "files use each other in no circle, folders do");
}
