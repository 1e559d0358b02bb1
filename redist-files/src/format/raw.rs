//! Files of nothing but elements.

use super::{FileLayout, Format, NewPart, Span, StoredPart};
use crate::element::CopiedElement;
use std::fs::File;

/// Elements, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct RawFormat;

impl Format for RawFormat {
    fn name(&self) -> &'static str {
        "raw"
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn code(&self, element: &CopiedElement) -> Result<(String, bool), String> {
        Ok((element.code.clone(), false))
    }

    fn open(&self, _file: &File, len: u64) -> Result<Vec<StoredPart>, String> {
        Ok(vec![StoredPart { name: String::new(), header: None, span: Span::dense(0, len) }])
    }

    fn lay_out(&self, parts: &[NewPart]) -> Result<FileLayout, String> {
        let len = parts.iter().try_fold(0, |_, part| part.bytes())?;
        Ok(FileLayout { texts: Vec::new(), spans: vec![Span::dense(0, len)], len })
    }
}
