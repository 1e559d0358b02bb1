//! Checks imports, dependencies, and the pages about them.

use std::fs;
use std::path::{Path, PathBuf};

struct Stages {
    sources: &'static str,
    stages: &'static [(&'static str, &'static [&'static str])],
    common: &'static [&'static str],
}

const CRATES: [Stages; 4] = [
    Stages {
        sources: "redist-plan/src",
        stages: &[("layout", &[]), ("plan", &["layout"]), ("program", &["layout", "plan"])],
        common: &["arithmetic", "interned", "quote"],
    },
    Stages {
        sources: "redist-runtime/src",
        stages: &[
            ("transport", &["plan", "program"]),
            ("exec", &["layout", "plan", "program", "transport"]),
        ],
        common: &["cache", "element", "error", "Error", "learnt"],
    },
    Stages { sources: "redist-schedules/src", stages: &[], common: &[] },
    Stages { sources: "redist-coupling/src", stages: &[], common: &[] },
];

pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    files.into_iter().chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

fn imports(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    let named =
        lines.flat_map(|line| line.split("crate::").skip(1).map(str::to_owned).collect::<Vec<_>>());
    named
        .map(|rest| {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn imports_point_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let stages = CRATES.iter().flat_map(|of| of.stages.iter().map(move |stage| (of, stage)));
    let mut found = 0;
    for (of, (stage, before)) in stages {
        for file in sources(&root.join(of.sources).join(stage)) {
            for module in imports(&file) {
                let module = module.as_str();
                assert!(
                    module == *stage || before.contains(&module) || of.common.contains(&module),
                    "{} imports from `{module}`, which does not come before `{stage}`",
                    file.display()
                );
                found += 1;
            }
        }
    }
    assert!(found > 30, "the imports were not found: only {found}");
}

#[test]
fn every_stage_is_known_here() {
    for of in CRATES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(of.sources);
        let entries = fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path());
        let mut folders: Vec<_> = entries
            .filter(|path| path.is_dir())
            .map(|path| path.file_name().unwrap().to_owned())
            .collect();
        let mut stages: Vec<_> = of.stages.iter().map(|(stage, _)| *stage).collect();
        // A folder of a file's name belongs to the file.
        folders.retain(|folder| !root.join(folder).with_extension("rs").exists());
        folders.sort();
        stages.sort_unstable();
        assert_eq!(folders, stages, "{}", of.sources);
    }
}

/// Most methods of a trait of the transport.
const MAX_METHODS: usize = 12;

/// Returns the traits of a text that have more methods, with their number.
fn wide_traits(text: &str) -> Vec<(String, usize)> {
    let mut traits = Vec::new();
    for after in text.split("\npub trait ").skip(1) {
        let body = after.split("\n}").next().unwrap_or_default();
        let is_method =
            |line: &&str| ["    fn ", "    unsafe fn "].iter().any(|of| line.starts_with(of));
        let name = body.split([':', ' ', '{']).next().unwrap_or_default();
        traits.push((name.to_owned(), body.lines().filter(is_method).count()));
    }
    traits.retain(|(_, methods)| *methods > MAX_METHODS);
    traits
}

#[test]
fn traits_of_the_transport_are_small() {
    let files = sources(Path::new("redist-runtime/src/transport"));
    let wide: Vec<_> =
        files.iter().flat_map(|file| wide_traits(&fs::read_to_string(file).unwrap())).collect();
    assert_eq!(wide, [], "a trait has at most {MAX_METHODS} methods");
    let planted = format!("\npub trait Wide: Copy {{\n{}}}\n", "    fn one(&self);\n".repeat(13));
    assert_eq!(wide_traits(&planted), [("Wide".to_owned(), 13)]);
}

#[test]
fn what_is_published_does_not_depend_on_research_or_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packages = [
        "",
        "redist-coupling",
        "redist-draw",
        "redist-explain",
        "redist-files",
        "redist-macros",
        "redist-mpi",
        "redist-notation",
        "redist-plan",
        "redist-runtime",
        "redist-schedules",
    ];
    for package in packages {
        let manifest = fs::read_to_string(root.join(package).join("Cargo.toml")).unwrap();
        let (_, rest) =
            manifest.split_once("\n[dependencies]\n").expect("every package depends on something");
        let dependencies = rest.split("\n[").next().unwrap_or_default();
        assert!(
            dependencies.contains("redist-") || dependencies.contains("thiserror"),
            "{package}: not the list"
        );
        for unpublished in ["redist-study", "redist-testing"] {
            assert!(!dependencies.contains(unpublished), "{package} depends on {unpublished}");
        }
    }
}

/// The study looks at every crate, and no crate looks at it.
#[test]
fn nothing_depends_on_the_study() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let (_, members) = workspace.split_once("members = [").expect("the workspace has members");
    let members = members.split(']').next().unwrap_or_default();
    let named: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
    assert!(named.contains(&"study") && named.contains(&"benches/peers"), "{named:?}");
    for member in named.iter().chain(&["."]).filter(|member| **member != "study") {
        let manifest = fs::read_to_string(root.join(member).join("Cargo.toml")).unwrap();
        assert!(!manifest.contains("redist-study"), "{member} depends on the study");
    }
}

/// Examples of the runtime cannot; a hidden line renames the runtime.
#[test]
fn examples_import_the_facade() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = 0;
    let folders = ["src", "redist-plan/src", "redist-runtime/src", "redist-schedules/src"];
    for file in folders.iter().flat_map(|folder| sources(&root.join(folder))) {
        let text = fs::read_to_string(&file).unwrap();
        for line in text.lines().map(str::trim_start).filter(|line| line.starts_with("//")) {
            let alias = line.contains(" # use redist_") && line.ends_with(" as redist;");
            let names = line.contains("redist_runtime") || line.contains("redist_plan");
            assert!(alias || !names, "{}: {line}", file.display());
            found += usize::from(alias);
        }
    }
    assert!(found > 10, "the examples were not found: only {found}");
}

fn first_column(line: &str) -> Vec<&str> {
    let cell = line.trim_start_matches('|').split('|').next().unwrap_or_default();
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn unsafe_code_is_where_the_table_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/internals/unsafe.md")).unwrap();
    let table = text.split("\n## ").next().unwrap_or_default();
    let allowed: Vec<&str> =
        table.lines().filter(|line| line.starts_with("| `")).flat_map(first_column).collect();
    assert!(allowed.len() > 10, "the table was not found: {allowed:?}");
    let runtime = root.join("redist-runtime/src");
    let others = ["doors", "redist-mpi/src"];
    for place in &allowed {
        let is_of_others = others.iter().any(|folder| place.starts_with(folder));
        let base = if is_of_others { root } else { &runtime };
        assert!(base.join(place).exists(), "there is no {place}");
    }
    let is_rust = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "rs");
    let elsewhere = others.iter().flat_map(|folder| sources(&root.join(folder)));
    for file in sources(&runtime).into_iter().chain(elsewhere).filter(is_rust) {
        let base = if file.starts_with(&runtime) { &runtime } else { root };
        let name = file.strip_prefix(base).unwrap().to_str().unwrap().to_owned();
        let is_test = ["tests.rs", "/tests/", "/models.rs", "/models/"];
        let is_test = is_test.iter().any(|place| name.contains(place));
        let is_allowed = allowed.iter().any(|place| name.starts_with(place));
        let code = fs::read_to_string(&file).unwrap();
        let words = |line: &str| line.contains("unsafe ") && !line.trim_start().starts_with("//");
        let is_unsafe = code.lines().any(words);
        assert!(
            !is_unsafe || is_allowed || is_test,
            "{name} is unsafe, and the table does not say so"
        );
    }
}

fn safety_comments(file: &Path) -> Vec<(usize, Vec<String>)> {
    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some((_, first)) = line.split_once("// SAFETY:") else { continue };
        let more = lines[number + 1..].iter().map_while(|line| line.strip_prefix("//"));
        let words = [first].into_iter().chain(more).flat_map(str::split_whitespace);
        found.push((number + 1, words.map(str::to_lowercase).collect()));
    }
    found
}

/// "As above" is no proof. This finds only the worst.
#[test]
fn safety_comments_are_proofs() {
    const EVASIONS: [&str; 7] = [
        "as above",
        "as for",
        "as in",
        "as before",
        "as the caller",
        "the same as",
        "the contracts are",
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = 0;
    let folders = ["doors", "redist-runtime/src"];
    for file in folders.iter().flat_map(|folder| sources(&root.join(folder))) {
        if file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        for (line, words) in safety_comments(&file) {
            let (place, proof) = (format!("{}:{line}", file.display()), words.join(" "));
            assert!(words.len() >= 6, "{place}: too short for a proof: {proof}");
            let evades = EVASIONS.iter().any(|evasion| proof.starts_with(evasion));
            assert!(!evades, "{place}: a proof says itself what it relies on: {proof}");
            found += 1;
        }
    }
    assert!(found > 100, "the proofs were not found: only {found}");
}

#[test]
fn files_that_are_named_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    assert!(map.lines().count() <= 150, "a map of at most 150 lines");
    let text = map + &fs::read_to_string(root.join("docs/internals/unsafe.md")).unwrap();
    let folders = [
        "src",
        "tests",
        "redist-coupling",
        "redist-plan",
        "redist-runtime",
        "redist-schedules",
        "redist-notation",
        "redist-macros",
        "doors",
        "redist-draw",
        "redist-explain",
        "redist-files",
        "redist-mpi",
    ];
    let all: Vec<String> = folders
        .iter()
        .flat_map(|folder| sources(&root.join(folder)))
        .map(|file| file.to_str().unwrap().to_owned())
        .collect();
    let named: Vec<&str> =
        text.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs")).collect();
    assert!(named.len() > 40, "only {named:?}");
    for name in named {
        let suffix = format!("/{name}");
        assert!(all.iter().any(|file| file.ends_with(&suffix)), "there is no {name}");
    }
}

#[test]
fn no_type_name_twice() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = std::collections::BTreeMap::<String, Vec<PathBuf>>::new();
    let files = CRATES.iter().flat_map(|of| sources(&root.join(of.sources)));
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let left_out = |place: &&str| file.to_str().unwrap().contains(*place);
        if ["tests.rs", "threads/models"].iter().any(left_out) {
            continue;
        }
        for line in code.lines() {
            let line = line.strip_prefix("pub").map_or(line, |rest| {
                rest.strip_prefix('(')
                    .and_then(|rest| rest.split_once(") "))
                    .map_or(rest.trim_start(), |(_, rest)| rest)
            });
            let rest = ["struct ", "enum ", "trait ", "union "]
                .iter()
                .find_map(|kind| line.strip_prefix("unsafe ").unwrap_or(line).strip_prefix(kind));
            let name = rest.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
            if let Some(name) = name {
                names.entry(name.into()).or_default().push(file.clone());
            }
        }
    }
    assert!(names.len() > 150, "only {} types were found", names.len());
    let twice: Vec<_> = names.iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn versions_that_are_promised_are_those_of_the_manifest() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let page = fs::read_to_string(root.join("docs/trust.md")).unwrap();
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, list) = words.split_once("part of the interface (").expect("the list of crates");
    let (list, _) = list.split_once(')').expect("the end of the list");
    assert!(list.split(", ").count() >= 6, "{list}");
    for named in list.split(", ") {
        let (name, version) = named.split_once(' ').expect("a crate and its version");
        let begin = format!("{} = {{ version = \"{version}.", name.trim_matches('`'));
        assert!(manifest.contains(&begin), "the manifest has no `{begin}`");
    }
    let (_, oldest) = words.split_once("**The oldest Rust** is ").expect("the oldest Rust");
    let oldest = oldest.split_once(". ").expect("a sentence").0;
    assert!(manifest.contains(&format!("rust-version = \"{oldest}\"")), "{oldest}");
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let changes = read("debian/changelog");
    let built = changes.split(['(', ')']).nth(1).expect("the version of Debian's packages");
    assert!(manifest.contains(&format!("\nversion = \"{built}\"")), "{built}");
    assert!(read("debian/control").contains(&format!("rustc (>= {oldest})")), "{oldest}");
}
