//! Arrays that are opened and read in boxes, and files with elements at places that a list says.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../tests/common/src/drawn.rs"]
mod drawn;
mod parts;

use common::{bytes, convert, quick, refused_and_clean, with};
use redist_files::{Manifest, OpenedArray};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn open(folder: &Path, array: &Value, memory: usize) -> OpenedArray {
    let path = folder.join("opened.json");
    fs::write(&path, json!({ "array": [array] }).to_string()).expect("written");
    Manifest::read(&path).and_then(|manifest| manifest.open(memory)).expect("opened")
}

/// Layouts of an array of 11 × 7 × 5, and files that have it so.
const LAYOUTS: [(&str, &str); 6] = [
    ("(*, *, *)", "whole"),
    ("(*, *, *) storage fortran", "whole.npy"),
    ("(block, *, cyclic(2)) onto (3, 2)", "p.{rank}.npy"),
    ("(cyclic(3), block, *) onto (2, 3) storage fortran", "f.{rank}"),
    ("(gen_block([0, 9, 2]), *, *) onto 3", "g.{rank}.safetensors"),
    ("(cyclic, cyclic, cyclic) onto (2, 2, 2)", "c.{rank}.npz"),
];

const SHAPE: [usize; 3] = [11, 7, 5];

/// The elements of every `steps`-th index, one by one.
fn picked(whole: &[u8], first: [usize; 3], steps: [usize; 3], extents: [usize; 3]) -> Vec<u8> {
    let mut found = Vec::new();
    for i in 0..extents[0] {
        for j in 0..extents[1] {
            for k in 0..extents[2] {
                let [i, j, k] = [(0, i), (1, j), (2, k)].map(|(d, at)| first[d] + at * steps[d]);
                let at = 8 * ((i * SHAPE[1] + j) * SHAPE[2] + k);
                found.extend_from_slice(&whole[at..at + 8]);
            }
        }
    }
    found
}

#[test]
fn boxes_of_every_layout_are_those_of_the_whole_array() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let whole = bytes(SHAPE.iter().product::<usize>() * 8);
    fs::write(folder.join("raw"), &whole).expect("written");
    let array = json!({ "name": "a", "element": "f64", "extents": SHAPE });
    let mut random = fastrand::Rng::with_seed(drawn::seed());
    for (layout, files) in LAYOUTS {
        let there = json!({ "in": "raw", "out": files, "to": layout });
        convert(folder, &with(array.clone(), &there), quick(1 << 20)).expect("files");
        let opened =
            open(folder, &with(array.clone(), &json!({ "in": files, "from": layout })), 1 << 16);
        assert_eq!((opened.shape(), opened.element_bytes()), (&SHAPE[..], 8));
        for _ in 0..drawn::some(200) {
            let mut bounds = [[0; 3]; 3];
            for (d, extent) in SHAPE.into_iter().enumerate() {
                let first = random.usize(..extent);
                let step = random.usize(1..4);
                let count = random.usize(0..=(extent - 1 - first) / step + 1);
                bounds[0][d] = first;
                bounds[1][d] = step;
                bounds[2][d] = count;
            }
            let [first, steps, extents] = bounds;
            let expected = picked(&whole, first, steps, extents);
            let mut found = vec![0xaa; expected.len()];
            opened.read((&first, &steps), &extents, &mut found).expect("read");
            assert!(found == expected, "{layout}: {bounds:?}");
        }
    }
}

/// Boxes that do not fit the memory are read in halves: of a hole of 3 GiB, where that fits none.
#[test]
fn large_boxes_are_read_in_halves() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let file = fs::File::create(folder.join("hole")).expect("a file");
    file.set_len(3 << 30).expect("a hole");
    let array =
        json!({ "name": "a", "element": "u8", "extents": [3 << 20, 1 << 10], "in": "hole" });
    let opened = open(folder, &array, 1 << 16);
    // Of a column's elements, these are read one by one, or with those between them.
    for (step, count) in [(4 << 10, 3 << 8), (5, 14 << 10)] {
        let mut found = vec![1; count];
        opened.read((&[0, 0], &[step, 1]), &[count, 1], &mut found).expect("a column");
        assert!(found.iter().all(|byte| *byte == 0));
    }
    let mut found = vec![1; 1 << 20];
    opened.read((&[5, 0], &[1, 1]), &[1 << 10, 1 << 10], &mut found).expect("rows");
    assert!(found.iter().all(|byte| *byte == 0));
}

#[test]
fn indices_outside_are_told() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    fs::write(folder.join("raw"), bytes(96)).expect("written");
    let opened =
        open(folder, &json!({ "element": "i32", "extents": [4, 6], "in": "raw" }), 1 << 16);
    let told = |first: [usize; 2], steps: [usize; 2], extents: &[usize], len: usize| {
        let read = opened.read((&first, &steps), extents, &mut vec![0; len]);
        read.expect_err("an error").to_string()
    };
    assert!(told([0, 0], [1, 1], &[4], 16).contains("expected 2 first indices"));
    assert!(told([3, 0], [1, 1], &[2, 1], 8).contains("dimension 0: 2 indices from 3 on"));
    assert!(told([0, 1], [1, 3], &[1, 3], 12).contains("dimension 1: 3 indices from 1 on"));
    assert!(told([0, 0], [0, 1], &[1, 1], 4).contains("are not in 0..4"));
    assert!(told([0, 0], [usize::MAX, 1], &[3, 1], 12).contains("are not in 0..4"));
    assert!(told([0, 0], [1, 1], &[1, 1], 5).contains("expected 4 bytes"));
    let manifest = |text: Value| Manifest::from_json(&text.to_string())?.open(1 << 16);
    let none = manifest(json!({ "array": [] })).err().expect("an error").to_string();
    assert!(none.contains("expected one array to open, found 0"), "{none}");
}
