//! The header of a new classic file.

use super::types;
use crate::format::places::{FileLayout, NewPart, Span};
use std::collections::{BTreeMap, HashSet};

/// The longest name that is written, in bytes: NetCDF's own limit.
const MAX_NAME_BYTES: usize = 256;

/// Most bytes of a variable, and greatest extent, in version 2.
const MAX_CLASSIC: u64 = (1 << 31) - 4;

/// Writes numbers of a version: 2, or 5 whose numbers are longer.
struct Writer {
    /// Bytes so far.
    text: Vec<u8>,
    /// `true` for version 5.
    is_long: bool,
}

/// One array of a new file.
struct New<'a> {
    part: &'a NewPart,
    /// Number of the type.
    sort: u32,
    /// Bytes of the elements, up to a multiple of 4.
    bytes: u64,
}

/// Places arrays one after the other behind a header; `code` says the type of an array's elements.
pub fn lay_out(
    parts: &[NewPart],
    code: &dyn Fn(&NewPart) -> Result<String, String>,
) -> Result<FileLayout, String> {
    let mut names = HashSet::new();
    let mut arrays = Vec::with_capacity(parts.len());
    for part in parts {
        let named = |error: String| format!("array `{}`: {error}", part.name);
        check(part).map_err(named)?;
        if !names.insert(part.name.as_str()) {
            return Err(format!("array `{}` is written twice", part.name));
        }
        let sort = types::of(&code(part)?).ok_or("no type")?;
        let bytes = part.bytes()?.checked_next_multiple_of(4).ok_or("the arrays fit no file")?;
        arrays.push(New { part, sort, bytes });
    }
    let is_long = arrays.iter().any(|new| {
        let wide = new.part.shape.iter().any(|extent| *extent as u64 > MAX_CLASSIC);
        wide || new.bytes > MAX_CLASSIC || new.sort > types::LAST_CLASSIC
    });
    let start = written(&arrays, (is_long, 0)).len() as u64;
    let text = written(&arrays, (is_long, start));
    let (mut spans, mut end) = (Vec::with_capacity(arrays.len()), start);
    for new in &arrays {
        spans.push(Span::dense(end, new.part.bytes()?));
        end = end.checked_add(new.bytes).ok_or("the arrays fit no file")?;
    }
    let len = i64::try_from(end).map_err(|_| "the arrays fit no file")? as u64;
    Ok(FileLayout { texts: vec![(0, text)], spans, len })
}

fn check(part: &NewPart) -> Result<(), String> {
    let several = part.shape.iter().filter(|extent| **extent > 1).count() > 1;
    if part.fortran && several {
        return Err("NetCDF holds arrays in C order; write `storage c` in the layout".into());
    }
    if part.shape.contains(&0) {
        return Err("NetCDF takes a dimension of 0 elements for one of records".into());
    }
    let name = &part.name;
    let begins = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_plain = !name.contains(|c: char| c.is_control() || c == '/') && !name.ends_with(' ');
    match begins && is_plain && name.len() <= MAX_NAME_BYTES {
        true => Ok(()),
        false => Err(format!(
            "is no name in NetCDF: those have 1 to {MAX_NAME_BYTES} bytes without `/`, and begin \
             with a letter, a digit or `_`"
        )),
    }
}

/// Writes the header of arrays that begin at byte `start`. Extents that are the same are one
/// dimension, `d` and the extent by name.
fn written(arrays: &[New<'_>], (is_long, start): (bool, u64)) -> Vec<u8> {
    let mut dimensions = BTreeMap::new();
    for extent in arrays.iter().flat_map(|new| &new.part.shape) {
        dimensions.insert(*extent, 0);
    }
    let version = if is_long { 5 } else { 2 };
    let mut writer = Writer { text: vec![b'C', b'D', b'F', version], is_long };
    writer.number(0);
    writer.list(10, dimensions.len());
    for (at, (extent, number)) in dimensions.iter_mut().enumerate() {
        *number = at;
        writer.name(&format!("d{extent}"));
        writer.number(*extent as u64);
    }
    writer.list(0, 0);
    writer.list(11, arrays.len());
    let mut begin = start;
    for new in arrays {
        writer.name(&new.part.name);
        writer.number(new.part.shape.len() as u64);
        new.part.shape.iter().for_each(|extent| writer.number(dimensions[extent] as u64));
        writer.list(0, 0);
        writer.text.extend_from_slice(&new.sort.to_be_bytes());
        writer.number(new.bytes);
        writer.text.extend_from_slice(&begin.to_be_bytes());
        begin = begin.saturating_add(new.bytes);
    }
    writer.text
}

impl Writer {
    fn number(&mut self, number: u64) {
        match self.is_long {
            true => self.text.extend_from_slice(&number.to_be_bytes()),
            false => self.text.extend_from_slice(&(number as u32).to_be_bytes()),
        }
    }

    fn list(&mut self, mark: u32, count: usize) {
        self.text.extend_from_slice(&mark.to_be_bytes());
        self.number(count as u64);
    }

    fn name(&mut self, name: &str) {
        self.number(name.len() as u64);
        self.text.extend_from_slice(name.as_bytes());
        self.text.resize(self.text.len().next_multiple_of(4), 0);
    }
}
