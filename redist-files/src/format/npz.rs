//! Archives of NumPy's: files `.npy` of several arrays, not compressed, in a file of the format zip.

use super::npy::NpyHeader;
use super::places::{FileLayout, Format, MemberSum, NewPart, PartHeader, Span, StoredPart};
use crate::element::CopiedElement;
use crate::readable::Readable;
use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Archives of several arrays.
#[derive(Clone, Copy, Debug)]
pub struct NpzFormat;

/// Ending of an array's name in an archive.
const ENDING: &str = ".npy";

/// First bytes of a member, of a line of the list, of the end of the list, and of both long ends.
const MEMBER: &[u8] = b"PK\x03\x04";
const LINE: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const LONG_END: &[u8] = b"PK\x06\x06";
const LONG_PLACE: &[u8] = b"PK\x06\x07";

/// Bytes of each of these without texts of their own.
const MEMBER_BYTES: u64 = 30;
const LINE_BYTES: u64 = 46;
const END_BYTES: u64 = 22;
const LONG_END_BYTES: u64 = 56;
const LONG_PLACE_BYTES: u64 = 20;

/// The longest list that is read, in bytes.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// The extra field with numbers of 64 bits.
const LONG_FIELD: u16 = 1;

/// A number of 32 bits that stands in the extra field.
const ELSEWHERE: u32 = u32::MAX;

/// A file in an archive.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    /// Bytes of the file.
    len: u64,
    /// First byte of the member in the archive.
    start: u64,
    /// The checksum of the file, by CRC-32.
    sum: u32,
}

impl Format for NpzFormat {
    fn name(&self) -> &'static str {
        "npz"
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn code(&self, element: &CopiedElement) -> Result<(String, bool), String> {
        Ok((element.numpy(), false))
    }

    fn open(&self, file: &Readable, len: u64) -> Result<Vec<StoredPart>, String> {
        let (start, count, list) = list(file, len)?;
        let mut rest = list.as_slice();
        let mut parts = Vec::new();
        let mut names = HashSet::new();
        for _ in 0..count {
            let (member, after) = line(rest)?;
            rest = after;
            let named = |error: String| format!("`{}`: {error}", member.name);
            if !names.insert(member.name.clone()) {
                return Err(named("is there twice".into()));
            }
            if member.name.ends_with(ENDING) {
                parts.push(part(file, start, &member).map_err(named)?);
            }
        }
        Ok(parts)
    }

    fn lay_out(&self, parts: &[NewPart]) -> Result<FileLayout, String> {
        let mut layout = FileLayout::default();
        let (mut members, mut names) = (Vec::new(), HashSet::new());
        for part in parts {
            if part.name.is_empty() || part.name.len() > usize::from(u16::MAX) / 2 {
                return Err(format!("`{}` is no name of an array in an archive", part.name));
            }
            if !names.insert(part.name.as_str()) {
                return Err(format!("array `{}` is written twice", part.name));
            }
            let fortran = part.fortran && part.shape.len() > 1;
            let header = NpyHeader::written(&self.code(&part.element)?.0, fortran, &part.shape);
            let (bytes, start) = (part.bytes()?, layout.len);
            let len = bytes + header.len() as u64;
            let member = Member { name: file_name(part), len, start, sum: 0 };
            let text = [member.head(), header].concat();
            let begins = start + text.len() as u64;
            layout.texts.push((start, text));
            layout.spans.push(Span::dense(begins, bytes));
            layout.len = begins.checked_add(bytes).ok_or("the arrays fit no file")?;
            members.push(member);
        }
        let start = layout.len;
        let list = list_of(&members, start);
        layout.len += list.len() as u64;
        layout.texts.push((start, list));
        Ok(layout)
    }

    fn finish(&self, file: &File, layout: &FileLayout) -> Result<(), String> {
        let (start, list) = layout.texts.last().ok_or("an archive without a list")?;
        let (mut rest, mut members) = (list.as_slice(), Vec::new());
        for _ in 0..layout.spans.len() {
            let (mut member, after) = line(rest)?;
            let behind = member.start + member.head().len() as u64;
            member.sum = sum(file, (behind, member.len)).map_err(|error| error.to_string())?;
            file.write_all_at(&member.head(), member.start).map_err(|error| error.to_string())?;
            (rest, _) = (after, members.push(member));
        }
        let list = list_of(&members, *start);
        file.write_all_at(&list, *start).map_err(|error| error.to_string())
    }
}

fn file_name(part: &NewPart) -> String {
    format!("{}{ENDING}", part.name)
}

/// Computes the checksum of bytes of a file, by CRC-32.
fn sum(file: &File, (start, len): (u64, u64)) -> std::io::Result<u32> {
    let (mut sum, mut buffer, mut done) = (crc32fast::Hasher::new(), vec![0; 1 << 18], 0);
    while done < len {
        let now = (len - done).min(buffer.len() as u64) as usize;
        file.read_exact_at(&mut buffer[..now], start + done)?;
        sum.update(&buffer[..now]);
        done += now as u64;
    }
    Ok(sum.finalize())
}

impl Member {
    /// The lengths and the place, as an extra field.
    fn long(&self, with_place: bool) -> Vec<u8> {
        let mut numbers = vec![self.len, self.len];
        numbers.extend(with_place.then_some(self.start));
        let mut field = LONG_FIELD.to_le_bytes().to_vec();
        field.extend((8 * numbers.len() as u16).to_le_bytes());
        numbers.iter().for_each(|number| field.extend(number.to_le_bytes()));
        field
    }

    /// Writes what both heads have: version, flags, no compression, date, sum, lengths.
    fn common(&self, extra: usize) -> Vec<u8> {
        let numbers: [u16; 5] = [45, 0x0800, 0, 0, 0x21];
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        [self.sum, ELSEWHERE, ELSEWHERE]
            .iter()
            .for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend((self.name.len() as u16).to_le_bytes());
        bytes.extend((extra as u16).to_le_bytes());
        bytes
    }

    /// Writes the bytes before the file.
    fn head(&self) -> Vec<u8> {
        let extra = self.long(false);
        [MEMBER, &self.common(extra.len()), self.name.as_bytes(), &extra].concat()
    }

    fn line(&self) -> Vec<u8> {
        let extra = self.long(true);
        let mut line = [LINE, &45u16.to_le_bytes(), &self.common(extra.len())].concat();
        // No comment, on the first disk, without attributes, and elsewhere.
        line.extend([0; 10]);
        line.extend(ELSEWHERE.to_le_bytes());
        [line, self.name.as_bytes().to_vec(), extra].concat()
    }
}

/// Writes the list of all members, and its end.
fn list_of(members: &[Member], start: u64) -> Vec<u8> {
    let mut list: Vec<u8> = members.iter().flat_map(Member::line).collect();
    let (len, count) = (list.len() as u64, members.len() as u64);
    list.extend(LONG_END);
    list.extend((LONG_END_BYTES - 12).to_le_bytes());
    list.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    [count, count, len, start].iter().for_each(|number| list.extend(number.to_le_bytes()));
    list.extend(LONG_PLACE);
    list.extend(0u32.to_le_bytes());
    list.extend((start + len).to_le_bytes());
    list.extend(1u32.to_le_bytes());
    list.extend(END);
    list.extend([0, 0, 0, 0]);
    list.extend([u8::MAX; 12]);
    list.extend([0, 0]);
    list
}

fn number_at(bytes: &[u8], at: u64, width: usize) -> Result<u64, String> {
    let at = at as usize;
    let found = bytes.get(at..at + width).ok_or("the list of the archive is cut off")?;
    let mut number = [0; 8];
    number[..width].copy_from_slice(found);
    Ok(u64::from_le_bytes(number))
}

fn read_at(file: &Readable, at: u64, len: u64) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; len as usize];
    file.read_exact_at(&mut bytes, at).map_err(|_| "the archive is cut off")?;
    Ok(bytes)
}

/// Reads the list of members: where it begins, how many, and its text.
fn list(file: &Readable, len: u64) -> Result<(u64, u64, Vec<u8>), String> {
    let not = "expected an archive of NumPy's, which ends with a list of its files";
    let at = len.checked_sub(END_BYTES).ok_or(not)?;
    let end = read_at(file, at, END_BYTES)?;
    if !end.starts_with(END) {
        return Err(not.into());
    }
    let [mut count, mut bytes, mut start] =
        [number_at(&end, 10, 2)?, number_at(&end, 12, 4)?, number_at(&end, 16, 4)?];
    let mut behind = at;
    if count == u64::from(u16::MAX) || [bytes, start].contains(&u64::from(ELSEWHERE)) {
        let place = at.checked_sub(LONG_PLACE_BYTES).ok_or(not)?;
        let long = read_at(file, place, LONG_PLACE_BYTES)?;
        if !long.starts_with(LONG_PLACE) {
            return Err(not.into());
        }
        behind = number_at(&long, 8, 8)?;
        if behind.checked_add(LONG_END_BYTES).is_none_or(|end| end > place) {
            return Err("the archive's end lies".into());
        }
        let long = read_at(file, behind, LONG_END_BYTES)?;
        [count, bytes, start] =
            [number_at(&long, 32, 8)?, number_at(&long, 40, 8)?, number_at(&long, 48, 8)?];
    }
    if start.checked_add(bytes) != Some(behind) || bytes > MAX_LIST_BYTES {
        return Err(format!(
            "the archive's list of {bytes} bytes at byte {start} is not before its end"
        ));
    }
    Ok((start, count, read_at(file, start, bytes)?))
}

/// Reads a line of the list, and returns the rest.
fn line(list: &[u8]) -> Result<(Member, &[u8]), String> {
    if !list.starts_with(LINE) {
        return Err("the list of the archive is cut off".into());
    }
    let number = |at, width| number_at(list, at, width);
    let (flags, method) = (number(8, 2)?, number(10, 2)?);
    let [name, extra, comment] = [number(28, 2)?, number(30, 2)?, number(32, 2)?];
    let end = (LINE_BYTES + name + extra + comment) as usize;
    let texts = list.get(LINE_BYTES as usize..end).ok_or("the list of the archive is cut off")?;
    let (name, texts) = texts.split_at(name as usize);
    let name = String::from_utf8_lossy(name).into_owned();
    if method != 0 || flags & 1 != 0 {
        return Err(format!(
            "`{name}` is compressed or encrypted; write it by `numpy.savez`, which does neither"
        ));
    }
    let sum = number(16, 4)? as u32;
    let (packed, len, start) = (number(20, 4)?, number(24, 4)?, number(42, 4)?);
    let long = long_numbers(&texts[..extra as usize], [len, packed, start])?;
    let [len, packed, start] = long;
    match len == packed {
        true => Ok((Member { name, len, start, sum }, &list[end..])),
        false => Err(format!("`{name}` has two lengths, {len} and {packed} bytes")),
    }
}

/// Replaces numbers that stand in the extra field, in this order.
fn long_numbers(mut extra: &[u8], mut numbers: [u64; 3]) -> Result<[u64; 3], String> {
    while extra.len() >= 4 {
        let (kind, len) = (number_at(extra, 0, 2)?, number_at(extra, 2, 2)? as usize);
        let field = extra.get(4..4 + len).ok_or("an extra field is cut off")?;
        if kind == u64::from(LONG_FIELD) {
            let mut at = 0;
            for number in numbers.iter_mut().filter(|number| **number == u64::from(ELSEWHERE)) {
                *number = number_at(field, at, 8)?;
                at += 8;
            }
        }
        extra = &extra[4 + len..];
    }
    Ok(numbers)
}

fn part(file: &Readable, end: u64, member: &Member) -> Result<StoredPart, String> {
    let is_before = |at: Option<u64>| at.filter(|at| *at <= end).ok_or("lies outside the archive");
    is_before(member.start.checked_add(MEMBER_BYTES))?;
    let head = read_at(file, member.start, MEMBER_BYTES)?;
    if !head.starts_with(MEMBER) {
        return Err("has no head".into());
    }
    let texts = number_at(&head, 26, 2)? + number_at(&head, 28, 2)?;
    let start = member.start + MEMBER_BYTES + texts;
    is_before(start.checked_add(member.len))?;
    let mut from = file.reader(start..start + member.len);
    let header = NpyHeader::read(&mut from).map_err(|error| error.to_string())?;
    let NpyHeader { dtype: code, fortran, shape, bytes } = header;
    let len = member.len.checked_sub(bytes as u64).ok_or("ends within its header")?;
    let span = Span::dense(start + bytes as u64, len);
    let name = member.name.trim_end_matches(ENDING).into();
    let header = Some(PartHeader::new(code, shape, fortran));
    let Member { name: file, len, sum, .. } = member.clone();
    let sum = Some(MemberSum { name: file, start, len, sum });
    Ok(StoredPart { name, sum, ..StoredPart::only(header, span) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> [NewPart; 2] {
        let part = |name: &str, element: &str, bytes, shape: &[usize]| NewPart {
            name: name.into(),
            element: CopiedElement::new(element, Some(bytes), None).expect("a type"),
            shape: shape.into(),
            fortran: name == "b",
            chunks: None,
        };
        [part("a", "f64", 8, &[3]), part("b", "bf16", 2, &[2, 5])]
    }

    fn written() -> (File, FileLayout) {
        let layout = NpzFormat.lay_out(&parts()).expect("a layout");
        let file = tempfile::tempfile().expect("a file");
        file.set_len(layout.len).expect("a length");
        for (at, text) in &layout.texts {
            file.write_all_at(text, *at).expect("written");
        }
        NpzFormat.finish(&file, &layout).expect("sums");
        (file, layout)
    }

    #[test]
    fn what_is_laid_out_is_read() {
        let (file, layout) = written();
        let found = NpzFormat.open(&file.into(), layout.len).expect("a list");
        for ((part, span), own) in parts().iter().zip(&layout.spans).zip(&found) {
            assert_eq!((&own.name, own.span), (&part.name, *span));
            let header = own.header.as_ref().expect("a header");
            assert_eq!((&header.shape, header.fortran), (&part.shape, part.fortran));
        }
    }

    #[test]
    fn archives_that_lie_are_told() {
        let (file, layout) = written();
        let right = read_at(&file.into(), 0, layout.len).expect("bytes");
        let opened = |bytes: &[u8]| {
            let file = tempfile::tempfile().expect("a file");
            file.write_all_at(bytes, 0).expect("written");
            NpzFormat.open(&file.into(), bytes.len() as u64)
        };
        assert!(opened(&right).is_ok());
        for len in 0..right.len() {
            assert!(opened(&right[..len]).is_err(), "{len}");
        }
        // Each byte changed: an error, or an archive of other words, and no panic.
        for at in 0..right.len() {
            for changed in [0, 1, 0x7f, 0xff] {
                let mut wrong = right.clone();
                wrong[at] = changed;
                let _ = opened(&wrong);
            }
        }
    }
}
