//! An array in files that is read in boxes, whatever the layout and format of the files.

use super::array::ArrayMove;
use super::error::FilesError;
use super::files::FileTable;

/// Indices between two that are read lie closer together than this, in bytes, or are not read.
const NEAR_BYTES: usize = 16 << 10;

/// Indices between two that are read, each with a place of its own in the file, are no more, or are not
/// read.
const NEAR_PLACES: usize = 16;

/// An array whose files are open, of any number of dimensions.
pub struct OpenedArray {
    /// Extents, in elements.
    shape: Vec<usize>,
    code: String,
    /// Bytes of an element.
    element_bytes: usize,
    /// `true` if the first index runs fastest.
    fortran: bool,
    /// Extents of chunks, in elements.
    chunk: Option<Vec<usize>>,
    /// Most bytes of elements in memory, beside the caller's.
    memory: usize,
    table: FileTable,
    array: Box<dyn ReadBox>,
}

/// An array of some number of dimensions.
trait ReadBox: Send + Sync {
    /// Reads a box, whose first index and extents are in elements, in C order.
    fn read(
        &self,
        table: &FileTable,
        bounds: (&[usize], &[usize]),
        to: &mut [u8],
    ) -> Result<(), String>;
}

impl<const D: usize> ReadBox for ArrayMove<D> {
    fn read(
        &self,
        table: &FileTable,
        (first, extents): (&[usize], &[usize]),
        to: &mut [u8],
    ) -> Result<(), String> {
        let ranges = core::array::from_fn(|d| first[d]..first[d] + extents[d]);
        self.read_box(table, &ranges, to)
    }
}

/// Indices of an array, and their places among those that the caller reads.
#[derive(Clone)]
struct Picked {
    /// The first index of each dimension.
    first: Vec<usize>,
    /// Number of indices of each dimension.
    extents: Vec<usize>,
    /// Step from an index of each dimension to the next.
    steps: Vec<usize>,
    /// The first index of each dimension in the caller's array.
    place: Vec<usize>,
}

impl Picked {
    /// Returns the extents of the smallest box with all indices.
    fn hull(&self) -> Vec<usize> {
        let along = self.extents.iter().zip(&self.steps);
        along.map(|(extent, step)| (extent - 1) * step + 1).collect()
    }

    /// Cuts the indices of a dimension behind the first `count`.
    fn cut(&self, dimension: usize, count: usize) -> [Self; 2] {
        let [mut before, mut behind] = [self.clone(), self.clone()];
        before.extents[dimension] = count;
        behind.extents[dimension] -= count;
        behind.first[dimension] += count * self.steps[dimension];
        behind.place[dimension] += count;
        [before, behind]
    }
}

impl OpenedArray {
    pub(crate) fn new<const D: usize>(
        array: ArrayMove<D>,
        table: FileTable,
        memory: usize,
    ) -> Result<Self, FilesError> {
        let chunks = array.codec_bytes(None);
        if chunks > memory {
            return Err(FilesError::Failed(format!(
                "--memory is too little: chunks of this size need {chunks} bytes, and there are {memory}"
            )));
        }
        let (shape, code, element_bytes, fortran) = array.described();
        let (code, chunk) = (code.to_owned(), array.source_chunk());
        let memory = memory - chunks;
        let array = Box::new(array);
        Ok(Self { shape, code, element_bytes, fortran, chunk, memory, table, array })
    }

    /// Extents, in elements.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The code of the elements: NumPy's, as `<f8`, or one of `bf16`, `f8_e4m3`, `f8_e5m2` and `f8_e8m0`.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> usize {
        self.element_bytes
    }

    /// Extents of the chunks in which the files have the array, in elements; `None` if there are none.
    pub fn chunk(&self) -> Option<&[usize]> {
        self.chunk.as_deref()
    }

    /// Reads the elements of every `steps`-th index from `first` on, `extents` of them along each
    /// dimension, into `to`, in C order.
    ///
    /// # Errors
    /// Indices are outside the array, `to` has another number of bytes, or a file cannot be read.
    pub fn read(
        &self,
        (first, steps): (&[usize], &[usize]),
        extents: &[usize],
        to: &mut [u8],
    ) -> Result<(), FilesError> {
        self.check((first, steps), extents, to.len()).map_err(FilesError::Asked)?;
        if extents.contains(&0) {
            return Ok(());
        }
        let [first, steps, own] = [first, steps, extents].map(<[usize]>::to_vec);
        let place = vec![0; own.len()];
        let all = Picked { first, extents: own, steps, place };
        self.read_picked(&all, (extents, to)).map_err(FilesError::Failed)
    }

    fn check(
        &self,
        (first, steps): (&[usize], &[usize]),
        extents: &[usize],
        len: usize,
    ) -> Result<(), String> {
        let rank = self.shape.len();
        if [first, steps, extents].iter().any(|list| list.len() != rank) {
            return Err(format!("expected {rank} first indices, steps and extents"));
        }
        for (dimension, shape) in self.shape.iter().enumerate() {
            let (first, step, extent) = (first[dimension], steps[dimension], extents[dimension]);
            let last = extent
                .checked_sub(1)
                .map(|more| more.checked_mul(step).and_then(|more| more.checked_add(first)));
            let is_within = last.is_none_or(|last| last.is_some_and(|last| last < *shape));
            if step == 0 || !is_within {
                return Err(format!(
                    "dimension {dimension}: {extent} indices from {first} on, each {step} behind the \
                     one before, are not in 0..{shape}"
                ));
            }
        }
        let bytes =
            extents.iter().fold(self.element_bytes, |all, extent| all.saturating_mul(*extent));
        match bytes == len {
            true => Ok(()),
            false => Err(format!("expected {bytes} bytes for {extents:?} elements, found {len}")),
        }
    }

    /// Reads indices, in halves where they fit no memory; `whole` are the extents of the caller's array.
    fn read_picked(
        &self,
        picked: &Picked,
        (whole, to): (&[usize], &mut [u8]),
    ) -> Result<(), String> {
        let hull = picked.hull();
        let is_direct = picked.extents == whole && picked.steps.iter().all(|step| *step == 1);
        let bytes = hull.iter().fold(self.element_bytes, |all, extent| all.saturating_mul(*extent));
        // The local arrays that have the box, and the box itself.
        let fits = bytes.saturating_mul(if is_direct { 1 } else { 2 }) <= self.memory;
        if let Some(dimension) = self.far_apart(picked, &hull).or_else(|| {
            let several = picked.extents.iter().position(|extent| *extent > 1);
            several.filter(|_| !fits)
        }) {
            let halves = picked.cut(dimension, picked.extents[dimension].div_ceil(2));
            return halves.iter().try_for_each(|half| self.read_picked(half, (whole, &mut *to)));
        }
        if is_direct {
            return self.array.read(&self.table, (&picked.first, &hull), to);
        }
        let mut found = vec![0; bytes];
        self.array.read(&self.table, (&picked.first, &hull), &mut found)?;
        self.copy((picked, &hull), &found, (whole, to));
        Ok(())
    }

    /// Returns a dimension whose indices lie so far apart that each is read by itself.
    fn far_apart(&self, picked: &Picked, hull: &[usize]) -> Option<usize> {
        (0..hull.len()).filter(|&d| picked.extents[d] > 1).find(|&d| {
            let row = hull[d + 1..]
                .iter()
                .fold(self.element_bytes, |all, more| all.saturating_mul(*more));
            let between = picked.steps[d] - 1;
            between.saturating_mul(row) > NEAR_BYTES
                || (between > NEAR_PLACES && self.has_gaps_within(d, hull))
        })
    }

    /// Returns `true` if the file has other elements between those of one index of a dimension and the
    /// next index. Chunks are read whole, and so are near places of objects.
    fn has_gaps_within(&self, dimension: usize, hull: &[usize]) -> bool {
        let faster = match self.fortran {
            true => 0..dimension,
            false => dimension + 1..hull.len(),
        };
        let is_whole = self.chunk.is_some() || self.table.has_objects();
        !is_whole && faster.into_iter().any(|d| hull[d] < self.shape[d])
    }

    /// Copies indices out of their hull to their places.
    fn copy(
        &self,
        (picked, hull): (&Picked, &[usize]),
        found: &[u8],
        (whole, to): (&[usize], &mut [u8]),
    ) {
        let (width, last) = (self.element_bytes, hull.len() - 1);
        let rows: usize = picked.extents[..last].iter().product();
        let (step, count) = (picked.steps[last], picked.extents[last]);
        for row in 0..rows {
            let (mut rest, mut from, mut place) = (row, 0, 0);
            let (mut stride, mut placed) = (hull[last], whole[last]);
            for d in (0..last).rev() {
                let index = rest % picked.extents[d];
                rest /= picked.extents[d];
                from += index * picked.steps[d] * stride;
                place += (picked.place[d] + index) * placed;
                stride *= hull[d];
                placed *= whole[d];
            }
            let start = (place + picked.place[last]) * width;
            let to = &mut to[start..start + count * width];
            if step == 1 {
                to.copy_from_slice(&found[from * width..(from + count) * width]);
                continue;
            }
            for (at, to) in to.chunks_exact_mut(width).enumerate() {
                let from = (from + at * step) * width;
                to.copy_from_slice(&found[from..from + width]);
            }
        }
    }
}
