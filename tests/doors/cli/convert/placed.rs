//! Elements at places that the user says, in another byte order, and in records of Fortran's.

use super::folder;
use crate::cli::process::{Run, redist};
use std::fs;
use std::path::Path;

const ROWS: &str = "[f64; 6, 4] { from: (block, *) onto 2, to: (*, *) }";

fn convert(folder: &Path, options: &[&str]) -> Run {
    let [from, to] = ["in.{rank}", "out"].map(|name| folder.join(name));
    let files = ["--in", from.to_str().unwrap(), "--out", to.to_str().unwrap()];
    redist(&[&["convert", ROWS, "--force"], &files[..], options].concat())
}

fn number(at: usize) -> f64 {
    at as f64 + 0.25
}

fn expected() -> Vec<u8> {
    (0..24).flat_map(|at| number(at).to_ne_bytes()).collect()
}

/// Writes both files: a text before, and a text behind each element.
fn write(folder: &Path, before: &[u8], element: impl Fn(f64) -> Vec<u8>) {
    for rank in 0..2 {
        let elements = (0..12).flat_map(|at| element(number(12 * rank + at)));
        let file: Vec<u8> = before.iter().copied().chain(elements).collect();
        fs::write(folder.join(format!("in.{rank}")), file).unwrap();
    }
}

#[track_caller]
fn done(folder: &Path, options: &[&str]) {
    let run = convert(folder, &[options, &["--check"]].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(fs::read(folder.join("out")).unwrap() == expected());
}

#[test]
fn elements_are_where_the_user_says() {
    let folder = folder("placed");
    write(&folder, b"head", |number| number.to_ne_bytes().to_vec());
    done(&folder, &["--skip", "4"]);
    assert_eq!(convert(&folder, &[]).status, Some(1), "a file with more than elements");
    assert_eq!(convert(&folder, &["--skip", "12"]).status, Some(1), "a file with fewer");
    write(&folder, b"", |number| [&number.to_ne_bytes()[..], b"12345"].concat());
    done(&folder, &["--stride", "13"]);
    write(&folder, b"", |number| [&number.to_ne_bytes()[..], &[9; 5000]].concat());
    done(&folder, &["--stride", "5008"]);
    assert!(
        convert(&folder, &["--stride", "7"]).stderr.contains("less than an element of 8 bytes")
    );
    // Numbers of the other kind of machine.
    let (own, other) = match cfg!(target_endian = "little") {
        true => ("little", "big"),
        false => ("big", "little"),
    };
    let swapped = |number: f64| number.to_ne_bytes().into_iter().rev().collect::<Vec<u8>>();
    write(&folder, b"", swapped);
    done(&folder, &["--in-byte-order", other]);
    let run = convert(&folder, &["--in-byte-order", other, "--out-byte-order", other, "--check"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let swapped: Vec<u8> = (0..24).flat_map(|at| swapped(number(at))).collect();
    assert!(fs::read(folder.join("out")).unwrap() == swapped);
    write(&folder, b"", |number| number.to_ne_bytes().to_vec());
    done(&folder, &["--in-byte-order", own]);
    let run = convert(&folder, &["--format", "npy", "--skip", "1"]);
    assert!(run.stderr.contains("leave out skip, stride and byte order"), "{run:?}");
    let run = convert(&folder, &["--format", "hdf4"]);
    assert!(run.stderr.contains("the format `hdf4` is not known here"), "{run:?}");
}

#[test]
fn records_of_fortran_are_read_and_written() {
    let folder = folder("records");
    for (order, mark) in
        [("big", u32::to_be_bytes as fn(u32) -> [u8; 4]), ("little", u32::to_le_bytes)]
    {
        let big = order == "big";
        let record = |numbers: std::ops::Range<usize>| {
            let bytes = |at| if big { number(at).to_be_bytes() } else { number(at).to_le_bytes() };
            let data: Vec<u8> = numbers.flat_map(bytes).collect();
            let mark = mark(data.len() as u32);
            [&mark[..], &data, &mark].concat()
        };
        // A record a row, and all in one.
        let rows: Vec<u8> = (0..3).flat_map(|row| record(4 * row..4 * row + 4)).collect();
        fs::write(folder.join("in.0"), rows).unwrap();
        fs::write(folder.join("in.1"), record(12..24)).unwrap();
        done(&folder, &["--in-format", "records", "--in-byte-order", order]);
        let run = convert(
            &folder,
            &["--format", "records", "--in-byte-order", order, "--out-byte-order", order],
        );
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(fs::read(folder.join("out")).unwrap() == record(0..24));
        let other = if big { "little" } else { "big" };
        let run = convert(&folder, &["--in-format", "records", "--in-byte-order", other]);
        assert_eq!(run.status, Some(1), "{run:?}");
        assert!(run.stderr.contains("the file ends within a record"), "{run:?}");
    }
}
