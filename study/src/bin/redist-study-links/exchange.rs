//! Exchanges packed messages by one of the papers' schemes, or in the steps of a schedule.

use crate::latency::{Latency, Stamped};
use mpi::request::{multiple_scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use redist::Plan;
use redist::plan::schedule::Schedule;
use std::fmt;

/// Exchange and unpacking, as Hsu and Chung distinguish methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Partners in turn: each send ends when its message is received.
    Synchronous,
    /// All at once; messages are unpacked in the order of their ranks.
    InOrder,
    /// All at once; messages are unpacked as they arrive.
    AnyOrder,
}

impl Scheme {
    pub const ALL: [Scheme; 3] = [Scheme::Synchronous, Scheme::InOrder, Scheme::AnyOrder];
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scheme::Synchronous => "synchronous, in order",
            Scheme::InOrder => "asynchronous, in order",
            Scheme::AnyOrder => "asynchronous, any order",
        })
    }
}

/// Whom a rank sends to in a step, and whom it receives from: ranks of the communicator.
pub type Partners = (Option<usize>, Option<usize>);

/// One rank's messages, by the other rank; each with the room that its latency needs.
pub struct Messages<T> {
    pub outgoing: Vec<Vec<T>>,
    pub incoming: Vec<Vec<T>>,
    pub latency: Latency,
}

pub fn partners(schedule: &dyn Schedule, first: usize, rank: usize) -> Vec<Partners> {
    let receiver = rank.checked_sub(first).filter(|rank| *rank < schedule.destinations());
    let sender = (rank < schedule.sources()).then_some(rank);
    let partners = |step| {
        let to = sender.and_then(|rank| schedule.destination(step, rank));
        let from = receiver.and_then(|rank| schedule.source(step, rank));
        (to.map(|to| to + first), from)
    };
    (0..schedule.steps()).map(partners).collect()
}

impl<T: Stamped> Messages<T> {
    pub fn of(plan: &Plan<1>, (rank, ranks): (usize, usize), latency: Latency, empty: T) -> Self {
        let buffer = |volume: usize| vec![empty; latency.padded::<T>(volume)];
        Self {
            outgoing: (0..ranks).map(|to| buffer(plan.volume(rank, to))).collect(),
            incoming: (0..ranks).map(|from| buffer(plan.volume(from, rank))).collect(),
            latency,
        }
    }

    /// Returns the elements of all messages to pack.
    pub fn pack_into(&mut self) -> Vec<&mut [T]> {
        let latency = self.latency;
        self.outgoing.iter_mut().map(|message| latency.own_mut(message)).collect()
    }

    /// Returns the elements of all messages to unpack.
    pub fn unpack_from(&self) -> Vec<&[T]> {
        self.incoming.iter().map(|message| self.latency.own(message)).collect()
    }

    /// Calls `arrived` with each message to unpack, this rank's own first.
    pub fn exchange_by(
        &mut self,
        scheme: Scheme,
        world: &SimpleCommunicator,
        mut arrived: impl FnMut(usize, &[T]),
    ) {
        self.keep_own(world);
        let rank = Communicator::rank(world) as usize;
        if !self.incoming[rank].is_empty() {
            arrived(rank, self.latency.own(&self.incoming[rank]));
        }
        match scheme {
            Scheme::Synchronous => self.exchange_synchronously(world, arrived),
            Scheme::InOrder => self.exchange_at_once(world, true, arrived),
            Scheme::AnyOrder => self.exchange_at_once(world, false, arrived),
        }
    }

    fn exchange_synchronously(
        &mut self,
        world: &SimpleCommunicator,
        mut arrived: impl FnMut(usize, &[T]),
    ) {
        let (rank, ranks) = (Communicator::rank(world) as usize, self.outgoing.len());
        let latency = self.latency;
        for distance in 1..ranks {
            let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
            latency.leave(&mut self.outgoing[to]);
            let (outgoing, incoming) = (&self.outgoing[to], &mut self.incoming[from]);
            scope(|scope| {
                let sent = (!outgoing.is_empty()).then(|| {
                    let to = world.process_at_rank(to as i32);
                    to.immediate_synchronous_send(scope, &outgoing[..])
                });
                let received = (!incoming.is_empty()).then(|| {
                    let from = world.process_at_rank(from as i32);
                    from.immediate_receive_into(scope, &mut incoming[..])
                });
                for request in sent.into_iter().chain(received) {
                    request.wait();
                }
            });
            if !self.incoming[from].is_empty() {
                arrived(from, latency.arrive(&self.incoming[from]));
            }
        }
    }

    fn exchange_at_once(
        &mut self,
        world: &SimpleCommunicator,
        in_order: bool,
        mut arrived: impl FnMut(usize, &[T]),
    ) {
        let rank = Communicator::rank(world) as usize;
        let Self { outgoing, incoming, latency } = self;
        scope(|sends| {
            let sent: Vec<_> = others(rank, outgoing.iter_mut().enumerate())
                .map(|(to, message)| {
                    latency.leave(message);
                    world.process_at_rank(to as i32).immediate_send(sends, &message[..])
                })
                .collect();
            multiple_scope(incoming.len(), |scope, arriving| {
                let (mut sources, mut waiting) = (Vec::new(), Vec::new());
                for (from, message) in others(rank, incoming.iter_mut().enumerate()) {
                    let process = world.process_at_rank(from as i32);
                    let request = process.immediate_receive_into(scope, &mut message[..]);
                    sources.push(from);
                    match in_order {
                        true => waiting.push(request),
                        false => drop(arriving.add(request)),
                    }
                }
                for (from, request) in sources.iter().zip(waiting) {
                    arrived(*from, latency.arrive(request.wait_for_data()));
                }
                while arriving.incomplete() > 0 {
                    let Some((number, _, message)) = arriving.wait_any() else { break };
                    arrived(sources[number], latency.arrive(message));
                }
            });
            sent.into_iter().for_each(|request| {
                request.wait();
            });
        });
    }

    /// A step ends on a rank when its own messages in it have arrived.
    pub fn exchange_in_steps(&mut self, world: &SimpleCommunicator, steps: &[Partners]) {
        self.keep_own(world);
        let rank = Communicator::rank(world) as usize;
        let latency = self.latency;
        for (to, from) in steps {
            if let Some(to) = to.filter(|to| *to != rank) {
                latency.leave(&mut self.outgoing[to]);
            }
            let outgoing = to.filter(|to| *to != rank).map(|to| (to, &self.outgoing[to]));
            let incoming = from.filter(|from| *from != rank);
            let incoming = incoming.map(|from| (from, &mut self.incoming[from]));
            scope(|scope| {
                let received =
                    incoming.filter(|(_, message)| !message.is_empty()).map(|(from, message)| {
                        let from = world.process_at_rank(from as i32);
                        from.immediate_receive_into(scope, &mut message[..])
                    });
                let sent =
                    outgoing.filter(|(_, message)| !message.is_empty()).map(|(to, message)| {
                        world.process_at_rank(to as i32).immediate_send(scope, &message[..])
                    });
                for request in sent.into_iter().chain(received) {
                    request.wait();
                }
            });
            if let Some(from) = from.filter(|from| *from != rank) {
                latency.arrive(&self.incoming[from]);
            }
        }
    }

    fn keep_own(&mut self, world: &SimpleCommunicator) {
        let rank = Communicator::rank(world) as usize;
        self.incoming[rank].copy_from_slice(&self.outgoing[rank]);
    }
}

fn others<M: std::ops::Deref<Target = Vec<T>>, T>(
    rank: usize,
    messages: impl Iterator<Item = (usize, M)>,
) -> impl Iterator<Item = (usize, M)> {
    messages.filter(move |(other, message)| *other != rank && !message.is_empty())
}
