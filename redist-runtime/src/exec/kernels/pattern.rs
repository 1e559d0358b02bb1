//! Patterns: the runs of one period, listed one by one.

use crate::program::RunGroup;

/// Neighbouring bytes of the local array that belong to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PatternRun {
    /// Index of the message.
    pub peer: u32,
    /// Bytes from the period's start in the local array.
    pub start: u32,
    /// Bytes from the start of the period's share of the message.
    pub in_share: u32,
    /// Bytes of the run.
    pub len: u32,
}

/// Non-empty runs of a period, without gaps on both sides. Unsafe code relies on this, so only this
/// file makes or changes patterns.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    runs: Vec<PatternRun>,
    /// Bytes of the period in the local array.
    span: usize,
    /// Bytes of the period in each message.
    shares: Vec<usize>,
}

impl Pattern {
    /// Repeats the runs of groups `times` times. Returns `None` if offsets exceed 32 bits.
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

    /// Returns the runs, non-empty and increasing, inside the span and inside their peer's share.
    pub fn runs(&self) -> &[PatternRun] {
        &self.runs
    }

    pub fn span(&self) -> usize {
        self.span
    }

    pub fn shares(&self) -> &[usize] {
        &self.shares
    }

    /// Returns `true` if all runs begin and end on multiples of `unit` bytes, on both sides.
    #[cfg(target_arch = "x86_64")]
    pub fn is_multiple_of(&self, unit: usize) -> bool {
        self.runs.iter().all(|run| (run.len as usize).is_multiple_of(unit))
    }

    pub fn uniform(&self) -> Option<usize> {
        let first = self.runs.first()?.len;
        self.runs.iter().all(|run| run.len == first).then_some(first as usize)
    }
}
