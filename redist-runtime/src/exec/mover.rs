//! One rank's bound plan without its element type: binding, and preparing what its way needs.

use super::exchange::MessageExchange;
use super::prepared::{Facts, Prepared};
use super::rounds::MoveRounds;
use crate::element::ElementType;
use crate::error::Error;
use crate::layout::Padding;
use crate::plan::schedule::{Method, Schedules, Step, steps};
use crate::plan::{AnyPlan, Side, Trapezoid};
use crate::program::StridedArray;
use crate::transport::{
    Channel, MessageSizes, Options, Partners, Proposal, RankGroup, Route, Way, slots_of,
};
use core::any::Any;
use core::fmt;

/// Moves one rank's part of an array of bytes, as often as wanted.
pub struct Mover {
    pub(super) element: ElementType,
    /// Ranks of the communicator.
    pub(super) ranks: usize,
    pub(super) prepared: Prepared,
    pub(super) decision: Decision,
    pub(super) exchange: MessageExchange,
    /// Rounds that bound the memory of messages, if the caller asks for a bound.
    pub(super) rounds: Option<MoveRounds>,
    /// The error because of which this rank leaves out rounds of the call that it is in.
    pub(super) left_out: Option<Error>,
    /// A panic of the caller's function, resumed when the call is over.
    pub(super) of_function: Option<Box<dyn Any + Send>>,
}

/// The caller's options for a binding.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    /// Schedule of the messages, if one is asked for.
    pub method: Option<AskedMethod>,
    pub options: Options,
    pub trapezoid: Option<Trapezoid>,
    /// Memory layout of this rank's local arrays, by side; dense if none is given.
    pub paddings: [Option<Padding>; 2],
    /// Cuts a move with bounded memory; programs that bound none do not link its code.
    pub rounds: Option<CutIntoRounds>,
}

/// Cuts the move of these facts within a number of bytes, on this channel.
type CutIntoRounds = fn(&Facts, usize, &dyn Channel) -> Result<MoveRounds, Error>;

impl Mover {
    /// Binds; `description` of the plan is for the errors of other ranks. Collective.
    pub(super) fn new(
        mut facts: Facts,
        element: ElementType,
        communicator: &dyn RankGroup,
        wishes: &Wishes,
        description: fmt::Arguments<'_>,
    ) -> Result<Self, Error> {
        let (rank, size) = (communicator.rank(), communicator.size());
        let decision = match facts.plan.ranks() {
            needed if needed > size => Err(Error::TooFewRanks { needed, size }),
            _ => facts
                .pad(&wishes.paddings)
                .and_then(|()| Decision::new(&facts, wishes.method, wishes.options.route)),
        };
        let numbers = facts.numbers();
        let options = match facts.trapezoid {
            Some(_) => Options { route: Route::Messages, ..wishes.options },
            None => wishes.options,
        };
        let part = facts.trapezoid.map(|part| format!(", {part}")).unwrap_or_default();
        let description = format_args!("{description}{part}");
        let bytes = |source, destination| {
            facts.plan.volume(source, destination).saturating_mul(facts.width)
        };
        let pack = facts.gains_by_packing();
        let partners = || match options.collectively {
            true => Partners::new(rank, size, |_, _| true),
            false => Partners::new(rank, facts.plan.ranks(), |from, to| bytes(from, to) > 0),
        };
        let proposal = decision.as_ref().map_err(Error::clone).map(|decision| Proposal {
            element,
            numbers: &numbers,
            description,
            method: decision.method,
            arrays: &facts.arrays,
            partners: &partners,
            options: &options,
            sizes: MessageSizes { bytes: &bytes, largest_array: facts.largest_array(), pack },
        });
        let channel = communicator.open(proposal)?;
        let divides = channel.way().0 == Way::Lent && partners().divide;
        let rounds = match (options.bound(), wishes.rounds) {
            (Some(bound), Some(rounds)) => Some(rounds(&facts, bound, &*channel)?),
            _ => None,
        };
        let mut mover = Self {
            rounds,
            left_out: None,
            of_function: None,
            element,
            ranks: size,
            prepared: Prepared::new(facts, channel.arrays(), divides),
            decision: decision?,
            exchange: MessageExchange::new(channel),
        };
        mover.prepare();
        Ok(mover)
    }

    /// Prepares only what this plan's way needs if all ranks run a move.
    fn prepare(&mut self) {
        let channel = &mut *self.exchange.channel;
        match channel.way().0 {
            Way::Lent => {
                self.prepared.copies(self.prepared.divides);
            }
            Way::Chunks => {
                if let Some(slots) = slots_of(channel) {
                    slots.note_chunks(self.prepared.prepare_staged(slots.max_chunk()));
                }
            }
            Way::Slots => self.prepare_messages(),
            Way::Messages => self.prepare_unless_in_rounds(),
        }
    }

    pub(super) fn prepare_messages(&mut self) {
        if self.exchange.messages.is_none() {
            self.prepare_round(0);
        }
    }

    /// Each round prepares its own messages.
    pub(super) fn prepare_unless_in_rounds(&mut self) {
        if self.round_count() == 1 {
            self.prepare_messages();
        }
    }

    pub(super) fn prepare_round(&mut self, round: usize) {
        if let Some(rounds) = self.rounds.as_ref().filter(|rounds| rounds.count() > 1) {
            self.prepared.enter_round(Some(&rounds.indices(round)));
        }
        let room = self.rounds.as_ref().map(|rounds| match rounds.count() {
            1 => [0; 2],
            _ => rounds.room,
        });
        let head = self.exchange.channel.facts().head;
        self.exchange.prepare(self.prepared.messages(self.decision.order(), (head, room)));
    }

    pub(super) fn round_count(&self) -> usize {
        self.rounds.as_ref().map_or(1, MoveRounds::count)
    }

    pub(super) fn leave_rounds(&mut self) {
        if self.round_count() > 1 {
            self.exchange.messages = None;
            self.prepared.enter_round(None);
        }
    }

    pub fn rank(&self) -> usize {
        self.prepared.facts.rank
    }

    pub fn way(&self) -> Way {
        self.exchange.channel.way().0
    }

    pub fn method(&self) -> Method {
        self.decision.method
    }

    /// Returns the elements of this rank's array on one side.
    pub fn local_len(&self, side: Side) -> usize {
        self.array(side).len
    }

    pub fn local_shape(&self, side: Side) -> &[usize] {
        &self.array(side).shape
    }

    /// Returns the strides of the stored local array, in elements.
    pub fn local_strides(&self, side: Side) -> &[usize] {
        &self.array(side).strides
    }

    pub(super) fn array(&self, side: Side) -> &StridedArray {
        &self.prepared.facts.arrays[side as usize]
    }

    pub(super) fn lengths(&self, source: usize, destination: usize) -> Result<(), Error> {
        let (from, to) = (Side::Source, Side::Destination);
        let (side, found) = match (self.has_len(from, source), self.has_len(to, destination)) {
            (true, true) => return Ok(()),
            (false, _) => (from, source),
            (true, false) => (to, destination),
        };
        let exchanged = self.has_len(from, destination) && self.has_len(to, source);
        Err(self.other_length(side, found, exchanged))
    }

    fn has_len(&self, side: Side, found: usize) -> bool {
        let StridedArray { len, may_be_longer, .. } = self.array(side);
        found == *len || *may_be_longer && found > *len
    }

    fn other_length(&self, side: Side, found: usize, exchanged: bool) -> Error {
        let (rank, StridedArray { len, may_be_longer, .. }) = (self.rank(), self.array(side));
        let (expected, needed) = (*len, *len);
        match may_be_longer {
            false => Error::LocalLength { rank, side, expected, found, exchanged },
            true => Error::ShortArray { rank, side, needed, found, exchanged },
        }
    }
}

/// A method that the caller asks for, with the code of all schedules: programs without such calls
/// do not link it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedMethod {
    method: Method,
    /// Returns the steps of a rank in the plan by the method.
    steps: fn(&AnyPlan, Method, usize) -> Result<Steps, Error>,
}

/// A rank's steps, in order; `None` if all messages go at once.
type Steps = Option<Vec<Step>>;

impl AskedMethod {
    pub fn new(method: Method) -> Self {
        let steps = |plan: &AnyPlan, method, rank| {
            let schedule = plan.schedule(method)?;
            Ok(schedule.map(|schedule| steps(plan, &*schedule, rank)))
        };
        Self { method, steps }
    }
}

/// The order of messages in time, and the reason for it.
pub(super) struct Decision {
    pub method: Method,
    /// This rank's steps; `None` if all messages go at once.
    pub steps: Steps,
    pub reason: &'static str,
}

impl Decision {
    /// Decides alike on all ranks with one plan, method and route, except for the steps. Fails for
    /// steps of a trapezoid, because some pairs of ranks with common elements send no message, and
    /// for routes of whole arrays.
    pub fn new(facts: &Facts, asked: Option<AskedMethod>, route: Route) -> Result<Self, Error> {
        let at_once = |reason| Ok(Self { method: Method::AllAtOnce, steps: None, reason });
        let unavailable = |what| {
            let reason = "of a trapezoid, packed messages go, all at once".into();
            Err(Error::Unavailable { what, reason })
        };
        match (facts.trapezoid, asked) {
            (Some(_), _) if route == Route::Chunks => unavailable(format!("the route `{route}`")),
            (Some(_), Some(AskedMethod { method, .. })) if method != Method::AllAtOnce => {
                unavailable(format!("the method `{method}`"))
            }
            (Some(_), _) => at_once("a trapezoid has no steps"),
            (None, None) => at_once("no schedule is asked for"),
            (None, Some(AskedMethod { method, steps })) => {
                let steps = steps(&facts.plan, method, facts.rank)?;
                Ok(Self { method, steps, reason: "asked for by the caller" })
            }
        }
    }

    pub fn order(&self) -> Option<Vec<usize>> {
        let steps = self.steps.as_deref()?;
        Some(steps.iter().filter_map(|step| step.send).collect())
    }
}

/// Most rounds of a move. Each costs an agreement of the ranks, and a rank that is at fault is told
/// of when all are played, wherever it has no elements for this rank.
const MAX_ROUNDS: usize = 1 << 20;

/// Cuts the move into rounds within `bound` bytes; ranks differ only in their own buffers.
pub(super) fn cut_into_rounds(
    facts: &Facts,
    bound: usize,
    channel: &dyn Channel,
) -> Result<MoveRounds, Error> {
    let (Facts { plan, rank, width, .. }, held) = (facts, channel.facts());
    let heads = held.head * plan.ranks();
    let bytes = (bound, held.window + 2 * heads, heads);
    let rounds = MoveRounds::new(plan, *rank, *width, bytes, held.receives)?;
    if rounds.count() > MAX_ROUNDS {
        return Err(Error::Unavailable {
            what: format!("a move within {bound} bytes (`max_bytes`)"),
            reason: format!(
                "it would go in {} rounds, with an agreement of all ranks in each, and at most {MAX_ROUNDS} are played; \
                 allow more bytes",
                rounds.count()
            ),
        });
    }
    if facts.trapezoid.is_some() && rounds.count() > 1 {
        return Err(Error::Unavailable {
            what: format!("a trapezoid within {bound} bytes (`max_bytes`)"),
            reason: "a trapezoid moves at once, and messages of the whole matrix would not fit; allow more, or move the \
                     whole matrix"
                .into(),
        });
    }
    Ok(rounds)
}
