//! Arrays at a web server, of each format that is read from one.

use super::{Server, Task, bytes, convert, quick, run};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Elements of the array, along its axes.
const EXTENTS: [usize; 2] = [300, 400];

/// Writes an array in files of ranks of this format, and puts them onto the server.
fn served(folder: &Path, server: &Server, (ending, more): (&str, Value)) -> Vec<String> {
    fs::write(folder.join("raw"), bytes(300 * 400 * 8)).expect("written");
    let mut keys = json!({
        "name": "a", "element": "f64", "extents": EXTENTS, "in": "raw", "from": "(block, *) onto 1",
        "to": "(block, block) onto (2, 2)", "out": format!("p{{rank}}{ending}"),
    });
    keys.as_object_mut().expect("keys").extend(more.as_object().expect("keys").clone());
    convert(folder, &keys, quick(8 << 20)).expect("converted");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().into_string().expect("a name");
        if entry.file_type().expect("a sort").is_file() && name.ends_with(ending) {
            server.held().put(&format!("/b/{name}"), fs::read(entry.path()).expect("a file"));
            names.push(name);
        }
    }
    names
}

/// Returns a manifest that reads the array from the server.
fn from(server: &Server, (name, more): (&str, Value)) -> Value {
    let mut keys = json!({
        "name": "a", "element": "f64", "extents": EXTENTS, "out": "found", "from":
        "(block, block) onto (2, 2)", "to": "(block, *) onto 1",
        "in": format!("http://{}/b/{name}", server.address),
    });
    keys.as_object_mut().expect("keys").extend(more.as_object().expect("keys").clone());
    json!({ "array": [keys] })
}

#[test]
fn arrays_of_all_formats_are_read_by_few_requests() {
    for (ending, to, more) in [
        (".safetensors", json!({}), json!({})),
        (".npy", json!({}), json!({})),
        (".npz", json!({}), json!({})),
        (".nc", json!({}), json!({})),
        (".bin", json!({}), json!({})),
        (".big", json!({ "out_byte_order": "big" }), json!({ "in_byte_order": "big" })),
    ] {
        let made = tempfile::tempdir().expect("a folder");
        let (folder, server) = (made.path(), Server::right());
        assert_eq!(served(folder, &server, (ending, to)).len(), 4);
        let manifest = from(&server, (&format!("p{{rank}}{ending}"), more));
        run(folder, &server, Task::Check, &manifest).expect("converted");
        let found = fs::read(folder.join("found")).expect("a file");
        assert!(found == bytes(300 * 400 * 8), "{ending}");
        let reads = server.held().requests.iter().filter(|request| request.is_read()).count();
        // Of each object: its header, and its part of each box, for the copy and for the comparison.
        assert!(reads <= 4 * 12, "{ending}: {reads}");
    }
}

#[test]
fn pieces_of_a_box_are_read_together() {
    let made = tempfile::tempdir().expect("a folder");
    let (folder, server) = (made.path(), Server::right());
    served(folder, &server, (".safetensors", json!({ "to": "(*, *)", "out": "p.safetensors" })));
    // The first of each two columns: as many pieces as there are elements.
    let manifest = from(
        &server,
        (
            "p.safetensors",
            json!({
                "from": "(*, *)", "to": "(*, cyclic) onto 2", "out": "found{rank}"
            }),
        ),
    );
    run(folder, &server, Task::Check, &manifest).expect("converted");
    let all = bytes(300 * 400 * 8);
    for rank in 0..2 {
        let of_rank = all.as_chunks::<8>().0.iter().skip(rank).step_by(2);
        let right: Vec<u8> = of_rank.flatten().copied().collect();
        assert!(fs::read(folder.join(format!("found{rank}"))).expect("a file") == right, "{rank}");
    }
    let reads = server.held().requests.iter().filter(|request| request.is_read()).count();
    assert!(reads <= 12, "{reads}");
}

#[test]
fn models_with_an_index_are_read() {
    let made = tempfile::tempdir().expect("a folder");
    let (folder, server) = (made.path(), Server::right());
    let names = served(
        folder,
        &server,
        (
            ".safetensors",
            json!({
                "to": "(*, *)", "out": "m.safetensors.index.json",
            }),
        ),
    );
    assert_eq!(names, ["m-00001-of-00001.safetensors"]);
    let index = fs::read(folder.join("m.safetensors.index.json")).expect("an index");
    server.held().put("/b/m.safetensors.index.json", index);
    let manifest = json!({ "array": [{
        "name": "*", "in": format!("http://{}/b/m.safetensors.index.json", server.address),
        "out": "{name}.raw",
    }]});
    run(folder, &server, Task::Check, &manifest).expect("converted");
    assert!(fs::read(folder.join("a.raw")).expect("a file") == bytes(300 * 400 * 8));
    run(folder, &server, Task::Compare, &manifest).expect("the same");
    // The same over S3's language.
    let manifest = json!({ "array": [{
        "name": "*", "in": "s3://b/m.safetensors.index.json", "out": "s3.raw",
    }]});
    run(folder, &server, Task::Check, &manifest).expect("converted");
    assert!(fs::read(folder.join("s3.raw")).expect("a file") == bytes(300 * 400 * 8));
}

#[cfg(feature = "zarr")]
#[test]
fn arrays_of_zarr_are_read() {
    for more in [json!({}), json!({ "chunks": [25, 40], "shards": [100, 400] })] {
        let made = tempfile::tempdir().expect("a folder");
        let (folder, server) = (made.path(), Server::right());
        let chunks = json!({ "to": "(*, *)", "out": "a.zarr", "chunks": [70, 90] });
        served(folder, &server, (".zarr", super::common::with(chunks, &more)));
        for name in super::common::tree(&folder.join("a.zarr")) {
            let bytes = fs::read(folder.join("a.zarr").join(&name)).expect("a file");
            server.held().put(&format!("/b/a.zarr/{name}"), bytes);
        }
        let whole = bytes(300 * 400 * 8);
        for name in [format!("http://{}/b/a.zarr", server.address), "s3://b/a.zarr".into()] {
            let manifest = json!({ "array": [{ "name": "a", "in": name, "out": "found" }] });
            run(folder, &server, Task::Check, &manifest).expect("converted");
            assert!(fs::read(folder.join("found")).expect("a file") == whole, "{name}");
            fs::remove_file(folder.join("found")).expect("removed");
        }
    }
}
