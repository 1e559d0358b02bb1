//! Arrays that were cut off, that lie, and outputs that cannot be written: errors, and nothing destroyed.

use super::{bytes, compare, convert, quick, refused, refused_and_clean, tree};
use redist_files::RunOptions;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Writes an array of Zarr, and returns the keys that read it into a raw file.
fn array(folder: &Path, more: &Value) -> Value {
    fs::write(folder.join("raw"), bytes(20 * 30 * 8)).expect("written");
    let common = json!({ "name": "a", "element": "f64", "extents": [20, 30] });
    let with = |more: &Value| {
        let mut keys = common.clone();
        let own = keys.as_object_mut().expect("keys");
        own.extend(more.as_object().expect("keys").clone());
        keys
    };
    let mut keys = more.clone();
    let own = keys.as_object_mut().expect("keys");
    own.extend(
        json!({ "in": "raw", "out": "a.zarr", "chunks": [10, 10] })
            .as_object()
            .expect("keys")
            .clone(),
    );
    convert(folder, &with(&keys), quick(8 << 20)).expect("an array");
    with(&json!({ "in": "a.zarr", "out": "again" }))
}

#[test]
fn a_chunk_that_was_cut_off_is_told() {
    for codec in ["zstd", "gzip", "blosc", "none"] {
        let made = tempfile::tempdir().expect("a folder");
        let folder = made.path();
        let keys = array(folder, &json!({ "codec": codec }));
        let chunk = folder.join("a.zarr/c/1/2");
        let whole = fs::read(&chunk).expect("a chunk");
        for len in [0, 1, 7, 20, whole.len() / 2, whole.len() - 1] {
            fs::write(&chunk, &whole[..len]).expect("written");
            let told = refused_and_clean(folder, &keys);
            assert!(told.contains("a.zarr/c/1/2: "), "{codec} {len}: {told}");
        }
        // Each byte changed: an error, or other elements, and no panic.
        for at in (0..whole.len()).step_by(if codec == "none" { 97 } else { 7 }) {
            let mut wrong = whole.clone();
            wrong[at] ^= 0xff;
            fs::write(&chunk, wrong).expect("written");
            let _ = convert(folder, &keys, RunOptions { force: true, ..quick(8 << 20) });
        }
        fs::write(&chunk, [&whole[..], &[0; 200_000]].concat()).expect("written");
        let _ = fs::remove_file(folder.join("again"));
        assert!(refused_and_clean(folder, &keys).contains("at most"));
    }
}

/// Chunks of a few bytes that say, or are, a thousand times what an array of this shape has.
#[test]
fn a_chunk_that_swells_takes_no_memory() {
    use std::io::Write;
    let zeros = vec![0; 64 << 20];
    for codec in ["zstd", "gzip", "blosc"] {
        let made = tempfile::tempdir().expect("a folder");
        let folder = made.path();
        let keys = array(folder, &json!({ "codec": codec }));
        let swollen = match codec {
            // A frame without its length, of blocks of 2^17 zeros.
            "zstd" => {
                let block = |last: u32| (1 << 17 << 3 | 1 << 1 | last).to_le_bytes()[..3].to_vec();
                let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];
                (0..512).for_each(|number| {
                    frame.extend([block(u32::from(number == 511)), vec![0]].concat())
                });
                frame
            }
            "gzip" => {
                let level = flate2::Compression::new(6);
                let mut packed = flate2::write::GzEncoder::new(Vec::new(), level);
                packed.write_all(&zeros).expect("packed");
                packed.finish().expect("packed")
            }
            _ => {
                let mut chunk = fs::read(folder.join("a.zarr/c/0/0")).expect("a chunk");
                chunk[4..8].copy_from_slice(&(1u32 << 30).to_le_bytes());
                chunk
            }
        };
        fs::write(folder.join("a.zarr/c/0/0"), swollen).expect("written");
        let told = refused_and_clean(folder, &keys);
        let words = ["more than 800", "at most 800", "says 1073741824", "at most 66136"];
        assert!(words.iter().any(|words| told.contains(words)), "{codec}: {told}");
    }
}

#[test]
fn metadata_that_lie_are_told() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let keys = array(folder, &json!({ "codec": "zstd" }));
    let path = folder.join("a.zarr/zarr.json");
    let right: Value = serde_json::from_slice(&fs::read(&path).expect("text")).expect("JSON");
    let told = |at: &str, value: Value| {
        let mut wrong = right.clone();
        *wrong.pointer_mut(at).expect(at) = value;
        fs::write(&path, wrong.to_string()).expect("written");
        refused_and_clean(folder, &keys)
    };
    let chunk = "/chunk_grid/configuration/chunk_shape";
    assert!(told("/shape", json!([20, 31])).contains("expected [20, 30]"));
    assert!(told("/shape", json!([20])).contains("chunks of [10, 10]"));
    assert!(told("/shape", json!([-20, 30])).contains("shape: expected numbers"));
    assert!(told("/shape", json!([u64::MAX, 30])).contains("shape: expected numbers"));
    assert!(told(chunk, json!([0, 10])).contains("chunks of [0, 10]"));
    assert!(told(chunk, json!([1u64 << 40, 1u64 << 40])).contains("fits no memory"));
    assert!(told(chunk, json!([20, 10])).contains("a.zarr/c/0/"));
    assert!(told(chunk, json!([1u64 << 20, 1u64 << 20])).contains("--memory is too little"));
    assert!(told("/data_type", json!("float32")).contains("expected <f8"));
    assert!(told("/data_type", json!("string")).contains("type \"string\" are not known"));
    assert!(told("/fill_value", json!("many")).contains("fill"));
    assert!(told("/zarr_format", json!(4)).contains("expected 2 or 3, found 4"));
    assert!(told("/node_type", json!("group")).contains("is a group"));
    assert!(
        told("/chunk_key_encoding/configuration/separator", json!("/../")).contains("not known")
    );
    assert!(told("/codecs/1/name", json!("lz77")).contains("lz77"));
    assert!(told("/codecs", json!([])).contains("codec"));
    fs::write(&path, "{\"zarr_format\": 3").expect("written");
    assert!(refused_and_clean(folder, &keys).contains("zarr.json: EOF"));
    fs::remove_file(&path).expect("removed");
    assert!(refused_and_clean(folder, &keys).contains("has neither zarr.json nor .zarray"));
    fs::remove_dir_all(folder.join("a.zarr")).expect("removed");
    assert!(refused_and_clean(folder, &keys).contains("a.zarr: No such file"));
}

#[test]
fn shards_that_lie_are_told() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let keys = array(folder, &json!({ "shards": [20, 30] }));
    let path = folder.join("a.zarr/c/0/0");
    let whole = fs::read(&path).expect("a shard");
    assert_eq!(tree(&folder.join("a.zarr")), ["c/0/0", "zarr.json"]);
    for len in [0, 50, whole.len() - 1, whole.len() - 200] {
        fs::write(&path, &whole[..len]).expect("written");
        let told = refused_and_clean(folder, &keys);
        assert!(told.contains("a.zarr/c/0/0: ") && told.contains("index"), "{told}");
    }
    // A place behind the file, with a checksum that is none: as a writer would that lies.
    let text = fs::read_to_string(folder.join("a.zarr/zarr.json")).expect("text");
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    value["codecs"][0]["configuration"]["index_codecs"].as_array_mut().expect("codecs").pop();
    fs::write(folder.join("a.zarr/zarr.json"), value.to_string()).expect("written");
    let mut wrong = whole[..whole.len() - 4].to_vec();
    let at = wrong.len() - 6 * 16;
    wrong[at..at + 8].copy_from_slice(&(1u64 << 60).to_le_bytes());
    fs::write(&path, wrong).expect("written");
    assert!(refused_and_clean(folder, &keys).contains("chunk 0 of the shard"));
}

/// A chunk may be a link to a file, as any source; else it is an error, and never the fill value.
#[test]
fn a_chunk_that_is_no_file_is_told() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let keys = array(folder, &json!({}));
    let chunk = folder.join("a.zarr/c/0/1");
    fs::rename(&chunk, folder.join("elsewhere")).expect("moved");
    symlink(folder.join("elsewhere"), &chunk).expect("a link");
    convert(folder, &keys, quick(8 << 20)).expect("a link to a file");
    assert!(fs::read(folder.join("again")).expect("raw") == bytes(20 * 30 * 8));
    fs::remove_file(folder.join("again")).expect("removed");
    fs::remove_file(folder.join("elsewhere")).expect("removed");
    assert!(refused_and_clean(folder, &keys).contains("c/0/1: is a link to nothing"));
    fs::remove_file(&chunk).expect("removed");
    fs::create_dir(&chunk).expect("a folder");
    assert!(refused_and_clean(folder, &keys).contains("c/0/1: is a folder"));
    fs::remove_dir(&chunk).expect("removed");
    convert(folder, &keys, quick(8 << 20)).expect("the fill value");
    let found = fs::read(folder.join("again")).expect("raw");
    assert!(
        found[80..160].iter().all(|byte| *byte == 0) && found[..80] == bytes(20 * 30 * 8)[..80]
    );
}

#[test]
fn nothing_that_is_there_is_replaced() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let mut keys = array(folder, &json!({}));
    let force = RunOptions { force: true, ..quick(8 << 20) };
    keys["out"] = json!("b.zarr");
    for there in ["a folder", "a regular file", "a link"] {
        let path = folder.join("b.zarr");
        match there {
            "a folder" => fs::create_dir(&path).expect("a folder"),
            "a regular file" => fs::write(&path, "kept").expect("written"),
            _ => symlink("a.zarr", &path).expect("a link"),
        }
        let told = convert(folder, &keys, force.clone()).expect_err("there").to_string();
        assert!(told.contains(&format!("is {there}, which no folder replaces")), "{told}");
        if there == "a folder" { fs::remove_dir(path) } else { fs::remove_file(path) }
            .expect("kept");
    }
    keys["out"] = json!("a.zarr");
    assert!(
        convert(folder, &keys, force).expect_err("its source").to_string().contains("a.zarr: is")
    );
    keys["out"] = json!("b.{rank}.zarr");
    assert!(refused_and_clean(folder, &keys).contains("leave out ranks"));
    keys["out"] = json!("b.zarr");
    keys["to"] = json!("(*, *) storage fortran");
    assert!(refused_and_clean(folder, &keys).contains("in C order"));
    keys["to"] = json!("(gen_block([3, 17]), *) onto 2");
    assert!(refused_and_clean(folder, &keys).contains("write `chunks`"));
    keys["to"] = json!("(*, *)");
    for (key, value, words) in [
        ("codec", json!("lzma"), "codec `lzma`"),
        ("codec", json!("zstd:x"), "`x` is no level"),
        ("chunks", json!([4]), "chunks of [4]"),
        ("shards", json!([15, 30]), "no multiples"),
    ] {
        let mut wrong = keys.clone();
        wrong[key] = value;
        let told = refused_and_clean(folder, &wrong);
        assert!(told.contains(words), "{told}");
    }
    keys["element"] = json!("f8_e4m3");
    keys["in"] = json!("raw");
    keys["extents"] = json!([160, 30]);
    assert!(refused_and_clean(folder, &keys).contains("has no type for elements"));
}

/// The compared files differ in an element of a chunk.
#[test]
fn a_chunk_of_other_elements_is_found() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let keys = array(folder, &json!({ "codec": "none" }));
    convert(folder, &keys, quick(8 << 20)).expect("raw");
    compare(folder, &keys).expect("the same");
    let chunk = folder.join("a.zarr/c/1/2");
    let mut wrong = fs::read(&chunk).expect("a chunk");
    *wrong.last_mut().expect("a byte") ^= 1;
    fs::write(chunk, wrong).expect("written");
    let told = compare(folder, &keys).expect_err("another element").to_string();
    assert!(told.contains("element [19, 29]"), "{told}");
}

/// A file system that is full, and a limit on the length of files: each in a process of its own.
#[test]
fn a_full_disk_leaves_nothing() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let side = 600;
    fs::write(folder.join("raw"), bytes(side * side * 8)).expect("written");
    let out =
        std::path::PathBuf::from("/dev/shm").join(format!("redist-zarr-{}", std::process::id()));
    if fs::create_dir(&out).is_err() {
        return;
    }
    let mount = |arguments: &[&str]| {
        let status = std::process::Command::new("mount").args(arguments).arg(&out).status();
        status.is_ok_and(|status| status.success())
    };
    let mounted = mount(&["-t", "tmpfs", "-o", "size=1m", "none"]);
    if mounted {
        for chunks in [[100, 100], [600, 7]] {
            let keys = json!({
                "name": "a", "element": "f64", "extents": [side, side], "in": "raw", "codec": "none",
                "out": format!("{}/a.zarr", out.display()), "chunks": chunks,
            });
            let told = refused(folder, &keys);
            assert!(told.contains("No space left on device"), "{told}");
            assert_eq!(tree(&out), [""; 0]);
        }
        let _ = std::process::Command::new("umount").arg(&out).status();
    }
    let _ = fs::remove_dir(&out);
}
