//! Headers of `.npy` files, whose format is in the documentation of `numpy.lib.format`.

use super::places::{FileLayout, Format, NewPart, PartHeader, Span, StoredPart, bytes};
use crate::element::{CopiedElement, bytes_of_type};
use crate::readable::Readable;
use std::io::{Error, ErrorKind, Read};

/// The header of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyHeader {
    /// Type of the elements, such as `<f8`.
    pub dtype: String,
    /// `true` if the first index runs fastest.
    pub fortran: bool,
    /// Extents, in elements.
    pub shape: Vec<usize>,
    /// Bytes before the first element.
    pub bytes: usize,
}

/// A header that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    #[error(transparent)]
    Io(Error),
    #[error("the file ends within its header")]
    CutOff,
    #[error("expected an array of NumPy's, which begins with \\x93NUMPY")]
    Magic,
    #[error("expected version 1.0, 2.0 or 3.0 of the format, found {0}.{1}")]
    Version(u8, u8),
    #[error("header: expected {expected}, found `{found}`")]
    Dictionary { expected: &'static str, found: String },
    #[error("expected elements of a plain type, as in '<f8', found {0}")]
    Type(String),
}

/// First bytes of every file of this format.
const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header that is read; NumPy's own limit is 10 000.
const MAX_HEADER_BYTES: usize = 1 << 16;

impl NpyHeader {
    pub fn read(file: &mut impl Read) -> Result<Self, NpyError> {
        let mut start = [0; 8];
        file.read_exact(&mut start).map_err(|_| NpyError::Magic)?;
        if !start.starts_with(MAGIC) {
            return Err(NpyError::Magic);
        }
        let mut len = [0; 4];
        let width = match (start[6], start[7]) {
            (1, 0) => 2,
            (2 | 3, 0) => 4,
            (major, minor) => return Err(NpyError::Version(major, minor)),
        };
        file.read_exact(&mut len[..width]).map_err(unread)?;
        let len = u32::from_le_bytes(len) as usize;
        if len > MAX_HEADER_BYTES {
            let found = format!("{len} bytes");
            return Err(NpyError::Dictionary { expected: "at most 65536 bytes", found });
        }
        let mut text = vec![0; len];
        file.read_exact(&mut text).map_err(unread)?;
        let text = String::from_utf8_lossy(&text);
        let (dtype, fortran, shape) = Dictionary(text.trim_end()).parse()?;
        Ok(Self { dtype, fortran, shape, bytes: 8 + width + len })
    }

    /// Writes the bytes before the elements, a multiple of 64.
    pub fn written(dtype: &str, fortran: bool, shape: &[usize]) -> Vec<u8> {
        let numbers = shape.iter().map(|extent| format!("{extent},")).collect::<Vec<_>>().join(" ");
        let numbers = if shape.len() > 1 { numbers.trim_end_matches(',') } else { &numbers };
        let order = if fortran { "True" } else { "False" };
        let text =
            format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': ({numbers}), }}");
        let wide = text.len() + 64 > usize::from(u16::MAX);
        let before = if wide { 12 } else { 10 };
        let len = (before + text.len() + 1).next_multiple_of(64) - before;
        let mut bytes = [MAGIC, &[if wide { 2 } else { 1 }, 0]].concat();
        bytes.extend_from_slice(&(len as u32).to_le_bytes()[..before - 8]);
        bytes.extend_from_slice(format!("{text:<width$}\n", width = len - 1).as_bytes());
        bytes
    }
}

fn unread(error: Error) -> NpyError {
    match error.kind() {
        ErrorKind::UnexpectedEof => NpyError::CutOff,
        _ => NpyError::Io(error),
    }
}

/// Replaces `=` by the machine's byte order.
fn with_order(dtype: &str) -> String {
    match dtype.strip_prefix('=') {
        Some(rest) if cfg!(target_endian = "little") => format!("<{rest}"),
        Some(rest) => format!(">{rest}"),
        None => dtype.to_owned(),
    }
}

/// The unread rest of the header's dictionary, which has three keys in any order.
struct Dictionary<'a>(&'a str);

impl<'a> Dictionary<'a> {
    fn parse(mut self) -> Result<(String, bool, Vec<usize>), NpyError> {
        let (mut dtype, mut fortran, mut shape) = (None, None, None);
        self.token("{", "a dictionary")?;
        while !self.take("}") {
            let key = self.quoted("a key between quotes")?;
            self.token(":", "a colon")?;
            match key {
                "descr" if dtype.is_none() => dtype = Some(self.plain_type()?),
                "fortran_order" if fortran.is_none() => fortran = Some(self.truth()?),
                "shape" if shape.is_none() => shape = Some(self.numbers()?),
                _ => {
                    let expected = "'descr', 'fortran_order' and 'shape', each once";
                    return Err(NpyError::Dictionary { expected, found: key.into() });
                }
            }
            if !self.take(",") {
                self.token("}", "a comma or the end of the dictionary")?;
                break;
            }
        }
        let all = dtype.zip(fortran).zip(shape).filter(|_| self.0.trim().is_empty());
        let found = self.0.into();
        let expected = "'descr', 'fortran_order' and 'shape', and nothing after";
        let ((dtype, fortran), shape) = all.ok_or(NpyError::Dictionary { expected, found })?;
        Ok((dtype, fortran, shape))
    }

    fn take(&mut self, token: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(token);
        rest.inspect(|rest| self.0 = rest).is_some()
    }

    fn token(&mut self, token: &str, expected: &'static str) -> Result<(), NpyError> {
        if self.take(token) { Ok(()) } else { Err(self.error(expected)) }
    }

    fn error(&self, expected: &'static str) -> NpyError {
        NpyError::Dictionary { expected, found: self.0.chars().take(60).collect() }
    }

    fn quoted(&mut self, expected: &'static str) -> Result<&'a str, NpyError> {
        let quote = if self.take("'") {
            '\''
        } else if self.take("\"") {
            '"'
        } else {
            return Err(self.error(expected));
        };
        let (text, rest) = self.0.split_once(quote).ok_or_else(|| self.error(expected))?;
        self.0 = rest;
        Ok(text)
    }

    fn plain_type(&mut self) -> Result<String, NpyError> {
        if self.0.trim_start().starts_with('[') {
            return Err(NpyError::Type("a record".into()));
        }
        let dtype = self.quoted("a type between quotes")?;
        let plain = bytes_of_type(dtype).map(|_| with_order(dtype));
        plain.ok_or_else(|| NpyError::Type(format!("'{dtype}'")))
    }

    fn truth(&mut self) -> Result<bool, NpyError> {
        if self.take("True") {
            return Ok(true);
        }
        self.token("False", "True or False").map(|()| false)
    }

    fn numbers(&mut self) -> Result<Vec<usize>, NpyError> {
        let expected = "extents between parentheses";
        self.token("(", expected)?;
        let mut numbers = Vec::new();
        while !self.take(")") {
            let rest = self.0.trim_start();
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            numbers.push(rest[..end].parse().map_err(|_| self.error(expected))?);
            self.0 = &rest[end..];
            // Python 2 wrote long integers so.
            self.0 = self.0.strip_prefix('L').unwrap_or(self.0);
            if !self.take(",") {
                self.token(")", expected)?;
                break;
            }
        }
        Ok(numbers)
    }
}

/// Files of NumPy's, of one array each.
#[derive(Clone, Copy, Debug)]
pub struct NpyFormat;

impl Format for NpyFormat {
    fn name(&self) -> &'static str {
        "npy"
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn code(&self, element: &CopiedElement) -> Result<(String, bool), String> {
        Ok((element.numpy(), false))
    }

    fn open(&self, file: &Readable, len: u64) -> Result<Vec<StoredPart>, String> {
        let read = NpyHeader::read(&mut file.reader(0..len)).map_err(|error| error.to_string())?;
        let NpyHeader { dtype: code, fortran, shape, bytes } = read;
        let span = Span::dense(bytes as u64, len.saturating_sub(bytes as u64));
        let header = Some(PartHeader::new(code, shape, fortran));
        Ok(vec![StoredPart::only(header, span)])
    }

    fn lay_out(&self, parts: &[NewPart]) -> Result<FileLayout, String> {
        let mut layout = FileLayout::default();
        for part in parts {
            let fortran = part.fortran && part.shape.len() > 1;
            let header = NpyHeader::written(&self.code(&part.element)?.0, fortran, &part.shape);
            layout.len = bytes(header.len() as u64, &part.shape, part.element.bytes)?;
            layout.spans.push(Span::dense(header.len() as u64, part.bytes()?));
            layout.texts.push((0, header));
        }
        Ok(layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(dictionary: &str) -> Result<NpyHeader, String> {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
        file.extend_from_slice(dictionary.as_bytes());
        NpyHeader::read(&mut file.as_slice()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_others_write_is_read() {
        let header =
            read("{ \"shape\" : (4L, 6L) ,'fortran_order':True,'descr':'|V3'}").expect("one");
        assert_eq!((header.shape, header.fortran, header.dtype), (vec![4, 6], true, "|V3".into()));
        let long = NpyHeader::written("<f8", false, &[1; 30]);
        let header = NpyHeader::read(&mut long.as_slice()).expect("a header");
        assert_eq!((header.shape, header.bytes), (vec![1; 30], long.len()));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let wrong = |dictionary: &str| read(dictionary).expect_err("a wrong header");
        assert!(wrong("{'descr': [('a', '<f8')], 'fortran_order'").contains("a record"));
        assert!(wrong("{'descr': '<f8', 'shape': (3, x), }").contains("extents"));
        assert!(wrong("{'descr': '<f8', 'descr': '<f8'}").contains("each once"));
        assert!(wrong("{'descr': '<f8', 'shape': (3,), }").contains("and nothing after"));
        let more = wrong("{'descr': '<f8', 'fortran_order': True, 'shape': (3,), } x");
        assert!(more.contains("found ` x`"), "{more}");
        assert!(matches!(NpyHeader::read(&mut &b"PK"[..]), Err(NpyError::Magic)));
        let version = NpyHeader::read(&mut &b"\x93NUMPY\x09\x00\x00\x00"[..]);
        assert!(version.expect_err("unknown").to_string().contains("found 9.0"));
    }
}
