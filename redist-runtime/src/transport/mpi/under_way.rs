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

/// Requests of all segments of a channel.
#[derive(Debug)]
pub(super) struct UnderWay {
    /// Request of each segment, unless it is being tested. Empty until messages first go.
    requests: Vec<Request>,
    /// Number of segments.
    count: usize,
    /// Segments that have begun, and are not known to be complete.
    pub left: usize,
    /// Segments that were found complete last.
    pub found: usize,
    messages: Vec<Watch>,
    watched: Requests,
    /// The segment whose request is in each place of the list above.
    segments: Vec<usize>,
}

/// The segments of one message that are watched.
#[derive(Debug)]
struct Watch {
    /// Numbers of the message's segments.
    segments: Range<usize>,
    /// First segment that has not been watched in this move.
    next: usize,
    /// Places of its requests in the list of watched ones.
    places: Range<usize>,
}

impl UnderWay {
    pub fn new(lens: impl Iterator<Item = usize>, communicator: &OwnCommunicator) -> Self {
        let (mut messages, mut segments, mut places) = (Vec::new(), 0, 0);
        for len in lens {
            let watched = len.min(WATCHED);
            messages.push(Watch {
                segments: segments..segments + len,
                next: segments,
                places: places..places + watched,
            });
            (segments, places) = (segments + len, places + watched);
        }
        Self {
            requests: Vec::new(),
            count: segments,
            left: 0,
            found: 0,
            messages,
            watched: communicator.requests(places),
            segments: vec![0; places],
        }
    }

    pub fn restart(&mut self, communicator: &OwnCommunicator) {
        self.requests.resize_with(self.count, || communicator.no_request());
        self.messages.iter_mut().for_each(|message| message.next = message.segments.start);
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
        for (place, number) in self.segments.iter().enumerate() {
            if self.watched.is_live(place) && these(*number) {
                each(self.watched.replace(place, none()))?;
                self.left -= 1;
            }
        }
        Ok(before - self.left)
    }

    /// Cancels the receives of these segments, from the last to the first: a library matches them in
    /// order, so that segments with a message are the first ones. Returns these, with their bytes.
    pub fn cancel(
        &mut self,
        segments: Range<usize>,
        communicator: &OwnCommunicator,
    ) -> Result<Vec<(usize, usize)>, Error> {
        let mut begun = Vec::new();
        for number in segments.clone() {
            if self.requests[number].is_live() {
                let none = communicator.no_request();
                begun.push((number, mem::replace(&mut self.requests[number], none)));
            }
        }
        for (place, number) in self.segments.iter().enumerate() {
            if self.watched.is_live(place) && segments.contains(number) {
                begun.push((*number, self.watched.replace(place, communicator.no_request())));
            }
        }
        begun.sort_unstable_by_key(|(number, _)| *number);
        self.left -= begun.len();
        let mut matched = Vec::new();
        for (number, request) in begun.iter_mut().rev() {
            let bytes = communicator.must(request.cancel())?;
            matched.extend(bytes.map(|bytes| (*number, bytes)));
        }
        Ok(matched)
    }

    /// Begins to watch the segments of a message from this one on, none of which is under way.
    pub fn watch_again(&mut self, message: usize, from: usize) {
        self.messages[message].next = from;
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
        let Self { requests, messages, watched, segments, .. } = self;
        for Watch { segments: own, next, places } in messages {
            for place in places.clone() {
                if *next == own.end || requests.get(*next).is_none_or(|own| !own.is_live()) {
                    break;
                }
                if !watched.is_live(place) {
                    let request = &mut requests[*next];
                    let none = communicator.no_request();
                    watched.replace(place, mem::replace(request, none));
                    segments[place] = *next;
                    *next += 1;
                }
            }
        }
    }

    pub fn segment(&self, found: usize) -> usize {
        self.segments[self.watched.place(found)]
    }

    pub fn bytes(&self, found: usize) -> Result<usize, Error> {
        let bytes = self.watched.bytes(found).map_err(|why| told(0, why))?;
        Ok(bytes.unwrap_or(usize::MAX))
    }
}
