//! Arrays that the library reads: in chunks, without a place yet, or of another byte order.

use super::library::{opened, words};
use super::types::Kind;
use crate::chunks::{StoredBoxes, chunk_bytes};
use hdf5_metno::{Hyperslab, SliceOrIndex};
use std::fs::File;

/// A dataset by its name, which is opened for each box: no more files are open than the run allows.
#[derive(Clone, Debug)]
pub struct HdfBoxes {
    pub name: String,
    pub kind: Kind,
    /// Extents of a chunk, in elements; 1 where there are none.
    pub unit: Vec<usize>,
    /// `true` if the array is in chunks.
    pub is_chunked: bool,
}

impl StoredBoxes for HdfBoxes {
    fn unit(&self) -> &[usize] {
        &self.unit
    }

    fn part_bytes(&self) -> usize {
        if self.is_chunked { chunk_bytes(&self.unit, self.kind.bytes()) } else { 0 }
    }

    fn read(
        &self,
        file: &File,
        (first, extents): (&[usize], &[usize]),
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), String> {
        let along = first.iter().zip(extents).map(|(start, count)| SliceOrIndex::SliceCount {
            start: *start,
            step: 1,
            count: *count,
            block: 1,
        });
        let slab = Hyperslab::from(along.collect::<Vec<_>>());
        let named = |error| format!("`{}`: {}", self.name, words(&error));
        let dataset = opened(file)?.dataset(&self.name).map_err(named)?;
        self.kind.read(&dataset, slab, take).map_err(named)
    }
}
