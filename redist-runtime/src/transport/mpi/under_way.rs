//! Requests of segments under way.

use super::communicator::OwnCommunicator;
use super::life::told;
use crate::error::Error;
use redist_mpi::{Request, Requests};
use std::mem;
use std::ops::Range;

/// Requests of a message that are tested at a time. The library searches all requests in each call,
/// so testing all of a long message would cost the square of their number. Other requests make
/// progress alike, and the first complete as early as any. So waiting for one of these never waits
/// for a message that does not come.
const WATCHED: usize = 4;

#[derive(Debug)]
pub(super) struct UnderWay {
    /// Request of each segment, unless it is being tested. Empty until messages first go.
    requests: Vec<Request>,
    count: usize,
    /// Segments that have begun, and are not known to be complete.
    pub left: usize,
    /// Segments that were found complete last.
    pub found: usize,
    messages: Vec<Watch>,
    watched: Requests,
    /// The segment whose request is in each place of the list above.
    pieces: Vec<usize>,
}

#[derive(Debug)]
struct Watch {
    pieces: Range<usize>,
    next: usize,
    places: Range<usize>,
}

impl UnderWay {
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
            requests: Vec::new(),
            count: pieces,
            left: 0,
            found: 0,
            messages,
            watched: communicator.requests(places),
            pieces: vec![0; places],
        }
    }

    pub fn restart(&mut self, communicator: &OwnCommunicator) {
        self.requests.resize_with(self.count, || communicator.no_request());
        self.messages.iter_mut().for_each(|message| message.next = message.pieces.start);
        self.left = 0;
    }

    /// Takes the requests of these segments out, each for a function; returns their number.
    pub fn take_out(
        &mut self,
        these: &dyn Fn(usize) -> bool,
        communicator: &OwnCommunicator,
        mut each: impl FnMut(Request) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let (before, none) = (self.left, || communicator.no_request());
        let begun = self.requests.iter_mut().enumerate();
        for (_, request) in begun.filter(|(number, own)| own.is_live() && these(*number)) {
            each(mem::replace(request, none()))?;
            self.left -= 1;
        }
        for (place, number) in self.pieces.iter().enumerate() {
            if self.watched.is_live(place) && these(*number) {
                each(self.watched.replace(place, none()))?;
                self.left -= 1;
            }
        }
        Ok(before - self.left)
    }

    pub fn begun(&mut self, number: usize, request: Request) {
        self.requests[number] = request;
        self.left += 1;
    }

    /// Waits until some segments are complete, or only tests; `false` at once if none is under way.
    pub fn find(&mut self, wait: bool, communicator: &OwnCommunicator) -> Result<bool, Error> {
        self.found = 0;
        if self.left == 0 {
            return Ok(false);
        }
        self.watch(communicator);
        let is_left = communicator.must(self.watched.some(wait))?;
        self.found = self.watched.found();
        self.left -= self.found;
        Ok(is_left)
    }

    fn watch(&mut self, communicator: &OwnCommunicator) {
        let Self { requests, messages, watched, pieces, .. } = self;
        for Watch { pieces: own, next, places } in messages {
            for place in places.clone() {
                if *next == own.end || requests.get(*next).is_none_or(|own| !own.is_live()) {
                    break;
                }
                if !watched.is_live(place) {
                    let request = &mut requests[*next];
                    let none = communicator.no_request();
                    watched.replace(place, mem::replace(request, none));
                    pieces[place] = *next;
                    *next += 1;
                }
            }
        }
    }

    pub fn piece(&self, found: usize) -> usize {
        self.pieces[self.watched.place(found)]
    }

    pub fn bytes(&self, found: usize) -> Result<usize, Error> {
        let bytes = self.watched.bytes(found).map_err(|why| told(0, why))?;
        Ok(bytes.unwrap_or(usize::MAX))
    }
}
