//! Compares the public names of the facade and its crates with a checked-in list. A review sees
//! each added or removed name.
//!
//! `SURFACE=overwrite cargo test --test doors surface` writes the list anew.

use redist_testing::drawn;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler whose JSON documentation is read: its format changes from version to version.
const PINNED: &str = "rustc 1.95.";

fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    // The format is not stable yet.
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).env("RUSTC_BOOTSTRAP", "1");
    cargo
}

fn target_directory() -> PathBuf {
    let output = cargo().args(["metadata", "--no-deps", "--format-version", "1"]).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["target_directory"].as_str().unwrap().into()
}

/// The documentation of a package, without hidden items.
struct Documented(Value);

impl Documented {
    fn of(package: &str) -> Self {
        let rustdoc = ["rustdoc", "--quiet", "--package", package, "--lib"];
        let format = ["--", "-Z", "unstable-options", "--output-format", "json"];
        // Artifacts of this build have the names of other tests' artifacts, and differ from them.
        let target = target_directory().join("surface");
        let built = cargo().args(rustdoc).args(format).env("CARGO_TARGET_DIR", &target).output();
        let output = built.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let file = target.join("doc").join(package.replace('-', "_")).with_extension("json");
        Self(serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap())
    }

    fn item(&self, id: &Value) -> Option<&Value> {
        self.0["index"].get(id.to_string())
    }

    fn names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let root = self.item(&self.0["root"]).expect("a root");
        self.children(root, "", &mut names);
        names
    }

    fn children(&self, item: &Value, path: &str, names: &mut BTreeSet<String>) {
        let inner = item["inner"].as_object().expect("an inner item");
        let (kind, inner) = inner.iter().next().expect("one kind");
        for list in ["items", "variants", "impls"] {
            for id in inner[list].as_array().into_iter().flatten() {
                self.child(id, path, names);
            }
        }
        for id in inner["kind"]["plain"]["fields"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|_| kind == "struct")
        {
            self.child(id, path, names);
        }
    }

    fn child(&self, id: &Value, path: &str, names: &mut BTreeSet<String>) {
        // Private and hidden items are missing.
        let Some(item) = self.item(id) else { return };
        let inner = item["inner"].as_object().expect("an inner item");
        let (kind, inner) = inner.iter().next().expect("one kind");
        match kind.as_str() {
            // Methods of the type itself. Traits are known by their names.
            "impl" if inner["trait"].is_null() => self.children(item, path, names),
            "impl" => {}
            "use" => {
                let is_glob = inner["is_glob"].as_bool() == Some(true);
                let last = if is_glob { "*" } else { inner["name"].as_str().unwrap_or_default() };
                let name = format!("{path}{last}");
                match self.item(&inner["id"]) {
                    Some(used) => {
                        names.insert(name.clone());
                        self.children(used, &format!("{name}::"), names);
                    }
                    None => drop(names.insert(format!(
                        "{name} = {}",
                        inner["source"].as_str().unwrap_or_default()
                    ))),
                }
            }
            _ => {
                let name = format!("{path}{}", item["name"].as_str().unwrap_or_default());
                names.insert(name.clone());
                self.children(item, &format!("{name}::"), names);
            }
        }
    }
}

#[test]
fn public_names_are_those_of_the_list() {
    let version = Command::new("rustc")
        .arg("--version")
        .output()
        .map(|output| output.stdout)
        .unwrap_or_default();
    let version = String::from_utf8_lossy(&version);
    if !version.starts_with(PINNED) {
        eprintln!("skipped: the list is made with {PINNED}x, and this is {version}");
        return;
    }
    // One run in four, because its documentation is a build of its own.
    if !drawn::all() && drawn::seed() % 4 != 1 {
        eprintln!("skipped: REDIST_TEST_SEED={} does not draw the list of names", drawn::seed());
        return;
    }
    let mut found = String::new();
    for package in ["redist", "redist-coupling", "redist-plan", "redist-runtime"] {
        let names = Documented::of(package).names();
        assert!(names.len() > 10, "{package}: only {names:?}");
        found.extend(names.iter().map(|name| format!("{}::{name}\n", package.replace('-', "_"))));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/doors/surface.txt");
    if std::env::var("SURFACE").is_ok_and(|what| what == "overwrite") {
        std::fs::write(&file, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (found, expected) = (lines(&found), lines(&expected));
    let differing: Vec<String> = found
        .difference(&expected)
        .map(|name| format!("+ {name}"))
        .chain(expected.difference(&found).map(|name| format!("- {name}")))
        .collect();
    assert!(
        differing.is_empty(),
        "public names changed; read them, and run SURFACE=overwrite cargo test --test doors surface\n{}",
        differing.join("\n")
    );
}
