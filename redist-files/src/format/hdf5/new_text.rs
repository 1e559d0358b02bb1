//! The bytes around the elements of a new file.
//!
//! The library makes the file with all its arrays, and writes no element: the elements' bytes are a hole.

use super::library::words;
use super::types::Kind;
use crate::format::places::{FileLayout, NewPart, Span};
use hdf5_metno::dataset::{AllocTime, FillTime, Layout};
use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Most bytes around elements, as of headers of other formats.
const MAX_TEXT_BYTES: u64 = 100_000_000;

/// Places arrays in a new file; `kind` says the type of an array's elements.
pub fn lay_out(
    parts: &[NewPart],
    kind: &dyn Fn(&NewPart) -> Result<Kind, String>,
) -> Result<FileLayout, String> {
    let mut names = HashSet::new();
    for part in parts {
        check(part).map_err(|error| format!("array `{}`: {error}", part.name))?;
        if !names.insert(part.name.as_str()) {
            return Err(format!("array `{}` is written twice", part.name));
        }
    }
    let scratch = tempfile::NamedTempFile::new()
        .map_err(|error| format!("{}: {error}", std::env::temp_dir().display()))?;
    let spans = made(scratch.path(), parts, kind)?;
    let file = scratch.reopen().map_err(|error| error.to_string())?;
    let len = file.metadata().map_err(|error| error.to_string())?.len();
    let texts = around(&file, (&spans, len))?;
    Ok(FileLayout { texts, spans, len })
}

fn check(part: &NewPart) -> Result<(), String> {
    let several = part.shape.iter().filter(|extent| **extent > 1).count() > 1;
    if part.fortran && several && !part.shape.contains(&0) {
        return Err("HDF5 holds arrays in C order; write `storage c` in the layout".into());
    }
    let is_plain = |name: &str| !name.is_empty() && name != "." && !name.contains('\0');
    match part.name.split('/').all(is_plain) {
        true => Ok(()),
        false => {
            Err("is no name in HDF5: groups, with `/` between, have names that are no `.`".into())
        }
    }
}

/// Makes the file, and returns where the elements of each array go.
fn made(
    path: &Path,
    parts: &[NewPart],
    kind: &dyn Fn(&NewPart) -> Result<Kind, String>,
) -> Result<Vec<Span>, String> {
    let file = hdf5_metno::File::create(path).map_err(|error| words(&error))?;
    let mut spans = Vec::with_capacity(parts.len());
    for part in parts {
        let named = |error: hdf5_metno::Error| format!("array `{}`: {}", part.name, words(&error));
        let stored = kind(part)?.stored().map_err(named)?;
        let dataset = file
            .new_dataset_builder()
            .layout(Layout::Contiguous)
            .alloc_time(Some(AllocTime::Early))
            .fill_time(FillTime::Never)
            .obj_track_times(false)
            .create_intermediate_group(true)
            .empty_as(stored)
            .shape(part.shape.clone())
            .create(part.name.as_str())
            .map_err(named)?;
        let len = part.bytes()?;
        let start = dataset.offset().filter(|_| len > 0);
        match (start, len) {
            (Some(start), _) => spans.push(Span::dense(start, len)),
            (None, 0) => spans.push(Span::dense(0, 0)),
            (None, _) => return Err(format!("array `{}`: HDF5 gives it no place", part.name)),
        }
    }
    file.close().map_err(|error| words(&error))?;
    Ok(spans)
}

/// Reads what is between the elements.
fn around(file: &File, (spans, len): (&[Span], u64)) -> Result<Vec<(u64, Vec<u8>)>, String> {
    let mut places: Vec<(u64, u64)> = spans
        .iter()
        .filter(|span| span.len > 0)
        .map(|span| (span.start, span.start + span.len))
        .collect();
    places.sort_unstable();
    places.push((len, len));
    let (mut texts, mut end, mut all) = (Vec::new(), 0, 0);
    for (start, next) in places {
        let bytes = start.checked_sub(end).ok_or("HDF5 gives arrays places that overlap")?;
        all += bytes;
        if all > MAX_TEXT_BYTES {
            return Err(format!("a header has at most {MAX_TEXT_BYTES} bytes; write more files"));
        }
        let mut text = vec![0; bytes as usize];
        file.read_exact_at(&mut text, end).map_err(|error| error.to_string())?;
        if !text.is_empty() {
            texts.push((end, text));
        }
        end = next;
    }
    Ok(texts)
}
