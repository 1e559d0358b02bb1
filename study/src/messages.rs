//! The pieces of a rank's messages, partner by partner.

use crate::baseline::{Aspen, Intersection, Segments};
use redist::plan::Axis;

/// The pieces of a rank's messages. The receiving side takes the inverse plan's axis.
pub struct MessagePieces {
    by_peer: Vec<Vec<Segments>>,
    /// Ranks of this side.
    ranks: usize,
}

impl MessagePieces {
    /// Lists the pieces of one period, by ASPEN. `rank` is the coordinate on the source's side.
    pub fn of(axis: &Axis, rank: usize) -> Self {
        let [own, other] = [redist::Side::Source, redist::Side::Destination]
            .map(|side| axis.side(side).deal().ranks());
        let mut found = Vec::new();
        Aspen.intersect(axis, rank, &mut found);
        Self::listed(&found, own, other)
    }

    /// Sorts found pieces by their rank, of `others`; this side has `own` ranks.
    pub fn listed(found: &[Segments], own: usize, others: usize) -> Self {
        let mut by_peer = vec![Vec::new(); others];
        found.iter().for_each(|family| by_peer[family.peer].push(*family));
        Self { by_peer, ranks: own }
    }

    /// Copies the message to `peer` out of the local array, in the order of the global index.
    pub fn pack<T: Copy>(&self, peer: usize, local: &[T], message: &mut [T]) {
        self.for_each_piece(peer, |start, at, len| {
            message[at..at + len].copy_from_slice(&local[start..start + len]);
        });
    }

    pub fn unpack<T: Copy>(&self, peer: usize, message: &[T], local: &mut [T]) {
        self.for_each_piece(peer, |start, at, len| {
            local[start..start + len].copy_from_slice(&message[at..at + len]);
        });
    }

    /// Visits a message's pieces: places in the local array and in the message, and lengths.
    pub fn for_each_piece(&self, peer: usize, mut piece: impl FnMut(usize, usize, usize)) {
        let mut at = 0;
        for_each_repetition(&self.by_peer[peer], self.ranks, |_, start, len| {
            piece(start, at, len);
            at += len;
        });
    }
}

/// Visits the repetitions of families, period after period, on a side of `ranks` ranks: their places
/// in the local array, and lengths.
#[inline]
pub fn for_each_repetition(
    families: &[Segments],
    ranks: usize,
    mut repetition: impl FnMut(&Segments, usize, usize),
) {
    let periods = families.iter().map(|family| family.count).max().unwrap_or(0);
    for period in 0..periods {
        for family in families.iter().filter(|family| period < family.count) {
            let len = if period + 1 == family.count { family.last_len } else { family.len };
            repetition(family, family.source_offset + period * (family.stride / ranks), len);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redist::Side;
    use redist::layout::Dist;
    use redist::{Layout, Plan};

    fn check(extent: usize, (s, p): (usize, usize), (t, q): (usize, usize)) {
        let [from, to] = [(s, p), (t, q)].map(|(b, r)| Layout::new([Dist::Cyclic(b)], [r]));
        let plan = Plan::new([extent], from, to).unwrap();
        let (forth, back) = (plan.axis(0), plan.inverse().axis(0));
        let dealt = |side: Side, rank| -> Vec<u64> {
            let deal = forth.side(side).deal();
            (0..extent).filter(|g| deal.owner(*g) == rank).map(|g| g as u64).collect()
        };
        for destination in 0..q {
            let expected = dealt(Side::Destination, destination);
            let mut local = vec![u64::MAX; expected.len()];
            let receiver = MessagePieces::of(&back, destination);
            for source in 0..p {
                let mut message = vec![u64::MAX; plan.volume(source, destination)];
                let part = dealt(Side::Source, source);
                MessagePieces::of(&forth, source).pack(destination, &part, &mut message);
                let in_order: Vec<u64> =
                    part.iter().copied().filter(|g| expected.contains(g)).collect();
                assert_eq!(message, in_order, "{extent}, {s} on {p} to {t} on {q}");
                receiver.unpack(source, &message, &mut local);
            }
            assert_eq!(local, expected, "{extent}, {s} on {p} to {t} on {q}");
        }
    }

    #[test]
    fn messages_one_by_one_make_the_array() {
        for extent in [1, 7, 60, 96, 251] {
            for (from, to) in [
                ((1, 4), (3, 6)),
                ((2, 2), (8, 3)),
                ((6, 3), (2, 4)),
                ((3, 5), (5, 3)),
                ((4, 1), (7, 2)),
            ] {
                check(extent, from, to);
            }
        }
    }
}
