//! Owner, access list and mode of a file that is replaced, which the new one gets.

use rustix::fs::{
    Mode, RawMode, Stat, XattrFlags, fchmod, fchown, fgetxattr, fremovexattr, fsetxattr, fstat,
    lgetxattr,
};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};
use std::fs::File;
use std::io;
use std::path::Path;

/// Access lists of POSIX and of NFS, as file systems give them to programs.
const LISTS: [&str; 2] = ["system.posix_acl_access", "system.nfs4_acl"];

/// Bytes of the longest list that Linux hands out.
const MAX_LIST_BYTES: usize = 1 << 16;

/// Gives a new file the owner and group of an old one.
///
/// # Errors
/// This user may not; the words name the owner.
pub fn give_to_owner(new: &File, old: &Stat) -> io::Result<()> {
    let is = fstat(new)?;
    let owner = (is.st_uid != old.st_uid).then(|| Uid::from_raw(old.st_uid));
    let group = (is.st_gid != old.st_gid).then(|| Gid::from_raw(old.st_gid));
    if owner.is_none() && group.is_none() {
        return Ok(());
    }
    fchown(new, owner, group).map_err(|error| {
        io::Error::other(format!(
            "belongs to user {} and group {}, to whom this user may not give the new file ({error}); remove it, or \
             write to another name",
            old.st_uid, old.st_gid
        ))
    })
}

/// Gives a new file the owner, the access list and the mode of an old one, in this order: a later
/// one may change those before.
pub fn keep(new: &File, old: &Stat, old_path: &Path) -> io::Result<()> {
    give_to_owner(new, old)?;
    for list in LISTS {
        keep_list(new, old_path, list)
            .map_err(|error| io::Error::other(format!("its access list is not kept: {error}")))?;
    }
    // Reads the twelve bits of permissions; the upper bits are the sort of the file.
    let mode = Mode::from_raw_mode(old.st_mode as RawMode);
    Ok(fchmod(new, mode)?)
}

fn keep_list(new: &File, old_path: &Path, list: &str) -> io::Result<()> {
    let (mut old, mut own) = (vec![0; MAX_LIST_BYTES], vec![0; MAX_LIST_BYTES]);
    let old = read(lgetxattr(old_path, list, old.as_mut_slice()))?.map(|len| &old[..len]);
    let own = read(fgetxattr(new, list, own.as_mut_slice()))?.map(|len| &own[..len]);
    match old {
        _ if old == own => Ok(()),
        Some(old) => Ok(fsetxattr(new, list, old, XattrFlags::empty())?),
        // The folder has given it one.
        None => Ok(fremovexattr(new, list)?),
    }
}

/// Returns the length of an attribute; `None` if the file, or the file system, has none.
fn read(outcome: Result<usize, Errno>) -> Result<Option<usize>, Errno> {
    match outcome {
        Ok(len) => Ok(Some(len)),
        Err(Errno::NODATA | Errno::NOTSUP | Errno::INVAL) => Ok(None),
        Err(error) => Err(error),
    }
}
