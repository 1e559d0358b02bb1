//! Layouts of sides whose files hold the whole array: in one piece, or in chunks.

use super::chunks::chunk_bytes;
use super::error::FilesError;
use super::format::{self, PartHeader};
use super::side::{SideFiles, StoredSide, in_chunks, in_one_piece};
use redist_plan::layout::StorageOrder;
use redist_plan::plan::{Plan, Side};

/// Reads the header of the first file of a side that holds elements.
pub type ReadHeader<'a, const D: usize> =
    &'a mut dyn FnMut(&StoredSide<D>) -> Result<Option<PartHeader>, FilesError>;

/// Plans with sides whose files hold the whole array. A source file gives its order and its chunks.
/// Returns the element of the source's chunks that are not there, too.
pub fn whole_arrays<const D: usize>(
    plan: &Plan<D>,
    files: &[SideFiles; 2],
    (header, bytes): (ReadHeader<'_, D>, Option<usize>),
) -> Result<(Plan<D>, Vec<u8>), FilesError> {
    let [from, to] = [Side::Source, Side::Destination].map(|side| plan.descriptor(side));
    let planned = |from_storage: StorageOrder, chunks: [Option<&[usize]>; 2]| {
        let source = match (chunks[0], files[0].pattern.is_global()) {
            (Some(chunks), _) => in_chunks(from, chunks),
            (None, true) => in_one_piece(from, from_storage),
            (None, false) => *from.layout(),
        };
        let destination = match (chunks[1], files[1].pattern.is_global()) {
            (Some(chunks), _) => in_chunks(to, chunks).storage(to.layout().storage),
            (None, true) => in_one_piece(to, to.layout().storage),
            (None, false) => *to.layout(),
        };
        Plan::new(plan.extents(), source, destination)
            .map(Plan::indexed)
            .map_err(|error| FilesError::Asked(error.to_string()))
    };
    let found = match files[0].pattern.is_global() {
        true => {
            let first = planned(from.layout().storage, [None, None])?;
            header(&StoredSide::new(&first, Side::Source, files[0].clone()))?
        }
        false => None,
    };
    let chunks = found.as_ref().and_then(|header| header.chunks.as_ref());
    let new = match files[1].format.folder() {
        Some(folder) => {
            let own = folder.asked_chunks().map(<[usize]>::to_vec);
            let bytes = bytes.or_else(|| format::bytes_of(found.as_ref())).unwrap_or(1);
            Some(new_chunks(plan, (own, chunks.map(|chunks| &chunks.shape)), bytes)?)
        }
        None => None,
    };
    let storage = match &found {
        Some(header) if header.fortran => StorageOrder::Fortran,
        Some(_) => StorageOrder::C,
        None => from.layout().storage,
    };
    let shape = chunks.map(|chunks| &chunks.shape[..]);
    let fill = chunks.map(|chunks| chunks.fill.clone()).unwrap_or_default();
    planned(storage, [shape, new.as_deref()]).map(|plan| (plan, fill))
}

/// Bytes of chunks that nobody has asked for, at most.
const CHUNK_BYTES: usize = 4 << 20;

/// Chooses the extents of new chunks: those asked for, blocks of the layout, those of the source, or
/// halves of the array.
fn new_chunks<const D: usize>(
    plan: &Plan<D>,
    (asked, source): (Option<Vec<usize>>, Option<&Vec<usize>>),
    element_bytes: usize,
) -> Result<Vec<usize>, FilesError> {
    let to = plan.descriptor(Side::Destination);
    let extents = to.extents();
    let blocks = (0..D).map(|axis| (to.axis(axis), extents[axis]));
    let is_dealt = blocks.clone().any(|(deal, _)| deal.ranks() > 1);
    let mut chunks = match (asked, source, is_dealt) {
        (Some(asked), ..) => asked,
        (None, _, true) => {
            for axis in (0..D).filter(|axis| to.axis(*axis).ranks() > 1) {
                if to.axis(axis).regular_block().is_none() {
                    return Err(FilesError::Asked(format!(
                        "dimension {axis}: the blocks of the destination layout have several lengths, \
                         and chunks have one; write `chunks`"
                    )));
                }
            }
            blocks
                .map(|(deal, extent)| if deal.ranks() > 1 { deal.block_at(0).len } else { extent })
                .collect()
        }
        (None, Some(source), false) if same_axes(plan) => source.clone(),
        (None, ..) => halved(extents.to_vec(), element_bytes),
    };
    if chunks.len() != D || chunks.contains(&0) && !extents.contains(&0) {
        return Err(FilesError::Asked(format!(
            "chunks of {chunks:?} elements for an array of {extents:?}"
        )));
    }
    chunks
        .iter_mut()
        .zip(extents)
        .for_each(|(chunk, extent)| *chunk = (*chunk).clamp(1, extent.max(1)));
    Ok(chunks)
}

fn same_axes<const D: usize>(plan: &Plan<D>) -> bool {
    (0..D).all(|d| plan.axis_on(Side::Source, d) == plan.axis_on(Side::Destination, d))
}

fn halved(mut chunk: Vec<usize>, element_bytes: usize) -> Vec<usize> {
    while chunk_bytes(&chunk, element_bytes) > CHUNK_BYTES {
        match chunk.iter_mut().max() {
            Some(longest) if *longest > 1 => *longest = longest.div_ceil(2),
            _ => break,
        }
    }
    chunk
}
