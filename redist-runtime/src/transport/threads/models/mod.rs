//! Models of ranks that are threads, built and run by `.ci/model`. They run the code of this folder
//! in every order of its shared accesses, up to a bound of preemptions.
//!
//! `loom` does not see arrays, which code uses by pointers. So each has a `Watched` beside it,
//! which owner and copies use alike: `loom` fails if these are not ordered, or if ranks wait for
//! each other for ever. Models open channels by hand, because an exchange has more orders than a
//! move; `meetings` has models of its own.

mod ending;
mod lending;
mod meetings;
mod messages;
mod order;
mod pulling;
mod starting;

use super::channel::ThreadChannel;
use super::group::{Group, Rank};
use super::outbox::RankOutbox;
use crate::error::Error;
use crate::program::Envelope;
use crate::transport::sync::{Arc, Watched};
use crate::transport::{Lists, Messages, Messaging, Partners, Way};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Runs a model in every order with at most `preemptions`, or as many as `LOOM_MAX_PREEMPTIONS`
/// says, of those that no rank asks for.
pub(crate) fn check(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(preemptions);
    builder.max_branches = 100_000;
    let (bound, began) = (builder.preemption_bound, Instant::now());
    let orders = std::sync::Arc::new(AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&orders);
    builder.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let (orders, name) = (orders.load(Ordering::Relaxed), std::thread::current());
    let (name, bound) = (name.name().unwrap_or_default().to_owned(), bound.unwrap_or_default());
    let took = began.elapsed().as_secs_f32();
    println!("{name}: {orders} orders with at most {bound} preemptions in {took:.1} s");
}

/// Runs ranks that are made before any of them goes on, the first one on this thread.
pub(crate) fn play<R: FnOnce() + 'static>(ranks: impl Iterator<Item = R>) {
    let mut ranks = ranks.collect::<Vec<_>>().into_iter();
    let first = ranks.next();
    let others: Vec<_> = ranks.map(loom::thread::spawn).collect();
    first.into_iter().for_each(|first| first());
    others.into_iter().for_each(|rank| rank.join().unwrap());
}

#[derive(Default)]
struct Fields {
    source: Watched,
    destination: [Watched; 3],
    packed: [Watched; 2],
}

struct Member {
    here: usize,
    group: Arc<Group>,
    channels: Vec<ThreadChannel>,
    fields: Rc<Vec<Fields>>,
}

#[derive(Clone, Copy)]
struct Ranks {
    ranks: usize,
    channels: usize,
    way: Way,
    /// Ranks end when they are through, which wakes those that wait.
    end: bool,
    in_a_line: bool,
}

const LENDING: Ranks = Ranks { ranks: 2, channels: 1, way: Way::Lent, end: true, in_a_line: false };
const PACKING: Ranks = Ranks { way: Way::Messages, ..LENDING };

impl Ranks {
    /// Runs `body` by all ranks, in every order that [`check`] tries.
    fn model(self, preemptions: usize, body: impl Fn(&mut Member) + Clone + Send + Sync + 'static) {
        let start = move |mut member: Member| {
            let body = body.clone();
            move || {
                body(&mut member);
                member.channels.clear();
                if self.end {
                    member.group.end(member.here, "returned".into());
                }
            }
        };
        check(preemptions, move || play(self.members().into_iter().map(&start)));
    }

    fn members(self) -> Vec<Member> {
        let group = Arc::new(Group::new(self.ranks));
        let fields = Rc::new((0..self.ranks).map(|_| Fields::default()).collect::<Vec<_>>());
        let mut members: Vec<_> = (0..self.ranks)
            .map(|here| {
                let (group, fields) = (Arc::clone(&group), Rc::clone(&fields));
                Member { here, group, channels: Vec::new(), fields }
            })
            .collect();
        (0..self.channels).for_each(|_| self.open(&mut members));
        members
    }

    fn open(self, members: &mut [Member]) {
        let outboxes: Vec<_> = (0..self.ranks).map(|_| Arc::new(RankOutbox::default())).collect();
        for member in members {
            member.group.begin(member.here, 0).unwrap();
            let rank = Rank::new(member.here, Arc::clone(&member.group));
            let ranks = (outboxes.clone(), self.partners(member.here));
            let mut channel = ThreadChannel::new(&rank, (self.way, ""), ranks, None);
            channel.prepare_messages(self.messages(member.here));
            member.channels.push(channel);
        }
    }

    fn partners(self, here: usize) -> Partners {
        let sends = |from: usize, to: usize| !self.in_a_line || from + 1 == to;
        Partners { divide: !self.in_a_line, ..Partners::new(here, self.ranks, sends) }
    }

    fn messages(self, here: usize) -> std::sync::Arc<Messages> {
        let Partners { senders, receivers, .. } = self.partners(here);
        let [outgoing, incoming] = [receivers, senders].map(|ranks| {
            let envelopes = ranks.into_iter().map(|rank| Envelope { rank, len: 1 });
            Lists::new(&envelopes.collect::<Vec<_>>(), 1)
        });
        std::sync::Arc::new(Messages { outgoing, incoming, order: None })
    }
}

fn value(rank: usize, round: usize) -> u8 {
    (16 * round + rank + 1) as u8
}

/// Leaks memory, so that a copy through a stale pointer does no harm to the model.
fn kept<const N: usize>(bytes: [u8; N]) -> &'static mut [u8] {
    Box::leak(Box::new(bytes))
}

fn told(result: Result<(), Error>) -> (&'static str, usize) {
    match result {
        Ok(()) => ("ok", 0),
        Err(Error::PeerFailed { rank, .. }) => ("failed", rank),
        Err(Error::RankEnded { rank, .. }) => ("ended", rank),
        Err(Error::DifferentMoves { rank }) => ("different", rank),
        Err(Error::TooFewRanks { .. }) => ("own", 0),
        Err(error) => panic!("{error}"),
    }
}
