//! The page of claims: paths, functions and commands exist, and every row has a verdict.

use std::fs;
use std::path::Path;

const PAGE: &str = "study/docs/claims.md";
const VERDICTS: [&str; 4] = ["agrees", "in part", "does not agree", "not shown"];
/// Rows of each paper and of the project's promises, by their letter.
const ROWS: [(char, usize); 4] = [('A', 31), ('H', 25), ('P', 27), ('R', 12)];

fn read(path: &str) -> String {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(whole).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn rows(page: &str) -> Vec<Vec<&str>> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|line| line.split(" | ").collect::<Vec<_>>())
        .filter(|row| ROWS.iter().any(|(letter, _)| number(row[0], *letter).is_some()))
        .collect()
}

fn number(cell: &str, letter: char) -> Option<usize> {
    cell.strip_prefix(letter)?.parse().ok()
}

fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn fault(quoted: &str) -> Option<String> {
    if let Some(study) = quoted.strip_prefix("redist-study ") {
        let main = read("study/src/bin/redist-study/main.rs");
        let variant: String = study.split('-').map(capitalised).collect();
        return (!main.contains(&format!("Name::{variant}, "))).then(|| format!("study {study}"));
    }
    let (path, function) = quoted.split_once("::").map_or((quoted, None), |(p, f)| (p, Some(f)));
    if !path.contains('/') {
        return None;
    }
    if !Path::new(env!("CARGO_MANIFEST_DIR")).join(path).exists() {
        return Some(quoted.to_owned());
    }
    let has = |name| {
        read(path).contains(&format!("fn {name}(")) || read(path).contains(&format!("fn {name}<"))
    };
    function.is_some_and(|name| !has(name)).then(|| quoted.to_owned())
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

#[test]
fn every_item_has_one_row() {
    let page = read(PAGE);
    for (letter, count) in ROWS {
        let found: Vec<_> = rows(&page).iter().filter_map(|row| number(row[0], letter)).collect();
        assert_eq!(found, (1..=count).collect::<Vec<_>>(), "{letter}");
    }
}

#[test]
fn every_row_has_a_verdict() {
    let page = read(PAGE);
    for row in rows(&page) {
        assert_eq!(row.len(), 6, "{row:?}");
        let verdict = row[5];
        assert!(VERDICTS.iter().any(|word| verdict.starts_with(word)), "{}: {verdict}", row[0]);
    }
}

#[test]
fn what_rows_name_is_there() {
    let page = read(PAGE);
    let rows = rows(&page);
    let cells = rows.iter().flat_map(|row| row.iter().map(|cell| (row[0], *cell)));
    let faults: Vec<_> = cells
        .flat_map(|(row, cell)| quoted(cell).filter_map(fault).map(move |it| (row, it)))
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn faults_are_found() {
    assert_eq!(fault("study/src/no.rs"), Some("study/src/no.rs".into()));
    assert_eq!(fault("study/src/lib.rs::nothing"), Some("study/src/lib.rs::nothing".into()));
    assert_eq!(fault("redist-study magic"), Some("study magic".into()));
    assert_eq!(fault("start"), None);
}
