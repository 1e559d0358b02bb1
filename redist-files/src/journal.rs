//! Notes of a run beside its unfinished files, so that a killed run is continued.
//!
//! The notes hold as long as the machine runs: until then the kernel has all that was written.

use super::checksum::Checksum;
use super::regular::FileId;
use super::staging::Staging;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Name of the notes.
const NAME: &str = ".redist-journal";

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The longest notes that are read, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Files and arrays that a killed run has finished.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// By number of the file: its identity.
    pub files: HashMap<usize, FileId>,
    /// By number of the array: the checksum, and the state of its sources.
    pub arrays: HashMap<usize, (Checksum, u64)>,
    /// By number of the file: the upload that a store has begun for it.
    pub uploads: HashMap<usize, String>,
    /// `true` if files may have their names.
    pub publishing: bool,
}

/// The notes of this run.
#[derive(Debug)]
pub struct Journal(File);

impl Finished {
    fn parse(text: &str) -> Self {
        let mut finished = Self::default();
        // A line that was cut off tells nothing.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for line in whole.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                ["file", number, device, file] => {
                    let numbers =
                        number.parse().ok().zip(device.parse().ok()).zip(file.parse().ok());
                    if let Some(((number, device), file)) = numbers {
                        finished.files.insert(number, FileId::of_numbers(device, file));
                    }
                }
                ["array", number, sum, state] => {
                    let found =
                        number.parse().ok().zip(Checksum::parse(sum)).zip(state.parse().ok());
                    if let Some(((number, sum), state)) = found {
                        finished.arrays.insert(number, (sum, state));
                    }
                }
                ["upload", number, id] => {
                    if let Ok(number) = number.parse() {
                        finished.uploads.insert(number, (*id).into());
                    }
                }
                ["publishing"] => finished.publishing = true,
                _ => {}
            }
        }
        finished
    }

    fn in_words(&self) -> String {
        let mut text = String::new();
        for (number, id) in &self.files {
            let (device, file) = id.numbers();
            let _ = writeln!(text, "file {number} {device} {file}");
        }
        for (number, (sum, state)) in &self.arrays {
            text += &array_line(*number, *sum, *state);
        }
        for (number, id) in &self.uploads {
            text += &upload_line(*number, id);
        }
        if self.publishing {
            text += "publishing\n";
        }
        text
    }
}

fn array_line(number: usize, sum: Checksum, state: u64) -> String {
    format!("array {number} {} {state}\n", sum.in_words())
}

/// An id with a space would be read as another line, and is left out.
fn upload_line(number: usize, id: &str) -> String {
    let is_word = !id.is_empty() && !id.contains(char::is_whitespace);
    if is_word { format!("upload {number} {id}\n") } else { String::new() }
}

impl Journal {
    /// Opens the notes in a folder, and reads what a killed run has finished.
    pub fn open(staging: &mut Staging) -> io::Result<(Self, Finished)> {
        let (file, found) = match staging.reopened_file(Path::new(NAME))? {
            Some((file, metadata)) if metadata.len() <= MAX_BYTES => (file, true),
            Some(_) => return Err(io::Error::other("the notes of a killed run are too long")),
            None => (staging.create(Path::new(NAME))?.0, false),
        };
        let mut text = String::new();
        if found {
            (&file).read_to_string(&mut text)?;
        }
        Ok((Self(file), Finished::parse(&text)))
    }

    /// Writes what is finished in place of all notes.
    pub fn rewrite(&mut self, finished: &Finished) -> io::Result<()> {
        self.0.set_len(0)?;
        io::Seek::rewind(&mut self.0)?;
        self.0.write_all(finished.in_words().as_bytes())
    }

    /// Notes that an array is finished.
    pub fn array(&mut self, number: usize, sum: Checksum, state: u64) -> io::Result<()> {
        self.0.write_all(array_line(number, sum, state).as_bytes())
    }

    /// Notes that a file has another identity by now.
    pub fn file(&mut self, number: usize, id: FileId) -> io::Result<()> {
        let (device, file) = id.numbers();
        self.0.write_all(format!("file {number} {device} {file}\n").as_bytes())
    }

    /// Notes that a store has begun an upload.
    pub fn upload(&mut self, number: usize, id: &str) -> io::Result<()> {
        self.0.write_all(upload_line(number, id).as_bytes())
    }

    /// Notes that files get their names from now on.
    pub fn publishing(&mut self) -> io::Result<()> {
        self.0.write_all(b"publishing\n")
    }
}

/// Hashes the words on a run: two numbers, from two seeds.
#[derive(Clone, Copy, Debug)]
pub struct RunWords([u64; 2]);

impl RunWords {
    pub fn new() -> Self {
        Self([hash(1, &[]), hash(2, &[])])
    }

    /// Returns the name of the run in its folders: the same for the same files and layouts, while
    /// the machine runs. `None` where the system does not say since when it runs.
    pub fn key(self) -> Option<String> {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(format!("redist {VERSION}\n{}\n{}\n", boot.trim(), self.in_words()))
    }

    /// Returns both numbers.
    pub fn in_words(self) -> String {
        let [first, second] = self.0;
        format!("{first:016x}{second:016x}")
    }
}

impl std::fmt::Write for RunWords {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 = self.0.map(|state| more(state, text.as_bytes()));
        Ok(())
    }
}

/// Hashes bytes, as Fowler, Noll and Vo do.
pub fn hash(seed: u64, bytes: &[u8]) -> u64 {
    more(0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), bytes)
}

fn more(state: u64, bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(state, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_say_what_was_finished_and_no_more() {
        let mut finished = Finished::default();
        finished.files.insert(3, FileId::of_numbers(7, 9));
        finished.arrays.insert(0, (Checksum::parse("0ff").expect("a sum"), 5));
        finished.uploads.insert(3, "id-7~".into());
        finished.publishing = true;
        let text = finished.in_words();
        assert_eq!(Finished::parse(&text), finished);
        let cut = Finished::parse(&text[..text.len() - 1]);
        assert!(!cut.publishing && cut.arrays == finished.arrays);
        assert_eq!(Finished::parse("array x y\nfile 1\n\nother"), Finished::default());
    }
}
