//! Compares public names with a checked-in list, rewritten by `SURFACE=overwrite cargo test --test
//! doors surface`.

use redist_testing::drawn;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler of the JSON documentation, whose format changes.
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

type Item<'d> = (&'d str, &'d Value);

struct Documented(BTreeMap<String, Value>);

impl Documented {
    fn of(packages: &[&str]) -> Self {
        let documented = packages.iter().map(|package| (package.replace('-', "_"), json(package)));
        Self(documented.collect())
    }

    fn root(&self, crate_name: &str) -> Option<Item<'_>> {
        let (name, crate_) = self.0.get_key_value(crate_name)?;
        Some((name, crate_["index"].get(crate_["root"].to_string())?))
    }

    fn item(&self, crate_name: &str, id: &Value) -> Option<Item<'_>> {
        let (name, crate_) = self.0.get_key_value(crate_name)?;
        let item = crate_["index"].get(id.to_string())?;
        (item["crate_id"] == 0).then_some((name, item))
    }

    fn used(&self, crate_name: &str, import: &Value) -> Option<Item<'_>> {
        self.item(crate_name, &import["id"]).or_else(|| {
            let mut path = import["source"].as_str()?.split("::");
            let root = self.root(path.next()?)?;
            path.try_fold(root, |module, name| self.member(module, name))
        })
    }

    fn member(&self, (crate_name, module): Item<'_>, name: &str) -> Option<Item<'_>> {
        let items = module["inner"]["module"]["items"].as_array()?;
        let items = items.iter().filter_map(|id| self.item(crate_name, id));
        items.into_iter().find_map(|(crate_name, item)| {
            let import = &item["inner"]["use"];
            match (import["is_glob"].as_bool(), &import["name"]) {
                (None, _) if item["name"] == name => Some((crate_name, item)),
                (Some(false), alias) if alias == name => self.used(crate_name, import),
                (Some(true), _) => self.member(self.used(crate_name, import)?, name),
                _ => None,
            }
        })
    }

    fn names(&self, crate_name: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.children(self.root(crate_name).expect("a root"), crate_name, &mut names);
        names
    }

    fn children(&self, (crate_name, item): Item<'_>, path: &str, names: &mut BTreeSet<String>) {
        let (kind, inner) = inner(item);
        let fields = &inner["kind"]["plain"]["fields"];
        let lists = [&inner["items"], &inner["variants"], &inner["impls"]];
        let lists = lists.into_iter().chain((kind == "struct").then_some(fields));
        for id in lists.filter_map(Value::as_array).flatten() {
            // Private and hidden items are missing.
            if let Some(child) = self.item(crate_name, id) {
                self.child(child, path, names);
            }
        }
    }

    fn child(&self, (crate_name, item): Item<'_>, path: &str, names: &mut BTreeSet<String>) {
        match inner(item) {
            // Methods of the type itself. Traits are known by their names.
            ("impl", inner) if inner["trait"].is_null() => {
                self.children((crate_name, item), path, names);
            }
            ("impl", _) => {}
            ("use", import) if import["is_glob"] == true => {
                let module = self.used(crate_name, import).expect("a module");
                self.children(module, path, names);
            }
            ("use", import) => {
                let name = format!("{path}::{}", import["name"].as_str().expect("a name"));
                if let Some(used) = self.used(crate_name, import) {
                    self.children(used, &name, names);
                }
                names.insert(name);
            }
            _ => {
                let name = format!("{path}::{}", item["name"].as_str().unwrap_or_default());
                self.children((crate_name, item), &name, names);
                names.insert(name);
            }
        }
    }
}

fn json(package: &str) -> Value {
    let mut rustdoc = vec!["rustdoc", "--quiet", "--package", package, "--lib"];
    // Other packages have the names of MPI in any case.
    if ["redist", "redist-runtime"].contains(&package) {
        rustdoc.extend(["--features", "mpi"]);
    }
    let format = ["--", "-Z", "unstable-options", "--output-format", "json"];
    // Artifacts of this build have the names of other tests' artifacts, and differ from them.
    let target = target_directory().join("surface");
    let built = cargo().args(&rustdoc).args(format).env("CARGO_TARGET_DIR", &target).output();
    let output = built.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let file = target.join("doc").join(package.replace('-', "_")).with_extension("json");
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

fn inner(item: &Value) -> (&str, &Value) {
    let inner = item["inner"].as_object().expect("an inner item");
    let (kind, inner) = inner.iter().next().expect("one kind");
    (kind, inner)
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
    let packages = [
        "redist",
        "redist-coupling",
        "redist-mpi",
        "redist-plan",
        "redist-runtime",
        "redist-schedules",
    ];
    let documented = Documented::of(&packages);
    let mut found = String::new();
    // The feature `mpi` adds the names of `redist-coupling`.
    for crate_name in ["redist", "redist_coupling"] {
        let names = documented.names(crate_name);
        assert!(names.len() > 10, "{crate_name}: only {names:?}");
        found.extend(names.iter().map(|name| format!("{name}\n")));
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
