//! Formats of files, and the choice among them.

#[cfg(feature = "hdf5")]
mod hdf5;
mod netcdf;
mod npy;
mod npz;
mod places;
mod raw;
mod records;
mod refused;
mod safetensors;
#[cfg(feature = "zarr")]
mod zarr;

use crate::chunks::Chunking;
pub use places::{
    FileLayout, Format, MemberSum, NewPart, PartChunks, PartHeader, Span, StoredPart, bytes,
    bytes_of,
};
pub use raw::{Placing, RawFormat};
use records::RecordsFormat;
use safetensors::SafetensorsFormat;
use std::sync::Arc;

/// Words of formats, with the ending that stands for each.
const FORMATS: [(&str, &str); 10] = [
    ("raw", ""),
    ("records", ""),
    ("npy", ".npy"),
    ("npz", ".npz"),
    ("safetensors", ".safetensors"),
    ("zarr", ".zarr"),
    ("zarr2", ""),
    ("hdf5", ".h5"),
    ("netcdf", ".nc"),
    ("netcdf4", ".nc4"),
];

/// Other endings of formats.
const OTHER_ENDINGS: [(&str, &str); 3] = [("hdf5", ".hdf5"), ("hdf5", ".he5"), ("netcdf", ".cdf")];

/// Chooses the format of a name by its ending, or by the user's word.
pub fn choose(
    name: &str,
    asked: Option<&str>,
    (placing, element_bytes): (Placing, Option<usize>),
    chunking: &Chunking,
) -> Result<Arc<dyn Format>, String> {
    let word = match asked {
        Some(word) if FORMATS.iter().any(|(format, _)| *format == word) => word,
        Some(word) => {
            let known = FORMATS.map(|(format, _)| format).join(", ");
            return Err(format!("the format `{word}` is not known here; formats are {known}"));
        }
        None => match (by_ending(name), refused::refused(name)) {
            ("raw", Some(reason)) => return Err(reason),
            (word, _) => word,
        },
    };
    let is_placed = placing != Placing::default();
    if !word.starts_with("zarr") && *chunking != Chunking::default() {
        return Err(format!("files of the format {word} have no chunks, shards or codec"));
    }
    Ok(match word {
        "npy" | "npz" | "safetensors" | "zarr" | "zarr2" | "hdf5" | "netcdf" | "netcdf4"
            if is_placed =>
        {
            return Err(format!(
                "files of the format {word} say where their elements are; leave out skip, stride and \
                 byte order"
            ));
        }
        "npy" => Arc::new(npy::NpyFormat),
        "npz" => Arc::new(npz::NpzFormat),
        "safetensors" => Arc::new(SafetensorsFormat),
        "netcdf" => Arc::new(netcdf::NetcdfFormat),
        "hdf5" | "netcdf4" => hdf5(word == "netcdf4")?,
        "zarr" | "zarr2" => zarr(if word == "zarr2" { 2 } else { 3 }, chunking)?,
        "records" if placing.stride.is_some() => {
            return Err("records have no stride".into());
        }
        "records" => Arc::new(RecordsFormat { placing }),
        _ => Arc::new(raw(placing, element_bytes)?),
    })
}

#[cfg(feature = "zarr")]
fn zarr(version: u8, chunking: &Chunking) -> Result<Arc<dyn Format>, String> {
    Ok(Arc::new(zarr::ZarrFormat { version, chunking: chunking.clone() }))
}

#[cfg(not(feature = "zarr"))]
fn zarr(_version: u8, _chunking: &Chunking) -> Result<Arc<dyn Format>, String> {
    Err("`.zarr`: this program was built without Zarr; build it with `--features zarr`".into())
}

#[cfg(feature = "hdf5")]
fn hdf5(netcdf: bool) -> Result<Arc<dyn Format>, String> {
    Ok(Arc::new(hdf5::HdfFormat { netcdf }))
}

#[cfg(not(feature = "hdf5"))]
fn hdf5(_netcdf: bool) -> Result<Arc<dyn Format>, String> {
    Err("this program was built without HDF5; build it with `--features hdf5`".into())
}

fn raw(placing: Placing, element_bytes: Option<usize>) -> Result<RawFormat, String> {
    let Some(stride) = placing.stride else {
        return Ok(RawFormat { placing, element_bytes: 0 });
    };
    let bytes = element_bytes.ok_or("a stride needs the bytes of an element")? as u64;
    match stride >= bytes {
        true => Ok(RawFormat { placing, element_bytes: bytes }),
        false => {
            Err(format!("a stride of {stride} bytes is less than an element of {bytes} bytes"))
        }
    }
}

fn by_ending(name: &str) -> &'static str {
    if is_index(name) {
        return "safetensors";
    }
    let mut endings = FORMATS.iter().chain(&OTHER_ENDINGS);
    let ended = endings.find(|(_, ending)| !ending.is_empty() && name.ends_with(ending));
    ended.map_or("raw", |(format, _)| format)
}

/// Returns the format of an array in a folder `.zarr`.
pub fn within(path: &std::path::Path) -> Option<&'static str> {
    let is_zarr = |folder: &std::path::Path| folder.extension().is_some_and(|end| end == "zarr");
    path.ancestors().skip(1).any(is_zarr).then_some("zarr")
}

/// Returns `true` if a name is that of an index of files of safetensors.
pub fn is_index(name: &str) -> bool {
    name.ends_with(".safetensors.index.json")
}
