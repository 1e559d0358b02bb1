//! Gives unfinished files their names, all or none: a file that is replaced takes the unfinished one's
//! place, and comes back if a later name cannot be given.

use super::kept;
use super::staging::Staging;
use super::unfinished::Found;
use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, linkat, openat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

/// Words on a name that something else has taken since the names were checked.
const NO_FILE: &str = "is no file any more, and only files are replaced";

/// Names that were given, in order, with what stood there before.
#[derive(Default)]
pub struct Published<'a> {
    names: Vec<(&'a Staging, (&'a Path, OsString), Before)>,
}

/// The file at a name before it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    /// A file, which lies at the unfinished one's place now.
    File,
    /// A file that is gone, because the file system exchanges none.
    Gone,
}

impl<'a> Published<'a> {
    /// Gives a file its name; with `force` it replaces a regular file.
    pub fn publish(
        &mut self,
        staging: &'a Staging,
        (path, staged): (&'a Path, OsString),
        force: bool,
    ) -> io::Result<()> {
        let before = give(staging, (path, &staged), force)?;
        self.names.push((staging, (path, staged), before));
        Ok(())
    }

    /// Takes all names back after an error. Returns words on files that stay as they are.
    pub fn undo(self) -> String {
        let mut replaced: Vec<PathBuf> = Vec::new();
        for (staging, (path, staged), before) in self.names.into_iter().rev() {
            if take_back(staging, (Staging::name(path), &staged), before).is_err() {
                replaced.push(path.into());
            }
        }
        replaced.reverse();
        let names: Vec<String> = replaced.iter().map(|name| name.display().to_string()).collect();
        match names.as_slice() {
            [] => "; all files are as before".into(),
            [one] => format!("; {one} is new already, all others are as before"),
            many => {
                format!("; these are new already: {}; all others are as before", many.join(", "))
            }
        }
    }
}

fn give(staging: &Staging, (path, staged): (&Path, &OsStr), force: bool) -> io::Result<Before> {
    let (own, folder, name) = (staging.own()?, staging.folder()?, Staging::name(path));
    let places = (own.as_fd(), folder.as_fd());
    if !force {
        return name_new(places, (name, staged)).map(|()| Before::Nothing);
    }
    match Found::at(folder.as_fd(), name)? {
        Some(old) if !old.is_file() => Err(io::Error::other(NO_FILE)),
        Some(old) => {
            let new = openat(
                &own,
                name,
                OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
                Mode::empty(),
            )?;
            kept::keep(&File::from(new), old.stat(), path)?;
            replace(places, name)
        }
        None => name_new(places, (name, staged)).map(|()| Before::Nothing),
    }
}

/// Renames a file to a name that is free. File systems that cannot do that at once make a second
/// name, and remove the first.
fn name_new(
    (own, folder): (BorrowedFd<'_>, BorrowedFd<'_>),
    (name, staged): (&OsStr, &OsStr),
) -> io::Result<()> {
    match renameat_with(own, staged, folder, name, RenameFlags::NOREPLACE) {
        Err(error) if is_unknown(error) => {
            linkat(own, staged, folder, name, AtFlags::empty())?;
            Ok(unlinkat(own, staged, AtFlags::empty())?)
        }
        renamed => Ok(renamed?),
    }
}

/// Exchanges a file with the regular file of its name.
fn replace((own, folder): (BorrowedFd<'_>, BorrowedFd<'_>), name: &OsStr) -> io::Result<Before> {
    match renameat_with(own, name, folder, name, RenameFlags::EXCHANGE) {
        Err(error) if is_unknown(error) => {
            renameat(own, name, folder, name)?;
            return Ok(Before::Gone);
        }
        exchanged => exchanged?,
    }
    // Another program may have put something else there since the last look.
    if Found::at(own, name)?.is_some_and(|old| old.is_file()) {
        return Ok(Before::File);
    }
    renameat_with(own, name, folder, name, RenameFlags::EXCHANGE)?;
    Err(io::Error::other(NO_FILE))
}

fn take_back(
    staging: &Staging,
    (name, staged): (&OsStr, &OsStr),
    before: Before,
) -> io::Result<()> {
    let (own, folder) = (staging.own()?, staging.folder()?);
    match before {
        Before::Nothing => Ok(renameat(&folder, name, &own, staged)?),
        Before::File => Ok(renameat_with(&folder, name, &own, name, RenameFlags::EXCHANGE)?),
        Before::Gone => Err(io::Error::other("is gone")),
    }
}

/// Returns `true` if the file system, or the system, has no such rename.
fn is_unknown(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::fs;
    use std::io::Write;

    fn plain(path: &Path) -> (&Path, OsString) {
        (path, Staging::name(path).to_owned())
    }

    fn staged(folder: &Path, names: &[&str]) -> (Staging, Vec<PathBuf>) {
        let mut staging = Staging::new(folder.into(), &HashSet::new(), None).expect("a folder");
        let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        for path in &paths {
            let (mut file, _) = staging.create(path).expect("a file");
            file.write_all(b"new").expect("written");
        }
        staging.enter().expect("no other run");
        (staging, paths)
    }

    /// The third file is not there, as if the system failed when it is renamed.
    #[test]
    fn names_are_given_to_all_files_or_to_none() {
        for force in [true, false] {
            let made = tempfile::tempdir().expect("a folder");
            let (staging, mut paths) = staged(made.path(), &["a", "b"]);
            if force {
                fs::write(&paths[0], "old").expect("written");
            }
            paths.push(made.path().join("c"));
            let mut published = Published::default();
            published.publish(&staging, plain(&paths[0]), force).expect("renamed");
            published.publish(&staging, plain(&paths[1]), force).expect("renamed");
            assert_eq!(fs::read(&paths[0]).expect("a file"), b"new");
            assert!(published.publish(&staging, plain(&paths[2]), force).is_err());
            assert_eq!(published.undo(), "; all files are as before");
            drop(staging);
            let left: Vec<_> = fs::read_dir(made.path()).expect("listed").flatten().collect();
            assert_eq!(left.len(), usize::from(force), "{left:?}");
            if force {
                assert_eq!(fs::read(&paths[0]).expect("a file"), b"old");
            }
        }
    }

    /// Four files are replaced, and the third unfinished one is not there.
    #[test]
    fn replaced_files_come_back_from_the_middle_of_a_set() {
        let made = tempfile::tempdir().expect("a folder");
        let (staging, paths) = staged(made.path(), &["a", "b", "c", "d"]);
        for path in &paths {
            fs::write(path, format!("old {}", path.display())).expect("written");
        }
        fs::remove_file(staging.path(&paths[2])).expect("an unfinished file");
        let mut published = Published::default();
        let refused =
            paths.iter().position(|path| published.publish(&staging, plain(path), true).is_err());
        assert_eq!(refused, Some(2));
        let read = |path: &PathBuf| fs::read_to_string(path).expect("a file");
        assert_eq!(paths.iter().filter(|path| read(path) == "new").count(), 2);
        assert_eq!(published.undo(), "; all files are as before");
        for path in &paths {
            assert_eq!(read(path), format!("old {}", path.display()));
        }
        drop(staging);
        assert_eq!(fs::read_dir(made.path()).expect("listed").count(), paths.len());
    }

    #[test]
    fn files_that_cannot_come_back_are_named() {
        let made = tempfile::tempdir().expect("a folder");
        let (staging, paths) = staged(made.path(), &["a", "b", "c"]);
        let names = |gone: &[usize]| {
            let before =
                |number| if gone.contains(&number) { Before::Gone } else { Before::Nothing };
            let names = paths.iter().enumerate();
            let names = names.map(|(number, path)| (&staging, plain(path), before(number)));
            Published { names: names.collect() }.undo()
        };
        paths.iter().for_each(|path| fs::write(path, "x").expect("written"));
        let (a, b) = (paths[0].display(), paths[1].display());
        assert_eq!(names(&[0]), format!("; {a} is new already, all others are as before"));
        paths.iter().for_each(|path| fs::write(path, "x").expect("written"));
        let both = format!("; these are new already: {a}, {b}; all others are as before");
        assert_eq!(names(&[0, 1]), both);
    }

    #[test]
    fn only_a_file_is_replaced() {
        let made = tempfile::tempdir().expect("a folder");
        let (staging, paths) = staged(made.path(), &["a", "b"]);
        fs::create_dir(&paths[0]).expect("a folder");
        std::os::unix::fs::symlink("elsewhere", &paths[1]).expect("a link");
        let mut published = Published::default();
        for path in &paths {
            let refused = published.publish(&staging, plain(path), true).expect_err("no file");
            assert!(refused.to_string().contains("is no file any more"), "{refused}");
            let free =
                published.publish(&staging, plain(path), false).expect_err("a name that is taken");
            assert_eq!(free.kind(), io::ErrorKind::AlreadyExists, "{free}");
        }
        drop(published);
        drop(staging);
        assert!(paths[0].is_dir() && paths[1].is_symlink());
    }
}
