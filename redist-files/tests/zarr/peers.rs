//! Arrays of the library `zarr`, and ours as it reads them: where `REDIST_ZARR_PYTHON` names a Python
//! that has it.

use super::{convert, quick, tree};
use redist_files::RunOptions;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn python(task: &str, folder: &Path) -> Option<()> {
    super::python("REDIST_ZARR_PYTHON", ("zarr/peers.py", task), folder)
}

#[test]
fn the_library_reads_what_is_written_and_its_arrays_are_read() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    if python("write", folder).is_none() {
        return;
    }
    let text = fs::read(folder.join("cases.json")).expect("cases");
    let mut cases: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    assert!(cases.len() > 30, "{}", cases.len());
    for case in &mut cases {
        let input = case["in"].as_str().expect("a name").to_owned();
        let mut outs = Vec::new();
        let out = |more: Value, out: &str| {
            let mut keys = json!({ "name": "a", "in": input, "out": out });
            keys.as_object_mut().expect("keys").extend(more.as_object().expect("keys").clone());
            let options = RunOptions { check: true, ..quick(8 << 20) };
            convert(folder, &keys, options).unwrap_or_else(|error| panic!("{case} {out}: {error}"));
        };
        out(json!({}), "raw");
        let [found, whole] = ["raw".into(), format!("{input}.raw")]
            .map(|name| fs::read(folder.join(name)).expect("raw"));
        let swapped = case["dtype"].as_str().expect("a type").starts_with('>');
        assert!(found == if swapped { reversed(whole) } else { whole }, "{case}");
        fs::remove_file(folder.join("raw")).expect("removed");
        let rank = case["shape"].as_array().expect("extents").len();
        let chunks = &[[6, 11, 3], [12, 22, 3]].map(|extents| extents[..rank].to_vec());
        for (number, more) in [
            json!({ "chunks": chunks[0] }),
            json!({ "chunks": chunks[0], "shards": chunks[1], "codec": "gzip" }),
            json!({ "chunks": chunks[1], "codec": "blosc" }),
            json!({ "chunks": chunks[1], "codec": "none" }),
            json!({ "out_format": "zarr2" }),
            json!({ "out_format": "zarr2", "codec": "blosc", "chunks": chunks[0] }),
            json!({ "out_format": "zarr2", "codec": "gzip" }),
        ]
        .into_iter()
        .enumerate()
        {
            let name = format!("{number}-{input}");
            out(more, &name);
            outs.push(name);
        }
        case["out"] = json!(outs);
    }
    fs::write(folder.join("cases.json"), json!(cases).to_string()).expect("written");
    python("read", folder).expect("the library");
    assert!(tree(folder).iter().all(|name| !name.contains(".redist")));
}

/// Swaps the bytes of numbers of 8 bytes.
fn reversed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.chunks_exact_mut(8).for_each(<[u8]>::reverse);
    bytes
}
