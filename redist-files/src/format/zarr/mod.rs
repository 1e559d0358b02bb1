//! Arrays of Zarr, versions 2 and 3: a folder of chunks, by the crate `zarrs`.

mod codecs;
mod metadata;
mod new_text;
mod shards;
mod stored;
mod types;
mod written;

use super::places::{
    FileLayout, FolderFormat, Format, NewPart, PartChunks, PartHeader, Span, StoredPart,
};
use crate::chunks::{Chunking, NewChunks, chunk_bytes};
use crate::element::CopiedElement;
use crate::readable::Readable;
use metadata::{NAMES, ZarrArray};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stored::ZarrChunks;
use written::ZarrWriter;

/// Folders with one array each.
#[derive(Clone, Debug)]
pub struct ZarrFormat {
    /// The version of new arrays, 2 or 3; arrays of both are read.
    pub version: u8,
    pub chunking: Chunking,
}

impl Format for ZarrFormat {
    fn name(&self) -> &'static str {
        if self.version == 2 { "zarr2" } else { "zarr" }
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn code(&self, element: &CopiedElement) -> Result<(String, bool), String> {
        let (code, swapped) = element.native();
        match types::name(&code, self.version) {
            Some(_) => Ok((code, swapped)),
            None => Err(format!(
                "Zarr {} has no type for elements of type {} ({code})",
                self.version,
                element.name()
            )),
        }
    }

    fn open(&self, _file: &Readable, _len: u64) -> Result<Vec<StoredPart>, String> {
        Err("is a file, and an array of Zarr is a folder".into())
    }

    /// Places chunks in the scratch file, one after the other.
    fn lay_out(&self, parts: &[NewPart]) -> Result<FileLayout, String> {
        let part = parts.first().ok_or("no array")?;
        let shape = part.chunks.as_ref().map_or(&part.shape, |chunks| &chunks.shape);
        let grid = part.shape.iter().zip(shape).map(|(extent, chunk)| extent.div_ceil(*chunk));
        let chunks = grid.fold(1u64, |all, along| all.saturating_mul(along as u64));
        let len = chunks.checked_mul(chunk_bytes(shape, part.element.bytes) as u64);
        let len = len.filter(|len| *len <= i64::MAX as u64).ok_or_else(|| {
            format!("chunks of {shape:?} elements for an array of {:?} fit no file", part.shape)
        })?;
        Ok(FileLayout { texts: Vec::new(), spans: vec![Span::dense(0, len)], len })
    }

    fn folder(&self) -> Option<&dyn FolderFormat> {
        Some(self)
    }
}

impl FolderFormat for ZarrFormat {
    fn open(&self, folder: &Path) -> Result<Option<(PathBuf, StoredPart)>, String> {
        let Some((path, array)) = ZarrArray::open(folder)? else { return Ok(None) };
        let (shape, fill) = (array.chunk.clone(), array.fill.clone());
        let header = PartHeader {
            exact: array.version == 3,
            chunks: Some(PartChunks { shape, fill }),
            ..PartHeader::new(array.code.clone(), array.shape.clone(), false)
        };
        let chunks = ZarrChunks::new(folder.into(), array);
        let mut part = StoredPart::only(Some(header), Span::dense(0, 0));
        part.chunks = Some(Arc::new(chunks));
        Ok(Some((path, part)))
    }

    fn asked_chunks(&self) -> Option<&[usize]> {
        self.chunking.chunks.as_deref()
    }

    fn last_file(&self) -> &'static str {
        NAMES[usize::from(self.version == 2)]
    }

    fn create(&self, part: &NewPart) -> Result<Arc<dyn NewChunks>, String> {
        let several = part.shape.iter().filter(|extent| **extent > 1).count() > 1;
        if part.fortran && several {
            return Err("arrays of Zarr are written in C order; leave out `storage fortran`".into());
        }
        let (code, _) = self.code(&part.element)?;
        let text = new_text::text((self.version, &self.chunking), part, &code)?;
        Ok(Arc::new(ZarrWriter::new(text)?))
    }
}
