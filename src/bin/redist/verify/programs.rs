//! What is checked: the programs by which ranks pack and unpack.

use redist::{Envelope, Redistribution};

/// Fills and empties messages; the library's own way, or in tests a broken one.
pub trait Programs {
    /// Packs a rank's local array, and returns its messages: their envelopes, and their elements one after the other.
    ///
    /// # Errors
    /// The length that the local array should have, if that is another.
    fn pack(&self, rank: usize, local: &[u32]) -> Result<(Vec<Envelope>, Vec<u32>), usize>;

    /// Unpacks messages whose elements are numbered through, from 0, into a rank's local array.
    ///
    /// # Errors
    /// As [`pack`](Programs::pack).
    fn unpack(&self, rank: usize, local: &mut [u32]) -> Result<Vec<Envelope>, usize>;
}

/// The library's programs of a redistribution.
pub struct Library<R, const D: usize>(pub R);

impl<R: Redistribution<D, Element = u32>, const D: usize> Programs for Library<R, D> {
    fn pack(&self, rank: usize, local: &[u32]) -> Result<(Vec<Envelope>, Vec<u32>), usize> {
        let packing = self.0.packing(rank);
        if packing.local_len() != local.len() {
            return Err(packing.local_len());
        }
        let envelopes = packing.envelopes().to_vec();
        let mut elements = vec![u32::MAX; envelopes.iter().map(|envelope| envelope.len).sum()];
        let (mut messages, mut rest) = (Vec::with_capacity(envelopes.len()), elements.as_mut_slice());
        for envelope in &envelopes {
            let (message, others) = rest.split_at_mut(envelope.len);
            messages.push(message);
            rest = others;
        }
        packing.pack(local, &mut messages);
        Ok((envelopes, elements))
    }

    fn unpack(&self, rank: usize, local: &mut [u32]) -> Result<Vec<Envelope>, usize> {
        let unpacking = self.0.unpacking(rank);
        if unpacking.local_len() != local.len() {
            return Err(unpacking.local_len());
        }
        let envelopes = unpacking.envelopes().to_vec();
        let count: usize = envelopes.iter().map(|envelope| envelope.len).sum();
        let elements: Vec<u32> = (0..count as u32).collect();
        let (mut messages, mut rest) = (Vec::with_capacity(envelopes.len()), elements.as_slice());
        for envelope in &envelopes {
            let (message, others) = rest.split_at(envelope.len);
            messages.push(message);
            rest = others;
        }
        unpacking.unpack(local, &mut messages);
        Ok(envelopes)
    }
}
