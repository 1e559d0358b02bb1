//! Local arrays of a side in files that are there, and their fit with the layout.

use super::element::CopiedElement;
use super::files::{Existing, Parts};
use super::format::{self, PartHeader, StoredPart};
use super::readable::missing;
use super::side::StoredSide;
use std::path::PathBuf;

/// Finds the local arrays of a side in files, and checks them. A rank that holds nothing needs no
/// file.
pub fn parts<const D: usize>(
    side: &StoredSide<D>,
    existing: &mut Existing,
    path: &dyn Fn(usize) -> PathBuf,
    element: &CopiedElement,
) -> Result<Parts, String> {
    let mut found = Parts::default();
    if side.files.format.folder().is_some() {
        let path = path(0);
        let named = |error: String| format!("{}: {error}", path.display());
        let catalog = existing.open(&path, side.files.format.as_ref())?;
        let catalog = catalog.ok_or_else(|| missing(&path))?;
        let part = catalog.part(&side.files.array).map_err(named)?;
        fits_folder(side, part, element).map_err(named)?;
        found.places.push(Some((catalog.file, part.span)));
        found.stored.clone_from(&part.chunks);
        return Ok(found);
    }
    for number in 0..side.cells() {
        let (extents, path) = (side.local_extents(number), path(number));
        let named = |error: String| format!("{}: {error}", path.display());
        match existing.open(&path, side.format(number))? {
            None if extents.contains(&0) => found.places.push(None),
            None => return Err(missing(&path)),
            Some(catalog) => {
                let part = catalog.part(&side.files.array).map_err(named)?;
                fits(side, part, &extents, element).map_err(named)?;
                if part.swapped != found.swapped && found.places.iter().any(Option::is_some) {
                    return Err(named("has another order of bytes than the files before".into()));
                }
                found.swapped = part.swapped;
                found.places.push(Some((catalog.file, part.span)));
                if part.boxes.is_some() {
                    found.boxes.resize(number + 1, None);
                    found.boxes[number].clone_from(&part.boxes);
                }
                if part.sum.is_some() {
                    found.sums.resize(number + 1, None);
                    found.sums[number].clone_from(&part.sum);
                }
            }
        }
    }
    Ok(found)
}

/// Compares an array of a file with the local array that a rank has.
fn fits<const D: usize>(
    side: &StoredSide<D>,
    part: &StoredPart,
    extents: &[usize; D],
    element: &CopiedElement,
) -> Result<(), String> {
    if let Some(header) = &part.header {
        fits_header(side, header, extents, element)?;
    }
    if part.boxes.is_some() {
        return match side.is_fortran() && D > 1 {
            true => {
                Err("the file has the array in C order; write `storage c` in the layout".into())
            }
            false => Ok(()),
        };
    }
    let (start, found) = (part.span.start, part.span.start + part.span.len);
    let expected = format::bytes(start, extents, element.bytes)?;
    if found == expected || (part.open_end && found >= expected) {
        return Ok(());
    }
    Err(format!(
        "expected {expected} bytes for {extents:?} elements of {} bytes{}, found {found}",
        element.bytes,
        if start > 0 && part.header.is_some() { " and the header" } else { "" },
    ))
}

/// Compares the array of a folder with the one of a side.
fn fits_folder<const D: usize>(
    side: &StoredSide<D>,
    part: &StoredPart,
    element: &CopiedElement,
) -> Result<(), String> {
    if let Some(header) = &part.header {
        fits_header(side, header, &side.descriptor.extents(), element)?;
    }
    let (found, own) = (part.chunks.as_ref().map(|chunks| chunks.chunk()), side.chunk());
    let clipped = found.map(|found| {
        let extents = side.descriptor.extents().into_iter();
        found.iter().zip(extents).map(|(chunk, extent)| *chunk.min(&extent.max(1))).collect()
    });
    match clipped == own {
        true => Ok(()),
        false => Err(format!("chunks: expected {own:?} elements, found {found:?}")),
    }
}

fn fits_header<const D: usize>(
    side: &StoredSide<D>,
    header: &PartHeader,
    extents: &[usize; D],
    element: &CopiedElement,
) -> Result<(), String> {
    let (own, _) = side.files.format.code(element)?;
    if header.code != own {
        element.check(&header.code, header.exact)?;
    }
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
