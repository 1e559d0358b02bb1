//! Raw files become arrays of Zarr, these others, and raw files again.

use super::{bytes, compare, convert, quick, tree, with};
use serde_json::{Value, json};
use std::fs;

/// New arrays: format, and the keys of their chunks.
fn kinds() -> Vec<Value> {
    vec![
        json!({ "out_format": "zarr", "chunks": [8, 16] }),
        json!({ "out_format": "zarr", "chunks": [8, 16], "codec": "none" }),
        json!({ "out_format": "zarr", "chunks": [7, 70], "codec": "gzip:1" }),
        json!({ "out_format": "zarr", "chunks": [50, 3], "codec": "blosc" }),
        json!({ "out_format": "zarr", "chunks": [5, 7], "shards": [20, 35], "codec": "zstd:1" }),
        json!({ "out_format": "zarr", "to": "(block(11), cyclic(13)) onto (5, 6)" }),
        json!({ "out_format": "zarr2", "chunks": [8, 16] }),
        json!({ "out_format": "zarr2", "chunks": [9, 9], "codec": "gzip" }),
        json!({ "out_format": "zarr2", "chunks": [9, 9], "codec": "blosc:9" }),
        json!({ "out_format": "zarr2", "chunks": [9, 9], "codec": "none" }),
    ]
}

#[test]
fn what_is_written_is_read_in_every_layout() {
    for (element, width) in [("f64", 8), ("bf16", 2), ("u8", 1), ("Complex<f32>", 8)] {
        let made = tempfile::tempdir().expect("a folder");
        let folder = made.path();
        let whole = bytes(50 * 70 * width);
        fs::write(folder.join("raw"), &whole).expect("written");
        let array = json!({
            "name": "a", "element": element, "element_bytes": width, "extents": [50, 70],
        });
        for (number, kind) in kinds().into_iter().enumerate() {
            if element == "bf16" && kind["out_format"] == "zarr2" {
                continue;
            }
            let there =
                with(array.clone(), &json!({ "in": "raw", "out": format!("{number}.zarr") }));
            let there = with(there, &kind);
            let one = convert(folder, &there, RunOptions { check: true, ..quick(1 << 20) });
            let one = one.unwrap_or_else(|error| panic!("{element} {kind}: {error}"));
            // By ranks of another layout, whose boxes are no chunks, in little memory.
            let back = with(
                array.clone(),
                &json!({
                    "in": format!("{number}.zarr"), "out": format!("{number}.{{rank}}"),
                    "to": "(cyclic(3), block) onto (2, 3)",
                }),
            );
            let other = convert(folder, &back, quick(256 << 10)).expect("ranks");
            assert_eq!(one.checksum, other.checksum, "{kind}");
            let again = with(
                array.clone(),
                &json!({
                    "in": format!("{number}.{{rank}}"), "from": "(cyclic(3), block) onto (2, 3)",
                    "out": format!("{number}.again.zarr"), "chunks": [16, 9],
                }),
            );
            convert(folder, &again, quick(256 << 10)).expect("chunks again");
            let raw = with(
                array.clone(),
                &json!({
                    "in": format!("{number}.again.zarr"), "out": format!("{number}.raw"),
                }),
            );
            convert(folder, &raw, quick(1 << 20)).expect("raw");
            assert!(
                fs::read(folder.join(format!("{number}.raw"))).expect("raw") == whole,
                "{kind}"
            );
            compare(folder, &there).expect("the same");
        }
        let left: Vec<String> =
            tree(folder).into_iter().filter(|name| name.contains(".redist")).collect();
        assert_eq!(left, [""; 0]);
    }
}

#[test]
fn chunks_are_turned_in_little_memory() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let whole = bytes(64 * 30 * 40 * 4);
    fs::write(folder.join("raw"), &whole).expect("written");
    let array = json!({ "name": "t", "element": "f32", "extents": [64, 30, 40] });
    let maps =
        with(array.clone(), &json!({ "in": "raw", "out": "maps.zarr", "chunks": [1, 30, 40] }));
    let one = convert(folder, &maps, quick(128 << 10)).expect("maps");
    let lines = with(
        array.clone(),
        &json!({ "in": "maps.zarr", "out": "lines.zarr", "chunks": [64, 7, 9] }),
    );
    let other =
        convert(folder, &lines, RunOptions { check: true, ..quick(300 << 10) }).expect("lines");
    assert_eq!(one.checksum, other.checksum);
    let raw = with(array, &json!({ "in": "lines.zarr", "out": "again" }));
    convert(folder, &raw, quick(128 << 10)).expect("raw");
    assert!(fs::read(folder.join("again")).expect("raw") == whole);
    // Chunks that no memory holds are told before anything is written.
    let large = with(raw, &json!({ "in": "raw", "out": "large.zarr", "chunks": [64, 30, 40] }));
    let told = convert(folder, &large, quick(128 << 10)).expect_err("too large").to_string();
    assert!(told.contains("--memory is too little"), "{told}");
    assert!(!folder.join("large.zarr").exists());
}

/// Chunks of zeros have no file; a missing chunk is the fill value of the source, and stays so.
#[test]
fn chunks_that_are_not_there_are_the_fill_value() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let array = json!({ "name": "a", "element": "f64", "extents": [40, 40] });
    let mut whole = vec![0; 40 * 40 * 8];
    whole[8 * (13 * 40 + 25)] = 1;
    fs::write(folder.join("raw"), &whole).expect("written");
    let there = with(array.clone(), &json!({ "in": "raw", "out": "a.zarr", "chunks": [10, 10] }));
    convert(folder, &there, quick(1 << 20)).expect("chunks");
    assert_eq!(tree(&folder.join("a.zarr")), ["c/1/2", "zarr.json"]);
    let turned =
        with(array.clone(), &json!({ "in": "a.zarr", "out": "b.zarr", "chunks": [7, 40] }));
    convert(folder, &turned, RunOptions { check: true, ..quick(1 << 20) }).expect("turned");
    assert_eq!(tree(&folder.join("b.zarr")), ["c/1/0", "zarr.json"]);
    let text = fs::read_to_string(folder.join("a.zarr/zarr.json")).expect("text");
    let text = text.replace("\"fill_value\": 0.0", "\"fill_value\": 2.5");
    fs::write(folder.join("a.zarr/zarr.json"), text).expect("written");
    let filled = with(array, &json!({ "in": "a.zarr", "out": "c.zarr", "chunks": [20, 10] }));
    convert(folder, &filled, RunOptions { check: true, ..quick(1 << 20) }).expect("filled");
    assert_eq!(tree(&folder.join("c.zarr")), ["c/0/2", "zarr.json"]);
    let raw = with(filled, &json!({ "in": "c.zarr", "out": "raw2", "chunks": null }));
    convert(folder, &raw, quick(1 << 20)).expect("raw");
    let found = fs::read(folder.join("raw2")).expect("raw");
    let number = |at: usize| f64::from_le_bytes(found[8 * at..8 * at + 8].try_into().expect("8"));
    assert_eq!((number(0), number(13 * 40 + 24)), (2.5, 0.0));
}

use redist_files::RunOptions;
