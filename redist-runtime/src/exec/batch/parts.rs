//! A rank's arrays of a batch, and their places in the shared messages.

use crate::element::ElementType;
use crate::error::Error;
use crate::exec::arrays::BatchArrays;
use crate::exec::calls::CopiedBytes;
use crate::exec::prepared::Facts;
use crate::exec::rank::{RankPacking, RankUnpacking};
use crate::exec::recycle::recycle;
use crate::exec::transfer::{Refill, take_front, take_front_mut};
use crate::plan::Side;
use crate::program::Envelope;
use core::mem;

pub struct BatchPart {
    pub array: usize,
    element: ElementType,
    packing: RankPacking,
    unpacking: RankUnpacking,
    /// Places of this array's messages, by side, in the order of its own envelopes.
    places: [Vec<InMessage>; 2],
}

/// Place of one array's message in a message of the batch, behind earlier arrays.
#[derive(Clone, Copy)]
struct InMessage {
    message: usize,
    bytes: usize,
}

pub struct BatchParts {
    pub list: Vec<BatchPart>,
    arrays: Vec<BatchArray>,
    /// Envelopes of the batch, by side; lengths are in bytes.
    envelopes: [Vec<Envelope>; 2],
    /// Kept between moves for their allocation only.
    outgoing: Vec<&'static mut [u8]>,
    incoming: Vec<&'static [u8]>,
}

impl BatchPart {
    pub fn new(array: usize, facts: &Facts, element: ElementType) -> Self {
        Self {
            array,
            element,
            packing: facts.copier(),
            unpacking: facts.copier(),
            places: [Vec::new(), Vec::new()],
        }
    }

    fn local_len(&self, side: Side) -> usize {
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

    pub fn messages_to_others(&self, rank: usize) -> usize {
        self.packing.envelopes().iter().filter(|envelope| envelope.rank != rank).count()
    }

    pub fn in_words(&self) -> String {
        let (name, packs, unpacks) =
            (self.element.name(), self.packing.kernel(), self.unpacking.kernel());
        format!("{name}, packed by {packs}, unpacked by {unpacks}")
    }

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
}

struct BatchArray {
    element: ElementType,
    lens: [usize; 2],
}

impl BatchArray {
    fn check(&self, arrays: &BatchArrays<'_>, rank: usize) -> Result<(), String> {
        let (expected, found) = (self.element, arrays.element);
        if expected != found {
            let (expected, found) = (expected.name(), found.name());
            return Err(format!("holds elements of type {expected}, found {found}"));
        }
        for side in [Side::Source, Side::Destination] {
            let (expected, found) = (self.lens[side as usize], arrays.lens[side as usize]);
            if expected != found {
                let error = Error::LocalLength { rank, side, expected, found };
                return Err(error.reason());
            }
        }
        Ok(())
    }
}

impl BatchParts {
    pub fn new(mut list: Vec<BatchPart>, least: &[[usize; 2]]) -> Self {
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
        let (outgoing, incoming) = (Vec::new(), Vec::new());
        Self { arrays: arrays(&list, least), list, envelopes, outgoing, incoming }
    }

    pub fn arrays(&self) -> usize {
        self.arrays.len()
    }

    pub fn local_len(&self, array: usize, side: Side) -> usize {
        self.arrays[array].lens[side as usize]
    }

    pub fn envelopes(&self, side: Side) -> &[Envelope] {
        &self.envelopes[side as usize]
    }

    pub fn check(&self, arrays: &[BatchArrays<'_>], rank: usize) -> Result<(), Error> {
        if arrays.len() != self.arrays.len() {
            let (expected, found) = (self.arrays.len(), arrays.len());
            let reason = format!(
                "the batch has {expected} arrays, found {found}; bring each, in the order of `add`"
            );
            return Err(Error::Batch { rank, reason });
        }
        for (number, (array, found)) in self.arrays.iter().zip(arrays).enumerate() {
            array.check(found, rank).map_err(|reason| Error::Batch {
                rank,
                reason: format!("array {number} of the batch: {reason}"),
            })?;
        }
        Ok(())
    }

    pub fn pack(&mut self, arrays: &[BatchArrays<'_>], messages: &mut [&mut [u8]]) -> CopiedBytes {
        let mut copied = CopiedBytes::default();
        let mut slices = recycle(mem::take(&mut self.outgoing));
        for part in &self.list {
            slices.extend(part.places[Side::Source as usize].iter().map(
                |&InMessage { message, bytes }| take_front_mut(&mut messages[message], bytes),
            ));
            copied += part.packing.pack(arrays[part.array].source, &mut slices);
            slices.clear();
        }
        self.outgoing = recycle(slices);
        copied
    }

    /// Unpacks all arrays from `messages`; `refill` already has all of them.
    pub fn unpack<'m>(
        &mut self,
        arrays: &mut [BatchArrays<'_>],
        messages: &mut [&'m [u8]],
        refill: &mut dyn Refill<'m>,
    ) -> CopiedBytes {
        let mut copied = CopiedBytes::default();
        let lens = self.envelopes(Side::Destination).iter().map(|envelope| envelope.len);
        for (number, (message, len)) in messages.iter_mut().zip(lens).enumerate() {
            if !refill.refill(number, message, len) {
                return copied;
            }
        }
        let mut slices = recycle(mem::take(&mut self.incoming));
        for part in &self.list {
            slices.extend(
                part.places[Side::Destination as usize]
                    .iter()
                    .map(|&InMessage { message, bytes }| take_front(&mut messages[message], bytes)),
            );
            copied += part.unpacking.unpack(arrays[part.array].destination, &mut slices);
            slices.clear();
        }
        self.incoming = recycle(slices);
        copied
    }
}

/// Lists the arrays with their longest parts, because a rank may miss in some of an array's plans.
fn arrays(list: &[BatchPart], least: &[[usize; 2]]) -> Vec<BatchArray> {
    let array = |(number, least): (usize, &[usize; 2])| {
        let parts = || list.iter().filter(move |part| part.array == number);
        let element = parts().next().expect("an array is moved by some plan").element;
        let lens = [Side::Source, Side::Destination].map(|side| {
            parts().map(|part| part.local_len(side)).fold(least[side as usize], usize::max)
        });
        BatchArray { element, lens }
    };
    least.iter().enumerate().map(array).collect()
}
