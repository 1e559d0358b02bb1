//! Arrays in chunks, each of which is read and written as one: positions are elements of a chunk.

use super::journal;
use super::region::{Region, RegionAxis, Stretch};
use std::convert::Infallible;
use std::fmt::Debug;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Chunks of an array that is there.
pub trait StoredChunks: Debug + Send + Sync {
    /// Extents of every chunk, in elements; those of the last along an axis go beyond the array.
    fn chunk(&self) -> &[usize];

    /// Returns `true` if a chunk has elements of its own; others are the fill value throughout.
    fn is_there(&self, chunk: usize) -> Result<bool, String>;

    /// Reads the bytes of all elements of a chunk.
    fn read(&self, chunk: usize) -> Result<Vec<u8>, String>;

    /// Returns a number that changes when a chunk changes.
    fn state(&self) -> u64;

    /// Returns the element that chunks consist of that are not there.
    fn fill(&self) -> &[u8];
}

/// An array of a file that a library of its format reads, box by box, in C order.
pub trait StoredBoxes: Debug + Send + Sync {
    /// Extents of boxes whose multiples are read best, in elements.
    fn unit(&self) -> &[usize];

    /// Bytes of a part of the file that the library has in memory as one.
    fn part_bytes(&self) -> usize;

    /// Reads a box of the file, whose first index and extents are in elements, and gives its bytes to
    /// a function.
    fn read(
        &self,
        file: &File,
        bounds: (&[usize], &[usize]),
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), String>;
}

/// Reads a box of an array by its library into a buffer.
pub fn read_box<const D: usize>(
    boxes: &dyn StoredBoxes,
    (file, region): (&File, &Region<D>),
    (to, element_bytes): (&mut [u8], usize),
) -> Result<(), String> {
    let (first, extents) = (region.0.map(|axis| axis.stored.1), region.0.map(|axis| axis.count));
    let dense = Region(region.0.map(|axis| RegionAxis { stored: (axis.count, 0), ..axis }));
    let mut found = 0;
    let len = region.len() * element_bytes;
    boxes.read(file, (&first, &extents), &mut |bytes| {
        found = bytes.len();
        if found != len {
            return;
        }
        let Ok(()) = dense.for_each(&mut |stretch: Stretch| {
            let [from, place, len] =
                [stretch.stored, stretch.buffer, stretch.len].map(|number| number * element_bytes);
            to[place..place + len].copy_from_slice(&bytes[from..from + len]);
            Ok::<_, Infallible>(())
        });
    })?;
    match found == len {
        true => Ok(()),
        false => Err(format!("{found} bytes were read of a box of {extents:?} elements")),
    }
}

/// Chunks of an array that is written.
pub trait NewChunks: Debug + Send + Sync {
    /// Extents of every chunk, in elements.
    fn chunk(&self) -> &[usize];

    /// Returns the element that chunks consist of that are not written.
    fn fill(&self) -> &[u8];

    /// Takes the empty folder that gets the array.
    fn begin(&self, folder: OwnedFd) -> Result<(), String>;

    /// Writes the bytes of all elements of a chunk, once.
    fn write(&self, chunk: usize, bytes: &[u8]) -> Result<(), String>;

    /// Returns the name of the file that gets a chunk.
    fn file(&self, chunk: usize) -> String;

    /// Returns `true` if several chunks share a file, which one rank writes.
    fn shares_files(&self) -> bool;

    /// Completes the files of an array whose chunks are all written; the first rank completes the array.
    fn end(&self, is_first: bool) -> Result<(), String>;
}

/// Wishes for new chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunking {
    /// Extents of a chunk, in elements; the blocks of the layout, unless told.
    pub chunks: Option<Vec<usize>>,
    /// Extents of the chunks that share a file, in elements.
    pub shards: Option<Vec<usize>>,
    /// The compression, such as `zstd`, `gzip:5` or `none`.
    pub codec: Option<String>,
}

/// Chunks that have no element yet, some in the scratch file, or all in their place.
const UNTOUCHED: u8 = 0;
const SCRATCHED: u8 = 1;
const WRITTEN: u8 = 2;

/// Chunks of an array that is written in boxes: elements of parts of chunks wait in a scratch file.
#[derive(Clone, Debug)]
pub struct NewArray {
    pub chunks: Arc<dyn NewChunks>,
    /// By chunk: how far it is.
    states: Arc<[AtomicU8]>,
    /// Bytes of an element.
    element_bytes: usize,
    /// `true` if several ranks write the array.
    is_divided: bool,
}

/// Counts the bytes of a chunk.
pub fn chunk_bytes(shape: &[usize], element_bytes: usize) -> usize {
    shape.iter().fold(element_bytes, |bytes, extent| bytes.saturating_mul(*extent))
}

/// Returns a box of a part of a chunk as a box of the whole chunk, which goes beyond the array.
fn in_chunk<const D: usize>(region: &Region<D>, shape: &[usize]) -> Region<D> {
    Region(core::array::from_fn(|axis| {
        let own = region.0[axis];
        RegionAxis { stored: (shape[axis], own.stored.1), ..own }
    }))
}

/// Copies a box of a chunk into a buffer.
pub fn read<const D: usize>(
    chunks: &dyn StoredChunks,
    (chunk, region): (usize, &Region<D>),
    (to, element_bytes): (&mut [u8], usize),
) -> Result<(), String> {
    let bytes = chunks.read(chunk)?;
    in_chunk(region, chunks.chunk()).for_each(&mut |stretch: Stretch| {
        let [from, place, len] =
            [stretch.stored, stretch.buffer, stretch.len].map(|number| number * element_bytes);
        to[place..place + len].copy_from_slice(&bytes[from..from + len]);
        Ok(())
    })
}

impl NewArray {
    pub fn new(chunks: Arc<dyn NewChunks>, count: usize, element_bytes: usize) -> Self {
        let states = (0..count).map(|_| AtomicU8::new(UNTOUCHED)).collect();
        Self { chunks, states, element_bytes, is_divided: false }
    }

    /// Has several ranks write the array: chunks that share a file wait in the scratch file until one
    /// rank writes them.
    pub fn divide(&mut self) {
        self.is_divided = true;
    }

    /// Returns how far each chunk is, in a digit.
    pub fn states(&self) -> String {
        let digit = |state: &AtomicU8| char::from(b'0' + state.load(Ordering::Relaxed));
        self.states.iter().map(digit).collect()
    }

    /// Learns how far chunks are on another rank.
    pub fn learn(&self, states: &str) {
        let digits = states.bytes().map(|digit| digit.wrapping_sub(b'0'));
        for (own, other) in self.states.iter().zip(digits) {
            own.fetch_max(other.min(WRITTEN), Ordering::Relaxed);
        }
    }

    /// Returns the rank that moves a chunk from the scratch file to its place.
    pub fn rank_of(&self, chunk: usize, ranks: usize) -> usize {
        match ranks {
            1 => 0,
            _ => (journal::hash(0, self.chunks.file(chunk).as_bytes()) % ranks as u64) as usize,
        }
    }

    /// Forgets all chunks, for an array that begins anew.
    pub fn begin(&self, folder: OwnedFd) -> Result<(), String> {
        self.states.iter().for_each(|state| state.store(UNTOUCHED, Ordering::Relaxed));
        self.chunks.begin(folder)
    }

    /// Returns `true` if chunks that are not written are zeros.
    pub fn is_zeros(&self) -> bool {
        self.chunks.fill().iter().all(|byte| *byte == 0)
    }

    pub fn count(&self) -> usize {
        self.states.len()
    }

    fn bytes(&self) -> usize {
        chunk_bytes(self.chunks.chunk(), self.element_bytes)
    }

    /// Writes a box of a chunk: to its place if it is all of the chunk, else to the scratch file.
    pub fn write<const D: usize>(
        &self,
        (chunk, region): (usize, &Region<D>),
        from: &[u8],
        scratch: &File,
    ) -> Result<(), String> {
        let width = self.element_bytes;
        let place = in_chunk(region, self.chunks.chunk());
        let is_whole = region.0.iter().all(|axis| axis.stored == (axis.count, 0));
        if is_whole && !(self.is_divided && self.chunks.shares_files()) {
            self.states[chunk].store(WRITTEN, Ordering::Relaxed);
            if place
                .0
                .iter()
                .all(|axis| axis.stored.0 == axis.count && axis.buffer == (axis.count, 0))
            {
                return self.chunks.write(chunk, &from[..self.bytes()]);
            }
            let mut whole = vec![0; self.bytes()];
            place.for_each(&mut |stretch: Stretch| {
                let [to, place, len] =
                    [stretch.stored, stretch.buffer, stretch.len].map(|number| number * width);
                whole[to..to + len].copy_from_slice(&from[place..place + len]);
                Ok::<_, String>(())
            })?;
            return self.chunks.write(chunk, &whole);
        }
        self.states[chunk].store(SCRATCHED, Ordering::Relaxed);
        let start = chunk as u64 * self.bytes() as u64;
        place.for_each(&mut |stretch: Stretch| {
            let [to, place, len] =
                [stretch.stored, stretch.buffer, stretch.len].map(|number| number * width);
            let bytes = &from[place..place + len];
            scratch.write_all_at(bytes, start + to as u64).map_err(|error| error.to_string())
        })
    }

    /// Moves a chunk from the scratch file to its place.
    pub fn complete(&self, chunk: usize, scratch: &File) -> Result<(), String> {
        if self.states[chunk].load(Ordering::Relaxed) != SCRATCHED {
            return Ok(());
        }
        let mut whole = vec![0; self.bytes()];
        let start = chunk as u64 * whole.len() as u64;
        scratch.read_exact_at(&mut whole, start).map_err(|error| error.to_string())?;
        self.chunks.write(chunk, &whole)
    }
}
