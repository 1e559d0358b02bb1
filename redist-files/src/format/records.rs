//! Records that Fortran writes unformatted: each between two numbers that say its length.

use super::places::{FileLayout, Format, NewPart, Span, StoredPart};
use super::raw::Placing;
use crate::element::CopiedElement;
use crate::readable::Readable;

/// An array in one record, or in several that are equally long but for the last.
#[derive(Clone, Copy, Debug)]
pub struct RecordsFormat {
    pub placing: Placing,
}

/// Bytes of the number before and behind a record.
const MARK_BYTES: u64 = 4;

/// Bytes of the longest record; longer ones are written in parts, as compilers do.
const MAX_RECORD_BYTES: u64 = i32::MAX as u64 - 8;

impl Format for RecordsFormat {
    fn name(&self) -> &'static str {
        "records"
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn code(&self, element: &CopiedElement) -> Result<(String, bool), String> {
        Ok((element.code.clone(), self.placing.swaps(&element.code)))
    }

    /// Each record would be two requests.
    fn reads_objects(&self) -> bool {
        false
    }

    fn open(&self, file: &Readable, len: u64) -> Result<Vec<StoredPart>, String> {
        let start = self.placing.skip.unwrap_or(0);
        let (mut at, mut every, mut bytes) = (start, u64::MAX, 0u64);
        let mut is_last = false;
        while at < len {
            let record = self.record(file, (at, len))?;
            if is_last || (every != u64::MAX && record > every) {
                return Err(format!(
                    "a record of {record} bytes follows at byte {at}: all records but the last are \
                     of one length"
                ));
            }
            is_last = every != u64::MAX && record < every;
            every = if every == u64::MAX { record.max(1) } else { every };
            (at, bytes) = (at + record + 2 * MARK_BYTES, bytes + record);
        }
        let span = Span { start: start + MARK_BYTES, len: bytes, every, gap: 2 * MARK_BYTES };
        // The bytes of marks are no bytes of elements, so that only the elements are counted.
        Ok(vec![StoredPart::only(None, span)])
    }

    fn lay_out(&self, parts: &[NewPart]) -> Result<FileLayout, String> {
        let part = parts.first().ok_or("no array")?;
        if self.placing.skip.is_some() {
            return Err("records are written without a skip".into());
        }
        let bytes = part.bytes()?;
        let records = bytes.div_ceil(MAX_RECORD_BYTES).max(1);
        let mut texts = Vec::new();
        for record in 0..records {
            let start = record * (MAX_RECORD_BYTES + 2 * MARK_BYTES);
            let len = MAX_RECORD_BYTES.min(bytes - record * MAX_RECORD_BYTES);
            // A negative number says that a part follows, or comes before.
            texts.push((start, self.mark(len, record + 1 < records)));
            texts.push((start + MARK_BYTES + len, self.mark(len, record > 0)));
        }
        let every = if records > 1 { MAX_RECORD_BYTES } else { u64::MAX };
        let span = Span { start: MARK_BYTES, len: bytes, every, gap: 2 * MARK_BYTES };
        Ok(FileLayout { texts, spans: vec![span], len: bytes + records * 2 * MARK_BYTES })
    }
}

impl RecordsFormat {
    /// Reads both numbers of a record, and returns its bytes.
    fn record(&self, file: &Readable, (at, len): (u64, u64)) -> Result<u64, String> {
        let before = self.length(file, (at, len))?;
        let behind = self.length(file, (at + MARK_BYTES + before, len))?;
        match before == behind {
            true => Ok(before),
            false => Err(format!(
                "the record at byte {at} has {before} bytes by the number before it, and {behind} by \
                 that behind it; is the byte order another?"
            )),
        }
    }

    fn length(&self, file: &Readable, (at, len): (u64, u64)) -> Result<u64, String> {
        let mut number = [0; MARK_BYTES as usize];
        if at + MARK_BYTES > len {
            return Err(format!("the file ends within a record, before byte {}", at + MARK_BYTES));
        }
        file.read_exact_at(&mut number, at).map_err(|error| error.to_string())?;
        if self.placing.is_swapped() {
            number.reverse();
        }
        Ok(u64::from(i32::from_ne_bytes(number).unsigned_abs()))
    }

    fn mark(&self, len: u64, negative: bool) -> Vec<u8> {
        let number = i32::try_from(len).unwrap_or(i32::MAX);
        let mut bytes = if negative { -number } else { number }.to_ne_bytes();
        if self.placing.is_swapped() {
            bytes.reverse();
        }
        bytes.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::FileExt;

    const FORMAT: RecordsFormat =
        RecordsFormat { placing: Placing { skip: None, stride: None, big: Some(true) } };

    fn opened(records: &[(u32, usize, u32)]) -> Result<Span, String> {
        let mut file = tempfile::tempfile().expect("a file");
        for (before, len, behind) in records {
            file.write_all(&before.to_be_bytes()).expect("written");
            file.write_all(&vec![1; *len]).expect("written");
            file.write_all(&behind.to_be_bytes()).expect("written");
        }
        let len = file.metadata().expect("a file").len();
        FORMAT.open(&file.into(), len).map(|parts| parts[0].span)
    }

    #[test]
    fn records_of_one_length_are_an_array() {
        let span = opened(&[(8, 8, 8), (8, 8, 8), (4, 4, 4)]).expect("records");
        assert_eq!(span, Span { start: 4, len: 20, every: 8, gap: 8 });
        assert_eq!((span.place(7), span.place(8), span.place(17)), ((11, 1), (20, 8), (37, 7)));
        assert_eq!(opened(&[(24, 24, 24)]).expect("a record").len, 24);
        let wrong = |records: &[(u32, usize, u32)]| opened(records).expect_err("a lie");
        assert!(wrong(&[(8, 8, 7)]).contains("and 7 by that behind"));
        assert!(wrong(&[(9, 4, 9)]).contains("ends within a record"));
        assert!(wrong(&[(4, 4, 4), (8, 8, 8)]).contains("of one length"));
        assert!(wrong(&[(8, 8, 8), (4, 4, 4), (4, 4, 4)]).contains("of one length"));
        assert!(wrong(&[(7, 2, 7)]).contains("ends within a record"));
    }

    #[test]
    fn what_is_written_is_read() {
        let element = CopiedElement::new("f64", Some(8), None).expect("a type");
        let part =
            NewPart { name: "a".into(), element, shape: vec![3, 5], fortran: true, chunks: None };
        let layout = FORMAT.lay_out(std::slice::from_ref(&part)).expect("a layout");
        let file = tempfile::tempfile().expect("a file");
        file.set_len(layout.len).expect("a length");
        for (at, text) in &layout.texts {
            file.write_all_at(text, *at).expect("written");
        }
        let span = FORMAT.open(&file.into(), layout.len).expect("a record")[0].span;
        assert_eq!((span.start, span.len, layout.spans[0].start), (4, 120, 4));
        // Longer than a record may be: two parts, whose inner numbers are negative.
        let long = NewPart { shape: vec![300_000_000], ..part };
        let layout = FORMAT.lay_out(&[long]).expect("a layout");
        let signs: Vec<bool> = layout.texts.iter().map(|(_, text)| text[0] >= 0x80).collect();
        assert_eq!(signs, [true, false, false, true]);
        assert_eq!(layout.len, 2_400_000_000 + 16);
        assert_eq!(layout.texts[2].0, MAX_RECORD_BYTES + 8);
    }
}
