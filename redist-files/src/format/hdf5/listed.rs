//! Lists the arrays of a file.

use super::boxes::HdfBoxes;
use super::library::{opened, words};
use super::types;
use crate::format::places::{PartHeader, Span, StoredPart, bytes};
use hdf5_metno::dataset::Layout;
use hdf5_metno::types::FixedAscii;
use hdf5_metno::{Dataset, Group, LinkType, LocationType};
use std::collections::HashSet;
use std::fs::File;
use std::sync::Arc;

/// Most objects of a file, and most groups in each other.
const MAX_OBJECTS: usize = 1 << 20;
const MAX_DEPTH: usize = 64;

/// Words that NetCDF 4 gives a dimension that is no array, as an attribute.
const NO_ARRAY: &str = "This is a netCDF dimension but not a netCDF variable";

/// Beginning of the name that NetCDF 4 gives an array which has a dimension's name and is not its own.
const RENAMED: &str = "_nc4_non_coord_";

/// Arrays and groups that have been found so far.
#[derive(Default)]
struct Found {
    parts: Vec<StoredPart>,
    names: HashSet<String>,
    /// Groups that were visited: hard links may lead back.
    groups: HashSet<String>,
    /// Number of links.
    objects: usize,
}

/// Lists all arrays that hard links of a file lead to, each by its first name.
pub fn parts(file: &File, len: u64) -> Result<Vec<StoredPart>, String> {
    let root = opened(file)?;
    let mut found = Found::default();
    found.visit(&root, ("", 0), len)?;
    Ok(found.parts)
}

impl Found {
    fn visit(
        &mut self,
        group: &Group,
        (path, depth): (&str, usize),
        len: u64,
    ) -> Result<(), String> {
        let named = |error: &hdf5_metno::Error| format!("group `/{path}`: {}", words(error));
        let id = group.loc_info().map_err(|error| named(&error))?.token;
        if !self.groups.insert(format!("{id:?}")) {
            return Ok(());
        }
        if depth > MAX_DEPTH {
            return Err(format!("group `/{path}`: more than {MAX_DEPTH} groups in each other"));
        }
        let mut links = Vec::new();
        let listed = group.iter_visit_default(|name, link| {
            // Links by name may lead anywhere, to other files, too.
            if link.link_type == LinkType::Hard {
                links.push(name.to_owned());
            }
            match links.len() > MAX_OBJECTS {
                true => Err(format!("more than {MAX_OBJECTS} objects").into()),
                false => Ok(()),
            }
        });
        listed.map_err(|error| named(&error))?;
        self.objects += links.len();
        if self.objects > MAX_OBJECTS {
            return Err(format!("has more than {MAX_OBJECTS} objects"));
        }
        links.sort_unstable();
        for link in links {
            let inner = if path.is_empty() { link.clone() } else { format!("{path}/{link}") };
            let of = |error: hdf5_metno::Error| format!("`{inner}`: {}", words(&error));
            match group.loc_info_by_name(&link).map_err(of)?.loc_type {
                LocationType::Group => {
                    let group = group.group(&link).map_err(of)?;
                    self.visit(&group, (&inner, depth + 1), len)?;
                }
                LocationType::Dataset => {
                    let dataset = group.dataset(&link).map_err(of)?;
                    self.add(&dataset, (path, &link), len)
                        .map_err(|error| format!("`{inner}`: {error}"))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        dataset: &Dataset,
        (path, link): (&str, &str),
        len: u64,
    ) -> Result<(), String> {
        if is_no_array(dataset) {
            return Ok(());
        }
        let own = link.strip_prefix(RENAMED).unwrap_or(link);
        let [name, place] = [own, link]
            .map(|name| if path.is_empty() { name.into() } else { format!("{path}/{name}") });
        if !self.names.insert(name.clone()) {
            return Err(format!("array `{name}` is there twice"));
        }
        let part = part(dataset, place, len)?;
        self.parts.push(StoredPart { name, ..part });
        Ok(())
    }
}

fn is_no_array(dataset: &Dataset) -> bool {
    let name = dataset.attr("NAME").and_then(|name| name.read_scalar::<FixedAscii<64>>());
    name.is_ok_and(|name| name.as_str().starts_with(NO_ARRAY))
}

fn part(dataset: &Dataset, place: String, len: u64) -> Result<StoredPart, String> {
    let told = |error: hdf5_metno::Error| words(&error);
    let shape = dataset.space().map_err(told)?.shape();
    let stored = dataset.dtype().map_err(told)?;
    let (kind, is_native) = match types::found(&stored) {
        Ok(found) => found,
        // No code of elements: whoever asks for this array is told.
        Err(words) => {
            let header = PartHeader { exact: true, ..PartHeader::new(words, shape, false) };
            return Ok(StoredPart::only(Some(header), Span::dense(0, 0)));
        }
    };
    let plist = dataset.dcpl().map_err(told)?;
    let layout = plist.get_layout().map_err(told)?;
    if layout == Layout::Virtual || !plist.get_external().map_err(told)?.is_empty() {
        return Err("its elements are in other files; copy it into one, as by h5repack".into());
    }
    let header = PartHeader { exact: true, ..PartHeader::new(kind.code(), shape.clone(), false) };
    let all = bytes(0, &shape, kind.bytes())?;
    let mut part = StoredPart::only(Some(header), Span::dense(0, all));
    match (layout, dataset.offset()) {
        _ if all == 0 => {}
        (Layout::Contiguous, Some(start)) if is_native => {
            if start.checked_add(all).is_none_or(|end| end > len) {
                return Err(format!("{all} bytes from byte {start} on, in a file of {len} bytes"));
            }
            part.span = Span::dense(start, all);
        }
        _ => {
            let chunk = plist.get_chunk().map_err(told)?;
            let is_chunked = chunk.is_some();
            let unit = chunk.unwrap_or_else(|| vec![1; shape.len()]);
            part.boxes = Some(Arc::new(HdfBoxes { name: place, kind, unit, is_chunked }));
        }
    }
    Ok(part)
}
