//! Headers that lie: bytes that are others, and numbers that no file and no memory can hold.

use crate::common::{bytes, compare, convert, quick, refused};
use crate::drawn;
use crate::set::kinds;
use crate::{Kind, Set};
use serde_json::json;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// Numbers that no array here has.
const NUMBERS: [u64; 8] =
    [0, 1, 1 << 31, u32::MAX as u64, 1 << 40, 1 << 62, i64::MAX as u64, u64::MAX];

/// Bytes at both ends of a file where headers and lists are.
const HEADER_BYTES: usize = 700;

/// Reads a set in which a file says something else: an error that names a file, or elements.
fn attack(kind: &Kind, set: &Set, (file, wrong): (&Path, &[u8])) {
    fs::write(file, wrong).expect("written");
    if let Err(error) = set.run() {
        let told = error.to_string();
        // Of chunks that fit no memory, a word says how to read them.
        let is_named = ["/in/", "--memory"].iter().any(|words| told.contains(words));
        assert!(is_named && told.contains("array `"), "{} {}: {told}", kind.name, file.display());
    }
}

/// Formats whose headers code of this crate reads; lies in HDF5 have a program of their own.
fn each_file(act: impl Fn(&mut fastrand::Rng, &Path, &[u8]) -> Vec<Vec<u8>>) {
    let mut random = fastrand::Rng::with_seed(drawn::seed());
    for kind in kinds().iter().filter(|kind| !["hdf5", "netcdf4"].contains(&kind.name)) {
        let set = Set::new(kind);
        let files = set.files();
        for _ in 0..drawn::some(12) {
            let file = &files[random.usize(..files.len())];
            let whole = fs::read(file).expect("a file");
            for wrong in act(&mut random, file, &whole) {
                attack(kind, &set, (file, &wrong));
            }
            fs::write(file, whole).expect("written");
        }
        assert!(set.run().expect("as it was written"), "{}", kind.name);
    }
}

/// Draws a place near one of both ends of a file.
fn place(random: &mut fastrand::Rng, len: usize) -> usize {
    let at = random.usize(..len.min(HEADER_BYTES));
    if random.bool() { at } else { len - 1 - at }
}

#[test]
fn bytes_that_are_others_are_told_or_are_elements() {
    each_file(|random, _, whole| {
        let changed = |_| {
            let mut wrong = whole.to_vec();
            for _ in 0..random.usize(1..4) {
                wrong[place(random, whole.len())] ^= random.u8(1..);
            }
            wrong
        };
        (0..20).map(changed).collect()
    });
}

#[test]
fn numbers_that_nothing_holds_are_told() {
    each_file(|random, _, whole| {
        let changed = |number: u64| {
            let mut wrong = whole.to_vec();
            let at = place(random, whole.len());
            let text = match random.u8(..4) {
                0 => number.to_le_bytes().to_vec(),
                1 => number.to_be_bytes().to_vec(),
                2 => (number as u32).to_le_bytes().to_vec(),
                _ => (number as u32).to_be_bytes().to_vec(),
            };
            let end = whole.len().min(at + text.len());
            wrong[at..end].copy_from_slice(&text[..end - at]);
            wrong
        };
        NUMBERS.into_iter().cycle().take(20).map(changed).collect()
    });
}

/// Places of numbers in the text of a header.
fn numbers(text: &[u8]) -> Vec<Range<usize>> {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let starts = (1..text.len()).filter(|&at| is_digit(at) && !is_digit(at - 1));
    starts.map(|start| start..(start..).find(|&at| !is_digit(at)).unwrap_or(text.len())).collect()
}

/// Puts words in place of a number of a header, and lets the header have its length.
fn replaced(file: &Path, whole: &[u8], (at, word): (Range<usize>, &str)) -> Option<Vec<u8>> {
    let mut wrong = [&whole[..at.start], word.as_bytes(), &whole[at.end..]].concat();
    let longer = wrong.len() as i64 - whole.len() as i64;
    match file.extension().and_then(|end| end.to_str()) {
        Some("safetensors") => {
            let bytes = u64::from_le_bytes(whole[..8].try_into().ok()?);
            wrong[..8].copy_from_slice(&bytes.checked_add_signed(longer)?.to_le_bytes());
        }
        // Headers of NumPy's end with spaces.
        Some("npy" | "npz") => {
            let spaces = wrong[at.start..].windows(8).position(|eight| eight == [b' '; 8])?;
            let start = at.start + spaces;
            match usize::try_from(longer) {
                Ok(longer) if longer <= 8 => drop(wrong.drain(start..start + longer)),
                Ok(_) => return None,
                Err(_) => {
                    let more = vec![b' '; longer.unsigned_abs() as usize];
                    drop(wrong.splice(start..start, more));
                }
            }
        }
        _ => {}
    }
    Some(wrong)
}

#[test]
fn words_of_headers_that_lie_are_told() {
    each_file(|random, file, whole| {
        let text = &whole[..whole.len().min(HEADER_BYTES)];
        let places = numbers(text);
        let words = ["0", "-1", "1e9", "99999999", "4611686018427387904", "18446744073709551616"];
        let changed = |word: &str| {
            let place = places.get(random.usize(..places.len().max(1)))?.clone();
            replaced(file, whole, (place, word))
        };
        words.into_iter().cycle().take(18).filter_map(changed).collect()
    });
}

/// An archive has a checksum of each member: elements that are others are told as well.
#[test]
fn elements_that_differ_from_the_checksum_of_their_member_are_told() {
    let kinds = kinds();
    let set = Set::new(kinds.iter().find(|kind| kind.name == "npz").expect("archives"));
    let mut random = fastrand::Rng::with_seed(drawn::seed());
    for file in set.files() {
        let whole = fs::read(&file).expect("a file");
        let ends = whole.windows(4).position(|four| four == b"PK\x01\x02").expect("a list");
        for (at, member) in [(ends - 1, "v.npy"), (ends - 1 - random.usize(..100), "v.npy")] {
            let mut wrong = whole.clone();
            wrong[at] ^= random.u8(1..);
            fs::write(&file, wrong).expect("written");
            let told = set.refused(&file);
            assert!(told.contains(&format!("`{member}`: its bytes have the checksum")), "{told}");
        }
        fs::write(&file, whole).expect("written");
    }
    assert!(set.run().expect("as it was written"));
}

/// A member of several pieces, on several threads, of which any byte may be another.
#[test]
fn long_members_are_compared_whole() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let len = (20 << 20) + 1000;
    fs::write(folder.join("raw"), bytes(len)).expect("written");
    let array = |from: &str, to: &str| json!({ "name": "a", "element": "u8", "extents": [len], "in": from, "out": to });
    convert(folder, &array("raw", "a.npz"), quick(8 << 20)).expect("an archive");
    convert(folder, &array("a.npz", "back"), quick(8 << 20)).expect("as it was written");
    compare(folder, &array("raw", "a.npz")).expect("the same");
    let whole = fs::read(folder.join("a.npz")).expect("a file");
    for at in [200, 9 << 20, (16 << 20) + 500, len] {
        let mut wrong = whole.clone();
        wrong[at] ^= 1;
        fs::write(folder.join("a.npz"), wrong).expect("written");
        let told = refused(folder, &array("a.npz", "wrong"));
        assert!(told.contains("a.npz: `a.npy`: its bytes have the checksum"), "{at}: {told}");
        assert!(!folder.join("wrong").exists(), "{at}");
        let told = compare(folder, &array("a.npz", "back")).expect_err("another").to_string();
        assert!(told.contains("element ["), "{at}: {told}");
    }
}
