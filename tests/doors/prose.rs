//! Checks the words of comments, pages, scripts and commits against the rules of CONTRIBUTING.md.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Folders or files with sentences that still break a rule: the numbers only go down.
const ALLOWED: &[(&str, usize)] = &[];

const WRITTEN_BY: [(&str, &str); 4] = [
    ("docs/internals/faults.md", "tests/movement, from its table of faults"),
    ("docs/internals/matrix.md", "tests/movement, from its table of features"),
    ("study/docs/study.md", "redist-study, from the figures of a run"),
    ("study/docs/schedules-timed.md", "redist-study, from the figures of a run"),
];

/// First words of a sentence whose subject is a clause without an actor.
const CLAUSES: [&str; 5] = ["What", "Who", "Where", "Whether", "That"];

const LONGEST_SENTENCE: usize = 30;

const RETIRED: [&str; 7] =
    ["mail", "mails", "mailed", "meeting", "meetings", "occasion", "occasions"];

/// The last commit before subjects had a limit.
const SUBJECTS_SINCE: &str = "a3b04d5d062207cc2982469cd803061da44a7837";

const LONGEST_SUBJECT: usize = 72;

#[derive(Default)]
struct Block {
    line: usize,
    text: String,
}

enum Line<'l> {
    Prose(&'l str),
    Alone(&'l str),
    Code,
}

fn rust_line(line: &str) -> Line<'_> {
    let line = line.trim_start();
    let comment = ["///", "//!", "//"].iter().find_map(|mark| line.strip_prefix(mark));
    comment.map_or(Line::Code, Line::Prose)
}

fn script_line(line: &str) -> Line<'_> {
    let line = line.trim_start();
    if let Some(comment) = line.strip_prefix('#').filter(|rest| !rest.starts_with('!')) {
        return Line::Prose(comment);
    }
    let quoted = ["echo \"", "step \""].iter().find_map(|mark| line.strip_prefix(mark));
    quoted.and_then(|text| text.split('"').next()).map_or(Line::Code, Line::Alone)
}

fn reader(name: &str) -> Option<fn(&str) -> Line<'_>> {
    if WRITTEN_BY.iter().any(|(page, _)| *page == name) {
        return None;
    }
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("rs") => Some(rust_line),
        Some("md") => Some(|line| Line::Prose(line)),
        Some("sh") => Some(script_line),
        _ => name.starts_with(".ci/").then_some(script_line),
    }
}

fn is_item(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark))
        || number.len() < text.len() && number.starts_with(". ")
}

/// Returns `true` if the line ends a block and belongs to none: empty, of a table, or a link's address.
fn is_between(text: &str) -> bool {
    text.is_empty() || text.starts_with('|') || text.starts_with('[') && text.contains("]: ")
}

fn blocks(text: &str, read: fn(&str) -> Line<'_>) -> Vec<Block> {
    let (mut found, mut is_open, mut is_fenced) = (Vec::<Block>::new(), false, false);
    for (number, line) in text.lines().enumerate() {
        let (text, alone) = match read(line) {
            Line::Prose(text) => (text.trim(), text.trim().starts_with("# ")),
            Line::Alone(text) => (text.trim(), true),
            Line::Code => {
                (is_open, is_fenced) = (false, false);
                continue;
            }
        };
        let alone = alone || text.starts_with("##");
        let is_fence = text.starts_with("```");
        is_fenced ^= is_fence;
        if is_fence || is_fenced || is_between(text) {
            is_open = false;
            continue;
        }
        match found.last_mut().filter(|_| is_open && !alone && !is_item(text)) {
            Some(block) => block.text += &format!(" {text}"),
            None => found.push(Block { line: number + 1, text: text.to_owned() }),
        }
        is_open = !alone;
    }
    found
}

/// Splits a block behind `.`, `!`, `?` and `:` before a capital; a code span counts as one word.
fn sentences(text: &str) -> Vec<Vec<String>> {
    let spans = text.split('`').enumerate();
    let text: String = spans.map(|(at, part)| if at % 2 == 1 { "X" } else { part }).collect();
    let mut found: Vec<Vec<String>> = vec![Vec::new()];
    for word in text.split_whitespace() {
        let sentence = found.last_mut().unwrap();
        let ends = sentence
            .last()
            .is_some_and(|last| last.trim_end_matches('*').ends_with(['.', '!', '?', ':']));
        if ends && word.starts_with(|c: char| c.is_ascii_uppercase() || "*[".contains(c)) {
            found.push(vec![word.to_owned()]);
        } else {
            sentence.push(word.to_owned());
        }
    }
    found
}

fn letters(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn broken(sentence: &[String]) -> Vec<String> {
    let words = sentence.iter().map(|word| letters(word));
    let first = words.clone().find(|word| !word.is_empty()).unwrap_or_default();
    let first = first.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let mut found = Vec::new();
    if CLAUSES.contains(&first) {
        found.push(format!("begins with {first}"));
    }
    let count = words.clone().skip_while(|word| word.is_empty()).count();
    if count > LONGEST_SENTENCE {
        found.push(format!("{count} words"));
    }
    let retired = words.map(str::to_lowercase).filter(|word| RETIRED.contains(&word.as_str()));
    found.extend(retired.map(|word| format!("`{word}` is retired")));
    found
}

fn findings(name: &str, text: &str) -> Vec<String> {
    let Some(read) = reader(name) else { return Vec::new() };
    let mut found = Vec::new();
    for block in blocks(text, read) {
        for sentence in sentences(&block.text) {
            let rules = broken(&sentence).into_iter();
            let words = sentence.join(" ");
            found.extend(rules.map(|rule| format!("{name}:{}: {rule}: {words}", block.line)));
        }
    }
    found
}

/// Returns `None` in a copy of the sources without its history.
pub fn git(arguments: &[&str]) -> Option<String> {
    let root = env!("CARGO_MANIFEST_DIR");
    let output = Command::new("git").args(arguments).current_dir(root).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the longest place of [`ALLOWED`] that the path begins with.
fn place(name: &str) -> &'static str {
    let places = ALLOWED.iter().map(|(place, _)| *place);
    places
        .filter(|place| Path::new(name).starts_with(place))
        .max_by_key(|of| of.len())
        .unwrap_or("")
}

#[test]
fn comments_pages_and_scripts_keep_the_rules() {
    let Some(files) = git(&["ls-files"]) else { return eprintln!("skipped: no tracked files") };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in files.lines().filter(|name| reader(name).is_some()) {
        let Ok(text) = fs::read_to_string(root.join(name)) else { continue };
        found.entry(place(name)).or_default().extend(findings(name, &text));
    }
    let mut wrong = found.remove("").unwrap_or_default();
    for (place, allowed) in ALLOWED {
        let lines = found.remove(place).unwrap_or_default();
        if lines.len() > *allowed {
            wrong.extend(lines);
        } else if lines.len() < *allowed {
            wrong.push(format!("`ALLOWED` of {place} is {allowed}: lower it to {}", lines.len()));
        }
    }
    assert!(wrong.is_empty(), "{} sentences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn subjects_of_commits_are_short() {
    let range = format!("{SUBJECTS_SINCE}..HEAD");
    let Some(subjects) = git(&["log", "--format=%h %s", &range]) else {
        return eprintln!("skipped: the history does not go back to {SUBJECTS_SINCE}");
    };
    let length = |line: &str| line.split_once(' ').map_or(0, |(_, words)| words.chars().count());
    let long: Vec<_> = subjects.lines().filter(|line| length(line) > LONGEST_SUBJECT).collect();
    assert!(long.is_empty(), "more than {LONGEST_SUBJECT} characters: {long:#?}");
}

#[test]
fn the_glossary_is_short_and_in_use() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = |name: &str| fs::read_to_string(root.join(name)).unwrap().to_lowercase();
    let architecture = page("ARCHITECTURE.md");
    let (before, glossary) = architecture.split_once("## glossary").expect("a glossary");
    let rows: Vec<_> = glossary.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!((1..=24).contains(&rows.len()), "{} terms", rows.len());
    let pages = ["docs/mpi.md", "docs/notation.md", "docs/internals/moving.md"].map(page).join(" ");
    let used = format!("{before} {pages}");
    for term in rows.iter().flat_map(|row| row.split('|').nth(1).unwrap().split(',')) {
        let is_used = used.contains(term.trim());
        assert!(is_used, "the glossary has `{}`, which no page uses", term.trim());
    }
}

#[test]
fn planted_sentences_are_found() {
    let count = |name: &str, text: &str| findings(name, text).len();
    for clause in CLAUSES {
        assert_eq!(count("a.rs", &format!("/// {clause} holds.\nfn a() {{}}\n")), 1);
        assert_eq!(count("a.md", &format!("A rank sends. {clause} is sent.\n")), 1);
        assert_eq!(count("a.md", &format!("- **{clause}** is sent.\n")), 1);
    }
    let long = ["rank"; LONGEST_SENTENCE / 2].join(" ");
    assert_eq!(count("a.md", &format!("{long}\n{long}.\n")), 0);
    assert_eq!(count("a.md", &format!("{long}\n{long} sends.\n")), 1);
    assert_eq!(count("a.md", &format!("{long} `a span is one word`\n{long}.\n")), 1);
    assert_eq!(count("a.md", &format!("- {long}\n- {long} sends.\n")), 0, "items end a sentence");
    assert_eq!(count("a.rs", "// The rank sends its mail.\n"), 1);
    assert_eq!(count(".ci/run", "# What runs.\nstep \"What runs\"\necho \"A rank\"\n"), 2);
}

#[test]
fn code_and_tables_are_no_sentences() {
    let count = |name: &str, text: &str| findings(name, text).len();
    assert_eq!(count("a.md", "```text\nWhat holds.\n```\n| What | Who |\n"), 0);
    assert_eq!(count("a.rs", "let a = \"What holds.\"; // What holds.\n/// `What` holds.\n"), 0);
    assert_eq!(count("a.c", "// What holds.\n"), 0, "C is not read");
}
