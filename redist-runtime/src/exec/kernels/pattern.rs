//! One period of a row: which run belongs to which message.

use crate::program::RunGroup;

/// Neighbouring bytes of the local array that belong to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PatternRun {
    /// Number of the peer.
    pub peer: u32,
    /// Offset in the local array, in bytes from the start of the period.
    pub start: u32,
    /// Offset in the message, in bytes from the start of the period's share.
    pub in_share: u32,
    /// Bytes.
    pub len: u32,
}

/// The runs of a period, none of them empty, which follow each other without gaps on both sides.
/// Unsafe code relies on that, so nothing outside this file makes or changes a pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    runs: Vec<PatternRun>,
    span: usize,
    shares: Vec<usize>,
}

impl Pattern {
    /// The runs of groups of elements of `element` bytes for `peers` peers, `times` over. `None`
    /// where offsets do not fit 32 bits.
    pub fn new(groups: &[RunGroup], element: usize, peers: usize, times: usize) -> Option<Self> {
        let mut pattern = Self { runs: Vec::new(), span: 0, shares: vec![0; peers] };
        for group in (0..times).flat_map(|_| groups) {
            let len = group.len.checked_mul(element)?;
            let mut peer = group.peer;
            for _ in 0..group.count {
                pattern.push(peer, len)?;
                peer = if peer + 1 == peers { 0 } else { peer + 1 };
            }
        }
        Some(pattern)
    }

    fn push(&mut self, peer: usize, len: usize) -> Option<()> {
        if len == 0 {
            return Some(());
        }
        let share = &mut self.shares[peer];
        let end = self.span.checked_add(len).filter(|end| u32::try_from(*end).is_ok())?;
        // No share is longer than the span.
        let (start, in_share) = (self.span as u32, *share as u32);
        match self.runs.last_mut() {
            Some(last) if last.peer == peer as u32 => last.len += len as u32,
            _ => self.runs.push(PatternRun {
                peer: u32::try_from(peer).ok()?,
                start,
                in_share,
                len: len as u32,
            }),
        }
        *share += len;
        self.span = end;
        Some(())
    }

    /// In increasing order, at least a byte each. A run's bytes lie inside the span and inside its peer's share.
    pub fn runs(&self) -> &[PatternRun] {
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
    #[cfg(target_arch = "x86_64")]
    pub fn is_multiple_of(&self, unit: usize) -> bool {
        self.runs.iter().all(|run| (run.len as usize).is_multiple_of(unit))
    }

    /// Length of the runs, where all have one.
    pub fn uniform(&self) -> Option<usize> {
        let first = self.runs.first()?.len;
        self.runs.iter().all(|run| run.len == first).then_some(first as usize)
    }
}
