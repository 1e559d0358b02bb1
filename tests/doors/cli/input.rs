//! Descriptions and values as users write them.

use super::process::{file, json, redist, redist_with};
use redist::Plan;

const BARE: &str = "[f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }";

fn digest(arguments: &[&str]) -> String {
    let found = json(arguments);
    assert_eq!(found.len(), 1, "{arguments:?}");
    found[0]["digest"].as_str().expect("a digest").to_owned()
}

fn expected<const D: usize>(extents: [usize; D], from: &str, to: &str) -> String {
    Plan::parse(extents, from, to).expect("a plan").digest().to_string()
}

#[test]
fn an_array_and_its_clauses() {
    let found = json(&[BARE]);
    assert_eq!(found[0]["digest"], expected([1003], "cyclic(10) onto 3", "cyclic(2) onto 3"));
    assert!(found[0]["name"].is_null());
}

#[test]
fn an_item_with_everything() {
    let item = "
        /// Docs.
        #[derive(Debug)]
        pub(crate) struct Panel<T: redist::Element>: [T; 50, 20] where T: Copy {
            from: (cyclic(16), BLOCK) onto (2, 2) ranks 4..8 order col of [128, 64] at [37, 5],
            to: (cyclic(7), block(30)) onto (3, 2) first (1, 1) storage fortran transposed,
            require: tables,
            unroll: 2 * 32,
            tables: 1 << 10,
        }";
    let from = "(cyclic(16), block) onto (2, 2) ranks 4..8 order col of [128, 64] at [37, 5]";
    let to = "(cyclic(7), block(30)) onto (3, 2) first (1, 1) storage fortran transposed";
    let found = json(&[item, "--element-bytes", "24"]);
    assert_eq!(found[0]["digest"], expected([50, 20], from, to));
    assert_eq!((&found[0]["name"], &found[0]["element"]), (&"Panel".into(), &"T".into()));
    assert_eq!(found[0]["bytes"], 50 * 20 * 24);
}

#[test]
fn several_items_of_a_call_in_a_source_file() {
    let source = format!(
        "//! A program.\nuse redist::redistribute;\n\nredistribute! {{\n    struct A: {BARE}\n    struct B: [u8; 3] {{ from: *, to: * }}\n}}\n\
         fn main() {{ redist::redistribute! {{ struct C: [f32; 8, 8] {{ from: (*, *), to: (*, block) onto 2 }} }} }}\n"
    );
    let path = file("several.rs", &source);
    let path = path.to_str().expect("a path in UTF-8");
    let names: Vec<_> = json(&[path]).iter().map(|item| item["name"].clone()).collect();
    assert_eq!(names, ["A", "B", "C"]);
    assert_eq!(digest(&[path, "--name", "C"]), expected([8, 8], "(*, *)", "(*, block) onto 2"));
    let unknown = redist(&["explain", path, "--name", "D"]);
    assert_eq!(
        (unknown.status, unknown.stderr.as_str()),
        (Some(2), "error: --name D: the text has A, B, C\n")
    );
}

#[test]
fn several_arrays_without_names() {
    assert_eq!(json(&[&format!("{BARE}\n{BARE}")]).len(), 2);
}

#[test]
fn standard_input() {
    let run = redist_with(BARE, &["explain", "--json", "-"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let found: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(found["digest"], expected([1003], "cyclic(10) onto 3", "cyclic(2) onto 3"));
}

#[test]
fn names_get_values() {
    let item = "struct Reblock<T>(m: usize, n: usize): [T; m, 2 * n] {
        from: (cyclic(NB), cyclic(Qr::NB)) onto (2, P),
        to: (cyclic(NB / 2), cyclic(32)) onto (2, 3) first (0, FIRST),
    }";
    let values = ["NB=64", "Qr::NB=NB / 4", "m=1_000", "n=300", "P=3", "FIRST=P - 1", "T=f32"];
    let arguments: Vec<&str> =
        [item].into_iter().chain(values.iter().flat_map(|value| ["--set", *value])).collect();
    let found = json(&arguments);
    let to = "(cyclic(32), cyclic(32)) onto (2, 3) first (0, 2)";
    assert_eq!(
        found[0]["digest"],
        expected([1000, 600], "(cyclic(64), cyclic(16)) onto (2, 3)", to)
    );
    assert_eq!((&found[0]["element"], &found[0]["element_bytes"]), (&"f32".into(), &4.into()));
}

#[test]
fn sides_get_values() {
    let item = "struct Couple(peer: Layout<2>): [f64; 60, 60] { from: peer, to: Grid::LAYOUT }";
    let found = digest(&[
        item,
        "--set",
        "NB=5",
        "--set",
        "peer=(block, *) onto 4",
        "--set",
        "Grid::LAYOUT=scalapack(NB, 4, 2, 2)",
    ]);
    assert_eq!(found, expected([60, 60], "(block, *) onto 4", "scalapack(5, 4, 2, 2)"));
}

#[test]
fn values_that_nothing_asks_for_are_mistakes() {
    let run = redist(&["explain", BARE, "--set", "NB=64"]);
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (Some(2), "error: --set NB: no name of the redistribution\n")
    );
    let run = redist(&["explain", BARE, "--set", "NB"]);
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (Some(2), "error: --set NB: expected NAME=VALUE, as in NB=64\n")
    );
}

#[test]
fn eight_dimensions_and_no_more() {
    let item = |dimensions: usize| {
        let (extents, stars) = (vec!["2"; dimensions].join(", "), vec!["*"; dimensions].join(", "));
        format!("[u8; {extents}] {{ from: ({stars}), to: ({stars}) }}")
    };
    assert_eq!(json(&[&item(8)])[0]["elements"], 256);
    let run = redist(&["explain", &item(9)]);
    assert_eq!(run.status, Some(2));
    assert!(
        run.stderr
            .starts_with("error: the command line takes up to 8 dimensions, but the array has 9\n"),
        "{run:?}"
    );
}
