//! Raw files become variables, and raw files again.

use super::{bytes, convert, quick, refused_and_clean, with};
use redist_files::{Manifest, Run, RunOptions, Unwatched};
use serde_json::json;
use std::fs;

/// Types that NetCDF has, with the bytes of an element and the version that has them.
const TYPES: [(&str, usize, u8); 10] = [
    ("i8", 1, 2),
    ("i16", 2, 2),
    ("i32", 4, 2),
    ("f32", 4, 2),
    ("f64", 8, 2),
    ("u8", 1, 5),
    ("u16", 2, 5),
    ("u32", 4, 5),
    ("i64", 8, 5),
    ("u64", 8, 5),
];

#[test]
fn what_is_written_is_read_in_every_layout() {
    for (element, width, version) in TYPES {
        let made = tempfile::tempdir().expect("a folder");
        let folder = made.path();
        let whole = bytes(13 * 7 * width);
        fs::write(folder.join("raw"), &whole).expect("written");
        let array = json!({ "name": "a.b", "element": element, "extents": [13, 7] });
        let there =
            json!({ "in": "raw", "out": "a.{rank}.nc", "to": "(cyclic(3), block) onto (2, 3)" });
        let checked = RunOptions { check: true, ..quick(1 << 20) };
        let one = convert(folder, &with(array.clone(), &there), checked).expect("files");
        let file = fs::read(folder.join("a.0.nc")).expect("a file");
        assert_eq!(file[..4], [b'C', b'D', b'F', version], "{element}");
        let back = json!({
            "in": "a.{rank}.nc", "from": "(cyclic(3), block) onto (2, 3)", "out": "again",
        });
        let other = convert(folder, &with(array, &back), quick(1 << 20)).expect("raw");
        assert!(fs::read(folder.join("again")).expect("raw") == whole, "{element}");
        assert_eq!(one.checksum, other.checksum, "{element}");
    }
}

#[test]
fn a_file_holds_several_arrays_that_say_what_they_are() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let sizes = [("b", 1, vec![5]), ("c", 8, vec![5, 3]), ("a", 2, vec![3, 3, 3])];
    let mut arrays = Vec::new();
    for (name, width, shape) in &sizes {
        let elements: usize = shape.iter().product();
        fs::write(folder.join(name), bytes(elements * width)).expect("written");
        let element = ["i8", "i16", "f32", "f64"][width.ilog2() as usize];
        arrays.push(json!({ "name": name, "element": element, "extents": shape }));
    }
    let run = |manifest: serde_json::Value| {
        fs::write(folder.join("m.json"), manifest.to_string()).expect("written");
        let mut run = Run::new(RunOptions { check: true, ..quick(1 << 20) }, &Unwatched);
        Manifest::read(&folder.join("m.json"))?.add_to(&mut run)?;
        run.convert()
    };
    run(json!({ "defaults": { "in": "{name}", "out": "all.nc" }, "array": arrays }))
        .expect("a file");
    let all = json!([{ "name": "*", "in": "all.nc", "out": "{name}.npy" }]);
    let names: Vec<String> =
        run(json!({ "array": all })).expect("files").into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["a", "b", "c"]);
    for (name, width, shape) in &sizes {
        let file = fs::read(folder.join(format!("{name}.npy"))).expect("a file");
        let elements = &file[file.len() - shape.iter().product::<usize>() * width..];
        assert!(elements == fs::read(folder.join(name)).expect("raw"), "{name}");
    }
}

#[test]
fn what_netcdf_cannot_hold_is_told_before_anything_is_written() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    fs::write(folder.join("raw"), bytes(24 * 16)).expect("written");
    for (element, width) in
        [("f16", 2), ("bf16", 2), ("f8_e4m3", 1), ("bool", 1), ("Complex<f32>", 8), ("u128", 16)]
    {
        let array = json!({
            "name": "a", "element": element, "element_bytes": width, "extents": [24 * 16 / width],
            "in": "raw", "out": "a.nc",
        });
        let told = refused_and_clean(folder, &array);
        assert!(told.contains("NetCDF has no type for elements of type"), "{told}");
    }
    let array = json!({ "name": "a", "element": "f64", "extents": [6, 8], "in": "raw" });
    for (more, words) in [
        (json!({ "out": "a.nc", "to": "(*, *) storage fortran" }), "write `storage c`"),
        (json!({ "out": "a.nc", "name": "a/b" }), "is no name in NetCDF"),
        (json!({ "out": "a.nc", "chunks": [3, 3] }), "no chunks"),
        (json!({ "out": "a.nc", "out_byte_order": "big" }), "leave out skip"),
    ] {
        let told = refused_and_clean(folder, &with(array.clone(), &more));
        assert!(told.contains(words), "{told}");
    }
}
