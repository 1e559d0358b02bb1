//! Elements at places that a list says, as in files of other programs.

use super::{bytes, convert, open, quick, refused_and_clean, with};
use redist_files::{Manifest, Run, RunOptions, Unwatched};
use serde_json::json;
use std::fs;

#[test]
fn each_rank_has_a_file_and_a_place() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let whole = bytes(5 * 6 * 4);
    // Blocks of two rows: of four ranks, the last holds nothing.
    fs::write(
        folder.join("one"),
        [b"head", &whole[48..96], b"between", &whole[..48], b"tail"].concat(),
    )
    .expect("written");
    fs::write(folder.join("two"), [&b"x"[..], &whole[96..]].concat()).expect("written");
    let array = json!({
        "name": "a", "element": "i32", "extents": [5, 6], "from": "(block(2), *) onto 4", "out": "raw",
        "parts": [
            { "file": "one", "skip": 59 }, { "file": "one", "skip": 4 }, { "file": "two", "skip": 1 },
            { "file": "" },
        ],
    });
    convert(folder, &array, RunOptions { check: true, ..quick(1 << 20) }).expect("raw");
    assert!(fs::read(folder.join("raw")).expect("raw") == whole);
    let mut found = vec![0; 8];
    let opened = open(folder, &with(array.clone(), &json!({ "out": null })), 1 << 16);
    opened.read((&[1, 4], &[3, 1]), &[2, 1], &mut found).expect("read");
    assert_eq!(found, [&whole[40..44], &whole[112..116]].concat());
    for (more, words) in [
        (json!({ "parts": [{ "file": "one" }] }), "has 4 ranks, and `parts` has 1 files"),
        (json!({ "in": "one" }), "leave out `in`"),
        (json!({ "skip": 3 }), "leave out `in`"),
        (json!({ "parts": [] }), "leave out `in`"),
        (
            json!({ "from": "(block(2), *) onto 3", "parts": [{ "file": "one" }, { "file": "one" }, { "file": "" }] }),
            "No such file",
        ),
        (
            json!({ "from": "(block(2), *) onto 3", "parts": [{ "file": "one" }, { "file": "two", "skip": 2 }, { "file": "one" }] }),
            "expected 50 bytes",
        ),
        (
            json!({ "from": "(block(2), *) onto 3", "parts": [{ "file": "one" }, { "file": "two", "skip": 90 }, { "file": "one" }] }),
            "fewer than 90",
        ),
    ] {
        let told = refused_and_clean(folder, &with(array.clone(), &more));
        assert!(told.contains(words), "{told}");
    }
}

/// A raw file may have several arrays, each at a place of its own.
#[test]
fn two_arrays_of_one_file_are_at_two_places() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let whole = bytes(600);
    fs::write(folder.join("both"), &whole).expect("written");
    let array = |name: &str, skip: usize| json!({ "name": name, "skip": skip, "extents": [25] });
    let defaults = json!({ "element": "f64", "in": "both", "out": "{name}" });
    let manifest =
        json!({ "defaults": defaults, "array": [array("a", 0), array("b", 200), array("c", 400)] });
    fs::write(folder.join("m.json"), manifest.to_string()).expect("written");
    let mut run = Run::new(quick(1 << 20), &Unwatched);
    Manifest::read(&folder.join("m.json")).expect("one").add_to(&mut run).expect("arrays");
    run.convert().expect("converted");
    for (at, name) in ["a", "b", "c"].into_iter().enumerate() {
        assert!(
            fs::read(folder.join(name)).expect("raw") == whole[200 * at..200 * at + 200],
            "{name}"
        );
    }
}
