//! Files of safetensors: a header in JSON, then the arrays one after the other.
//!
//! The header is read alone, because the crate `safetensors` checks it against a whole file in memory.

use super::places::{FileLayout, Format, NewPart, PartHeader, Span, StoredPart, bytes};
use crate::element::{CopiedElement, bytes_of_code};
use crate::readable::Readable;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize as Derived, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// Files of several arrays.
#[derive(Clone, Copy, Debug)]
pub struct SafetensorsFormat;

/// The longest header that is read: the limit of the crate `safetensors`.
const MAX_HEADER_BYTES: u64 = 100_000_000;

/// Bytes of the number before the header.
const LENGTH_BYTES: u64 = 8;

/// The key that is no array.
const METADATA: &str = "__metadata__";

/// Words of the format, and codes of the same types.
const TYPES: [(&str, &str); 17] = [
    ("BOOL", "|b1"),
    ("U8", "|u1"),
    ("I8", "|i1"),
    ("F8_E4M3", "f8_e4m3"),
    ("F8_E5M2", "f8_e5m2"),
    ("F8_E8M0", "f8_e8m0"),
    ("U16", "<u2"),
    ("I16", "<i2"),
    ("F16", "<f2"),
    ("BF16", "bf16"),
    ("U32", "<u4"),
    ("I32", "<i4"),
    ("F32", "<f4"),
    ("C64", "<c8"),
    ("U64", "<u8"),
    ("I64", "<i8"),
    ("F64", "<f8"),
];

/// An array in a header.
#[derive(Clone, Debug, Derived, Serialize)]
#[serde(deny_unknown_fields)]
struct TensorHeader {
    dtype: String,
    /// Extents, in elements.
    shape: Vec<usize>,
    /// First byte behind the header, and the byte after the last.
    data_offsets: (u64, u64),
}

/// A header whose keys are different.
#[derive(Default)]
struct TensorHeaders(Vec<(String, TensorHeader)>);

impl Format for SafetensorsFormat {
    fn name(&self) -> &'static str {
        "safetensors"
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn code(&self, element: &CopiedElement) -> Result<(String, bool), String> {
        let (code, swapped) = element.little();
        match TYPES.iter().any(|(_, known)| *known == code) {
            true => Ok((code, swapped)),
            false => Err(format!(
                "safetensors has no type for elements of type {} ({code})",
                element.name()
            )),
        }
    }

    fn open(&self, file: &Readable, len: u64) -> Result<Vec<StoredPart>, String> {
        let (start, text) = header(file, len)?;
        let headers: TensorHeaders =
            serde_json::from_slice(&text).map_err(|error| format!("header: {error}"))?;
        let mut arrays = headers.0;
        arrays.sort_by_key(|(_, array)| array.data_offsets);
        let mut end = 0;
        let mut parts = Vec::with_capacity(arrays.len());
        for (name, array) in arrays {
            let (first, last) = array.data_offsets;
            let part = part(&name, array, start)
                .map_err(|error| format!("header: array `{name}`: {error}"))?;
            if first != end {
                return Err(format!(
                    "header: array `{name}` begins at byte {first} behind the header, where \
                     {end} was expected: arrays have no gaps, and share no bytes"
                ));
            }
            end = last;
            parts.push(part);
        }
        match start + end == len {
            true => Ok(parts),
            false => Err(format!("expected {} bytes by the header, found {len}", start + end)),
        }
    }

    fn lay_out(&self, parts: &[NewPart]) -> Result<FileLayout, String> {
        // Wide elements first, so that each array begins at a multiple of its elements.
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|number| std::cmp::Reverse(parts[*number].element.unit()));
        let (mut spans, mut end) = (vec![Span::dense(0, 0); parts.len()], 0u64);
        let mut headers = BTreeMap::new();
        for number in order {
            let part = &parts[number];
            let (len, first) = (part.bytes()?, end);
            end = end.checked_add(len).ok_or("the arrays fit no file")?;
            spans[number] = Span::dense(first, len);
            let header = self.tensor(part, (first, end))?;
            if headers.insert(part.name.as_str(), header).is_some() {
                return Err(format!("array `{}` is written twice", part.name));
            }
        }
        let text = serde_json::to_vec(&headers).map_err(|error| error.to_string())?;
        let text = padded(text)?;
        let start = LENGTH_BYTES + text.len() as u64;
        spans.iter_mut().for_each(|span| span.start += start);
        let len = bytes(start, &[usize::try_from(end).unwrap_or(usize::MAX)], 1)?;
        let number = (text.len() as u64).to_le_bytes().to_vec();
        Ok(FileLayout { texts: vec![(0, number), (LENGTH_BYTES, text)], spans, len })
    }
}

impl SafetensorsFormat {
    fn tensor(&self, part: &NewPart, data_offsets: (u64, u64)) -> Result<TensorHeader, String> {
        let several = part.shape.iter().filter(|extent| **extent > 1).count() > 1;
        if part.fortran && several && !part.shape.contains(&0) {
            return Err(format!(
                "array `{}`: safetensors holds arrays in C order; write `storage c` in the layout",
                part.name
            ));
        }
        if part.name.is_empty() || part.name == METADATA {
            return Err(format!("`{}` is no name of an array in safetensors", part.name));
        }
        let (code, _) = self.code(&part.element)?;
        let word = TYPES.iter().find(|(_, known)| *known == code).map_or("U8", |(word, _)| word);
        Ok(TensorHeader { dtype: word.into(), shape: part.shape.clone(), data_offsets })
    }
}

/// Reads the text of the header, and returns the first byte behind it.
fn header(file: &Readable, len: u64) -> Result<(u64, Vec<u8>), String> {
    let mut number = [0; LENGTH_BYTES as usize];
    file.read_exact_at(&mut number, 0).map_err(|_| "the file ends within its header")?;
    let bytes = u64::from_le_bytes(number);
    if bytes > MAX_HEADER_BYTES {
        return Err(format!(
            "header: expected at most {MAX_HEADER_BYTES} bytes, found {bytes}; is this a file of \
             safetensors?"
        ));
    }
    if LENGTH_BYTES + bytes > len {
        return Err("the file ends within its header".into());
    }
    let mut text = vec![0; bytes as usize];
    file.read_exact_at(&mut text, LENGTH_BYTES).map_err(|error| error.to_string())?;
    Ok((LENGTH_BYTES + bytes, text))
}

fn part(name: &str, array: TensorHeader, start: u64) -> Result<StoredPart, String> {
    let TensorHeader { dtype, shape, data_offsets: (first, last) } = array;
    let code = TYPES.iter().find(|(word, _)| *word == dtype).map(|(_, code)| *code);
    let code = code.ok_or_else(|| format!("elements of type {dtype} are not known here"))?;
    let expected = bytes(0, &shape, bytes_of_code(code).unwrap_or(1))?;
    if first.checked_add(expected) != Some(last) {
        return Err(format!(
            "expected {expected} bytes for {shape:?} elements of {dtype}, found those from {first} \
             to {last}"
        ));
    }
    let begins = start.checked_add(first).ok_or("begins behind all files")?;
    let header = Some(PartHeader { exact: true, ..PartHeader::new(code.into(), shape, false) });
    let span = Span::dense(begins, expected);
    Ok(StoredPart { name: name.into(), ..StoredPart::only(header, span) })
}

/// Fills a header up to a multiple of 8 bytes, as others do.
fn padded(mut text: Vec<u8>) -> Result<Vec<u8>, String> {
    text.resize(text.len().next_multiple_of(8), b' ');
    match text.len() as u64 <= MAX_HEADER_BYTES {
        true => Ok(text),
        false => Err(format!("a header has at most {MAX_HEADER_BYTES} bytes; write more files")),
    }
}

impl<'de> Deserialize<'de> for TensorHeaders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeadersVisitor)
    }
}

/// Reads a header, and refuses a key that is there twice.
struct HeadersVisitor;

impl<'de> Visitor<'de> for HeadersVisitor {
    type Value = TensorHeaders;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("the arrays of a file of safetensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TensorHeaders, A::Error> {
        let (mut headers, mut names) = (TensorHeaders::default(), HashSet::new());
        while let Some(name) = map.next_key::<String>()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom(format!("array `{name}` is there twice")));
            }
            if name == METADATA {
                map.next_value::<BTreeMap<String, String>>()?;
            } else {
                headers.0.push((name, map.next_value()?));
            }
        }
        Ok(headers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn opened(header: &str, data: usize) -> Result<Vec<StoredPart>, String> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&(header.len() as u64).to_le_bytes()).expect("written");
        file.write_all(header.as_bytes()).expect("written");
        file.write_all(&vec![0; data]).expect("written");
        let len = file.metadata().expect("a file").len();
        SafetensorsFormat.open(&file.into(), len)
    }

    #[test]
    fn what_is_laid_out_is_read() {
        let part = |name: &str, element: &str, bytes, shape: &[usize]| NewPart {
            name: name.into(),
            element: CopiedElement::new(element, Some(bytes), None).expect("a type"),
            shape: shape.into(),
            fortran: false,
            chunks: None,
        };
        let parts =
            [part("b", "u8", 1, &[3]), part("a", "bf16", 2, &[2, 5]), part("c", "f64", 8, &[0])];
        let layout = SafetensorsFormat.lay_out(&parts).expect("a layout");
        let mut file = tempfile::tempfile().expect("a file");
        layout.texts.iter().for_each(|(_, text)| file.write_all(text).expect("written"));
        file.set_len(layout.len).expect("a length");
        let found = SafetensorsFormat.open(&file.into(), layout.len).expect("a header");
        for (part, span) in parts.iter().zip(&layout.spans) {
            let own = found.iter().find(|own| own.name == part.name).expect("an array");
            assert_eq!(own.span, *span);
            assert_eq!(own.header.as_ref().expect("a header").shape, part.shape);
        }
        assert!(
            layout
                .spans
                .iter()
                .zip(&parts)
                .all(|(span, part)| span.start % part.element.unit() as u64 == 0)
        );
    }

    #[test]
    fn headers_that_lie_are_told() {
        let wrong = |header: &str, data| opened(header, data).expect_err("a lie");
        let one = |dtype: &str, shape: &str, from: u64, to: u64| {
            format!(r#"{{"w":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{from},{to}]}}}}"#)
        };
        assert!(opened(&one("BF16", "[2,2]", 0, 8), 8).is_ok());
        assert!(wrong(&one("BF16", "[2,2]", 0, 8), 7).contains("expected"), "cut off");
        assert!(wrong(&one("BF16", "[2,2]", 0, 8), 9).contains("expected"), "more behind");
        assert!(wrong(&one("BF16", "[2,3]", 0, 8), 8).contains("expected 12 bytes"));
        assert!(wrong(&one("BF16", "[2,2]", 4, 12), 12).contains("begins at byte 4"));
        assert!(wrong(&one("F4", "[2,2]", 0, 8), 8).contains("type F4"));
        assert!(wrong(&one("F64", "[4294967296,4294967296]", 0, 0), 0).contains("fit no file"));
        let end = u64::MAX;
        assert!(wrong(&one("U8", "[7]", end - 7, end), 0).contains("begins behind all files"));
        let twice = r#"{"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},
            "w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#;
        assert!(wrong(twice, 0).contains("there twice"));
        assert!(wrong("{\"w\":", 0).contains("header: EOF"));
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&u64::MAX.to_le_bytes()).expect("written");
        let open = |len: u64| {
            let file = file.try_clone().expect("a file");
            file.set_len(len).expect("a length");
            SafetensorsFormat.open(&file.into(), len)
        };
        assert!(open(8).expect_err("too long").contains("at most"));
        assert!(open(4).expect_err("too short").contains("ends within"));
    }
}
