//! Makes what of Fortran's module is alike for all types and numbers of dimensions, and the page of its
//! procedures: `BLESS=1` rewrites them.

#[path = "fortran/page.rs"]
mod page;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// A number type of Fortran.
struct Kind {
    /// The end of its procedures' names.
    suffix: &'static str,
    declared: &'static str,
    /// As the library names it.
    element: &'static str,
    /// `true` if α A + β B takes it.
    is_scaled: bool,
}

const fn kind(
    suffix: &'static str,
    declared: &'static str,
    element: &'static str,
    is_scaled: bool,
) -> Kind {
    Kind { suffix, declared, element, is_scaled }
}

const KINDS: [Kind; 8] = [
    kind("r32", "real(real32)", "f32", true),
    kind("r64", "real(real64)", "f64", true),
    kind("c32", "complex(real32)", "c32", true),
    kind("c64", "complex(real64)", "c64", true),
    kind("i8", "integer(int8)", "i8", false),
    kind("i16", "integer(int16)", "i16", false),
    kind("i32", "integer(int32)", "i32", true),
    kind("i64", "integer(int64)", "i64", true),
];

/// Most dimensions of an array that Fortran 2003 has.
const DIMENSIONS: usize = 7;

/// The names of a procedure: the generic one, the begin of those for a type, and the macro.
pub const GENERICS: [[&str; 3]; 11] = [
    ["redist_run", "run", "RUN"],
    ["redist_run_scaled", "scaled", "SCALED"],
    ["redist_start", "start", "START"],
    ["redist_finish", "finish", "FINISH"],
    ["redist_pack", "pack", "PACK"],
    ["redist_unpack", "unpack", "UNPACK"],
    ["redist_pack_all", "pack_all", "PACK_ALL"],
    ["redist_unpack_all", "unpack_all", "UNPACK_ALL"],
    ["redist_plan_scatter", "scatter", "SCATTER"],
    ["redist_plan_gather", "gather", "GATHER"],
    ["redist_array_of", "array", "ARRAY"],
];

/// Macros of procedures that take single numbers, too.
const OF_SCALARS: [&str; 3] = ["RUN", "START", "FINISH"];

/// Comments of generic names that have procedures for numbers alone.
const COMMENTS: [(&str, &str); 2] = [
    (
        "redist_run_scaled",
        "  ! As redist_run, but that the destination becomes `alpha` times what arrives, or its complex conjugate, plus `beta` times\n  \
           ! what it had. An array that is multiplied by zero is not read. After an error some elements may have been changed.\n",
    ),
    (
        "redist_plan_simulate_scaled",
        "  ! As redist_plan_simulate, but that each destination becomes `alpha` times what arrives, or its complex conjugate, plus `beta`\n  \
           ! times what it had: numbers of the arrays' type.\n",
    ),
];

const MADE: &str = "! doors/c/tests/fortran.rs makes this file: `BLESS=1 cargo test -p redist-c --test fortran`.\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns a list with a `special` entry at one place and `plain` ones elsewhere.
fn entries(count: usize, plain: &str, special: Option<usize>) -> String {
    let entry = |at| if special == Some(at) { "2" } else { plain };
    (0..count).map(entry).collect::<Vec<_>>().join(", ")
}

fn defines(text: &mut String, kind: &Kind, dimensions: usize) {
    let _ = writeln!(text, "#define ELEMENT {}", kind.declared);
    let _ = writeln!(text, "#define NAME \"{}\"", kind.element);
    if dimensions > 0 {
        let _ = writeln!(text, "#define SHAPE {}", entries(dimensions, ":", None));
        let _ = writeln!(text, "#define FIRST {}", entries(dimensions, "1", None));
    }
    for axis in 0..dimensions {
        let second = entries(dimensions, "1", Some(axis));
        let _ = writeln!(text, "#define SECOND_{} {second}", axis + 1);
    }
    for [_, begin, macro_name] in GENERICS {
        let is_there = match macro_name {
            "SCALED" => kind.is_scaled && dimensions > 0,
            name => dimensions > 0 || OF_SCALARS.contains(&name),
        };
        if is_there {
            let _ = writeln!(text, "#define {macro_name} {begin}_{}_{dimensions}", kind.suffix);
        }
    }
    if kind.is_scaled && dimensions == 1 {
        let _ = writeln!(text, "#define SIMULATE simulate_{}", kind.suffix);
    }
}

fn types() -> String {
    let mut text = format!(
        "{MADE}! The subroutines of redist_moves.inc for each number type and number of dimensions.\n"
    );
    for kind in &KINDS {
        for dimensions in 1..=DIMENSIONS {
            defines(&mut text, kind, dimensions);
            text += "#include \"redist_moves.inc\"\n#include \"redist_undefined.inc\"\n";
        }
    }
    text += "! The subroutines of redist_scalars.inc for each number type.\n";
    for kind in &KINDS {
        defines(&mut text, kind, 0);
        text += "#include \"redist_scalars.inc\"\n#include \"redist_undefined.inc\"\n";
    }
    text
}

fn undefined() -> String {
    let mut text = format!(
        "{MADE}! Forgets what redist_types.inc has defined for one type and number of dimensions.\n"
    );
    let seconds = (1..=DIMENSIONS).map(|axis| format!("SECOND_{axis}"));
    let fixed = ["ELEMENT", "NAME", "SHAPE", "FIRST"].map(str::to_owned);
    let macros = GENERICS.map(|[.., name]| name.to_owned());
    for name in fixed.into_iter().chain(seconds).chain(macros).chain(["SIMULATE".to_owned()]) {
        let _ = writeln!(text, "#undef {name}");
    }
    text
}

fn interface(text: &mut String, generic: &str, names: &[String]) {
    *text += COMMENTS.iter().find(|(name, _)| *name == generic).map_or("", |(_, comment)| comment);
    let _ = writeln!(text, "  interface {generic}");
    for some in names.chunks(4) {
        let _ = writeln!(text, "    module procedure {}", some.join(", "));
    }
    *text += "  end interface\n";
}

fn generics() -> String {
    let mut text = format!("{MADE}  ! The procedures of redist_types.inc.\n");
    let scaled = || KINDS.iter().filter(|kind| kind.is_scaled);
    for [generic, begin, macro_name] in GENERICS {
        let least = usize::from(!OF_SCALARS.contains(&macro_name));
        let own = KINDS.iter().filter(|kind| macro_name != "SCALED" || kind.is_scaled);
        let names = own.flat_map(|kind| {
            (least..=DIMENSIONS)
                .map(move |dimensions| format!("{begin}_{}_{dimensions}", kind.suffix))
        });
        interface(&mut text, generic, &names.collect::<Vec<_>>());
    }
    let names: Vec<String> = scaled().map(|kind| format!("simulate_{}", kind.suffix)).collect();
    interface(&mut text, "redist_plan_simulate_scaled", &names);
    text
}

fn check(place: &str, made: &str) {
    let file = root().join(place);
    if env::var_os("BLESS").is_some() {
        fs::write(&file, made).unwrap();
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == made, "{place} is not as its sources are; run this with BLESS=1");
}

#[test]
fn what_is_alike_for_all_types_is_made() {
    check("doors/fortran/redist_types.inc", &types());
    check("doors/fortran/redist_undefined.inc", &undefined());
    check("doors/fortran/redist_generics.inc", &generics());
}

#[test]
fn the_page_lists_all_procedures() {
    let sources = page::Sources::read(&root().join("doors/fortran"));
    check("docs/fortran.md", &sources.page());
}

/// Every public name is a type, a procedure or a generic name of the sources.
#[test]
fn every_public_name_is_described() {
    let sources = page::Sources::read(&root().join("doors/fortran"));
    let missing: Vec<&str> =
        sources.names().filter(|name| sources.described(name).is_none()).collect();
    assert!(sources.names().count() > 60 && missing.is_empty(), "{missing:?}");
}
