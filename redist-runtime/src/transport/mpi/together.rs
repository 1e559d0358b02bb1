//! Exchanges by a route that all ranks have to take together.

use super::channel::MpiChannel;
use crate::element::Element;
use crate::error::Error;
use crate::transport::{Arrived, Channel, Ends};

impl<T: Element> MpiChannel<T> {
    /// The vote comes first, since who only begins a move is not there for what follows: if somebody does, messages go, as
    /// they do between ranks that begin.
    ///
    /// This ends. A rank that begins votes at once, and has sent its messages and posted its receives by then; so the vote
    /// comes to an end, and all ranks learn the same from it. If all run, all make the calls of the route. If not, all
    /// send and receive messages, empty ones where a rank was not ready. If nobody begins and a rank was not ready, nothing
    /// has been sent, and nothing is.
    pub(super) fn exchange_together(
        &mut self,
        ready: Result<(), Error>,
        source: &[T],
        destination: &mut [T],
        pack: impl FnOnce(&mut [&mut [T]]),
        mut unpack: impl FnMut(Arrived<'_, '_, T>, &mut [T]),
    ) -> Result<(), Error> {
        self.finish_forgotten();
        self.ready = ready;
        self.post_vote(true)?;
        self.communicator.wait(&mut self.vote.request)?;
        if self.vote.somebody_begins() {
            let ready = self.ready.clone();
            self.prepare(ready, pack)?;
            // Those who begin keep to no steps.
            while self.vote.failed().is_none() && self.post_turn(true)? {}
            return self.complete(|arrived| unpack(arrived, destination));
        }
        self.outcome()?;
        if let (Some(staging), Some(chunks)) = (&self.staging, &self.chunks) {
            let copy = |round, sources: &[&[T]]| unpack(Arrived::Chunk(round, sources), destination);
            return staging.copy_staged(&self.communicator, source, chunks, copy);
        }
        if let Some(types) = &self.types {
            return types.exchange(&self.communicator, source, destination);
        }
        let Some(mut fragments) = self.fragments.take() else { return Ok(()) };
        let mut outcome = Ok(());
        let mut exchange = |ends: &mut dyn Ends<T>| outcome = self.exchange_fragments(&mut fragments, ends);
        unpack(Arrived::Parts(&mut exchange), destination);
        self.fragments = Some(fragments);
        outcome
    }
}
