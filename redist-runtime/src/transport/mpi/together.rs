//! Exchanges by a route that all ranks have to take together.

use super::channel::MpiChannel;
use super::route::Route;
use super::staging::Staging;
use crate::error::Error;
use crate::transport::{Arrived, Channel, Chunk, Ends, Pack, Unpack};

impl MpiChannel {
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
        source: &[u8],
        destination: &mut [u8],
        pack: Pack<'_>,
        unpack: Unpack<'_>,
    ) -> Result<(), Error> {
        self.finish_forgotten();
        self.ready = ready;
        // Whoever has left a move of chunks in the middle does without them from now on, which the others may not know:
        // as if it only began the move.
        let runs = !self.staging().is_some_and(Staging::was_left);
        self.post_vote(runs)?;
        self.communicator.wait(&mut self.vote.request)?;
        // A window is closed when the communicator is freed: on all ranks between the same moves.
        let is_closed = self.taken.route == Route::Staged && self.staging().is_none();
        if self.vote.somebody_begins() || is_closed {
            let ready = self.ready.clone();
            self.prepare(ready, pack)?;
            // Nobody keeps to steps here.
            while self.vote.failed().is_none() && self.post_turn(true)? {}
            return self.complete(&mut |arrived| unpack(arrived, destination));
        }
        self.outcome()?;
        if let (Some(staging), Some(chunks)) = (self.staging(), &self.chunks) {
            let copy = |shown: &[Chunk<'_>]| unpack(Arrived::Chunks(shown), destination);
            return staging.copy_staged(&self.communicator, self.element.bytes(), source, chunks, copy);
        }
        if let Some(types) = &self.types {
            return types.exchange(&self.communicator, source, destination);
        }
        let Some(mut fragments) = self.fragments.take() else { return Ok(()) };
        let mut outcome = Ok(());
        let mut exchange = |ends: &mut dyn Ends| outcome = self.exchange_fragments(&mut fragments, ends);
        unpack(Arrived::Parts(&mut exchange), destination);
        self.fragments = Some(fragments);
        outcome
    }

    /// The memory of the route of that name, as long as it is there.
    pub(super) fn staging(&self) -> Option<&Staging> {
        if self.taken.route != Route::Staged {
            return None;
        }
        self.communicator.context.staging().ok().flatten()
    }
}
