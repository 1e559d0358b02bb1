//! `redist-study all --quick`: its output, on any machine.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

type Row = HashMap<String, String>;

/// One run serves all tests.
static RUN: LazyLock<PathBuf> = LazyLock::new(|| {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("study");
    let _ = std::fs::remove_dir_all(&out);
    let run = Command::new(env!("CARGO_BIN_EXE_redist-study"))
        .args(["all", "--quick", "--out"])
        .arg(&out)
        .output();
    let run = run.expect("the binary starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(
        run.stderr.is_empty(),
        "a progress bar without a terminal: {}",
        String::from_utf8_lossy(&run.stderr)
    );
    out
});

fn rows(file: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(RUN.join(file)).expect(file);
    reader.deserialize().map(|row| row.expect(file)).collect()
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} is no number: {row:?}"))
}

fn groups(rows: Vec<Row>, by: &[&str]) -> BTreeMap<Vec<String>, Vec<Row>> {
    let mut groups: BTreeMap<Vec<String>, Vec<Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(by.iter().map(|column| row[*column].clone()).collect()).or_default().push(row);
    }
    groups
}

const TABLES: [&str; 7] = [
    "aspen/cells.csv",
    "aspen/growth.csv",
    "hsu-chung/times.csv",
    "hsu-chung/pairs.csv",
    "schedules/schedules.csv",
    "grids/grids.csv",
    "scale/scale.csv",
];

const MEASURED: [&str; 2] = ["schedules.csv", "moves.csv"];

/// Reads the rows of a file that was measured. Without one the page must say so.
fn measured(file: &str) -> Option<Vec<Row>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(folder.join("docs/schedules-timed.md")).unwrap();
    let path = folder.join("data/links").join(file);
    let study = file.replace(".csv", "-timed");
    let (_, shown) = page.split_once(&format!("<!-- begin {study} -->")).expect("a marker");
    assert_eq!(shown.trim_start().starts_with("Not measured"), !path.exists(), "{file}");
    let mut reader = csv::Reader::from_path(path).ok()?;
    Some(reader.deserialize().map(|row| row.expect(file)).collect())
}

#[test]
fn every_column_is_documented() {
    TABLES.iter().for_each(|file| documents("study.md", file, &rows(file)));
    for file in MEASURED {
        if let Some(rows) = measured(file) {
            documents("schedules-timed.md", file, &rows);
        }
    }
}

fn documents(page: &str, file: &str, rows: &[Row]) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
    let page = std::fs::read_to_string(page).unwrap();
    let (_, section) = page
        .split_once(&format!("`{file}`:"))
        .unwrap_or_else(|| panic!("{file} is not documented"));
    let section = section.split(".csv`:").next().unwrap();
    let columns: BTreeSet<String> = rows.first().expect(file).keys().cloned().collect();
    let undocumented: Vec<_> =
        columns.iter().filter(|column| !section.contains(&format!("`{column}`"))).collect();
    assert!(undocumented.is_empty(), "{file}: {undocumented:?}");
}

/// Every case and size has every schedule that applies, on both kinds of links. A file of before the
/// transfer of data was measured has eight cases, and no schedules of the literature.
#[test]
fn schedules_over_links_are_whole() {
    let Some(all) = measured("schedules.csv") else { return };
    let has_transfer = all.iter().all(|row| row.contains_key("transfer_mean"));
    let links: BTreeSet<String> = all.iter().map(|row| row["link"].clone()).collect();
    assert_eq!(links.len(), 2, "{links:?}");
    let cases = groups(
        all,
        &["link", "source_block", "destination_block", "sources", "destinations", "bytes"],
    );
    let (all_cases, nested, general) = if has_transfer { (11, 9, 8) } else { (8, 6, 5) };
    assert_eq!(cases.len(), 2 * all_cases * 4);
    for (case, rows) in cases {
        let in_steps = rows.iter().filter(|row| row["way"] == "in steps").count();
        let expected = if rows[0]["family"] == "s→t" { general } else { nested };
        assert_eq!((in_steps, rows.len() - in_steps), (expected, 6), "{case:?}");
        for row in &rows {
            let part = |column| number(row, column);
            let [most, least] = ["most", "least"].map(part);
            for middle in ["mean", "median"].map(part) {
                assert!(least <= middle && middle <= most, "{row:?}");
            }
            assert!(part("wire") > 0.1 && part("schedule") < part("total"), "{row:?}");
            assert_eq!(part("steps") == 0.0, row["method"] == "all at once", "{row:?}");
        }
    }
}

/// Every way to pack in every scheme, and two moves by the library, on each number of ranks.
#[test]
fn moves_over_links_are_whole() {
    let Some(all) = measured("moves.csv") else { return };
    let cases = groups(all, &["ranks", "elements", "source", "destination"]);
    // On 4 ranks with two extents or with all five.
    assert!([20 + 20, 50 + 20].contains(&cases.len()), "{}", cases.len());
    for (case, rows) in cases {
        assert_eq!(rows.len(), 6 * 3 + 2, "{case:?}");
        for row in rows {
            let parts = !row["scheme"].is_empty();
            assert_eq!(row["method"].starts_with("redist, a move"), !parts, "{row:?}");
            for part in ["packing", "communication"] {
                assert_eq!(row[part].is_empty(), !parts, "{row:?}");
                assert!(!parts || number(&row, part) < number(&row, "total"), "{row:?}");
            }
        }
    }
}

#[test]
fn no_algorithm_makes_fewer_operations_than_the_window_table() {
    let cells = groups(
        rows("aspen/cells.csv"),
        &["source", "destination", "source_side", "destination_side"],
    );
    assert_eq!(cells.len(), 16 * 4);
    for (cell, rows) in cells {
        assert!(rows.len() >= 7, "{cell:?} has {} algorithms", rows.len());
        let window =
            rows.iter().find(|row| row["algorithm"] == "window table").expect("the window table");
        for column in ["operations", "busiest_rank_operations"] {
            for row in &rows {
                let (theirs, ours) = (number(row, column), number(window, column));
                assert!(
                    ours > 0.0 && theirs >= ours,
                    "{cell:?}: {} makes {theirs} {column}, not {ours}",
                    row["algorithm"]
                );
            }
        }
    }
}

#[test]
fn the_window_table_is_flat_in_remote_ranks_and_aspen_is_not() {
    let lines = groups(rows("aspen/growth.csv"), &["extent", "algorithm"]);
    let operations = |extent: &str, algorithm: &str| -> Vec<usize> {
        lines[&vec![extent.to_owned(), algorithm.to_owned()]]
            .iter()
            .map(|row| number(row, "operations") as usize)
            .collect()
    };
    for extent in ["10000", "100000"] {
        let window = operations(extent, "window table");
        assert!(
            window.len() == 20 && window.iter().all(|count| *count == window[0]),
            "{extent}: {window:?}"
        );
    }
    let aspen = operations("100000", "ASPEN");
    assert!(aspen.is_sorted() && aspen[19] > 100 * aspen[0], "{aspen:?}");
    assert_eq!(aspen[12], aspen[19], "its period has reached the extent");
}

#[test]
fn every_method_packs_every_case_of_hsu_and_chung() {
    let cases = groups(rows("hsu-chung/times.csv"), &["elements", "source", "destination"]);
    assert_eq!(cases.len(), 10);
    for (case, rows) in cases {
        let methods: BTreeSet<&str> = rows.iter().map(|row| row["method"].as_str()).collect();
        let expected =
            ["ASPEN", "Hsu-Chung", "PITFALLS", "Thakur", "redist, macro", "redist, run time"];
        assert!(methods.into_iter().eq(expected), "{case:?}: {rows:?}");
        let ours = rows
            .iter()
            .find(|row| row["method"] == "redist, run time")
            .map(|row| number(row, "nanoseconds"));
        for row in &rows {
            let ratio = number(row, "nanoseconds") / ours.unwrap();
            assert!((number(row, "over_run_time_plan") / ratio - 1.0).abs() < 1e-9, "{row:?}");
        }
    }
}

#[test]
fn schedules_need_at_least_the_fewest_steps_and_three_of_them_no_more() {
    for row in rows("schedules/schedules.csv") {
        let (steps, least) = (number(&row, "steps"), number(&row, "least_steps"));
        let (elements, least_elements) = (number(&row, "elements"), number(&row, "least_elements"));
        let method = row["method"].as_str();
        if ["indirect", "hybrid"].contains(&method) {
            // Messages of several phases: fewer steps than direct ones have, and more elements.
            assert!(steps > 0.0 && elements >= least_elements, "{row:?}");
            continue;
        }
        let minimal = ["circulant", "K\u{f6}nig colouring", "stepwise matchings"].contains(&method);
        assert!(least > 0.0 && if minimal { steps == least } else { steps >= least }, "{row:?}");
        let circulant = method == "circulant";
        assert!(circulant && elements == least_elements || !circulant && elements > 0.0, "{row:?}");
    }
}

#[test]
fn the_summary_shows_all_studies_and_what_it_links_to_is_there() {
    let summary = std::fs::read_to_string(RUN.join("summary.md")).unwrap();
    assert!(summary.contains("Machine: ") && summary.contains("quick run"));
    assert!(summary.contains("The run took ") && summary.contains("## Not made here"));
    assert_eq!(summary.matches("\n## ").count(), 11);
    let links: Vec<&str> =
        summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(links.len() >= 8, "{links:?}");
    for link in links {
        let plot = std::fs::read_to_string(RUN.join(link))
            .unwrap_or_else(|error| panic!("{link}: {error}"));
        assert!(
            plot.starts_with("<svg") && plot.contains("</svg>") && plot.contains("</text>"),
            "{link}"
        );
    }
    for study in [
        "aspen",
        "hsu-chung",
        "schedules",
        "cited",
        "drawn",
        "breakdown",
        "grids",
        "scale",
        "schedules-timed",
        "moves-timed",
    ] {
        assert!(summary.contains(
            std::fs::read_to_string(RUN.join(study).join("results.md")).unwrap().trim_end()
        ));
    }
}

#[test]
fn a_study_that_does_not_exist_is_refused() {
    let run = Command::new(env!("CARGO_BIN_EXE_redist-study")).arg("falls").output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    let message = String::from_utf8_lossy(&run.stderr);
    assert!(
        message.contains(
            "aspen, hsu-chung, schedules, cited, drawn, breakdown, grids, scale, schedules-timed, moves-timed, all"
        ),
        "{message}"
    );
}

#[test]
fn what_a_rank_has_to_know_does_not_grow_with_the_ranks() {
    for (case, rows) in groups(rows("scale/scale.csv"), &["case"]) {
        assert!(rows.len() >= 3, "{case:?}");
        // From 1024 ranks on: as many steps as messages, or as the busiest rank has.
        let large = rows.iter().filter(|row| number(row, "ranks") >= 1024.0);
        for row in large {
            assert!(number(row, "messages") <= 2048.0 && number(row, "steps") <= 2048.0, "{row:?}");
            assert!(number(row, "network_nanoseconds") > 0.0, "{row:?}");
        }
    }
}
