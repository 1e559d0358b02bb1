//! What programs write by hand: for each message a list of (offset, length), and one `memcpy` a
//! run.

use redist::{Plan, Side};
use redist_testing::message::Message;

/// The runs of each message of one rank, in the order of its messages.
pub struct Segments(Vec<Vec<(u32, u32)>>);

impl Segments {
    /// The runs of `rank` on one side, for messages in the order of `peers`.
    pub fn new<const D: usize>(
        plan: &Plan<D>,
        side: Side,
        rank: usize,
        peers: impl Iterator<Item = usize>,
    ) -> Self {
        let runs = |peer: usize| {
            let (source, destination) =
                if side == Side::Source { (rank, peer) } else { (peer, rank) };
            let mut runs: Vec<(u32, u32)> = Vec::new();
            for run in Message::new(plan, source, destination).runs() {
                let offset =
                    if side == Side::Source { run.source_offset } else { run.destination_offset };
                match runs.last_mut() {
                    Some((last, len)) if (*last + *len) as usize == offset => {
                        *len += run.len as u32
                    }
                    _ => runs.push((offset as u32, run.len as u32)),
                }
            }
            runs
        };
        Self(peers.map(runs).collect())
    }

    /// Copies every run into its message.
    pub fn pack<T: Copy>(&self, local: &[T], messages: &mut [&mut [T]]) {
        for (runs, message) in self.0.iter().zip(messages) {
            let mut at = 0;
            for &(offset, len) in runs {
                let (offset, len) = (offset as usize, len as usize);
                message[at..at + len].copy_from_slice(&local[offset..offset + len]);
                at += len;
            }
        }
    }

    /// Copies every run out of its message.
    pub fn unpack<T: Copy>(&self, local: &mut [T], messages: &[&[T]]) {
        for (runs, message) in self.0.iter().zip(messages) {
            let mut at = 0;
            for &(offset, len) in runs {
                let (offset, len) = (offset as usize, len as usize);
                local[offset..offset + len].copy_from_slice(&message[at..at + len]);
                at += len;
            }
        }
    }
}
