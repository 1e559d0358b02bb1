//! Makes the page of Fortran's procedures of the module's sources.

use super::GENERICS;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The lines of a name's declaration, and the comment before them.
#[derive(Clone, Default)]
struct Described {
    comment: Vec<String>,
    code: Vec<String>,
}

/// Public names of the module, and what the sources say of each.
pub struct Sources {
    names: Vec<String>,
    described: BTreeMap<String, Described>,
    /// Constants, line by line.
    constants: Vec<String>,
}

const FILES: [&str; 10] = [
    "redist.F90",
    "redist_generics.inc",
    "redist_bind.inc",
    "redist_layouts.inc",
    "redist_arrays.inc",
    "redist_together.inc",
    "redist_ranks.inc",
    "redist_files.inc",
    "redist_alone.inc",
    "redist_moves.inc",
];

const BEGIN: &str = "\
# The procedures of Fortran's module

`use redist` gives these names. `doors/c/tests/fortran.rs` makes this page of the sources in `doors/fortran`, and a test compares
them. [The guide](c.md#fortran) has examples.

- Indices, ranks, numbers of messages and offsets count from 0, and are `integer(int64)`. `IA` and `JA` of ScaLAPACK count from 1.
- Lengths, extents and strides are in elements, unless the name says bytes.
- `status` becomes `REDIST_OK`, or the status of the failed call. Without it, a failure ends the program with its message.
- `NUMBER` is `real(real32)`, `real(real64)`, `complex(real32)`, `complex(real64)`, `integer(int8)`, `integer(int16)`,
  `integer(int32)` or `integer(int64)`. Procedures with `alpha` and `beta` lack `int8` and `int16`.
- `(:, ...)` is any number of dimensions from 1 to 7. The arrays of one call have the same number.
";

impl Sources {
    pub fn read(folder: &Path) -> Self {
        let mut found =
            Self { names: Vec::new(), described: BTreeMap::new(), constants: Vec::new() };
        let mut generic = BTreeMap::new();
        for file in FILES {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            found.read_file(&joined(&text), &mut generic);
        }
        for (name, (comment, procedures)) in generic {
            let own = procedures.iter().filter_map(|own| found.described.get(own));
            let mut all = Described { comment, ..Default::default() };
            for one in own.cloned().collect::<Vec<_>>() {
                all.comment.extend(if all.comment.is_empty() { one.comment } else { Vec::new() });
                all.code.extend(one.code.iter().enumerate().map(|(at, line)| match at {
                    0 => renamed(line, &name),
                    _ => line.clone(),
                }));
            }
            found.described.insert(name, all);
        }
        found
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns the number of lines that declare a name; `None` without any.
    pub fn described(&self, name: &str) -> Option<usize> {
        self.described.get(name).map(|it| it.code.len()).filter(|lines| *lines > 0)
    }

    pub fn page(&self) -> String {
        let mut text = BEGIN.to_owned();
        let is_type = |name: &&String| {
            self.described
                .get(*name)
                .and_then(|it| it.code.first())
                .is_some_and(|line| line.starts_with("type ") || line.starts_with("type,"))
        };
        let (types, procedures): (Vec<_>, Vec<_>) = self.names.iter().partition(is_type);
        text += "\n## Types\n";
        types.iter().for_each(|name| self.section(&mut text, name));
        text += "\n## Procedures\n";
        procedures.iter().for_each(|name| self.section(&mut text, name));
        text += "\n## Constants\n\n```fortran\n";
        self.constants.iter().for_each(|line| {
            let _ = writeln!(text, "{line}");
        });
        text + "```\n"
    }

    fn section(&self, text: &mut String, name: &str) {
        let Described { comment, code } = self.described.get(name).cloned().unwrap_or_default();
        let _ = write!(text, "\n### {name}\n\n");
        if !comment.is_empty() {
            let _ = write!(text, "{}\n\n", comment.join("\n"));
        }
        let _ = write!(text, "```fortran\n{}\n```\n", code.join("\n"));
    }

    fn read_file(
        &mut self,
        lines: &[String],
        generic: &mut BTreeMap<String, (Vec<String>, Vec<String>)>,
    ) {
        let mut comment: Vec<String> = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at].trim();
            at += 1;
            if let Some(words) = line.strip_prefix("! ") {
                comment.push(words.to_owned());
                continue;
            }
            let before = std::mem::take(&mut comment);
            if let Some(names) = line.strip_prefix("public :: ") {
                self.names.extend(names.split(", ").map(str::to_owned));
            } else if line.contains("parameter, public ::") {
                self.constants.push(line.to_owned());
            } else if let Some(name) = line.strip_prefix("interface ") {
                let entry = generic.entry(name.to_owned()).or_default();
                entry.0.extend(before);
                while lines[at].trim() != "end interface" {
                    let own = lines[at].trim().strip_prefix("module procedure ");
                    entry
                        .1
                        .extend(own.into_iter().flat_map(|own| own.split(", ")).map(str::to_owned));
                    at += 1;
                }
                let of_types = GENERICS.iter().find(|[own, ..]| own == &name);
                let template = match name {
                    "redist_plan_simulate_scaled" => Some("SIMULATE"),
                    _ => of_types.map(|[.., name]| *name),
                };
                let template = template.map(str::to_owned);
                entry.1.extend(template.filter(|own| !entry.1.contains(own)));
            } else if let Some(name) = type_name(line) {
                let end = (at..lines.len()).find(|end| lines[*end].trim() == "end type").unwrap();
                let code = unindented(&lines[at - 1..=end]);
                let is_hidden = code.iter().any(|line| line.trim() == "private");
                let code = if is_hidden { vec![code[0].clone(), "  private".into()] } else { code };
                let code = if is_hidden { [code, vec!["end type".into()]].concat() } else { code };
                self.described.insert(name, Described { comment: before, code });
                at = end + 1;
            } else if let Some(name) = procedure_name(line) {
                let result =
                    line.split_once("result(").and_then(|(_, rest)| rest.split(')').next());
                let is_result =
                    |line: &str| result.is_some_and(|own| line.ends_with(&format!(":: {own}")));
                let is_body = |at: &usize| !is_of_arguments(&lines[*at]) && !is_result(&lines[*at]);
                let end = (at..lines.len()).find(is_body).unwrap();
                let code = signature(&lines[at - 1..end]);
                self.described.insert(name, Described { comment: before, code });
                at = end;
            }
        }
    }
}

/// Joins lines that go on behind `&`, and leaves out lines of the preprocessor.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let own = line.trim_end().strip_suffix('&');
        let words = own.unwrap_or(line).trim_end();
        match lines.last_mut().filter(|_| goes_on) {
            Some(last) => {
                let is_open = last.ends_with('(');
                let _ = write!(last, "{}{}", if is_open { "" } else { " " }, words.trim_start());
            }
            None => lines.push(words.to_owned()),
        }
        goes_on = own.is_some();
    }
    lines
}

fn type_name(line: &str) -> Option<String> {
    let name = line.strip_prefix("type :: ").or_else(|| line.strip_prefix("type, bind(c) :: "))?;
    Some(name.to_owned())
}

fn procedure_name(line: &str) -> Option<String> {
    if line.starts_with("end ") || line.starts_with("abstract ") {
        return None;
    }
    let rest = ["subroutine ", "function "].iter().find_map(|word| {
        let (before, rest) = line.split_once(word)?;
        (before.is_empty() || before.ends_with(' ')).then_some(rest)
    })?;
    Some(rest.split('(').next()?.to_owned())
}

/// Returns `true` if a line declares arguments, or the result of a function.
fn is_of_arguments(line: &str) -> bool {
    let line = line.trim();
    let begins = ["use ", "include ", "import ", "procedure(", "!"];
    line.contains("intent(")
        || line.contains(", value ::")
        || begins.iter().any(|it| line.starts_with(it))
}

fn unindented(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| line.strip_prefix("  ").unwrap_or(line).to_owned()).collect()
}

/// Returns a procedure's first line and its arguments, in the words of the page.
fn signature(lines: &[String]) -> Vec<String> {
    let own = unindented(lines).into_iter();
    let own = own.filter(|line| {
        let line = line.trim();
        !["use ", "include ", "import ", "!"].iter().any(|it| line.starts_with(it))
    });
    let plain = |line: String| {
        let line = line.replace("ELEMENT", "NUMBER").replace("(SHAPE)", "(:, ...)");
        line.replace(", target", "").replace(", contiguous", "")
    };
    own.map(plain).collect()
}

/// Returns a procedure's first line with its generic name.
fn renamed(line: &str, generic: &str) -> String {
    let own = procedure_name(line).unwrap_or_default();
    let at = line.find(&format!("{own}(")).unwrap_or(0);
    format!("{}{generic}{}", &line[..at], &line[at + own.len()..])
}
