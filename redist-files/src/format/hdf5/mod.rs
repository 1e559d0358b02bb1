//! Files of HDF5, and so of NetCDF 4, by its C library.
//!
//! Contiguous arrays are read as bytes of the file. Others, as those in chunks, are read by the library in
//! hyperslabs. Of a new file the library writes what is around the elements, once, in a file without any.

mod boxes;
mod library;
mod listed;
mod new_text;
mod types;

use super::places::{FileLayout, Format, NewPart, StoredPart};
use crate::element::CopiedElement;
use crate::readable::Readable;

/// Files of several arrays, whose names have `/` between groups.
#[derive(Clone, Copy, Debug)]
pub struct HdfFormat {
    /// `true` to write only types that NetCDF 4 has.
    pub netcdf: bool,
}

impl Format for HdfFormat {
    fn name(&self) -> &'static str {
        if self.netcdf { "netcdf4" } else { "hdf5" }
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn code(&self, element: &CopiedElement) -> Result<(String, bool), String> {
        let (code, swapped) = element.native();
        match types::of_code(&code) {
            Some(kind) if !self.netcdf || kind.is_netcdf() => Ok((code, swapped)),
            _ => Err(format!(
                "{} has no type for elements of type {} ({code})",
                if self.netcdf { "NetCDF 4" } else { "HDF5" },
                element.name()
            )),
        }
    }

    /// The C library reads files alone.
    fn reads_objects(&self) -> bool {
        false
    }

    fn open(&self, file: &Readable, len: u64) -> Result<Vec<StoredPart>, String> {
        let file = file.file().map_err(|error| error.to_string())?;
        listed::parts(file, len)
    }

    fn lay_out(&self, parts: &[NewPart]) -> Result<FileLayout, String> {
        new_text::lay_out(parts, &|part: &NewPart| {
            let (code, _) = self.code(&part.element)?;
            types::of_code(&code).ok_or_else(|| "no type".into())
        })
    }
}
