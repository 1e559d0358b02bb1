//! The requests of messages in pieces, some of which are watched at a time.

use super::communicator::OwnCommunicator;
use super::live::told;
use crate::error::Error;
use redist_mpi::{Request, Requests};
use std::mem;
use std::ops::Range;

/// Requests of a message that are watched at a time. The library looks through all that it is given
/// whenever it is asked: of all pieces of long messages, that would be as many looks as the square of
/// their number.
///
/// Those that are not watched go on alike, and the first of a message are as likely to be complete as
/// any. So waiting for one of these waits for nothing that does not come.
const WATCHED: usize = 4;

/// The pieces of messages, numbered one after the other.
#[derive(Debug)]
pub(super) struct UnderWay {
    /// Of each piece, unless it is watched.
    pub requests: Vec<Request>,
    messages: Vec<Watch>,
    watched: Requests,
    /// The piece whose request is in each place of the list above.
    pieces: Vec<usize>,
}

/// What is watched of a message.
#[derive(Debug)]
struct Watch {
    pieces: Range<usize>,
    /// The first piece that has not been watched in this move.
    next: usize,
    /// Where its requests are watched.
    places: Range<usize>,
}

impl UnderWay {
    /// Of messages with this many pieces each.
    pub fn new(lens: impl Iterator<Item = usize>, communicator: &OwnCommunicator) -> Self {
        let (mut messages, mut pieces, mut places) = (Vec::new(), 0, 0);
        for len in lens {
            let watched = len.min(WATCHED);
            messages.push(Watch {
                pieces: pieces..pieces + len,
                next: pieces,
                places: places..places + watched,
            });
            (pieces, places) = (pieces + len, places + watched);
        }
        Self {
            requests: (0..pieces).map(|_| communicator.live().no_request()).collect(),
            messages,
            watched: communicator.live().requests(places),
            pieces: vec![0; places],
        }
    }

    /// Nothing has begun yet.
    pub fn restart(&mut self) {
        self.messages.iter_mut().for_each(|message| message.next = message.pieces.start);
    }

    /// Waits until some pieces are complete, or only looks; false where nothing is under way.
    pub fn find(&mut self, wait: bool, communicator: &OwnCommunicator) -> Result<bool, Error> {
        self.watch(communicator);
        communicator.some(wait, &mut self.watched)
    }

    /// Watches the next pieces that have begun, where there is room.
    fn watch(&mut self, communicator: &OwnCommunicator) {
        let Self { requests, messages, watched, pieces, .. } = self;
        for Watch { pieces: own, next, places } in messages {
            for place in places.clone() {
                if *next == own.end || !requests[*next].is_live() {
                    break;
                }
                if !watched.is_live(place) {
                    let request = &mut requests[*next];
                    let none = communicator.live().no_request();
                    watched.replace(place, mem::replace(request, none));
                    pieces[place] = *next;
                    *next += 1;
                }
            }
        }
    }

    /// How many were found complete last.
    pub fn found(&self) -> usize {
        self.watched.found()
    }

    /// The number of a piece that was found complete last.
    pub fn piece(&self, found: usize) -> usize {
        self.pieces[self.watched.place(found)]
    }

    /// Its bytes, if it was received.
    pub fn bytes(&self, found: usize) -> Result<usize, Error> {
        let bytes = self.watched.bytes(found).map_err(|why| told(0, why))?;
        Ok(bytes.unwrap_or(usize::MAX))
    }
}
