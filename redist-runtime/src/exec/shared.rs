//! Moves from arrays in shared memory.

use super::Bound;
use crate::element::Element;
use crate::error::Error;
use crate::plan::Side;
use crate::transport::Transport;
use crate::transport::mpi::{MpiChannel, Route, SharedArray};

impl<T: Element, C: Transport<Channel<T> = MpiChannel<T>>> Bound<T, C> {
    /// The way that messages go, and [why](Bound::route_reason).
    pub fn route(&self) -> Route {
        self.channel.route().0
    }

    /// Why they go this way, in words.
    pub fn route_reason(&self) -> &str {
        self.channel.route().1
    }

    /// This rank's source array, in memory that the other ranks of its node can read; all elements are zero. Collective.
    ///
    /// # Errors
    /// As [`SharedArray::new`].
    pub fn shared_source(&self) -> Result<SharedArray<T>, Error> {
        self.channel.shared_array(self.local_len(Side::Source))
    }

    /// As [`run`](Bound::run), from an array in shared memory: where all ranks are on one node, every rank copies its part
    /// straight from the others' arrays, and there are no messages. Elsewhere it is [`run`](Bound::run).
    ///
    /// Collective: all ranks call this, with their parts of one array, and none calls `run` or `start` instead. When it
    /// returns, nobody reads the array any more. Schedules play no part where there are no messages.
    ///
    /// # Errors
    /// As [`run`](Bound::run); also an array that was not made for the ranks of this plan, or parts of different arrays.
    pub fn run_shared(&mut self, source: &SharedArray<T>, destination: &mut [T]) -> Result<(), Error> {
        if !self.channel.is_on_one_node() {
            return self.run(source, destination);
        }
        let ready = self.lengths(source.len(), destination.len());
        let Self { destination: to, channel, .. } = self;
        channel.copy_shared(ready, source, |arrived| to.deliver(arrived, source, destination))
    }
}
