//! A disk that is full: the run fails, names the file and the array, and leaves nothing.

use crate::common::{bytes, tree, with};
use crate::set::{convert, kinds};
use redist_files::FilesError;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of the disk; the arrays have more.
const DISK: &str = "size=256k";

/// Rows and columns of each array.
const SIDE: usize = 200;

/// A small file system, which only the superuser may mount.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mounted(at: &Path) -> Option<Self> {
        fs::create_dir(at).expect("a folder");
        let mut mount = Command::new("mount");
        let run = mount.args(["-t", "tmpfs", "-o", DISK, "none"]).arg(at).output().ok()?;
        run.status.success().then(|| Self(at.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_leaves_nothing() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let Some(disk) = SmallDisk::mounted(&folder.join("disk")) else { return };
    fs::write(folder.join("raw"), bytes(SIDE * SIDE * 8)).expect("written");
    for kind in kinds() {
        let out = json!({ "in": "raw", "out": format!("disk/{}", kind.files), "element": "f64" });
        let mut written = with(kind.written.clone(), &out);
        if kind.name.starts_with("zarr") {
            written =
                with(written, &json!({ "chunks": [50, 40], "codec": "none", "shards": null }));
        }
        let array = |name: &str| json!({ "name": name, "extents": [SIDE, SIDE] });
        let manifest = json!({ "defaults": written, "array": [array("w"), array("v")] });
        let told = match convert(folder, &manifest) {
            Err(FilesError::Failed(told)) => told,
            other => panic!("{}: {other:?}", kind.name),
        };
        assert!(told.contains("No space left on device"), "{}: {told}", kind.name);
        assert!(told.contains("array `") && told.contains("disk/"), "{}: {told}", kind.name);
        assert_eq!(tree(&disk.0), [""; 0], "{told}");
        let rest = bytes(SIDE * SIDE * 8);
        assert!(fs::read(folder.join("raw")).expect("the source") == rest, "{}", kind.name);
    }
}
