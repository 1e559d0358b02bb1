//! Files that `--force` replaces hand on their modes, owners and access lists.

use super::folder;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Output};

const TEXT: &str = "[u8; 8] { from: block onto 2, to: * }";

/// A user and a group that need not exist.
const STRANGER: u32 = 12_345;

fn convert(folder: &Path, before: &[&str]) -> Output {
    let script = format!("umask 022; exec {} \"$@\"", before.join(" "));
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-c", &script, "sh", env!("CARGO_BIN_EXE_redist")]);
    command.args(["convert", TEXT, "--in", "in", "--out", "out", "--force"]);
    command.output().expect("a shell")
}

fn with_files(name: &str, mode: u32) -> std::path::PathBuf {
    let folder = folder(name);
    fs::write(folder.join("in"), "abcdefgh").expect("written");
    fs::write(folder.join("out"), "old").expect("written");
    fs::set_permissions(folder.join("out"), fs::Permissions::from_mode(mode)).expect("a mode");
    folder
}

fn replaced(folder: &Path) -> fs::Metadata {
    let run = convert(folder, &[]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(fs::read(folder.join("out")).expect("a file"), b"abcdefgh");
    fs::metadata(folder.join("out")).expect("a file")
}

#[test]
fn modes_are_kept() {
    for mode in [0o600, 0o640, 0o444, 0o755, 0o666, 0o2664] {
        let folder = with_files("kept_mode", mode);
        assert_eq!(replaced(&folder).mode() & 0o7777, mode, "{mode:o}");
    }
    let folder = folder("new_mode");
    fs::write(folder.join("in"), "abcdefgh").expect("written");
    assert_eq!(replaced(&folder).mode() & 0o7777, 0o644, "a new file has that of the umask");
}

/// Only root may give files away.
#[test]
fn owners_are_kept() {
    let folder = with_files("kept_owner", 0o640);
    let out = folder.join("out");
    if chown(&out, Some(STRANGER), Some(STRANGER)).is_err() {
        return;
    }
    let found = replaced(&folder);
    assert_eq!((found.uid(), found.gid(), found.mode() & 0o7777), (STRANGER, STRANGER, 0o640));
}

/// A user who may write to the folder, but not give a file to the owner of the old one.
#[test]
fn an_owner_who_cannot_be_kept_is_told_before_the_work() {
    let folder = with_files("foreign_owner", 0o644);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("a mode");
    let user = format!("setpriv --reuid={STRANGER} --regid={STRANGER} --clear-groups");
    let may = Command::new("sh").args(["-c", &format!("{user} true")]).status();
    let reaches = Command::new("sh")
        .args(["-c", &format!("{user} test -x {}", env!("CARGO_BIN_EXE_redist"))])
        .status();
    if !may.is_ok_and(|ended| ended.success()) || !reaches.is_ok_and(|ended| ended.success()) {
        return;
    }
    let run = convert(&folder, &[&user]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(1), "{told}");
    let words = "out: belongs to user 0 and group 0, to whom this user may not give the new file";
    assert!(told.contains(words) && told.contains("write to another name"), "{told}");
    assert_eq!(fs::read(folder.join("out")).expect("a file"), b"old");
    assert_eq!(super::names(&folder), ["in", "out"]);
}

/// An access list: the owner reads and writes, a stranger reads, nobody else does anything.
fn list() -> Vec<u8> {
    let entry = |tag: u16, allowed: u16, id: u32| {
        [&tag.to_le_bytes()[..], &allowed.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    let (none, anybody) = (0, u32::MAX);
    let entries = [
        entry(1, 6, anybody),
        entry(2, 4, STRANGER),
        entry(4, none, anybody),
        entry(16, 4, anybody),
        entry(32, none, anybody),
    ];
    [2u32.to_le_bytes().to_vec(), entries.concat()].concat()
}

#[test]
fn access_lists_are_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    const NAME: &str = "system.posix_acl_access";
    let read = |path: &Path| {
        let mut found = vec![0; 1024];
        let len = getxattr(path, NAME, found.as_mut_slice()).ok()?;
        found.truncate(len);
        Some(found)
    };
    let folder = with_files("kept_list", 0o600);
    let out = folder.join("out");
    if setxattr(&out, NAME, &list(), XattrFlags::empty()).is_err() {
        return; // The file system has no access lists.
    }
    let mode = replaced(&folder).mode() & 0o7777;
    assert_eq!((read(&out), mode), (Some(list()), 0o640));
    // The folder gives new files a list, which the old one does not have.
    let folder = with_files("no_list", 0o600);
    setxattr(&folder, "system.posix_acl_default", &list(), XattrFlags::empty()).expect("a list");
    let mode = replaced(&folder).mode() & 0o7777;
    assert_eq!((read(&folder.join("out")), mode), (None, 0o600));
}
