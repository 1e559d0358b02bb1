//! Copies between a local array and a message, by listed runs.

use super::with_const::with_const;
use crate::program::lists::ListRun;
use core::ops::Range;

/// The runs of a message, ready to copy. Numbers are in bytes.
pub(super) struct ListCopier {
    /// Bytes of an element.
    width: usize,
    parts: Vec<ListPart>,
}

/// Some runs of a message.
enum ListPart {
    /// Places of single elements, in elements.
    Places(Vec<usize>),
    /// Runs of one length at equal distances, in elements.
    Runs(ListRun),
}

impl ListCopier {
    pub fn new(runs: &[ListRun], width: usize) -> Self {
        let mut parts: Vec<ListPart> = Vec::new();
        for run in runs {
            match (run, parts.last_mut()) {
                (ListRun { len: 1, count: 1, start, .. }, Some(ListPart::Places(places))) => {
                    places.push(*start);
                }
                (ListRun { len: 1, count: 1, start, .. }, _) => {
                    parts.push(ListPart::Places(vec![*start]));
                }
                (run, _) => parts.push(ListPart::Runs(*run)),
            }
        }
        Self { width, parts }
    }

    /// Counts the runs.
    pub fn runs(&self) -> usize {
        let runs = |part: &ListPart| match part {
            ListPart::Places(places) => places.len(),
            ListPart::Runs(run) => run.count,
        };
        self.parts.iter().map(runs).sum()
    }

    /// Copies elements of the local array to the front of a message; returns their bytes.
    pub fn pack(&self, local: &[u8], message: &mut [u8]) -> usize {
        let (width, mut end) = (self.width, 0);
        for part in &self.parts {
            match part {
                ListPart::Places(places) => {
                    let to = &mut message[end..];
                    with_const!(
                        width,
                        BYTES in [1 2 4 8 16] => gathered::<BYTES>(local, places, to),
                        else places.iter().zip(to.chunks_exact_mut(width)).for_each(
                            |(place, to)| to.copy_from_slice(&local[place * width..][..width])
                        )
                    );
                    end += places.len() * width;
                }
                ListPart::Runs(run) => {
                    for places in self.places(run) {
                        let len = places.len();
                        message[end..end + len].copy_from_slice(&local[places]);
                        end += len;
                    }
                }
            }
        }
        end
    }

    /// Copies the front of a message to the local array; returns the bytes.
    pub fn unpack(&self, message: &[u8], local: &mut [u8]) -> usize {
        let (width, mut end) = (self.width, 0);
        for part in &self.parts {
            match part {
                ListPart::Places(places) => {
                    let from = &message[end..];
                    with_const!(
                        width,
                        BYTES in [1 2 4 8 16] => scattered::<BYTES>(from, places, local),
                        else places.iter().zip(from.chunks_exact(width)).for_each(
                            |(place, from)| local[place * width..][..width].copy_from_slice(from)
                        )
                    );
                    end += places.len() * width;
                }
                ListPart::Runs(run) => {
                    for places in self.places(run) {
                        let len = places.len();
                        local[places].copy_from_slice(&message[end..end + len]);
                        end += len;
                    }
                }
            }
        }
        end
    }

    /// Returns the places of runs in the local array.
    fn places(&self, runs: &ListRun) -> impl Iterator<Item = Range<usize>> + use<> {
        let (width, ListRun { start, len, count, step }) = (self.width, *runs);
        (0..count).map(move |number| {
            let start = start.wrapping_add_signed(step * number as isize);
            start * width..(start + len) * width
        })
    }
}

fn gathered<const BYTES: usize>(local: &[u8], places: &[usize], message: &mut [u8]) {
    let (local, _) = local.as_chunks::<BYTES>();
    let (message, _) = message.as_chunks_mut::<BYTES>();
    for (to, place) in message.iter_mut().zip(places) {
        *to = local[*place];
    }
}

fn scattered<const BYTES: usize>(message: &[u8], places: &[usize], local: &mut [u8]) {
    let (message, _) = message.as_chunks::<BYTES>();
    let (local, _) = local.as_chunks_mut::<BYTES>();
    for (from, place) in message.iter().zip(places) {
        local[*place] = *from;
    }
}
