//! Files of nothing but elements, or of elements at given places.

use super::places::{FileLayout, Format, NewPart, Span, StoredPart};
use crate::element::CopiedElement;
use crate::readable::Readable;

/// Places of elements that no file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placing {
    /// Bytes before the first element, or before the first record.
    pub skip: Option<u64>,
    /// Bytes from an element to the next.
    pub stride: Option<u64>,
    /// `true` if numbers begin with their highest byte; as on this machine, unless told.
    pub big: Option<bool>,
}

impl Placing {
    /// Reads the words `big` and `little`.
    pub fn byte_order(word: &str) -> Result<bool, String> {
        match word {
            "big" => Ok(true),
            "little" => Ok(false),
            _ => Err(format!("expected the byte order `big` or `little`, found `{word}`")),
        }
    }

    /// Returns `true` if elements of a code get their bytes in another order in new files.
    pub fn swaps(&self, code: &str) -> bool {
        let own = cfg!(target_endian = "big");
        let is_big = match code.chars().next() {
            Some('>') => true,
            Some('<') => false,
            _ => own,
        };
        is_big != self.big.unwrap_or(own)
    }

    /// Returns `true` if bytes are in another order than on this machine.
    pub fn is_swapped(&self) -> bool {
        self.big.is_some_and(|big| big != cfg!(target_endian = "big"))
    }
}

/// Elements, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct RawFormat {
    pub placing: Placing,
    /// Bytes of an element; 0 if elements follow each other anyway.
    pub element_bytes: u64,
}

impl RawFormat {
    pub fn dense() -> Self {
        Self { placing: Placing::default(), element_bytes: 0 }
    }
}

impl Format for RawFormat {
    fn name(&self) -> &'static str {
        "raw"
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn code(&self, element: &CopiedElement) -> Result<(String, bool), String> {
        Ok((element.code.clone(), self.placing.swaps(&element.code)))
    }

    fn open(&self, _file: &Readable, len: u64) -> Result<Vec<StoredPart>, String> {
        let Placing { skip, stride, .. } = self.placing;
        let skip = skip.unwrap_or(0);
        let behind =
            len.checked_sub(skip).ok_or_else(|| format!("has {len} bytes, fewer than {skip}"))?;
        let span = match stride {
            None => Span::dense(skip, behind),
            Some(stride) => {
                let gap = stride - self.element_bytes;
                let after_first = behind.checked_sub(self.element_bytes);
                let elements = after_first.map_or(0, |after| after / stride + 1);
                let len = elements * self.element_bytes;
                Span { start: skip, len, every: self.element_bytes, gap }
            }
        };
        let open_end = self.placing.skip.is_some() || stride.is_some();
        Ok(vec![StoredPart { open_end, ..StoredPart::only(None, span) }])
    }

    fn lay_out(&self, parts: &[NewPart]) -> Result<FileLayout, String> {
        if self.placing.skip.is_some() || self.placing.stride.is_some() {
            return Err("files are written without a skip or stride".into());
        }
        let len = parts.iter().try_fold(0, |_, part| part.bytes())?;
        Ok(FileLayout { texts: Vec::new(), spans: vec![Span::dense(0, len)], len })
    }
}
