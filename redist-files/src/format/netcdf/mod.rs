//! Files of NetCDF, the classic format: a header, then variables, of which some have records in turn.
//!
//! The crate `netcdf3` reads variables whole, and knows no 64-bit integers; here the header is read
//! alone. Numbers begin with their highest byte. Files of NetCDF 4 are those of HDF5.

mod header;
mod new_text;
mod types;

use super::places::{FileLayout, Format, NewPart, PartHeader, Span, StoredPart, bytes};
use crate::element::{CopiedElement, bytes_of_code};
use crate::readable::Readable;
use header::{Header, Variable};

/// Files of several arrays.
#[derive(Clone, Copy, Debug)]
pub struct NetcdfFormat;

/// First bytes of files of HDF5, and so of NetCDF 4.
const HDF5_MAGIC: &[u8] = b"\x89HDF";

impl Format for NetcdfFormat {
    fn name(&self) -> &'static str {
        "netcdf"
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn code(&self, element: &CopiedElement) -> Result<(String, bool), String> {
        let (code, _) = element.native();
        match types::of(&code) {
            Some(_) => Ok((code, !element.code.starts_with('>'))),
            None => {
                Err(format!("NetCDF has no type for elements of type {} ({code})", element.name()))
            }
        }
    }

    fn open(&self, file: &Readable, len: u64) -> Result<Vec<StoredPart>, String> {
        let mut magic = [0; 4];
        if file.read_exact_at(&mut magic, 0).is_ok() && magic == HDF5_MAGIC {
            return netcdf4(file, len);
        }
        let header = Header::read(file, len).map_err(|error| format!("header: {error}"))?;
        let rows = header.rows(len)?;
        header
            .variables
            .iter()
            .map(|variable| part(variable, &header, (rows, len)))
            .collect::<Result<_, _>>()
    }

    fn lay_out(&self, parts: &[NewPart]) -> Result<FileLayout, String> {
        new_text::lay_out(parts, &|part: &NewPart| Ok(self.code(&part.element)?.0))
    }
}

#[cfg(feature = "hdf5")]
fn netcdf4(file: &Readable, len: u64) -> Result<Vec<StoredPart>, String> {
    super::hdf5::HdfFormat { netcdf: true }.open(file, len)
}

#[cfg(not(feature = "hdf5"))]
fn netcdf4(_file: &Readable, _len: u64) -> Result<Vec<StoredPart>, String> {
    Err("is a file of NetCDF 4, and this program was built without HDF5; build it with \
         `--features hdf5`"
        .into())
}

/// Finds the elements of a variable, all of which have to be in the file.
fn part(
    variable: &Variable,
    header: &Header,
    (rows, len): (usize, u64),
) -> Result<StoredPart, String> {
    let named = |error: String| format!("header: variable `{}`: {error}", variable.name);
    let code = types::code(variable.sort);
    let width = bytes_of_code(&code).unwrap_or(1);
    let mut shape = variable.shape.clone();
    let span = match variable.is_record {
        false => Span::dense(variable.begin, bytes(0, &shape, width).map_err(named)?),
        true => {
            shape[0] = rows;
            let every = bytes(0, &shape[1..], width).map_err(named)?;
            let all = bytes(0, &shape, width).map_err(named)?;
            match all {
                0 => Span::dense(variable.begin, 0),
                len => Span {
                    start: variable.begin,
                    len,
                    every,
                    gap: header.row_bytes.saturating_sub(every),
                },
            }
        }
    };
    let rounds = if span.every == u64::MAX { 0 } else { (span.len / span.every).saturating_sub(1) };
    let gaps = rounds.checked_mul(span.gap);
    let end = gaps.and_then(|gaps| gaps.checked_add(span.len)?.checked_add(span.start));
    if span.len > 0 && end.is_none_or(|end| end > len) {
        return Err(named(format!(
            "{shape:?} elements of {width} bytes from byte {} on, in a file of {len} bytes",
            span.start
        )));
    }
    let header = Some(PartHeader { exact: true, ..PartHeader::new(code, shape, false) });
    let (name, swapped) = (variable.name.clone(), cfg!(target_endian = "little"));
    Ok(StoredPart { name, swapped, ..StoredPart::only(header, span) })
}
