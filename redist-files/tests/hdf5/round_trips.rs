//! Raw files become datasets, and raw files again; datasets that the library reads in hyperslabs.

use super::{bytes, closed, convert, quick, refused_and_clean, with};
use hdf5_metno::File;
use redist_files::RunOptions;
use serde_json::json;
use std::fs;

#[test]
fn what_is_written_is_read_in_every_layout() {
    for (element, width) in [
        ("f64", 8),
        ("f32", 4),
        ("f16", 2),
        ("i16", 2),
        ("u64", 8),
        ("bool", 1),
        ("Complex<f32>", 8),
        ("Complex<f64>", 16),
    ] {
        let made = tempfile::tempdir().expect("a folder");
        let folder = made.path();
        let whole = bytes(50 * 70 * width);
        fs::write(folder.join("raw"), &whole).expect("written");
        let array = json!({
            "name": "model/layers.0/w", "element": element, "element_bytes": width, "extents": [50, 70],
        });
        let there =
            json!({ "in": "raw", "out": "a.{rank}.h5", "to": "(cyclic(3), block) onto (2, 3)" });
        let checked = RunOptions { check: true, ..quick(256 << 10) };
        let one = convert(folder, &with(array.clone(), &there), checked).expect("files");
        let back = json!({
            "in": "a.{rank}.h5", "from": "(cyclic(3), block) onto (2, 3)", "out": "again",
        });
        let other = convert(folder, &with(array.clone(), &back), quick(256 << 10)).expect("raw");
        assert_eq!(one.checksum, other.checksum, "{element}");
        assert!(fs::read(folder.join("again")).expect("raw") == whole, "{element}");
        let same = json!({ "in": "raw", "out": "b.hdf5" });
        convert(folder, &with(array, &same), quick(1 << 20)).expect("a file");
        let file = File::open(folder.join("b.hdf5")).expect("HDF5");
        assert_eq!(file.dataset("model/layers.0/w").expect("a dataset").shape(), [50, 70]);
    }
}

/// Of a dataset that HDF5 gives a compression, another byte order or no place, boxes are read by the library.
#[test]
fn chunks_and_other_orders_are_read_in_hyperslabs() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let numbers: Vec<f64> = (0..60 * 40).map(|at| f64::from(at) * 0.5).collect();
    let file = File::create(folder.join("c.h5")).expect("HDF5");
    let build = || file.new_dataset::<f64>().shape((60, 40));
    let datasets = [
        ("chunks", build().chunk((7, 9)).create("chunks")),
        ("packed", build().chunk((16, 40)).shuffle().deflate(3).create("packed")),
        ("sums", build().chunk((60, 40)).fletcher32().create("sums")),
    ];
    for (name, dataset) in datasets {
        dataset.expect(name).write_raw(&numbers).expect("written");
    }
    let never = file.new_dataset::<f64>().shape((60, 40)).create("never").expect("a dataset");
    assert_eq!(never.offset(), None);
    closed(file);
    let raw: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    for name in ["chunks", "packed", "sums", "never"] {
        for (memory, to) in
            [(1 << 20, "(block, block) onto (2, 3)"), (400 << 10, "(*, cyclic(2)) onto 3")]
        {
            let array = json!({ "name": name, "in": "c.h5", "out": "p.{rank}", "to": to });
            let options = RunOptions { check: true, force: true, ..quick(memory) };
            convert(folder, &array, options.clone()).expect(name);
            let back = json!({
                "name": name, "in": "p.{rank}", "out": "whole", "from": to, "element": "f64", "extents": [60, 40],
            });
            convert(folder, &back, options).expect("whole");
            let found = fs::read(folder.join("whole")).expect("raw");
            assert!(
                if name == "never" { found == [0; 60 * 40 * 8] } else { found == raw },
                "{name} {to}"
            );
        }
    }
}

/// Files of ranks may be in chunks as well.
#[test]
fn chunks_of_ranks_are_read() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    for rank in 0..3_i32 {
        let file = File::create(folder.join(format!("r.{rank}.h5"))).expect("HDF5");
        let own: Vec<i32> = (0..20 * 10).map(|at| 1000 * rank + at).collect();
        let dataset =
            file.new_dataset::<i32>().shape((20, 10)).chunk((6, 4)).deflate(1).create("w");
        dataset.expect("a dataset").write_raw(&own).expect("written");
        closed(file);
    }
    let array = json!({
        "name": "w", "in": "r.{rank}.h5", "extents": [60, 10], "from": "(block, *) onto 3", "out": "raw",
    });
    convert(folder, &array, RunOptions { check: true, ..quick(1 << 20) }).expect("raw");
    let whole = (0..3).flat_map(|rank| (0..200).map(move |at| 1000 * rank + at));
    let whole: Vec<u8> = whole.flat_map(i32::to_ne_bytes).collect();
    assert!(fs::read(folder.join("raw")).expect("raw") == whole);
    let turned = with(array, &json!({ "from": "(block, *) onto 3 storage fortran" }));
    let told = refused_and_clean(folder, &turned);
    assert!(told.contains("write `storage c`"), "{told}");
}

#[test]
fn what_hdf5_cannot_hold_is_told_before_anything_is_written() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    fs::write(folder.join("raw"), bytes(48 * 16)).expect("written");
    for (element, width, out, words) in [
        ("bf16", 2, "a.h5", "HDF5 has no type"),
        ("f8_e4m3", 1, "a.h5", "HDF5 has no type"),
        ("Particle", 16, "a.h5", "HDF5 has no type"),
        ("f16", 2, "a.nc4", "NetCDF 4 has no type"),
        ("bool", 1, "a.nc4", "NetCDF 4 has no type"),
    ] {
        let array = json!({
            "name": "a", "element": element, "element_bytes": width, "extents": [48 * 16 / width],
            "in": "raw", "out": out,
        });
        let told = refused_and_clean(folder, &array);
        assert!(told.contains(words), "{told}");
    }
    let array =
        json!({ "name": "a", "element": "f64", "extents": [12, 8], "in": "raw", "out": "a.h5" });
    for (more, words) in [
        (json!({ "to": "(*, *) storage fortran" }), "write `storage c`"),
        (json!({ "name": "a//b" }), "is no name in HDF5"),
        (json!({ "name": "a/" }), "is no name in HDF5"),
        (json!({ "name": "./b" }), "is no name in HDF5"),
    ] {
        let told = refused_and_clean(folder, &with(array.clone(), &more));
        assert!(told.contains(words), "{told}");
    }
}
