//! Models of ranks that are threads, built and run by `.ci/model`. They run the code of this folder
//! in every order of its shared accesses, up to a bound of preemptions.
//!
//! `loom` does not see arrays, which code uses by pointers. So each has a `Watched` beside it,
//! which owner and copies use alike: `loom` fails if these are not ordered, or if ranks wait for
//! each other for ever. Models open channels by hand, because an exchange has more orders than a
//! move; `exchanges` has models of its own.

mod exchanges;
mod lending;
mod messages;
mod pulling;

use super::channel::ThreadChannel;
use super::group::{Group, Rank};
use super::outbox::RankOutbox;
use crate::error::Error;
use crate::program::Envelope;
use crate::transport::Senders;
use crate::transport::sync::{Arc, Watched};
use crate::transport::{
    Access, Arrays, Channel, GoesOn, Lent, Lists, Messages, Messaging, Partners, Pull, Pulls,
    Source, Target, Way,
};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Runs a model in every order with at most `preemptions`, or as many as `LOOM_MAX_PREEMPTIONS`
/// says, of preemptions that no rank asks for.
fn check(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
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
fn play<R: FnOnce() + 'static>(ranks: impl Iterator<Item = R>) {
    let mut ranks = ranks.collect::<Vec<_>>().into_iter();
    let first = ranks.next();
    let others: Vec<_> = ranks.map(loom::thread::spawn).collect();
    first.into_iter().for_each(|first| first());
    others.into_iter().for_each(|rank| rank.join().unwrap());
}

/// Runs `body` by new ranks for every order that [`check`] tries.
pub(crate) fn model<R: 'static>(
    preemptions: usize,
    ranks: impl Fn() -> Vec<R> + Send + Sync + 'static,
    body: impl Fn(&mut R) + Clone + Send + Sync + 'static,
) {
    let start = move |mut rank: R| {
        let body = body.clone();
        move || body(&mut rank)
    };
    check(preemptions, move || play(ranks().into_iter().map(&start)));
}

/// Memory that one rank of a model uses, watched for races.
#[derive(Default)]
struct Fields {
    source: Watched,
    destination: [Watched; 3],
    packed: [Watched; 2],
}

/// One rank of a model.
struct Member {
    /// The rank's number.
    here: usize,
    group: Arc<Group>,
    channels: Vec<ThreadChannel>,
    fields: Rc<Vec<Fields>>,
    ranks: Ranks,
}

/// The scene of a model.
#[derive(Clone, Copy)]
struct Ranks {
    /// Number of ranks.
    ranks: usize,
    /// Channels that each rank opens.
    channels: usize,
    way: Way,
    /// Ranks end when they are through, which wakes the waiting ranks.
    end: bool,
    /// Each rank sends to the next one only.
    in_a_line: bool,
}

/// Two ranks that share their arrays.
const LENDING: Ranks = Ranks { ranks: 2, channels: 1, way: Way::Lent, end: true, in_a_line: false };
/// Two ranks that pack messages.
const PACKING: Ranks = Ranks { way: Way::Messages, ..LENDING };

impl Ranks {
    fn model(self, preemptions: usize, body: impl Fn(&mut Member) + Clone + Send + Sync + 'static) {
        model(
            preemptions,
            move || self.members(),
            move |member| {
                body(member);
                member.channels.clear();
                if self.end {
                    member.group.end(member.here, "returned".into());
                }
            },
        );
    }

    fn members(self) -> Vec<Member> {
        let group = Arc::new(Group::new(self.ranks));
        let fields = Rc::new((0..self.ranks).map(|_| Fields::default()).collect::<Vec<_>>());
        let mut members: Vec<_> = (0..self.ranks)
            .map(|here| {
                let (group, fields) = (Arc::clone(&group), Rc::clone(&fields));
                Member { here, group, channels: Vec::new(), fields, ranks: self }
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

impl Member {
    /// Returns the readiness of a rank that is ready unless it is this one.
    fn ready_unless(&self, rank: usize) -> Result<(), Error> {
        let own = Error::TooFewRanks { needed: 9, size: 2 };
        if self.here == rank { Err(own) } else { Ok(()) }
    }

    /// Meets all ranks with arrays that no other rank may be using then, and that are this rank's
    /// own when `act` is through. Returns its result, and the destination.
    fn meet<R>(
        &mut self,
        channel: usize,
        round: usize,
        ready: Result<(), Error>,
        act: impl FnOnce(Access<'_>) -> Result<R, Error>,
    ) -> Result<(R, &'static [u8]), Error> {
        let own = &self.fields[self.here];
        let (source, destination) = (kept([value(self.here, round)]), kept([0; 3]));
        let uses_own = || {
            own.source.write();
            own.destination.iter().for_each(Watched::write);
        };
        uses_own();
        let mut arrays = Arrays { source: Source::Own(source), target: Target::Own(destination) };
        // SAFETY: the access is dropped before the arrays are used again, or forgotten: they stay.
        let result = unsafe { self.channels[channel].meet(ready, &mut arrays) }.and_then(act);
        uses_own();
        result.map(|result| (result, &*arrays.target.into_bytes()))
    }

    /// Shares this rank's arrays with all. Returns the destination's value.
    fn lend(
        &mut self,
        channel: usize,
        round: usize,
        ready: Result<(), Error>,
        copy: impl FnOnce(Lent<'_>) -> Result<(), Error>,
    ) -> Result<&'static [u8], Error> {
        let met = self.meet(channel, round, ready, |access| match access {
            Access::Lent(lent) => copy(lent),
            Access::Pulled(mut pull) => pull.senders().inspect(|()| panic!("all ranks share")),
            Access::Messages => panic!("all ranks share"),
        });
        met.map(|((), destination)| destination)
    }

    /// Makes a move in which all share their arrays.
    fn whole(&mut self, channel: usize, round: usize) -> Result<(), Error> {
        let (fields, here) = (Rc::clone(&self.fields), self.here);
        let copied = self.lend(channel, round, Ok(()), |lent| {
            copy_share(&lent, &fields, here, round);
            lent.end()
        })?;
        let from = (here + 1) % fields.len();
        assert!(copied[..fields.len()].iter().all(|&element| element == value(from, round)));
        Ok(())
    }

    /// Reads what is for this rank, of its senders' arrays or messages.
    fn pull(&mut self, round: usize, ready: Result<(), Error>) -> Result<(), Error> {
        let (fields, here) = (Rc::clone(&self.fields), self.here);
        let ((outcome, is_wanted), _) = self.meet(0, round, ready, |access| {
            let Access::Pulled(mut pull) = access else { panic!("not all ranks share") };
            let outcome = pull.senders();
            if outcome.is_ok() {
                read(&mut pull, (here, &fields), round);
            }
            Ok((outcome, pull.is_a_message_wanted()))
        })?;
        if is_wanted {
            self.fill(0, round);
            self.channels[0].send().unwrap();
            self.fields[here].source.write();
        }
        outcome
    }

    /// Meets all ranks in a move of messages.
    fn meet_by_messages(&mut self, channel: usize, ready: Result<(), Error>) -> Result<(), Error> {
        let met = self.meet(channel, 0, ready, |access| match access {
            Access::Messages => Ok(()),
            _ => panic!("a rank packs"),
        });
        met.map(|_| ())
    }

    fn start(&mut self, channel: usize, round: usize) -> Result<(), Error> {
        self.channels[channel].begin(Ok(()), GoesOn::WithSenders)?;
        self.fill(channel, round);
        self.channels[channel].send()
    }

    /// Fills this rank's messages, which no other rank may be reading; returns their address.
    fn fill(&mut self, channel: usize, round: usize) -> *const u8 {
        let packed = self.channels[channel].begin_messages().unwrap();
        packed.map_or(std::ptr::null(), |outbox| {
            self.fields[self.here].packed[channel].write();
            let buffer = outbox.rooms.buffer;
            buffer.fill(value(self.here, round));
            buffer.as_ptr()
        })
    }

    fn unpack(&mut self, channel: usize, round: usize) -> Result<(), Error> {
        let number = channel;
        let channel = &mut self.channels[number];
        channel.agree()?;
        channel.all()?;
        for (message, sender) in self.ranks.partners(self.here).senders.into_iter().enumerate() {
            self.fields[sender].packed[number].read();
            assert_eq!(channel.message(message), Some(&[value(sender, round)][..]));
        }
        channel.end();
        Ok(())
    }

    /// Makes a move of messages; returns the address of this rank's.
    fn exchange(&mut self, channel: usize, round: usize) -> Result<*const u8, Error> {
        self.meet_by_messages(channel, Ok(()))?;
        let place = self.fill(channel, round);
        self.channels[channel].send()?;
        self.unpack(channel, round).map(|()| place)
    }
}

/// Copies this rank's share: one element of each destination, from the next rank's source.
fn copy_share(lent: &Lent<'_>, fields: &[Fields], here: usize, round: usize) {
    let ranks = fields.len();
    for (rank, destination) in lent.destinations.iter().enumerate() {
        let from = (rank + 1) % ranks;
        fields[from].source.read();
        fields[rank].destination[here].write();
        assert_eq!(lent.sources[from], [value(from, round)], "of this move, and of this rank");
        // SAFETY: threads of a model run one at a time, and nothing refers to the element.
        unsafe { *destination[here].get() = lent.sources[from][0] };
    }
}

fn read(pull: &mut Pull<'_>, (here, fields): (usize, &[Fields]), round: usize) {
    let has_messages = pull.channel.senders_give() == Senders::Mixed;
    if has_messages {
        pull.channel.receive().unwrap();
    }
    for (sender, found) in pull.sources().iter().enumerate() {
        if sender != here && !found.is_empty() {
            fields[sender].source.read();
            assert_eq!(**found, [value(sender, round)]);
        }
    }
    if let Some(message) = has_messages.then(|| pull.channel.message(0)).flatten() {
        // Senders are in a line, or two.
        let sender = (here + fields.len() - 1) % fields.len();
        fields[sender].packed[0].read();
        assert_eq!(message, [value(sender, round)]);
    }
}

fn value(rank: usize, round: usize) -> u8 {
    (16 * round + rank + 1) as u8
}

/// Leaks memory, so that a copy through a stale pointer does no harm to the model.
fn kept<const N: usize>(bytes: [u8; N]) -> &'static mut [u8] {
    Box::leak(Box::new(bytes))
}

fn told<T>(result: Result<T, Error>) -> (&'static str, usize) {
    match result {
        Ok(_) => ("ok", 0),
        Err(Error::PeerFailed { rank, .. }) => ("failed", rank),
        Err(Error::RankEnded { rank, .. }) => ("ended", rank),
        Err(Error::DifferentMoves { rank }) => ("different", rank),
        Err(Error::TooFewRanks { .. }) => ("own", 0),
        Err(error) => panic!("{error}"),
    }
}
