//! Measuring a network: what messages between the ranks of a communicator cost.
//!
//! Unsafe, since MPI is given buffers while messages are under way.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::library::Library;
use super::live::LiveCommunicator;
use super::preflight;
use super::request::Request;
use crate::error::Error;
use crate::plan::schedule::CostModel;
use ::mpi::ffi::MPI_Comm;
use ::mpi::traits::{AsRaw, Communicator};
use core::fmt;
use core::str::FromStr;
use std::ffi::c_int;
use std::time::{Duration, Instant};

/// What a network costs, measured among the ranks of a communicator.
///
/// [`measure`](Calibration::measure) takes a second or two; [`keep`](Calibration::keep) has plans
/// that are bound to the communicator from then on choose their schedules by it. It is written as
/// one line of text, and read from that.
///
/// ```
/// # use redist_runtime::transport as redist;
/// use redist::mpi::Calibration;
/// # #[cfg(any())]
/// let measured = Calibration::measure(&world)?;
/// # let line = "startup 2.5e-6 per_byte 4.1e-9 contention 0.31 incast 0.92 piece 16384";
/// # let measured: Calibration = line.parse()?;
/// let line = measured.to_string();
/// assert_eq!(line.parse(), Ok(measured));
/// assert!(measured.model.contention > 0.0, "messages that meet slow each other down");
/// # Ok::<(), redist::mpi::NotACalibration>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Calibration {
    /// What schedules are chosen by: the startup of a message; the time of a byte, where ranks send
    /// one message after the other; and how much longer all of them take at once, as a fraction, 0
    /// where that is less than a tenth.
    pub model: CostModel,
    /// How much longer messages of several ranks to one take at once than one after the other, as a
    /// fraction. No schedule is chosen by it.
    pub incast: f64,
    /// Bytes of the pieces that messages to other nodes go in, where a plan is not given others
    /// ([`Binder::max_message_bytes`](crate::exec::Binder::max_message_bytes)): what the library sends
    /// without asking the receiver, 128 KiB or 1 MiB, the first unless another took at least a tenth
    /// less time.
    pub piece_bytes: usize,
}

/// The line of text is none that a [`Calibration`] is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotACalibration;

impl fmt::Display for NotACalibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "no calibration: a line like `startup 2e-6 per_byte 1e-9 contention 0.3 incast 0.9 piece \
             16384`, in seconds and fractions that are not negative, and bytes of one at least",
        )
    }
}

impl std::error::Error for NotACalibration {}

/// Messages that a rank sends in one measurement, at most.
const MOST_PEERS: usize = 8;

/// Bytes of the messages whose startups are measured, and of the first whose bytes are.
const SHORT: usize = 8;
const FIRST_LONG: usize = 64 << 10;

/// Bytes of the longest message.
const LONGEST: usize = 4 << 20;

/// What an exchange should take at least: more than switches have room for, so that it shows what
/// becomes of that.
const LONG_ENOUGH: Duration = Duration::from_millis(40);

/// Bytes of pieces that are tried: the first is for networks of which nothing is known.
fn pieces() -> [usize; 3] {
    [Library::linked().unasked_bytes, 128 << 10, 1 << 20]
}

/// What a longer piece has to gain, as a fraction.
const LEAST_GAIN: f64 = 0.1;

/// Times that each exchange is measured at most, and what all of them take before no further one
/// begins. Means count: where messages are lost on the way, few of them wait for very long.
const REPETITIONS: u32 = 4;
const BUDGET: Duration = Duration::from_millis(500);

/// What is taken for none: measurements vary by as much, and steps wait for each other.
const LEAST_CONTENTION: f64 = 0.1;

/// How a rank sends its messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    AtOnce,
    /// Each when the one before is sent.
    InTurn,
}

impl Calibration {
    /// Measures. Collective; the same on all ranks.
    ///
    /// # Errors
    /// What the library says. A communicator of one rank has nothing to measure:
    /// [`Error::Unavailable`].
    pub fn measure(
        communicator: &(impl Communicator + AsRaw<Raw = MPI_Comm>),
    ) -> Result<Self, Error> {
        let context = Context::of(LiveCommunicator::of(communicator))?;
        context.set_up()?;
        if context.communicator().size() < 2 {
            let reason = "one rank sends no messages".into();
            return Err(Error::Unavailable { what: "a calibration".into(), reason });
        }
        let mut bench = Bench::new(context.communicator());
        let [startups, _] = bench.both(SHORT)?;
        let startup = startups / bench.peers.len() as f64;
        let bytes = bench.long_enough()?;
        bench.piece = bench.best_piece(bytes)?;
        let [in_turn, at_once] = bench.both(bytes)?;
        let all = (bytes * bench.peers.len()) as f64;
        let measured = at_once / in_turn - 1.0;
        let contention = if measured < LEAST_CONTENTION { 0.0 } else { measured };
        let [one_by_one, together] = bench.incast(bytes)?;
        let incast = (together / one_by_one - 1.0).max(0.0);
        let model = CostModel { startup, per_byte: in_turn / all, contention };
        Ok(Self { model, incast, piece_bytes: bench.piece })
    }

    /// Has plans that are bound to the communicator from now on choose their schedules by this, where
    /// they are given no model of their own. Where all ranks are on one node they do not send
    /// messages, and nothing changes. Collective.
    ///
    /// # Errors
    /// Ranks bring different ones: on all ranks, naming the lowest that differs from rank 0.
    pub fn keep(
        self,
        communicator: &(impl Communicator + AsRaw<Raw = MPI_Comm>),
    ) -> Result<(), Error> {
        let context = Context::of(LiveCommunicator::of(communicator))?;
        context.set_up()?;
        let own = context.communicator();
        let mine = self.to_string();
        let first = own.broadcast_text(0, &mine)?;
        if let Some(rank) = preflight::lowest(own, first != mine)? {
            let theirs = own.broadcast_text(rank, &mine)?;
            let reason = format!("it brings the calibration `{theirs}`, rank 0 `{first}`");
            return Err(Error::PeerFailed { rank, reason });
        }
        context.calibrate(self);
        Ok(())
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CostModel { startup, per_byte, contention } = self.model;
        let Self { incast, piece_bytes, .. } = self;
        write!(
            f,
            "startup {startup:e} per_byte {per_byte:e} contention {contention} incast {incast} \
             piece {piece_bytes}"
        )
    }
}

impl FromStr for Calibration {
    type Err = NotACalibration;

    fn from_str(text: &str) -> Result<Self, NotACalibration> {
        let mut words = text.split_whitespace();
        let mut number = |name: &str| {
            let is_named = words.next() == Some(name);
            let number = words.next().and_then(|word| word.parse::<f64>().ok());
            let is_sound = |number: &f64| is_named && number.is_finite() && *number >= 0.0;
            number.filter(is_sound).ok_or(NotACalibration)
        };
        let (startup, per_byte) = (number("startup")?, number("per_byte")?);
        let (contention, incast) = (number("contention")?, number("incast")?);
        let is_piece = words.next() == Some("piece");
        let piece_bytes = words.next().and_then(|word| word.parse::<c_int>().ok());
        match (piece_bytes.filter(|bytes| is_piece && *bytes > 0), words.next()) {
            (Some(bytes), None) => {
                let model = CostModel { startup, per_byte, contention };
                Ok(Self { model, incast, piece_bytes: bytes as usize })
            }
            _ => Err(NotACalibration),
        }
    }
}

/// One rank's part in the measurements.
struct Bench<'a> {
    communicator: &'a OwnCommunicator,
    /// How far the ranks are that this one sends to, in the order of ranks.
    peers: Vec<usize>,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    /// Bytes of the pieces that messages go in.
    piece: usize,
}

/// No channel's tags are 0, and no messages of channels are under way on this communicator but with
/// their own.
const TAG: c_int = 0;

impl<'a> Bench<'a> {
    fn new(communicator: &'a OwnCommunicator) -> Self {
        let others = communicator.size() - 1;
        let count = others.min(MOST_PEERS);
        // Neighbours may be on one node.
        let peers: Vec<usize> = (0..count).map(|peer| 1 + peer * others / count).collect();
        let (outgoing, incoming) = (vec![1; LONGEST], vec![0; LONGEST * count]);
        Self { communicator, peers, outgoing, incoming, piece: pieces()[0] }
    }

    /// Seconds of an exchange with messages of `bytes`, one after the other and at once.
    fn both(&mut self, bytes: usize) -> Result<[f64; 2], Error> {
        let (mut times, mut rounds) = ([Duration::ZERO; 2], 0);
        // All ranks see the same times, and stop together.
        while rounds == 0 || (rounds < REPETITIONS && times[0] + times[1] < BUDGET) {
            times[0] += self.once(bytes, Order::InTurn)?;
            times[1] += self.once(bytes, Order::AtOnce)?;
            rounds += 1;
        }
        Ok(times.map(|time| time.as_secs_f64() / f64::from(rounds)))
    }

    /// Bytes of messages that are worth measuring; the faster of two tries counts, since where a
    /// message is lost a short one takes long.
    fn long_enough(&mut self) -> Result<usize, Error> {
        let mut bytes = FIRST_LONG;
        while bytes < LONGEST {
            let once = self.once(bytes, Order::InTurn)?;
            if once >= LONG_ENOUGH && self.once(bytes, Order::InTurn)? >= LONG_ENOUGH {
                break;
            }
            bytes *= 2;
        }
        Ok(bytes)
    }

    /// The pieces with which messages at once take least. The least of a few tries counts: what is
    /// lost on the way has little to do with them.
    fn best_piece(&mut self, bytes: usize) -> Result<usize, Error> {
        let (mut least, mut all, mut rounds) = ([Duration::MAX; 3], Duration::ZERO, 0);
        // All ranks see the same times, and stop together.
        while rounds == 0 || (rounds < REPETITIONS && all < BUDGET) {
            for (piece, least) in pieces().into_iter().zip(&mut least) {
                self.piece = piece;
                let time = self.once(bytes, Order::AtOnce)?;
                (*least, all) = (time.min(*least), all + time);
            }
            rounds += 1;
        }
        let (best, time) =
            (0..3).map(|at| (at, least[at])).min_by_key(|of| of.1).unwrap_or_default();
        let gains = time.as_secs_f64() < (1.0 - LEAST_GAIN) * least[0].as_secs_f64();
        Ok(pieces()[if gains { best } else { 0 }])
    }

    /// Every rank sends to its peers.
    fn once(&mut self, bytes: usize, order: Order) -> Result<Duration, Error> {
        let (rank, ranks) = (self.communicator.rank(), self.communicator.size());
        let to: Vec<usize> = self.peers.iter().map(|far| (rank + far) % ranks).collect();
        let from: Vec<usize> = self.peers.iter().map(|far| (rank + ranks - far) % ranks).collect();
        self.exchange((&to, &from), bytes, order)
    }

    /// Seconds in which some ranks send to rank 0, one after the other and at once.
    fn incast(&mut self, bytes: usize) -> Result<[f64; 2], Error> {
        let rank = self.communicator.rank();
        let senders = self.peers.clone();
        let mut times = [0.0; 2];
        for &sender in &senders {
            let (to, from) =
                (&[0][..usize::from(rank == sender)], &[sender][..usize::from(rank == 0)]);
            times[0] += self.exchange((to, from), bytes, Order::AtOnce)?.as_secs_f64();
        }
        let (to, from) = (
            &[0][..usize::from(senders.contains(&rank))],
            if rank == 0 { &senders[..] } else { &[] },
        );
        times[1] = self.exchange((to, from), bytes, Order::AtOnce)?.as_secs_f64();
        Ok(times)
    }

    /// From when all ranks are there to when the last is through, with messages in pieces, as moves
    /// send them.
    fn exchange(
        &mut self,
        (to, from): (&[usize], &[usize]),
        bytes: usize,
        order: Order,
    ) -> Result<Duration, Error> {
        let communicator = self.communicator;
        communicator.minima([0])?;
        let begun = Instant::now();
        let (places, mine) = (self.incoming.chunks_exact_mut(LONGEST), &self.outgoing[..bytes]);
        let mut requests = Vec::new();
        for (place, from) in places.zip(from) {
            for piece in place[..bytes].chunks_mut(self.piece) {
                let (at, len) = (piece.as_mut_ptr(), piece.len());
                // SAFETY: the piece has that many bytes, and no other message is received there. It
                // is waited for below before this returns; an error of the library ends the job
                // (`must`).
                requests.push(unsafe { communicator.begin_receive(at, len, *from, TAG) }?);
            }
        }
        for to in to {
            let first = requests.len();
            for piece in mine.chunks(self.piece) {
                let (at, len) = (piece.as_ptr(), piece.len());
                // SAFETY: the bytes are borrowed until this returns, before which the message is
                // waited for; an error of the library ends the job (`must`).
                requests.push(unsafe { communicator.begin_send(at, len, *to, TAG) }?);
            }
            if order == Order::InTurn {
                requests[first..].iter_mut().try_for_each(|sent| communicator.wait(sent))?;
            }
        }
        requests.iter_mut().try_for_each(|request: &mut Request| communicator.wait(request))?;
        let mine = begun.elapsed().as_nanos() as u64;
        // The longest: least of the complements, which are less than 2^63.
        let [rest] = communicator.minima([u64::MAX / 2 - mine.min(u64::MAX / 2)])?;
        Ok(Duration::from_nanos(u64::MAX / 2 - rest))
    }
}
