//! Errors of `redist convert`.

use super::stored::npy_header;
use super::{folder, names};
use crate::cli::process::{Run, redist};
use std::fs;
use std::path::Path;

const ROWS: &str = "[f64; 4, 6] { from: (block, *) onto 2, to: (*, block) onto 3 }";

fn with_inputs(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    for rank in 0..2u8 {
        let bytes: Vec<u8> = (0..96).map(|byte| 96 * rank + byte).collect();
        fs::write(folder.join(format!("in.{rank}.bin")), &bytes).unwrap();
        let npy = [npy_header("<f8", false, &[2, 6]), bytes].concat();
        fs::write(folder.join(format!("in.{rank}.npy")), npy).unwrap();
    }
    folder
}

fn convert(folder: &Path, text: &str, from: &str, to: &str, options: &[&str]) -> Run {
    let [from, to] = [from, to].map(|name| folder.join(name).to_str().unwrap().to_owned());
    redist(&[&["convert", text, "--in", &from, "--out", &to], options].concat())
}

#[track_caller]
fn refused(folder: &Path, (text, from, to): (&str, &str, &str), status: i32, words: &[&str]) {
    let contents = || {
        let file = |name: &String| (name.clone(), fs::read(folder.join(name)).unwrap());
        names(folder).iter().map(file).collect::<Vec<_>>()
    };
    let before = contents();
    let run = convert(folder, text, from, to, &[]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{run:?}");
    for word in words {
        assert!(run.stderr.contains(word), "no {word:?} in {}", run.stderr);
    }
    assert!(contents() == before, "{:?}", names(folder));
}

#[test]
fn headers_that_do_not_fit() {
    let folder = with_inputs("headers");
    let case = (ROWS, "in.{rank}.npy", "out.{rank}.bin");
    let wrong = |header: Vec<u8>, words: &[&str]| {
        let file = folder.join("in.1.npy");
        fs::write(&file, [header, vec![0; 96]].concat()).unwrap();
        refused(&folder, case, 1, &[&["in.1.npy: "], words].concat());
    };
    wrong(npy_header("<f4", false, &[2, 6]), &["dtype: expected <f8, found <f4"]);
    wrong(npy_header(">f8", false, &[2, 6]), &["dtype: expected <f8, found >f8"]);
    wrong(
        npy_header("<f8", false, &[2, 5]),
        &["shape: expected [2, 6] by the source layout, found [2, 5]"],
    );
    wrong(
        npy_header("<f8", true, &[2, 6]),
        &["fortran_order: expected false", "`storage fortran`"],
    );
    wrong(b"something else".to_vec(), &["expected an array of NumPy's"]);
    let all = "[i64; 4, 6] { from: (block, *) onto 2, to: (*, *) }";
    refused(&folder, (all, "in.{rank}.npy", "all.npy"), 1, &["expected <i8", "found <f8"]);
}

#[test]
fn files_that_are_missing_or_of_another_length() {
    let folder = with_inputs("lengths");
    let case = (ROWS, "in.{rank}.bin", "out.{rank}.npy");
    fs::write(folder.join("in.1.bin"), [0; 95]).unwrap();
    refused(&folder, case, 1, &["in.1.bin: expected 96 bytes for [2, 6] elements", "found 95"]);
    fs::remove_file(folder.join("in.1.bin")).unwrap();
    refused(&folder, case, 1, &["in.1.bin: No such file"]);
    refused(
        &folder,
        (ROWS, "in.{rank}.npy", "none/out.{rank}"),
        1,
        &["none: there is no such folder"],
    );
}

#[test]
fn files_that_are_there_are_kept() {
    let folder = with_inputs("kept");
    let (from, to) = ("in.{rank}.bin", "out.{rank}.bin");
    fs::write(folder.join("out.2.bin"), "precious").unwrap();
    refused(&folder, (ROWS, from, to), 1, &["out.2.bin: is there; --force replaces it"]);
    let run = convert(&folder, ROWS, from, to, &["--force"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(fs::read(folder.join("out.2.bin")).unwrap().len(), 64);
    // The same file by another name.
    fs::hard_link(folder.join("in.1.bin"), folder.join("again.0.bin")).unwrap();
    let run = convert(&folder, ROWS, from, "again.{rank}.bin", &["--force"]);
    assert_eq!(run.status, Some(1));
    assert!(run.stderr.contains("again.0.bin: is read from"), "{}", run.stderr);
    let run = convert(&folder, ROWS, from, from, &["--force"]);
    assert!(run.stderr.contains("in.0.bin: is read from"), "{}", run.stderr);
}

#[test]
fn questions_that_make_no_sense() {
    let folder = with_inputs("questions");
    let asked = |text: &str, from: &str, to: &str, words: &str| {
        refused(&folder, (text, from, to), 2, &[words]);
    };
    asked(ROWS, "in.{rank", "out", "expected `}` after `{rank`");
    asked(ROWS, "in.{ranks}.bin", "out", "expected `{rank}`");
    let unknown = "[Particle; 4, 6] { from: (block, *) onto 2, to: (*, *) }";
    asked(unknown, "in.{rank}.bin", "out", "--element-bytes");
    let gaps = "[f64; 4, 6] { from: (block, *) onto 2, to: (*, *) of (9, 6) at (1, 0) }";
    asked(gaps, "in.{rank}.bin", "out", "of 9 elements only 4 would get a value");
    asked(
        "[f64; 4, 6] { from: (blok, *) onto 2, to: (*, *) }",
        "in",
        "out",
        "did you mean `block`?",
    );
    for memory in ["1KiB", "many"] {
        let run = convert(&folder, ROWS, "in.{rank}.bin", "out", &["--memory", memory]);
        assert_eq!(run.status, Some(2), "{run:?}");
    }
}

#[test]
fn a_byte_that_differs_is_found() {
    let folder = with_inputs("flip");
    let (from, to) = ("in.{rank}.npy", "out.{rank}.npy");
    assert_eq!(convert(&folder, ROWS, from, to, &["--check"]).status, Some(0));
    let run = convert(&folder, ROWS, from, to, &["--check-only"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.starts_with("compared 192 bytes from 2 files and 3 files"), "{run:?}");
    // Every byte of every element, one at a time.
    let file = folder.join("out.1.npy");
    let right = fs::read(&file).unwrap();
    for place in right.len() - 64..right.len() {
        let mut wrong = right.clone();
        wrong[place] ^= 0x10;
        fs::write(&file, &wrong).unwrap();
        let run = convert(&folder, ROWS, from, to, &["--check-only"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
        // Rows of two elements, of columns 2 and 3.
        let element = (place - (right.len() - 64)) / 8;
        let index = format!("element [{}, {}] is ", element / 2, 2 + element % 2);
        assert!(run.stderr.contains(&index), "{place}: {}", run.stderr);
        assert!(run.stderr.contains("out.1.npy") && run.stderr.contains("in."), "{}", run.stderr);
        assert_eq!(fs::read(&file).unwrap(), wrong);
    }
}
