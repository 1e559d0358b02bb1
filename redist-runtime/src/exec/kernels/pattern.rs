//! One period of a row: which run belongs to which message.

use crate::program::Deal;

/// Neighbouring bytes of the local array that belong to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Number of the peer.
    pub peer: u32,
    /// Where in the local array, in bytes from the start of the period.
    pub start: u32,
    /// Where in the message, in bytes from the start of the period's share.
    pub in_share: u32,
    /// Bytes.
    pub len: u32,
}

/// The runs of a period, which follow each other without gaps, on both sides: unsafe code relies on it, so nothing
/// outside this file makes or changes one.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    runs: Vec<Run>,
    span: usize,
    shares: Vec<usize>,
}

impl Pattern {
    /// The runs of these deals of elements of `element` bytes for `peers` peers, `times` over. `None` where offsets
    /// do not fit 32 bits.
    pub fn new(deals: &[Deal], element: usize, peers: usize, times: usize) -> Option<Self> {
        let mut pattern = Self { runs: Vec::new(), span: 0, shares: vec![0; peers] };
        for deal in (0..times).flat_map(|_| deals) {
            let len = deal.len.checked_mul(element)?;
            let mut peer = deal.peer;
            for _ in 0..deal.count {
                pattern.push(peer, len)?;
                peer = if peer + 1 == peers { 0 } else { peer + 1 };
            }
        }
        Some(pattern)
    }

    /// Whether there is a pattern of these deals once over, and so of as many times as are worth it.
    pub fn fits(deals: &[Deal], element: usize) -> bool {
        let bytes = |deal: &Deal| deal.len.checked_mul(element)?.checked_mul(deal.count);
        let end = deals.iter().try_fold(0usize, |end, deal| end.checked_add(bytes(deal)?));
        end.is_some_and(|end| u32::try_from(end).is_ok())
    }

    fn push(&mut self, peer: usize, len: usize) -> Option<()> {
        let share = &mut self.shares[peer];
        let end = self.span.checked_add(len).filter(|end| u32::try_from(*end).is_ok())?;
        // Shares are no longer than the span, and peers no more than deals name.
        let (start, in_share) = (self.span as u32, *share as u32);
        match self.runs.last_mut() {
            Some(last) if last.peer == peer as u32 => last.len += len as u32,
            _ => self.runs.push(Run { peer: u32::try_from(peer).ok()?, start, in_share, len: len as u32 }),
        }
        *share += len;
        self.span = end;
        Some(())
    }

    /// In increasing order. A run's bytes lie inside the span and inside its peer's share.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Bytes of the local array in one period.
    pub fn span(&self) -> usize {
        self.span
    }

    /// Bytes of each message in one period.
    pub fn shares(&self) -> &[usize] {
        &self.shares
    }

    /// True if all runs begin and end on multiples of `unit` bytes, on both sides.
    pub fn is_multiple_of(&self, unit: usize) -> bool {
        self.runs.iter().all(|run| (run.len as usize).is_multiple_of(unit))
    }

    /// Bytes of the runs, where all are alike.
    pub fn uniform(&self) -> Option<usize> {
        let first = self.runs.first()?.len;
        self.runs.iter().all(|run| run.len == first).then_some(first as usize)
    }
}
