//! Checks the size of each crate: lines of code, without docs, comments, blank lines and tests.

use super::architecture::sources;
use super::text::code;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of each crate and the most lines of code that it may have: 15 % more than on
/// 29 November 2026. Since then `redist-plan` has got factors of dimensions and lists of indices, and
/// `redist-macros` loops as text. `redist-files` has got arrays in chunks, HDF5, NetCDF, boxes, objects
/// at stores, and work that ranks share. The doors have got batches, copies, sums, layouts in the words
/// of other libraries, figures of plans, and plans as JSON. Python has got functions of elements and
/// programs that meet, too. C has got ranks that are threads, programs that meet, and layouts as
/// arguments of MPI. `src` has got the page of `redist serve`, which reads notations as the other
/// commands do. A crate at its bound changes its nature: split it, or raise the bound and say why in
/// the same commit.
pub const CRATES: [(&str, usize); 18] = [
    ("src", 3_800),
    ("redist-coupling", 1_140),
    ("redist-draw", 2_920),
    ("redist-explain", 600),
    ("redist-files", 11_100),
    ("redist-macros", 2_900),
    ("redist-mpi", 2_420),
    ("redist-notation", 3_890),
    ("redist-plan", 11_700),
    ("redist-runtime", 20_400),
    ("redist-schedules", 1_600),
    ("doors/c", 4_300),
    ("doors/common", 1_750),
    ("doors/python", 4_900),
    ("doors/scalapack", 1_080),
    ("benches", 6_550),
    ("examples", 2_380),
    ("study", 8_470),
];

/// Folders and files of tests, and of expected output.
const TESTS: [&str; 5] = ["tests", "tests.rs", "models", "models.rs", "golden"];

/// Returns `true` if the file holds tests or expected output only.
pub fn is_test(file: &Path) -> bool {
    file.components().any(|part| TESTS.iter().any(|test| part.as_os_str() == *test))
}

fn code_lines(place: &Path) -> usize {
    let is_code = |file: &PathBuf| file.extension().is_some_and(|is| is == "rs") && !is_test(file);
    let count = |file: PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        code(&text).lines().filter(|line| !line.is_empty()).count()
    };
    sources(place).into_iter().filter(is_code).map(count).sum()
}

fn too_large(root: &Path, crates: &[(&str, usize)]) -> Vec<String> {
    let large = |(place, most): &(&str, usize)| {
        let lines = code_lines(&root.join(place));
        (lines > *most).then(|| format!("{place} has {lines} lines of code, of at most {most}"))
    };
    crates.iter().filter_map(large).collect()
}

#[test]
fn crates_are_within_their_bounds() {
    let large = too_large(Path::new(env!("CARGO_MANIFEST_DIR")), &CRATES);
    assert!(large.is_empty(), "{large:#?}");
}

#[test]
fn a_crate_over_its_bound_is_found() {
    let folder = std::env::temp_dir().join(format!("redist-sizes-{}", std::process::id()));
    fs::create_dir_all(folder.join("a/tests")).unwrap();
    let text = "//! First.\n\n/// One.\nfn a() {\n}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
    fs::write(folder.join("a/lib.rs"), text).unwrap();
    fs::write(folder.join("a/tests/one.rs"), "fn c() {}\n").unwrap();
    let found = [1, 2].map(|most| too_large(&folder, &[("a", most)]).len());
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(found, [1, 0], "docs and tests are no code");
}

#[test]
fn no_crate_is_most_of_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sizes = CRATES.map(|(place, _)| (place, code_lines(&root.join(place))));
    let all: usize = sizes.iter().map(|(_, lines)| lines).sum();
    for (place, lines) in sizes {
        assert!(lines * 5 <= all * 2, "{place} has {lines} of {all} lines of code");
    }
}
