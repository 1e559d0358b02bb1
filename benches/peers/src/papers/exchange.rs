//! Messages that are packed already travel: all at once, or in the steps of a schedule.

use mpi::request::scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::plan::schedule::Schedule;

/// Whom a rank sends to and receives from in a step.
pub type Partners = (Option<usize>, Option<usize>);

/// This rank's messages, by the other rank; empty where there is none.
pub struct Messages<T> {
    pub outgoing: Vec<Vec<T>>,
    pub incoming: Vec<Vec<T>>,
}

/// This rank's partners in all steps. Both sides begin with rank 0.
pub fn partners(schedule: &dyn Schedule, rank: usize) -> Vec<Partners> {
    let partners = |step| {
        let to = (rank < schedule.sources()).then(|| schedule.destination(step, rank)).flatten();
        let from = (rank < schedule.destinations()).then(|| schedule.source(step, rank)).flatten();
        (to, from)
    };
    (0..schedule.steps()).map(partners).collect()
}

impl<T: Copy + Equivalence> Messages<T> {
    /// Everything is sent and received at once.
    pub fn exchange(&mut self, world: &SimpleCommunicator) {
        self.keep_own(world);
        let rank = Communicator::rank(world) as usize;
        let Self { outgoing, incoming } = self;
        scope(|scope| {
            let mut pending = Vec::new();
            for (from, message) in others(rank, incoming.iter_mut().enumerate()) {
                let from = world.process_at_rank(from as i32);
                pending.push(from.immediate_receive_into(scope, &mut message[..]));
            }
            for (to, message) in others(rank, outgoing.iter().enumerate()) {
                let to = world.process_at_rank(to as i32);
                pending.push(to.immediate_send(scope, &message[..]));
            }
            pending.into_iter().for_each(|request| {
                request.wait();
            });
        });
    }

    /// A step ends on a rank when its own messages in it have arrived.
    pub fn exchange_in_steps(&mut self, world: &SimpleCommunicator, steps: &[Partners]) {
        self.keep_own(world);
        let rank = Communicator::rank(world) as usize;
        for (to, from) in steps {
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
        }
    }

    /// A rank's message to itself does not travel.
    fn keep_own(&mut self, world: &SimpleCommunicator) {
        let rank = Communicator::rank(world) as usize;
        self.incoming[rank].copy_from_slice(&self.outgoing[rank]);
    }
}

/// Messages that travel.
fn others<M: std::ops::Deref<Target = Vec<T>>, T>(
    rank: usize,
    messages: impl Iterator<Item = (usize, M)>,
) -> impl Iterator<Item = (usize, M)> {
    messages.filter(move |(other, message)| *other != rank && !message.is_empty())
}
