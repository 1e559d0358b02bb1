//! What ranks that meet in a move find out of each other.

use super::channel::MpiChannel;
use super::preflight;
use super::shared::SharedBytes;
use super::staging::Staging;
use crate::error::Error;
use crate::plan::Side;
use crate::transport::{Arrays, Source, Target, Way};

/// What all ranks do.
pub(super) enum Found {
    Messages,
    /// What the channel was opened for.
    Way,
    Lent {
        /// Whether destinations are lent, too.
        destinations: bool,
    },
}

impl MpiChannel {
    /// What all ranks do in a move that this rank runs.
    ///
    /// The vote comes first, where it may come to anything but messages. This ends. A rank that
    /// sends messages in any case votes when it has sent them, or as many of them as the first step
    /// has, and has posted its receives by then; so the vote comes to an end, and all ranks learn
    /// the same from it. If no rank sends, all make the same calls. If one does, all send and
    /// receive messages, empty ones where a rank was not ready.
    pub fn find_out(
        &mut self,
        ready: Result<(), Error>,
        arrays: &Arrays<'_>,
    ) -> Result<Found, Error> {
        self.begin_move(ready)?;
        let shared = self.recognise(arrays);
        let may_lend = shared[0].is_some() && self.communicator.context.is_one_node();
        if self.way.0 == Way::Messages && !may_lend {
            return Ok(Found::Messages);
        }
        // A rank that has left a move of chunks in the middle does without them from now on, which
        // the others may not know.
        let left = self.staging().is_some_and(Staging::was_left);
        self.vote(left, shared)?;
        self.wait_for_vote()?;
        // A window is closed when the communicator is freed: on all ranks between the same moves.
        let is_closed = self.way.0 == Way::Chunks && self.staging().is_none();
        let [(from, most_from), (to, most_to)] =
            [Side::Source, Side::Destination].map(|side| self.vote.arrays(side));
        let lends = from != 0 && self.communicator.context.is_one_node();
        if self.vote.one_sends() || (is_closed && !lends) || (self.way.0 == Way::Messages && !lends)
        {
            return Ok(Found::Messages);
        }
        self.outcome()?;
        if !lends {
            return Ok(Found::Way);
        }
        for (side, own, least, most) in [
            (Side::Source, shared[0], from, most_from),
            (Side::Destination, shared[1], to, most_to),
        ] {
            if least != 0 && least != most {
                let rank =
                    preflight::lowest(&self.communicator, own != Some(least))?.unwrap_or_default();
                return Err(Error::DifferentArrays { rank, side });
            }
        }
        Ok(Found::Lent { destinations: to != 0 })
    }

    /// The numbers of the arrays that are shared. Where one was not made for the ranks of this
    /// channel, this rank is not ready.
    fn recognise(&mut self, arrays: &Arrays<'_>) -> [Option<u64>; 2] {
        let source = match &arrays.source {
            Source::Shared(array) => Some(*array),
            Source::Own(_) => None,
        };
        let target = match &arrays.target {
            Target::Shared(array) => Some(&**array),
            Target::Own(_) => None,
        };
        for array in source.into_iter().chain(target) {
            array.check_that_it_is_ours();
        }
        if self.ready.is_ok() {
            self.ready = self.lending.recognise([source, target]);
        }
        [source, target].map(|array| array.map(SharedBytes::id))
    }
}
