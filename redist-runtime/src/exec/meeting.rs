//! The exchange of words between ranks that plan by lists.

use super::calls::CopiedBytes;
use super::exchange::MessageExchange;
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::program::Envelope;
use crate::program::lists::{Neighbours, are_told, met, told_by};
use crate::transport::{
    GoesOn, Lists, MessageSizes, Messages, Options, Partners, Proposal, RankGroup, Route,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The ranks of a communicator while they plan: each step of the [router](crate::program::lists) is
/// two moves, of a length and of the words.
pub(super) struct Meeting {
    /// This rank's number in the communicator.
    rank: usize,
    /// Ranks of the communicator.
    size: usize,
    exchange: MessageExchange,
}

impl Meeting {
    /// Meets the ranks of a communicator, which compare these numbers, to plan by lists of so many
    /// indices. Collective.
    ///
    /// # Errors
    /// A rank brings other numbers, or has ended.
    pub fn new(
        communicator: &impl RankGroup,
        numbers: &[u64],
        extent: usize,
    ) -> Result<Self, Error> {
        let (rank, size) = (communicator.rank(), communicator.size());
        let options = Options { route: Route::Messages, ..Options::default() };
        let partners = || partners(rank, size, are_told(extent, size));
        let proposal = Proposal {
            element: ElementType::of::<u64>(),
            numbers,
            description: format_args!("lists of indices on {size} ranks"),
            method: Method::AllAtOnce,
            arrays: &Arc::default(),
            partners: &partners,
            options: &options,
            sizes: MessageSizes::NEVER,
        };
        let exchange = MessageExchange::new(communicator.open(Ok(proposal))?);
        Ok(Self { rank, size, exchange })
    }

    /// Moves words to a rank and from some ranks, of known numbers.
    fn moved(
        &mut self,
        to: Option<(usize, &[u64])>,
        from: &[(usize, usize)],
    ) -> Result<Vec<Vec<u64>>, Error> {
        let width = size_of::<u64>();
        let mut come: Vec<(usize, usize, usize)> =
            from.iter().zip(0..).map(|((rank, len), at)| (*rank, *len, at)).collect();
        come.retain(|(_, len, _)| *len > 0);
        come.sort_unstable();
        let out = to.iter().map(|(rank, words)| Envelope { rank: *rank, len: words.len() });
        let outgoing: Vec<Envelope> = out.filter(|envelope| envelope.len > 0).collect();
        let incoming: Vec<Envelope> =
            come.iter().map(|(rank, len, _)| Envelope { rank: *rank, len: *len }).collect();
        let [outgoing, incoming] = [outgoing, incoming].map(|all| Lists::new(&all, width));
        let exchange = &mut self.exchange;
        exchange.channel.begin_call(false)?;
        exchange.channel.end_call(None);
        exchange.channel.begin(Ok(()), GoesOn::WithSenders)?;
        exchange.prepare(Messages { outgoing, incoming, order: None });
        exchange.send(|messages, _| {
            for (message, (_, words)) in messages.iter_mut().zip(to) {
                for (place, word) in message.chunks_exact_mut(width).zip(words) {
                    place.copy_from_slice(&word.to_le_bytes());
                }
            }
            CopiedBytes::default()
        })?;
        exchange.channel.agree()?;
        let mut all = vec![Vec::new(); from.len()];
        exchange.receive(|messages, refill| {
            for (number, message) in messages.iter_mut().enumerate() {
                let (_, len, at) = come[number];
                if !refill(number, message, len * width) {
                    return CopiedBytes::default();
                }
                let (own, rest) = message.split_at(len * width);
                let (words, _) = own.as_chunks::<8>();
                all[at] = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
                *message = rest;
            }
            CopiedBytes::default()
        })?;
        Ok(all)
    }
}

/// Returns the ranks that a rank exchanges words with: a logarithm of all. With `are_told`, ranks tell
/// each other of their runs.
fn partners(rank: usize, size: usize, are_told: bool) -> Partners {
    let [mut receivers, mut senders] = met(rank, size);
    if are_told {
        for [to, from] in told_by(rank, size) {
            receivers.push(to);
            senders.push(from);
        }
        for ranks in [&mut receivers, &mut senders] {
            ranks.sort_unstable();
            ranks.dedup();
        }
    }
    let all: BTreeSet<usize> = receivers.iter().chain(&senders).copied().collect();
    Partners { senders, receivers, met: all.into_iter().collect(), divide: false }
}

impl Neighbours for Meeting {
    type Error = Error;

    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.size
    }

    fn exchange(
        &mut self,
        to: Option<usize>,
        words: Vec<u64>,
        from: &[usize],
    ) -> Result<Vec<Vec<u64>>, Error> {
        let one: Vec<(usize, usize)> = from.iter().map(|rank| (*rank, 1)).collect();
        let len = [words.len() as u64];
        let lens = self.moved(to.map(|to| (to, &len[..])), &one)?;
        let lens = lens.iter().map(|words| words.first().map_or(0, |len| *len as usize));
        let come: Vec<(usize, usize)> = from.iter().copied().zip(lens).collect();
        self.moved(to.map(|to| (to, &words[..])), &come)
    }

    fn told(&mut self, to: usize, words: &[u64], from: (usize, usize)) -> Result<Vec<u64>, Error> {
        Ok(self.moved(Some((to, words)), &[from])?.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_agrees_with_few_ranks_while_it_plans() {
        for (rank, are_told) in [0, 4_999, 9_999].into_iter().zip([false, true, true]) {
            let Partners { senders, receivers, met, divide } = partners(rank, 10_000, are_told);
            let more = if are_told { 14 } else { 0 };
            assert!(receivers.len() <= 14 + more && senders.len() <= 28 + more, "{met:?}");
            assert!(met.len() <= 28 + 2 * more, "{met:?}");
            assert!(!divide, "ranks that divide copies meet all others");
        }
    }
}
