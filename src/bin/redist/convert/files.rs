//! The files of one side, open and checked: positions in them are elements.

use super::element::CopiedElement;
use super::npy::{NpyError, NpyHeader};
use super::side::StoredSide;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Files of a side that are kept open; others are opened for every use.
const MAX_OPEN: usize = 256;

/// The files of all ranks of a side, by number.
pub struct FileSet {
    paths: Vec<PathBuf>,
    /// Bytes before the first element of each.
    starts: Vec<u64>,
    open: Vec<File>,
    element_bytes: usize,
    writes: bool,
}

impl FileSet {
    /// Files to read from, or to write to.
    ///
    /// # Errors
    /// The first that cannot be opened.
    pub fn open(
        paths: Vec<PathBuf>,
        starts: Vec<u64>,
        element_bytes: usize,
        writes: bool,
    ) -> Result<Self, String> {
        let mut set = Self { paths, starts, open: Vec::new(), element_bytes, writes };
        for number in 0..set.paths.len().min(MAX_OPEN) {
            match set.opened(number) {
                Ok(file) => set.open.push(file),
                // A rank that holds nothing may have none.
                Err(error) if error.kind() == ErrorKind::NotFound && !writes => break,
                Err(error) => return Err(set.failed(number, &error)),
            }
        }
        Ok(set)
    }

    fn opened(&self, number: usize) -> io::Result<File> {
        File::options().read(!self.writes).write(self.writes).open(&self.paths[number])
    }

    fn failed(&self, number: usize, error: &io::Error) -> String {
        format!("{}: {error}", self.paths[number].display())
    }

    fn with<T>(
        &self,
        number: usize,
        act: impl FnOnce(&File) -> io::Result<T>,
    ) -> Result<T, String> {
        let result = match self.open.get(number) {
            Some(file) => act(file),
            None => self.opened(number).and_then(|file| act(&file)),
        };
        result.map_err(|error| self.failed(number, &error))
    }

    fn place(&self, number: usize, element: usize) -> u64 {
        self.starts[number] + element as u64 * self.element_bytes as u64
    }

    /// Reads elements of a rank from `element` on.
    pub fn read(&self, number: usize, element: usize, to: &mut [u8]) -> Result<(), String> {
        self.with(number, |file| file.read_exact_at(to, self.place(number, element)))
    }

    /// Writes elements of a rank from `element` on.
    pub fn write(&self, number: usize, element: usize, from: &[u8]) -> Result<(), String> {
        self.with(number, |file| file.write_all_at(from, self.place(number, element)))
    }

    /// Waits until all is on the disk.
    pub fn sync(&self) -> Result<(), String> {
        (0..self.paths.len()).try_for_each(|number| self.with(number, File::sync_all))
    }
}

/// The header of a file of NumPy's; `None` where there is no file.
pub fn header(path: &Path) -> Result<Option<NpyHeader>, String> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| format!("{}: {error}", path.display()))?,
    };
    let named = |error: NpyError| format!("{}: {error}", path.display());
    NpyHeader::read(&mut io::BufReader::new(file)).map_err(named).map(Some)
}

/// Checks that the files at `paths` hold the local arrays of a side, and opens them. Ranks that
/// hold nothing may have no file.
///
/// # Errors
/// The first that differs, with what was expected and what was found.
pub fn existing<const D: usize>(
    side: &StoredSide<D>,
    paths: Vec<PathBuf>,
    element: &CopiedElement,
) -> Result<FileSet, String> {
    let mut starts = Vec::with_capacity(paths.len());
    for (number, path) in paths.iter().enumerate() {
        let extents = side.local_extents(number);
        let found = match std::fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound && extents.contains(&0) => {
                starts.push(0);
                continue;
            }
            found => found.map_err(|error| format!("{}: {error}", path.display()))?.len(),
        };
        let start = if side.pattern.is_npy() {
            let header = header(path)?.ok_or_else(|| format!("{}: not found", path.display()))?;
            fits(side, &header, &extents, element)
                .map_err(|wrong| format!("{}: {wrong}", path.display()))?;
            header.bytes as u64
        } else {
            0
        };
        let expected = bytes(start, &extents, element.bytes)?;
        if found != expected {
            return Err(format!(
                "{}: expected {expected} bytes for {extents:?} elements of {} bytes{}, \
                 found {found}",
                path.display(),
                element.bytes,
                if start > 0 { " and the header" } else { "" },
            ));
        }
        starts.push(start);
    }
    FileSet::open(paths, starts, element.bytes, false)
}

/// Bytes of a file whose elements begin at `start`.
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

/// What of a header differs from what the layout says.
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
