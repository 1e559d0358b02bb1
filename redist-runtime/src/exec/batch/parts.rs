//! The arrays of a batch on one rank: what is packed, and where in the messages that they share.

use crate::element::ElementType;
use crate::error::Error;
use crate::exec::arrays::BatchArrays;
use crate::exec::prepared::Facts;
use crate::exec::rank::{RankPacking, RankUnpacking};
use crate::exec::transfer::{take_front, take_front_mut};
use crate::plan::Side;
use crate::program::Envelope;

/// One array of a batch.
pub struct BatchPart {
    element: ElementType,
    packing: RankPacking,
    unpacking: RankUnpacking,
    /// The messages of this array, by side, in the order of its own envelopes.
    places: [Vec<InMessage>; 2],
}

/// Where a message of one array lies: in a message of the batch, after those of the arrays before.
#[derive(Clone, Copy)]
struct InMessage {
    message: usize,
    bytes: usize,
}

/// All arrays of a batch.
pub struct BatchParts {
    pub list: Vec<BatchPart>,
    /// The messages of the batch, by side; lengths are in bytes.
    envelopes: [Vec<Envelope>; 2],
}

impl BatchPart {
    pub fn new(facts: Facts, element: ElementType) -> Self {
        let Facts { plan, rank, width, windows, kernels, allowed } = facts;
        let options = (width, allowed);
        Self {
            element,
            packing: RankPacking::new(&plan, &windows, kernels.pack, options, rank),
            unpacking: RankUnpacking::new(&plan, &windows, kernels.unpack, options, rank),
            places: [Vec::new(), Vec::new()],
        }
    }

    pub fn local_len(&self, side: Side) -> usize {
        match side {
            Side::Source => self.packing.local_len(),
            Side::Destination => self.unpacking.local_len(),
        }
    }

    fn envelopes(&self, side: Side) -> &[Envelope] {
        match side {
            Side::Source => self.packing.envelopes(),
            Side::Destination => self.unpacking.envelopes(),
        }
    }

    /// Messages that would leave `rank` if the array moved by itself.
    pub fn messages_to_others(&self, rank: usize) -> usize {
        self.packing.envelopes().iter().filter(|envelope| envelope.rank != rank).count()
    }

    pub fn in_words(&self) -> String {
        let (name, packs, unpacks) =
            (self.element.name(), self.packing.kernel(), self.unpacking.kernel());
        format!("{name}, packed by {packs}, unpacked by {unpacks}")
    }

    /// Puts its messages after those of the arrays before it.
    fn place(&mut self, side: Side, messages: &mut [Envelope]) {
        let width = self.element.bytes();
        let mut places = Vec::with_capacity(self.envelopes(side).len());
        for Envelope { rank, len } in self.envelopes(side) {
            let bytes = len * width;
            let message = match messages.binary_search_by_key(rank, |message| message.rank) {
                Ok(message) | Err(message) => message,
            };
            messages[message].len += bytes;
            places.push(InMessage { message, bytes });
        }
        self.places[side as usize] = places;
    }

    /// Whether these are its arrays.
    fn check(&self, arrays: &BatchArrays<'_>, rank: usize) -> Result<(), String> {
        let (expected, found) = (self.element, arrays.element);
        if expected != found {
            let (expected, found) = (expected.name(), found.name());
            return Err(format!("holds elements of type {expected}, found {found}"));
        }
        for side in [Side::Source, Side::Destination] {
            let (expected, found) = (self.local_len(side), arrays.lens[side as usize]);
            if expected != found {
                let error = Error::LocalLength { rank, side, expected, found };
                return Err(error.reason());
            }
        }
        Ok(())
    }
}

impl BatchParts {
    pub fn new(mut list: Vec<BatchPart>) -> Self {
        let envelopes = [Side::Source, Side::Destination].map(|side| {
            let mut messages: Vec<Envelope> = list
                .iter()
                .flat_map(|part| part.envelopes(side))
                .map(|envelope| Envelope { rank: envelope.rank, len: 0 })
                .collect();
            messages.sort_unstable_by_key(|message| message.rank);
            messages.dedup();
            list.iter_mut().for_each(|part| part.place(side, &mut messages));
            messages
        });
        Self { list, envelopes }
    }

    pub fn envelopes(&self, side: Side) -> &[Envelope] {
        &self.envelopes[side as usize]
    }

    /// Whether these are the arrays of this rank.
    pub fn check(&self, arrays: &[BatchArrays<'_>], rank: usize) -> Result<(), Error> {
        if arrays.len() != self.list.len() {
            let (expected, found) = (self.list.len(), arrays.len());
            let reason = format!(
                "the batch has {expected} arrays, found {found}; bring each, in the order of `add`"
            );
            return Err(Error::Batch { rank, reason });
        }
        for (number, (part, arrays)) in self.list.iter().zip(arrays).enumerate() {
            part.check(arrays, rank).map_err(|reason| Error::Batch {
                rank,
                reason: format!("array {number} of the batch: {reason}"),
            })?;
        }
        Ok(())
    }

    /// Packs all arrays into `messages`; `slices` is empty, and kept for its memory.
    pub fn pack<'m>(
        &self,
        arrays: &[BatchArrays<'_>],
        messages: &mut [&'m mut [u8]],
        slices: &mut Vec<&'m mut [u8]>,
    ) {
        for (part, arrays) in self.list.iter().zip(arrays) {
            let places = part.places[Side::Source as usize].iter();
            slices.clear();
            slices.extend(places.map(|&InMessage { message, bytes }| {
                take_front_mut(&mut messages[message], bytes)
            }));
            part.packing.pack(arrays.source, slices);
        }
    }

    /// Unpacks all arrays from `messages`; `slices` is empty, and kept for its memory.
    pub fn unpack<'m>(
        &self,
        arrays: &mut [BatchArrays<'_>],
        messages: &mut [&'m [u8]],
        slices: &mut Vec<&'m [u8]>,
    ) {
        for (part, arrays) in self.list.iter().zip(arrays) {
            let places = part.places[Side::Destination as usize].iter();
            slices.clear();
            slices
                .extend(places.map(|&InMessage { message, bytes }| {
                    take_front(&mut messages[message], bytes)
                }));
            part.unpacking.unpack(arrays.destination, slices);
        }
    }
}
