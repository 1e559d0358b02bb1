//! Files that were cut off, that lie, and records of several variables in turn.

use super::{bytes, convert, quick, refused, refused_and_clean};
use redist_files::RunOptions;
use serde_json::json;
use std::fs;

/// Writes 32-bit numbers, highest byte first.
fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// Two variables of `rows` records of 5 bytes and 2 numbers of 4 bytes: `a` and `b`, of which the
/// header says what it is asked for.
fn records(rows: u32) -> Vec<u8> {
    let mut file = b"CDF\x01".to_vec();
    file.extend(numbers(&[rows, 10, 3]));
    for (name, extent) in [(b"t\0\0\0", 0), (b"u\0\0\0", 5), (b"v\0\0\0", 2)] {
        file.extend([&numbers(&[1])[..], name, &numbers(&[extent])].concat());
    }
    // An attribute of three bytes, which is passed over.
    file.extend([&numbers(&[12, 1, 1])[..], b"x\0\0\0", &numbers(&[1, 3]), b"abc\0"].concat());
    file.extend(numbers(&[11, 2]));
    let begin = file.len() as u32 + 2 * 40;
    for (name, dimension, sort, size, at) in [(b"a\0\0\0", 1, 1, 8, 0), (b"b\0\0\0", 2, 4, 8, 8)] {
        file.extend([&numbers(&[1])[..], name, &numbers(&[2, 0, dimension, 0, 0])].concat());
        file.extend(numbers(&[sort, size, begin + at]));
    }
    assert_eq!(file.len() as u32, begin);
    for row in 0..3u8 {
        file.extend([1, 2, 3, 4, 5].map(|number| 10 * row + number));
        file.extend([0xee; 3]);
        file.extend(numbers(&[u32::from(row) + 100, u32::from(row) + 200]));
    }
    file
}

#[test]
fn records_of_several_variables_are_read() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    // Of a file that is written yet, the length says how many records there are.
    for rows in [3, u32::MAX] {
        fs::write(folder.join("r.nc"), records(rows)).expect("written");
        for (name, element, expected) in [
            ("a", "i8", vec![1, 2, 3, 4, 5, 11, 12, 13, 14, 15, 21, 22, 23, 24, 25]),
            ("b", "i32", [100u32, 200, 101, 201, 102, 202].map(u32::to_ne_bytes).concat()),
        ] {
            let array = json!({ "name": name, "in": "r.nc", "out": "x", "element": element });
            convert(folder, &array, RunOptions { force: true, ..quick(1 << 20) }).expect("read");
            assert_eq!(fs::read(folder.join("x")).expect("raw"), expected, "{name}");
        }
    }
    fs::write(folder.join("r.nc"), records(4)).expect("written");
    let array = json!({ "name": "b", "in": "r.nc", "out": "y" });
    let told = refused_and_clean(folder, &array);
    assert!(told.contains("variable `a`: [4, 5] elements"), "{told}");
}

#[test]
fn files_that_were_cut_off_or_lie_are_told() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let whole = records(3);
    let array = json!({ "name": "b", "in": "r.nc", "out": "x" });
    for len in 0..whole.len() {
        fs::write(folder.join("r.nc"), &whole[..len]).expect("written");
        let told = refused_and_clean(folder, &array);
        assert!(told.contains("r.nc: "), "{len}: {told}");
    }
    // Each byte changed: an error, or other elements, and no panic, abort or endless loop.
    for at in 0..whole.len() {
        for flipped in [0xff, 0x80, 1] {
            let mut wrong = whole.clone();
            wrong[at] ^= flipped;
            fs::write(folder.join("r.nc"), wrong).expect("written");
            let _ = convert(folder, &array, RunOptions { force: true, ..quick(1 << 20) });
        }
    }
    let _ = fs::remove_file(folder.join("x"));
    for (text, words) in [
        (b"CDF\x03\0\0\0\0".to_vec(), "found 3"),
        (b"GRIB\0\0\0\0".to_vec(), "begins with CDF"),
        ([&b"CDF\x05"[..], &[0xff; 60]].concat(), "expected a list of mark 10"),
        ([&b"CDF\x05"[..], &[0; 8], &numbers(&[10, !0, !0])].concat(), "ends within its header"),
        ([&b"CDF\x01"[..], &numbers(&[0, 10, 1, !0])].concat(), "expected a name"),
        ([&b"CDF\x01"[..], &numbers(&[0, 0, 0, 12, 1, 1, 0, 6, !0])].concat(), "within its header"),
        ([&b"CDF\x01"[..], &numbers(&[0, 0, 0, 0, 0, 11, 1, 1, 0, !0])].concat(), "dimensions"),
    ] {
        fs::write(folder.join("r.nc"), text).expect("written");
        let told = refused_and_clean(folder, &array);
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn an_array_that_is_not_there_is_named() {
    let made = tempfile::tempdir().expect("a folder");
    fs::write(made.path().join("r.nc"), records(3)).expect("written");
    let told =
        refused(made.path(), &json!({ "name": "c", "in": "r.nc", "out": "x", "extents": [3] }));
    assert!(told.contains("has no array `c`; it has 2 arrays: a, b"), "{told}");
    fs::write(made.path().join("r.nc"), [b"\x89HDF\r\n\x1a\n".to_vec(), bytes(90)].concat())
        .expect("written");
    let told =
        refused(made.path(), &json!({ "name": "c", "in": "r.nc", "out": "x", "extents": [3] }));
    assert!(told.contains("r.nc: "), "{told}");
}
