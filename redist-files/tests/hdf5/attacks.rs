//! Files that were cut off, that lie, and that lead elsewhere.

use super::{closed, convert, quick, refused, refused_and_clean, with};
use hdf5_metno::File;
use redist_files::RunOptions;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Names the folder of a child that reads files which lie.
const CHILD: &str = "REDIST_HDF5_CHILD";

fn two(folder: &Path) {
    let file = File::create(folder.join("a.h5")).expect("HDF5");
    let numbers: Vec<i32> = (0..30 * 20).collect();
    let plain = file.new_dataset::<i32>().shape((30, 20)).create("plain").expect("a dataset");
    plain.write_raw(&numbers).expect("written");
    let packed =
        file.new_dataset::<i32>().shape((30, 20)).chunk((10, 10)).deflate(6).create("g/packed");
    let packed = packed.or_else(|_| {
        file.create_group("g")?;
        file.new_dataset::<i32>().shape((30, 20)).chunk((10, 10)).deflate(6).create("g/packed")
    });
    packed.expect("a dataset").write_raw(&numbers).expect("written");
    drop(plain);
    closed(file);
}

#[test]
fn files_that_were_cut_off_are_told() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    two(folder);
    let whole = fs::read(folder.join("a.h5")).expect("a file");
    for len in (0..whole.len()).step_by(61).chain([whole.len() - 1]) {
        fs::write(folder.join("a.h5"), &whole[..len]).expect("written");
        for name in ["plain", "g/packed"] {
            let told =
                refused_and_clean(folder, &json!({ "name": name, "in": "a.h5", "out": "x" }));
            assert!(told.contains("a.h5: "), "{len}: {told}");
        }
    }
}

/// Reads files with changed bytes when [`files_that_lie_stop_no_other_work`] starts this program again.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let folder = Path::new(&folder);
    let whole = fs::read(folder.join("a.h5")).expect("a file");
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..400 {
        let mut wrong = whole.clone();
        for _ in 0..random.usize(1..4) {
            wrong[random.usize(..whole.len())] ^= random.u8(1..);
        }
        fs::write(folder.join("b.h5"), wrong).expect("written");
        for name in ["plain", "g/packed"] {
            let array = json!({ "name": name, "in": "b.h5", "out": "x" });
            let _ = convert(folder, &array, RunOptions { force: true, ..quick(1 << 20) });
        }
    }
}

/// Bytes that are changed are an error or other elements. The sources stay as they are.
#[test]
fn files_that_lie_stop_no_other_work() {
    let made = tempfile::tempdir().expect("a folder");
    two(made.path());
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["--exact", "attacks::child"]).env(CHILD, made.path());
    let status = command.stdout(Stdio::null()).status().expect("a child");
    assert!(status.success(), "{status}");
}

#[test]
fn links_lead_nowhere_and_to_no_other_file() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    two(folder);
    let file = File::open_rw(folder.join("a.h5")).expect("HDF5");
    let group = file.create_group("loop").expect("a group");
    group.link_hard("/", "back").or_else(|_| file.link_hard("/", "loop/back")).expect("a link");
    file.link_soft("/plain", "soft").expect("a link");
    file.link_external("/etc/passwd", "/x", "outside").expect("a link");
    closed(file);
    let read = json!({ "name": "plain", "in": "a.h5", "out": "x" });
    convert(folder, &read, quick(1 << 20)).expect("read");
    for name in ["soft", "outside", "loop/back/plain"] {
        let told =
            refused(folder, &with(read.clone(), &json!({ "name": name, "extents": [30, 20] })));
        assert!(told.contains("it has 2 arrays: g/packed, plain"), "{told}");
    }
}

#[test]
fn elements_in_other_files_are_not_read() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    fs::write(folder.join("secret"), [7; 800]).expect("written");
    let file = File::create(folder.join("e.h5")).expect("HDF5");
    let secret = folder.join("secret");
    let build = file.new_dataset::<u8>().shape(800);
    build.external(secret.to_str().expect("a name"), 0, 800).create("out").expect("a dataset");
    closed(file);
    let told = refused_and_clean(folder, &json!({ "name": "out", "in": "e.h5", "out": "x" }));
    assert!(told.contains("its elements are in other files"), "{told}");
}

#[test]
fn types_that_are_no_numbers_and_chunks_that_fit_no_memory_are_told() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let file = File::create(folder.join("t.h5")).expect("HDF5");
    file.new_dataset::<hdf5_metno::types::FixedAscii<5>>()
        .shape(3)
        .create("text")
        .expect("a dataset");
    file.new_dataset::<i64>().shape((1 << 20, 4)).chunk((1 << 19, 4)).create("large").expect("one");
    closed(file);
    let array = json!({ "name": "text", "in": "t.h5", "out": "x" });
    let told = refused_and_clean(folder, &array);
    assert!(told.contains("no number of HDF5"), "{told}");
    let told = refused_and_clean(folder, &with(array, &json!({ "name": "large" })));
    assert!(told.contains("--memory is too little"), "{told}");
}
