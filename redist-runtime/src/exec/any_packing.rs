//! Packing and unpacking of plans whose number of dimensions and element type are values, for
//! callers who send messages in their own way. Arrays and messages are bytes.

use super::direct::Pairs;
use super::prepared::Facts;
use super::rank::{RankPacking, RankUnpacking};
use crate::layout::vocabulary::counted;
use crate::plan::Side;
use crate::program::{Envelope, StridedArray};
use std::sync::OnceLock;

/// One rank's packing and unpacking: see [`AnyBinder::packing`](super::AnyBinder::packing).
pub struct AnyPacking {
    facts: Facts,
    packing: RankPacking,
    unpacking: RankUnpacking,
    /// Copies of single messages, by side, made when they are first needed.
    singly: [OnceLock<Pairs>; 2],
}

/// The reason why nothing was packed or unpacked. Lengths are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum PackingError {
    #[error("rank {rank} has no message {} rank {peer}", preposition(*side))]
    NoMessage { rank: usize, side: Side, peer: usize },
    #[error(
        "the buffer of the message {} rank {peer} must hold {expected} bytes, found {found}", preposition(*side)
    )]
    Buffer { side: Side, peer: usize, expected: usize, found: usize },
    #[error("rank {rank}: the local {side} array must hold {expected} bytes, found {found}")]
    Array { rank: usize, side: Side, expected: usize, found: usize },
    #[error("there must be a buffer for each of {}, found {found}", counted(*expected, "message"))]
    Buffers { expected: usize, found: usize },
    #[error("a trapezoid's messages are packed together")]
    Trapezoid,
}

fn preposition(side: Side) -> &'static str {
    match side {
        Side::Source => "to",
        Side::Destination => "from",
    }
}

impl AnyPacking {
    pub(super) fn of(facts: Facts) -> Self {
        let (packing, unpacking) = (facts.copier(), facts.copier());
        Self { facts, packing, unpacking, singly: [OnceLock::new(), OnceLock::new()] }
    }

    /// Returns the messages that the rank sends (source) or receives (destination), in order. None is
    /// empty. Lengths are in elements.
    pub fn messages(&self, side: Side) -> &[Envelope] {
        match side {
            Side::Source => self.packing.envelopes(),
            Side::Destination => self.unpacking.envelopes(),
        }
    }

    /// Returns the bytes of the rank's local array on a side.
    pub fn local_bytes(&self, side: Side) -> usize {
        let elements = match side {
            Side::Source => self.packing.local_len(),
            Side::Destination => self.unpacking.local_len(),
        };
        elements.saturating_mul(self.facts.width)
    }

    pub(super) fn array(&self, side: Side) -> &StridedArray {
        &self.facts.arrays[side as usize]
    }

    /// Returns the rank whose messages these are.
    pub fn rank(&self) -> usize {
        self.facts.rank
    }

    /// Packs the message to `peer`. Plans on the first call of a packing, and allocates.
    ///
    /// # Errors
    /// There is no such message, or `local` or `buffer` has a wrong length.
    pub fn pack(&self, local: &[u8], peer: usize, buffer: &mut [u8]) -> Result<(), PackingError> {
        self.check(Side::Source, local.len(), peer, buffer.len())?;
        let singly = self.singly[0].get_or_init(|| self.facts.singly_packed());
        singly.pack(local, peer, buffer);
        Ok(())
    }

    /// Unpacks the message from `peer`. Plans on the first call of an unpacking, and allocates.
    ///
    /// # Errors
    /// As [`pack`](Self::pack).
    pub fn unpack(&self, buffer: &[u8], peer: usize, local: &mut [u8]) -> Result<(), PackingError> {
        self.check(Side::Destination, local.len(), peer, buffer.len())?;
        let singly = self.singly[1].get_or_init(|| self.facts.singly());
        singly.unpack(buffer, peer, local);
        Ok(())
    }

    /// Packs all messages by the kernels of moves, which read the array once.
    ///
    /// # Errors
    /// A length is wrong, or buffers and messages differ in number.
    pub fn pack_all(&self, local: &[u8], buffers: &mut [&mut [u8]]) -> Result<(), PackingError> {
        let lens = buffers.iter().map(|buffer| buffer.len());
        self.check_all(Side::Source, local.len(), lens)?;
        self.packing.pack(local, buffers);
        Ok(())
    }

    /// Unpacks all messages by the kernels of moves.
    ///
    /// # Errors
    /// As [`pack_all`](Self::pack_all).
    pub fn unpack_all(&self, buffers: &mut [&[u8]], local: &mut [u8]) -> Result<(), PackingError> {
        let lens = buffers.iter().map(|buffer| buffer.len());
        self.check_all(Side::Destination, local.len(), lens)?;
        self.unpacking.unpack(local, buffers);
        Ok(())
    }

    fn check(
        &self,
        side: Side,
        local: usize,
        peer: usize,
        buffer: usize,
    ) -> Result<(), PackingError> {
        if self.facts.trapezoid.is_some() {
            return Err(PackingError::Trapezoid);
        }
        let found = self.messages(side).iter().find(|envelope| envelope.rank == peer);
        let rank = self.facts.rank;
        let envelope = found.ok_or(PackingError::NoMessage { rank, side, peer })?;
        self.check_buffer(side, envelope, buffer)?;
        self.check_local(side, local)
    }

    fn check_all(
        &self,
        side: Side,
        local: usize,
        buffers: impl ExactSizeIterator<Item = usize>,
    ) -> Result<(), PackingError> {
        let (expected, found) = (self.messages(side).len(), buffers.len());
        if found != expected {
            return Err(PackingError::Buffers { expected, found });
        }
        let mut pairs = self.messages(side).iter().zip(buffers);
        pairs.try_for_each(|(envelope, buffer)| self.check_buffer(side, envelope, buffer))?;
        self.check_local(side, local)
    }

    fn check_buffer(
        &self,
        side: Side,
        envelope: &Envelope,
        found: usize,
    ) -> Result<(), PackingError> {
        let (peer, expected) = (envelope.rank, envelope.len.saturating_mul(self.facts.width));
        match found == expected {
            true => Ok(()),
            false => Err(PackingError::Buffer { side, peer, expected, found }),
        }
    }

    fn check_local(&self, side: Side, found: usize) -> Result<(), PackingError> {
        let (rank, expected) = (self.facts.rank, self.local_bytes(side));
        match found == expected {
            true => Ok(()),
            false => Err(PackingError::Array { rank, side, expected, found }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::AnyElement;
    use crate::exec::AnyBinder;
    use crate::layout::Padding;
    use crate::plan::Plan;

    fn binder() -> AnyBinder {
        let plan = Plan::parse([4, 6], "(block, *) onto 2", "(*, block) onto 3").unwrap();
        AnyBinder::new(&plan, AnyElement::of_bytes(3).unwrap())
    }

    #[test]
    fn messages_go_singly_or_together_around_padding() {
        let packing = binder().packing(1).unwrap();
        let rows: Vec<u8> = (0..36).collect();
        let mut buffers = vec![vec![0; 12]; 3];
        let mut all: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        packing.pack_all(&rows, &mut all).unwrap();
        for (peer, buffer) in buffers.iter().enumerate() {
            let mut alone = vec![0; 12];
            packing.pack(&rows, peer, &mut alone).unwrap();
            assert_eq!((&alone[..6], &alone), (&rows[6 * peer..][..6], buffer));
        }
        let padded = binder().padding(Side::Destination, Padding::Strides(vec![3, 1]));
        let unpacking = padded.packing(2).unwrap();
        assert_eq!(unpacking.local_bytes(Side::Destination), 3 * 11);
        let (mut singly, mut together) = ([9; 33], [9; 33]);
        unpacking.unpack(&buffers[2], 1, &mut singly).unwrap();
        assert_eq!(singly[18..27], [12, 13, 14, 15, 16, 17, 9, 9, 9]);
        unpacking.unpack(&[1; 12], 0, &mut singly).unwrap();
        unpacking.unpack_all(&mut [&[1; 12], &buffers[2]], &mut together).unwrap();
        assert_eq!(singly, together);
    }

    #[test]
    fn arrays_of_another_shape_are_refused() {
        let padded = binder().padding(Side::Destination, Padding::Leading(3)).packing(2).unwrap();
        let told = |len: usize, shape: &[usize], strides: &[isize]| {
            padded.check_array(Side::Destination, len, shape, strides).map_err(|it| it.to_string())
        };
        // Four rows of two elements, with room for three in each, and for more rows.
        assert_eq!(told(12, &[4, 3], &[3, 1]), Ok(()));
        assert_eq!(told(15, &[5, 3], &[3, 1]).and(told(11, &[], &[])), Ok(()));
        let turned = told(12, &[4, 3], &[1, 4]).unwrap_err();
        assert!(turned.contains("strides"), "{turned}");
        let short = told(10, &[], &[]).unwrap_err();
        assert!(short.contains("must hold 11 elements, found 10"), "{short}");
        let dense = binder().packing(0).unwrap();
        assert!(dense.check_array(Side::Source, 12, &[2, 6], &[6, 1]).is_ok());
        assert!(dense.check_array(Side::Source, 13, &[], &[]).is_err());
        assert!(dense.check_array(Side::Source, 12, &[6, 2], &[2, 1]).is_err());
    }

    #[test]
    fn wrong_lengths_and_peers_are_errors() {
        let packing = binder().packing(0).unwrap();
        let said = |result: Result<(), PackingError>| result.unwrap_err().to_string();
        let (rows, mut buffer) = ([0; 36], [0; 12]);
        let told = said(packing.pack(&rows, 3, &mut buffer));
        assert_eq!(told, "rank 0 has no message to rank 3");
        let told = said(packing.unpack(&buffer, 2, &mut [0; 24]));
        assert_eq!(told, "rank 0 has no message from rank 2");
        let told = said(packing.pack(&rows, 2, &mut buffer[1..]));
        assert_eq!(told, "the buffer of the message to rank 2 must hold 12 bytes, found 11");
        let told = said(packing.pack(&rows[3..], 2, &mut buffer));
        assert_eq!(told, "rank 0: the local source array must hold 36 bytes, found 33");
        let told = said(packing.pack_all(&rows, &mut [&mut buffer]));
        assert_eq!(told, "there must be a buffer for each of 3 messages, found 1");
        let narrow = Padding::Strides(vec![1, 1]);
        assert!(binder().padding(Side::Destination, narrow).packing(0).is_err());
        let layouts = ["cyclic onto 2000000011", "cyclic onto 1999999973"];
        let many = Plan::parse([1 << 62], layouts[0], layouts[1]).unwrap();
        let many = AnyBinder::new(&many, AnyElement::of_bytes(1).unwrap()).packing(0);
        assert!(many.err().unwrap().to_string().contains("plan for fewer ranks"));
    }
}
