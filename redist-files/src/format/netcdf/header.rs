//! The header of a classic file, of which nothing is believed.

use super::types;
use crate::element::bytes_of_code;
use crate::format::places::bytes;
use crate::readable::{PartReader, Readable};
use std::collections::HashSet;
use std::io::{BufReader, Error, ErrorKind, Read};

/// Marks of lists.
const DIMENSIONS: u32 = 10;
const VARIABLES: u32 = 11;
const ATTRIBUTES: u32 = 12;

/// The longest header that is read, in bytes; the library's own headers are in memory whole.
const MAX_HEADER_BYTES: u64 = 100_000_000;

/// The longest name that is read, in bytes: NetCDF's own limit is 256.
const MAX_NAME_BYTES: u64 = 4096;

/// Most dimensions of a variable: NetCDF's own limit.
const MAX_RANK: u64 = 1024;

/// The words of a header.
#[derive(Debug)]
pub struct Header {
    /// Number of records; `None` if the file does not say it.
    rows: Option<u64>,
    /// Bytes from a record to the next.
    pub row_bytes: u64,
    pub variables: Vec<Variable>,
}

/// One array.
#[derive(Debug)]
pub struct Variable {
    pub name: String,
    /// Extents in elements; the first is 0 where there are records.
    pub shape: Vec<usize>,
    /// `true` if each record has an index of the first dimension.
    pub is_record: bool,
    /// Number of the type.
    pub sort: u32,
    /// The first byte.
    pub begin: u64,
}

impl Variable {
    /// Bytes of the array, or of its part in a record.
    fn bytes(&self) -> Result<u64, String> {
        let width = bytes_of_code(&types::code(self.sort)).unwrap_or(1);
        bytes(0, &self.shape[usize::from(self.is_record)..], width)
    }
}

impl Header {
    pub fn read(file: &Readable, len: u64) -> Result<Self, String> {
        let left = len.min(MAX_HEADER_BYTES);
        let mut reader = Reader { input: file.reader(0..len), left, version: 0 };
        let magic = reader.bytes(4)?;
        reader.version = match magic[..] {
            [b'C', b'D', b'F', version @ (1 | 2 | 5)] => version,
            [b'C', b'D', b'F', version] => {
                return Err(format!("expected version 1, 2 or 5, found {version}"));
            }
            _ => return Err("expected a file of NetCDF, which begins with CDF".into()),
        };
        let unknown = if reader.version == 5 { u64::MAX } else { u64::from(u32::MAX) };
        let rows = Some(reader.number()?).filter(|rows| *rows != unknown);
        let mut extents = Vec::new();
        for _ in 0..reader.count(DIMENSIONS)? {
            reader.name()?;
            extents.push(reader.number()?);
        }
        reader.skip_attributes()?;
        let variables = reader.variables(&extents)?;
        let mut header = Self { rows, row_bytes: 0, variables };
        header.row_bytes = header.bytes_of_a_row()?;
        Ok(header)
    }

    /// Counts the bytes of all parts of a record, each up to a multiple of 4; one alone is as it is.
    fn bytes_of_a_row(&self) -> Result<u64, String> {
        let records: Vec<&Variable> = self.variables.iter().filter(|one| one.is_record).collect();
        if let [one] = records[..] {
            return one.bytes();
        }
        records.into_iter().try_fold(0u64, |all, one| {
            let part = one.bytes()?.checked_next_multiple_of(4);
            part.and_then(|part| all.checked_add(part)).ok_or_else(|| "records fit no file".into())
        })
    }

    /// Returns the number of records in a file of `len` bytes.
    pub fn rows(&self, len: u64) -> Result<usize, String> {
        let first = self.variables.iter().filter(|one| one.is_record).map(|one| one.begin).min();
        let rows = match (self.rows, first) {
            (Some(rows), _) => rows,
            (None, Some(first)) => {
                len.saturating_sub(first).checked_div(self.row_bytes).unwrap_or(0)
            }
            (None, None) => 0,
        };
        usize::try_from(rows).map_err(|_| format!("{rows} records fit no file"))
    }
}

/// The unread rest of a header.
struct Reader<'a> {
    input: BufReader<PartReader<'a>>,
    /// Bytes that may be read yet.
    left: u64,
    /// The version: 1, 2 or 5.
    version: u8,
}

impl Reader<'_> {
    fn bytes(&mut self, count: u64) -> Result<Vec<u8>, String> {
        self.left = self.left.checked_sub(count).ok_or_else(cut_off)?;
        let mut bytes = vec![0; count as usize];
        self.input.read_exact(&mut bytes).map_err(unread)?;
        Ok(bytes)
    }

    fn short(&mut self) -> Result<u32, String> {
        let bytes = self.bytes(4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn long(&mut self) -> Result<u64, String> {
        Ok((u64::from(self.short()?) << 32) | u64::from(self.short()?))
    }

    /// Reads a number that is longer in version 5.
    fn number(&mut self) -> Result<u64, String> {
        if self.version == 5 { self.long() } else { Ok(u64::from(self.short()?)) }
    }

    /// Reads the mark of a list, and the number of what is in it.
    fn count(&mut self, mark: u32) -> Result<u64, String> {
        let (found, count) = (self.short()?, self.number()?);
        match (found, count) {
            (0, 0) => Ok(0),
            _ if found == mark => Ok(count),
            _ => Err(format!("expected a list of mark {mark}, found mark {found} of {count}")),
        }
    }

    fn name(&mut self) -> Result<String, String> {
        let count = self.number()?;
        if count == 0 || count > MAX_NAME_BYTES {
            return Err(format!("expected a name of 1 to {MAX_NAME_BYTES} bytes, found {count}"));
        }
        let mut bytes = self.bytes(count.next_multiple_of(4))?;
        bytes.truncate(count as usize);
        String::from_utf8(bytes).map_err(|_| "a name is no UTF-8".into())
    }

    fn sort(&mut self) -> Result<u32, String> {
        let sort = self.short()?;
        match types::is_known(sort) {
            true => Ok(sort),
            false => Err(format!("the type {sort} is not known")),
        }
    }

    fn skip_attributes(&mut self) -> Result<(), String> {
        for _ in 0..self.count(ATTRIBUTES)? {
            self.name()?;
            let width = bytes_of_code(&types::code(self.sort()?)).unwrap_or(1) as u64;
            let bytes =
                self.number()?.checked_mul(width).and_then(|b| b.checked_next_multiple_of(4));
            let bytes = bytes.filter(|bytes| *bytes <= self.left).ok_or_else(cut_off)?;
            self.left -= bytes;
            let skipped = std::io::copy(&mut self.input.by_ref().take(bytes), &mut std::io::sink());
            if skipped.map_err(unread)? != bytes {
                return Err(cut_off());
            }
        }
        Ok(())
    }

    fn variables(&mut self, extents: &[u64]) -> Result<Vec<Variable>, String> {
        let (mut variables, mut names) = (Vec::new(), HashSet::new());
        for _ in 0..self.count(VARIABLES)? {
            let name = self.name()?;
            let variable = self
                .variable(&name, extents)
                .map_err(|error| format!("variable `{name}`: {error}"))?;
            if !names.insert(name.clone()) {
                return Err(format!("variable `{name}` is there twice"));
            }
            variables.push(variable);
        }
        Ok(variables)
    }

    fn variable(&mut self, name: &str, extents: &[u64]) -> Result<Variable, String> {
        let rank = self.number()?;
        if rank > MAX_RANK {
            return Err(format!("has {rank} dimensions, and at most {MAX_RANK} are read"));
        }
        let (mut shape, mut is_record) = (Vec::new(), false);
        for at in 0..rank {
            let number = self.number()?;
            let extent = usize::try_from(number).ok().and_then(|number| extents.get(number));
            let extent =
                extent.ok_or_else(|| format!("dimension {number} is not in the header"))?;
            if *extent == 0 && at > 0 {
                return Err("records are its first dimension, or it has none".into());
            }
            is_record |= *extent == 0;
            shape.push(usize::try_from(*extent).map_err(|_| "fits no memory")?);
        }
        self.skip_attributes()?;
        let sort = self.sort()?;
        // Of the array's bytes, which wrap around where they are many, the shape tells the truth.
        self.number()?;
        let begin = if self.version == 1 { u64::from(self.short()?) } else { self.long()? };
        Ok(Variable { name: name.into(), shape, is_record, sort, begin })
    }
}

fn cut_off() -> String {
    "the file ends within its header".into()
}

fn unread(error: Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => cut_off(),
        _ => error.to_string(),
    }
}
