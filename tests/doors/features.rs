//! The table of languages in `docs/README.md` says what tests say. Each cell but "not yet" has a test with the
//! mark `feature: ` and the row's words, and `.ci/doors-c` plays this test. "Not yet" has none.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A column of the table, and the tests of its languages.
struct Column {
    name: &'static str,
    /// Folder of the tests.
    folder: &'static str,
    endings: &'static [&'static str],
}

/// Columns whose tests have marks.
const COLUMNS: [Column; 2] = [
    Column { name: "C, C++", folder: "doors/c/tests", endings: &["c", "cpp"] },
    Column { name: "Fortran", folder: "doors/fortran/tests", endings: &["F90"] },
];

/// Script that compiles and plays the tests.
const PLAYED_BY: &str = ".ci/doors-c";

/// The words before a mark, in comments of C, C++ and Fortran.
const MARKS: [&str; 3] = ["/* feature: ", "// feature: ", "! feature: "];

/// Returns the rows of the table: their cells, the first of which names a feature.
fn rows(page: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let table = page.lines().skip_while(|line| *line != "### Languages");
    let lines =
        table.skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim_start_matches('|').trim_end_matches('|');
        inner.split('|').map(|cell| cell.trim().replace('`', "")).collect()
    };
    let mut all = lines.map(cells);
    let head = all.next().unwrap_or_default();
    (head, all.skip(1).collect())
}

fn is_there(cell: &str) -> bool {
    !cell.starts_with("not yet") && cell != "–"
}

/// Returns the features that the text of a test has marks for, each with the function behind it.
fn marks(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mark = |(at, line): (usize, &&str)| {
        let words = MARKS.iter().find_map(|begin| line.strip_prefix(begin))?;
        let is_code = |line: &&&str| !line.is_empty() && !line.starts_with(['!', '/']);
        let function = lines[at + 1..].iter().find(is_code).copied().unwrap_or_default();
        Some((words.trim_end_matches("*/").trim().to_owned(), function.to_owned()))
    };
    lines.iter().enumerate().filter_map(mark).collect()
}

/// Returns `true` if a program runs the function that this line defines.
fn is_run(text: &str, line: &str) -> bool {
    if line.starts_with("program ") {
        return true;
    }
    let before = line.split('(').next().unwrap_or_default();
    let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    name == "main" || (!name.is_empty() && text.matches(&format!("{name}(")).count() > 1)
}

/// Lists cells that no test proves, marks that no cell has, and marks of what is not run.
fn wrong(page: &str, script: &str, column: &Column, tests: &[(String, String)]) -> Vec<String> {
    let (head, rows) = rows(page);
    let Some(at) = head.iter().position(|cell| cell == column.name) else {
        return vec![format!("the table has no column `{}`", column.name)];
    };
    let mut wrong = Vec::new();
    let mut found = BTreeSet::new();
    for (stem, text) in tests {
        for (feature, function) in marks(text) {
            // The script names programs in lists of words.
            let is_played =
                script.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == stem);
            if !is_played || !is_run(text, &function) {
                wrong.push(format!("{stem}: `{feature}` marks what is not run: {function}"));
            }
            found.insert(feature);
        }
    }
    for row in &rows {
        let (feature, cell) = (&row[0], row.get(at).map_or("", String::as_str));
        match (is_there(cell), found.remove(feature)) {
            (true, false) => wrong.push(format!(
                "{}: no test has the mark `feature: {feature}`, but the table says: {cell}",
                column.name
            )),
            (false, true) => {
                wrong.push(format!(
                    "{}: a test has `{feature}`, but the table says: {cell}",
                    column.name
                ));
            }
            _ => {}
        }
    }
    wrong.extend(found.into_iter().map(|other| format!("{}: no row is `{other}`", column.name)));
    wrong
}

#[test]
fn cells_have_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |place: &str| fs::read_to_string(root.join(place)).unwrap();
    let (page, script) = (read("docs/README.md"), read(PLAYED_BY));
    for column in &COLUMNS {
        let files =
            fs::read_dir(root.join(column.folder)).unwrap().map(|file| file.unwrap().path());
        let tests = files.filter_map(|file| {
            let ending = file.extension()?.to_str()?;
            let stem = file.file_stem()?.to_str()?.to_owned();
            column.endings.contains(&ending).then(|| (stem, fs::read_to_string(&file).unwrap()))
        });
        let wrong = wrong(&page, &script, column, &tests.collect::<Vec<_>>());
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

#[test]
fn cells_without_tests_are_found() {
    let page = "### Languages\n\nWords.\n\n| | C, C++ |\n|---|---|\n| copies (`k`) | yes |\n| threads | not yet |\n";
    let found = |text: &str| {
        let tests = [("one".to_owned(), text.to_owned())];
        wrong(page, "for name in one two; do", &COLUMNS[0], &tests).len()
    };
    let called = "int main(void) { copies(); }\n";
    assert_eq!(found(&format!("/* feature: copies (k) */\nvoid copies(void) {{}}\n{called}")), 0);
    assert_eq!(found("/* feature: copies (k) */\nint main(void) {}\n"), 0);
    assert_eq!(found(called), 1, "no mark");
    assert_eq!(found("/* feature: copies (k) */\nvoid copies(void) {}\n"), 1, "it is not called");
    let both = "/* feature: copies (k) */\n/* feature: threads */\nint main(void) {}\n";
    assert_eq!(found(both), 1, "a test of what is not there yet");
    assert_eq!(found("/* feature: copies (k) */\n// feature: other\nint main(void) {}\n"), 1);
}
