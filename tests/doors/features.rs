//! The table of languages in `docs/README.md` is what tests say: `BLESS=1` rewrites it.
//!
//! A test has the mark `feature: ROW` above it, or `feature: ROW = CELL` with the words of its cell. A
//! cell without a test is one of [`WITHOUT_TESTS`].

use super::architecture::sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

/// A column of the table, and the tests of its languages.
struct Column {
    name: &'static str,
    /// Folders of the tests.
    folders: &'static [&'static str],
    endings: &'static [&'static str],
    /// Begin of a mark's line.
    begin: &'static str,
    played: Played,
}

/// The tests of a column that are played.
#[derive(Clone, Copy)]
enum Played {
    /// Programs that a script names, and functions that they call.
    Script(&'static str),
    /// Functions that pytest finds, which a script calls.
    Pytest(&'static str),
    /// Functions with `#[test]`, and those that a list of cases has.
    Cargo,
}

const COLUMNS: [Column; 4] = [
    Column {
        name: "Rust",
        folders: &["tests", "src/bin"],
        endings: &["rs"],
        begin: "// feature: ",
        played: Played::Cargo,
    },
    Column {
        name: "C, C++",
        folders: &["doors/c/tests"],
        endings: &["c", "cpp"],
        begin: "/* feature: ",
        played: Played::Script(".ci/doors-c"),
    },
    Column {
        name: "Fortran",
        folders: &["doors/fortran/tests"],
        endings: &["F90"],
        begin: "! feature: ",
        played: Played::Script(".ci/doors-c"),
    },
    Column {
        name: "Python",
        folders: &["doors/python/tests"],
        endings: &["py"],
        begin: "# feature: ",
        played: Played::Pytest(".ci/doors-python"),
    },
];

const COMPILED: &str = "planned while the program is compiled";
const TORCH: &str = "tensors over process groups of torch";
const NAMES: &str = "names of other libraries";

/// All cells without a test: row, column and words. "–" is for what a language cannot have, or does not need.
const WITHOUT_TESTS: &[[&str; 3]] = &[
    [COMPILED, "C, C++", "–"],
    [COMPILED, "Fortran", "–"],
    [COMPILED, "Python", "–"],
    [TORCH, "Rust", "– (Python's)"],
    [TORCH, "C, C++", "– (Python's)"],
    [TORCH, "Fortran", "– (Python's)"],
    [NAMES, "Rust", "–"],
    [NAMES, "Fortran", "–"],
];

/// A text with the stem of its file's name.
type Test = (String, String);

/// Cells of a column by the words of their rows; empty where a mark has none.
type Cells = BTreeMap<String, String>;

/// Returns the cells of a line of a table.
fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_start_matches('|').trim_end_matches('|').split('|').map(str::trim).collect()
}

/// Returns the table, and the lines before and after it.
fn parted(page: &str) -> Option<[&str; 3]> {
    let begin = page.find("### Languages")?;
    let begin = begin + page[begin..].find("\n|")? + 1;
    let end = page[begin..].find("\n\n").map_or(page.len(), |end| begin + end + 1);
    Some([&page[..begin], &page[begin..end], &page[end..]])
}

/// A mark of a test.
struct Mark {
    row: String,
    cell: String,
    /// The line of code behind it, and the lines between, which are attributes.
    function: String,
    has_attribute: bool,
}

fn marks(text: &str, begin: &str) -> Vec<Mark> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mark = |(at, line): (usize, &&str)| {
        let words = line.strip_prefix(begin)?.trim_end_matches("*/").trim();
        let (row, cell) = words.split_once(" = ").unwrap_or((words, ""));
        let comments = begin.split(' ').next().unwrap_or_default();
        let behind = || {
            let is_code = move |line: &&&str| !line.is_empty() && !line.starts_with(comments);
            lines[at + 1..].iter().filter(is_code)
        };
        let is_attribute = |line: &&&str| line.starts_with("#[") || line.starts_with('@');
        let function = behind().find(|line| !is_attribute(line)).copied().unwrap_or_default();
        let has_attribute = behind().next().is_some_and(|line| line.starts_with("#[test]"));
        let [row, cell, function] = [row, cell, function].map(str::to_owned);
        Some(Mark { row, cell, function, has_attribute })
    };
    lines.iter().enumerate().filter_map(mark).collect()
}

/// Returns the name that a line defines.
fn defined(line: &str) -> &str {
    let before = line.split(['(', '<']).next().unwrap_or_default();
    before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// Returns `true` if someone plays the function behind a mark.
fn is_played(mark: &Mark, (stem, text): &Test, played: Played, script: &str) -> bool {
    let words = |text: &str, word: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|found| *found == word)
            .count()
    };
    let name = defined(&mark.function);
    let is_called =
        name == "main" || (!name.is_empty() && text.matches(&format!("{name}(")).count() > 1);
    match played {
        Played::Script(_) => {
            words(script, stem) > 0 && (mark.function.starts_with("program ") || is_called)
        }
        Played::Pytest(_) => {
            let is_test = mark.function.starts_with("def test_") && stem.starts_with("test_");
            is_test && script.contains("-m pytest")
        }
        Played::Cargo => mark.has_attribute || (text.contains("CASES") && is_called),
    }
}

/// Returns a column's cells that have marks, and marks of what is not played.
fn marked(column: &Column, script: &str, tests: &[Test]) -> (Cells, Vec<String>) {
    let (mut found, mut wrong) = (Cells::new(), Vec::new());
    for test in tests {
        for mark in marks(&test.1, column.begin) {
            if !is_played(&mark, test, column.played, script) {
                let (stem, Mark { row, function, .. }) = (&test.0, &mark);
                wrong.push(format!("{stem}: `{row}` marks what is not run: {function}"));
            }
            let cell = found.entry(mark.row).or_default();
            if cell.is_empty() {
                *cell = mark.cell;
            } else if !mark.cell.is_empty() {
                wrong.push(format!("two marks have words for a cell: {cell}, {}", mark.cell));
            }
        }
    }
    (found, wrong)
}

/// Writes the table anew: its rows, and the cells that marks have. Lists cells that are neither marked nor in
/// the list of those without, marks that no row has, and cells that are both.
fn written(table: &str, columns: &[(&str, Cells)], without: &[[&str; 3]]) -> (String, Vec<String>) {
    let (mut lines, mut wrong) = (Vec::new(), Vec::new());
    let names = columns.iter().map(|(name, _)| *name);
    lines.push(format!("| | {} |", names.collect::<Vec<_>>().join(" | ")));
    lines.push(format!("|{}", "---|".repeat(columns.len() + 1)));
    let mut rows = BTreeSet::new();
    for line in table.lines().skip(2) {
        let first = cells(line)[0];
        let row = first.replace('`', "");
        let cell = |(name, marked): &(&str, Cells)| {
            let listed = without.iter().find(|[of, column, _]| *of == row && column == name);
            match (marked.get(&row), listed) {
                (Some(cell), None) if cell.is_empty() => "yes".to_owned(),
                (Some(cell), None) => cell.clone(),
                (None, Some([.., words])) => (*words).to_owned(),
                (None, None) => {
                    wrong.push(format!("{name}: no test has the mark `feature: {row}`"));
                    String::new()
                }
                (Some(_), Some(_)) => {
                    wrong.push(format!("{name}: `{row}` has a test, and is listed without one"));
                    String::new()
                }
            }
        };
        let found: Vec<String> = columns.iter().map(cell).collect();
        lines.push(format!("| {first} | {} |", found.join(" | ")));
        rows.insert(row);
    }
    for (name, marked) in columns {
        let strange = marked.keys().filter(|row| !rows.contains(*row));
        wrong.extend(strange.map(|row| format!("{name}: no row is `{row}`")));
    }
    let strange = without.iter().filter(|[row, ..]| !rows.contains(*row));
    wrong.extend(strange.map(|[row, ..]| format!("no row is `{row}`")));
    (lines.join("\n") + "\n", wrong)
}

fn tests_of(root: &Path, column: &Column) -> Vec<Test> {
    let files = column.folders.iter().flat_map(|folder| sources(&root.join(folder)));
    let test = |file: std::path::PathBuf| {
        let ending = file.extension()?.to_str()?;
        let stem = file.file_stem()?.to_str()?.to_owned();
        column.endings.contains(&ending).then(|| (stem, fs::read_to_string(&file).unwrap()))
    };
    files.filter_map(test).collect()
}

#[test]
fn the_table_is_what_tests_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |place: &str| fs::read_to_string(root.join(place)).unwrap();
    let page = read("docs/README.md");
    let [before, table, after] = parted(&page).expect("a table of languages");
    let (mut columns, mut wrong) = (Vec::new(), Vec::new());
    for column in &COLUMNS {
        let script = match column.played {
            Played::Script(script) | Played::Pytest(script) => read(script),
            Played::Cargo => String::new(),
        };
        let (found, strange) = marked(column, &script, &tests_of(root, column));
        columns.push((column.name, found));
        wrong.extend(strange);
    }
    let (made, strange) = written(table, &columns, WITHOUT_TESTS);
    wrong.extend(strange);
    assert!(wrong.is_empty(), "{wrong:#?}");
    if env::var_os("BLESS").is_some() {
        fs::write(root.join("docs/README.md"), [before, &made, after].concat()).unwrap();
    }
    let differs = |(made, found): (&str, &str)| (made != found).then(|| format!("{found}\n{made}"));
    let lines: Vec<String> = made.lines().zip(table.lines()).filter_map(differs).collect();
    assert!(made == table, "the table differs; run this test with BLESS=1: {lines:#?}");
}

/// A table of two languages, and what is said of it.
fn said(c: &str, python: &str, without: &[[&str; 3]]) -> (String, Vec<String>) {
    let page = "### Languages\n\nWords.\n\n| | C, C++ | Python |\n|---|---|---|\n| copies (`k`) | x | y |\n\
                | threads | | |\n\nMore.\n";
    let [_, table, after] = parted(page).expect("a table");
    assert_eq!(after, "\nMore.\n");
    let of = |column: &Column, stem: &str, text: &str| {
        let script = "for name in one two; do python -m pytest";
        marked(column, script, &[(stem.to_owned(), text.to_owned())])
    };
    let (first, mut wrong) = of(&COLUMNS[1], "one", c);
    let (second, others) = of(&COLUMNS[3], "test_one", python);
    wrong.extend(others);
    let (made, others) = written(table, &[("C, C++", first), ("Python", second)], without);
    wrong.extend(others);
    (made, wrong)
}

#[test]
fn cells_without_tests_are_found() {
    const C: &str = "/* feature: copies (k) = `redist_copies` */\nvoid copies(void) {}\nint main(void) { copies(); }\n";
    const PYTHON: &str = "# feature: copies (k)\n@pytest.mark.skip\ndef test_copies():\n";
    const NONE: &[[&str; 3]] = &[["threads", "C, C++", "–"], ["threads", "Python", "not yet"]];
    let (made, wrong) = said(C, PYTHON, NONE);
    assert!(wrong.is_empty(), "{wrong:?}");
    let rows = "| copies (`k`) | `redist_copies` | yes |\n| threads | – | not yet |\n";
    assert_eq!(made, format!("| | C, C++ | Python |\n|---|---|---|\n{rows}"));
    let count = |c: &str, python: &str, without| said(c, python, without).1.len();
    assert_eq!(count("int main(void) {}\n", PYTHON, NONE), 1, "no mark");
    assert_eq!(count(C, "", NONE), 1, "no mark");
    assert_eq!(count(C, PYTHON, &NONE[1..]), 1, "a cell without any words");
    assert_eq!(count(&C.replace("copies(); ", ""), PYTHON, NONE), 1, "nobody calls it");
    assert_eq!(count(C, &PYTHON.replace("test_copies", "copies"), NONE), 1, "pytest passes it by");
    let listed = &[NONE, &[["copies (k)", "Python", "not yet"]]].concat();
    assert_eq!(count(C, PYTHON, listed), 1, "a test of what is said not to be there");
    let other = C.to_owned() + "/* feature: other */\nint main(void) {}\n";
    assert_eq!(count(&other, PYTHON, NONE), 1, "no row");
    let twice = C.to_owned() + "/* feature: copies (k) = more */\nint main(void) {}\n";
    assert_eq!(count(&twice, PYTHON, NONE), 1, "two cells");
}
