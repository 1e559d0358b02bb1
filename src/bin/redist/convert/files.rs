//! The files of one side, checked: positions in them are elements.

use super::element::CopiedElement;
use super::npy::NpyHeader;
use super::regular::{self, Access, FileId};
use super::side::StoredSide;
use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Files of all ranks of a side, by number.
pub struct FileSet {
    files: Vec<StoredFile>,
    /// Bytes of an element.
    element_bytes: usize,
    access: Access,
    /// Most files that stay open.
    keep: usize,
}

/// One file of a side.
struct StoredFile {
    path: PathBuf,
    /// Bytes before the first element.
    start: u64,
    /// `None` if a rank holds nothing and has no file.
    id: Option<FileId>,
    open: Option<File>,
}

impl FileSet {
    pub fn new(element_bytes: usize, access: Access, keep: usize) -> Self {
        Self { files: Vec::new(), element_bytes, access, keep }
    }

    pub fn add(&mut self, path: PathBuf, file: Option<(File, Metadata)>, start: u64) {
        let id = file.as_ref().map(|(_, metadata)| FileId::of(metadata));
        let open = file.map(|(file, _)| file).filter(|_| self.files.len() < self.keep);
        self.files.push(StoredFile { path, start, id, open });
    }

    pub fn ids(&self) -> HashSet<FileId> {
        self.files.iter().filter_map(|file| file.id).collect()
    }

    fn with<T>(
        &self,
        number: usize,
        act: impl FnOnce(&File, u64) -> io::Result<T>,
    ) -> Result<T, String> {
        let stored = &self.files[number];
        let result = match &stored.open {
            Some(file) => act(file, stored.start),
            None => stored.reopened(self.access).and_then(|file| act(&file, stored.start)),
        };
        result.map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => {
                format!("{}: has become shorter meanwhile", stored.path.display())
            }
            _ => format!("{}: {error}", stored.path.display()),
        })
    }

    fn place(&self, start: u64, element: usize) -> u64 {
        start + element as u64 * self.element_bytes as u64
    }

    pub fn read(&self, number: usize, element: usize, to: &mut [u8]) -> Result<(), String> {
        self.with(number, |file, start| file.read_exact_at(to, self.place(start, element)))
    }

    pub fn write(&self, number: usize, element: usize, from: &[u8]) -> Result<(), String> {
        self.with(number, |file, start| file.write_all_at(from, self.place(start, element)))
    }

    pub fn sync(&self) -> Result<(), String> {
        (0..self.files.len()).try_for_each(|number| self.with(number, |file, _| file.sync_all()))
    }
}

impl StoredFile {
    fn reopened(&self, access: Access) -> io::Result<File> {
        let (file, metadata) = regular::open(&self.path, access)?;
        match self.id == Some(FileId::of(&metadata)) {
            true => Ok(file),
            false => Err(io::Error::other("was replaced meanwhile")),
        }
    }
}

pub fn header(path: &Path) -> Result<Option<NpyHeader>, String> {
    match regular::open(path, Access::Read) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", path.display())),
        Ok((file, _)) => header_of(&file, path).map(Some),
    }
}

fn header_of(file: &File, path: &Path) -> Result<NpyHeader, String> {
    let header = NpyHeader::read(&mut BufReader::new(file));
    header.map_err(|error| format!("{}: {error}", path.display()))
}

/// Checks that files hold the local arrays of a side, and opens them; `keep` of them stay open. A
/// rank that holds nothing needs no file.
pub fn existing<const D: usize>(
    side: &StoredSide<D>,
    path: impl Fn(usize) -> PathBuf,
    (element, keep): (&CopiedElement, usize),
) -> Result<FileSet, String> {
    let mut set = FileSet::new(element.bytes, Access::Read, keep);
    for number in 0..side.cells() {
        let (extents, path) = (side.local_extents(number), path(number));
        match regular::open(&path, Access::Read) {
            Err(error) if error.kind() == ErrorKind::NotFound && extents.contains(&0) => {
                set.add(path, None, 0);
            }
            Err(error) => return Err(format!("{}: {error}", path.display())),
            Ok(file) => {
                let start = start(side, (&file, &path), &extents, element)?;
                set.add(path, Some(file), start);
            }
        }
    }
    Ok(set)
}

/// Finds the first element's offset in a file with just a local array of these extents.
fn start<const D: usize>(
    side: &StoredSide<D>,
    ((file, metadata), path): (&(File, Metadata), &Path),
    extents: &[usize; D],
    element: &CopiedElement,
) -> Result<u64, String> {
    let mut start = 0;
    if side.pattern.is_npy() {
        let header = header_of(file, path)?;
        fits(side, &header, extents, element)
            .map_err(|wrong| format!("{}: {wrong}", path.display()))?;
        start = header.bytes as u64;
    }
    let (expected, found) = (bytes(start, extents, element.bytes)?, metadata.len());
    if found == expected {
        return Ok(start);
    }
    Err(format!(
        "{}: expected {expected} bytes for {extents:?} elements of {} bytes{}, found {found}",
        path.display(),
        element.bytes,
        if start > 0 { " and the header" } else { "" },
    ))
}

pub fn bytes(start: u64, extents: &[usize], element_bytes: usize) -> Result<u64, String> {
    let empty = extents.contains(&0);
    let mut elements = extents.iter().try_fold(1u64, |all, extent| all.checked_mul(*extent as u64));
    if empty {
        elements = Some(0);
    }
    elements
        .and_then(|elements| elements.checked_mul(element_bytes as u64)?.checked_add(start))
        .filter(|bytes| *bytes <= i64::MAX as u64)
        .ok_or_else(|| format!("{extents:?} elements of {element_bytes} bytes fit no file"))
}

fn fits<const D: usize>(
    side: &StoredSide<D>,
    header: &NpyHeader,
    extents: &[usize; D],
    element: &CopiedElement,
) -> Result<(), String> {
    element.check(&header.dtype)?;
    if header.shape != extents {
        return Err(format!(
            "shape: expected {extents:?} by the {} layout, found {:?}",
            side.side, header.shape
        ));
    }
    // Along one axis, both orders are the same.
    let long = extents.iter().filter(|extent| **extent > 1).count();
    if header.fortran != side.is_fortran() && long > 1 && !extents.contains(&0) {
        return Err(format!(
            "fortran_order: expected {} by the {} layout, found {}; write `storage {}` there",
            side.is_fortran(),
            side.side,
            header.fortran,
            if header.fortran { "fortran" } else { "c" },
        ));
    }
    Ok(())
}
