//! Draws a right program by its number.

use crate::program::{Begun, Binding, Call, Dealt, Group, Made, Phase, Planned, Program};
use crate::reported::{REPORTED, reported};
use fastrand::Rng;
use std::ops::Range;
use std::time::Duration;

/// Ranges of bytes of a message, around limits of the libraries: unasked within a node or between
/// two, in one piece or in several.
const LENGTHS: [Range<usize>; 5] =
    [8..300, 2_000..6_000, 12_000..20_000, 50_000..80_000, 200_000..600_000];

/// Most bytes of an array, of all that a loop moves, and of all that a flood moves.
const ARRAY: usize = 1 << 21;
const LOOP: usize = 6 << 20;
const FLOOD: usize = 72 << 20;

/// Bytes of a message of a flood: so many turns of it are more than memory may grow by.
const FLOODS: Range<usize> = 300_000..500_000;

/// Turns from which a loop is long: work in each turn is short then.
const LONG: usize = 20;

impl Program {
    /// Draws a program; every third has a flood. The first numbers are [reported] programs.
    pub fn drawn(number: u64) -> Self {
        if number < REPORTED {
            return reported(number);
        }
        let rng = &mut Rng::with_seed(number);
        let ranks = [2, 3, 3, 3, 4, 4][rng.usize(..6)];
        let groups = groups(ranks, rng);
        let has_flood = rng.usize(..3) == 0;
        let mut plans: Vec<Planned> = Vec::new();
        for number in 0..rng.usize(2..=4) {
            let is_again = number > 0 && rng.usize(..3) == 0;
            plans.push(if is_again {
                plans[rng.usize(..number)].clone()
            } else {
                plan(&groups, rng)
            });
        }
        if has_flood {
            plans.extend(flood(&groups, rng));
        }
        let mut drawing = Drawing { ranks, groups: &groups, plans: &plans, rng };
        let mut phases: Vec<_> =
            (0..drawing.rng.usize(1..=3)).map(|number| drawing.phase(number)).collect();
        phases.extend(has_flood.then(|| drawing.flood()));
        Self { number, ranks, groups, plans, phases }
    }
}

/// Draws communicators of all ranks first, then of some.
fn groups(ranks: usize, rng: &mut Rng) -> Vec<Group> {
    let all = Group { made: Made::Duplicate(None), members: (0..ranks).collect() };
    let mut groups = vec![all];
    for _ in 0..[0, 0, 1, 1, 2, 3][rng.usize(..6)] {
        let group = match rng.usize(..3) {
            0 => {
                let of = rng.usize(..groups.len());
                Group { made: Made::Duplicate(Some(of)), members: groups[of].members.clone() }
            }
            _ => {
                let least = 2.min(ranks);
                Group { made: Made::Split, members: some(0..ranks, rng.usize(least..=ranks), rng) }
            }
        };
        groups.push(group);
    }
    groups
}

/// Draws so many of these numbers, in any order.
fn some(of: Range<usize>, count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut all: Vec<usize> = of.collect();
    rng.shuffle(&mut all);
    all.truncate(count);
    all
}

/// Draws a plan: everybody to everybody, a shift, some ranks to others, all to one rank, one rank
/// to all, or a single rank.
fn plan(groups: &[Group], rng: &mut Rng) -> Planned {
    let group = if rng.bool() { 0 } else { rng.usize(..groups.len()) };
    let size = groups[group].members.len();
    let (all, any) = ((0..size).collect::<Vec<_>>(), vec![rng.usize(..size)]);
    let (senders, receivers) = match rng.usize(..10) {
        0..=2 => (all.clone(), all),
        3 => (all.clone(), (1..size).chain([0]).collect()),
        4..=6 => {
            let mut dealt = some(0..size, size, rng);
            let receivers = dealt.split_off(rng.usize(1..size));
            let most = rng.usize(1..=receivers.len());
            (dealt, receivers[..most].to_vec())
        }
        7 => (all, any),
        8 => (any, all),
        _ => (any.clone(), any),
    };
    let lengths = &LENGTHS[rng.usize(..LENGTHS.len())];
    let bytes = rng.usize(lengths.clone());
    let messages = if rng.bool() {
        senders.len() * receivers.len()
    } else {
        senders.len().max(receivers.len())
    };
    let extent = (bytes * messages).min(ARRAY) / 8;
    let blocks = ["block", "block", "cyclic", "cyclic(7)", "cyclic(500)"];
    let mut side = |ranks| Dealt { by: blocks[rng.usize(..blocks.len())], ranks };
    let (from, to) = (side(senders), side(receivers));
    let binding = match rng.usize(..20) {
        0..=2 => Binding::ByMessages,
        3 => Binding::InSteps,
        4 => Binding::Collectively,
        5 => Binding::InPieces(rng.usize(500..9_000)),
        _ => Binding::Usual,
    };
    let shared = match rng.usize(..8) {
        0 => [rng.bool(), true],
        1 => [true, false],
        _ => [false, false],
    };
    Planned { group, extent, from, to, binding, shared }
}

/// Draws the two plans of a flood: of messages from one rank to another, and of a rank that moves
/// its own elements.
fn flood(groups: &[Group], rng: &mut Rng) -> [Planned; 2] {
    let group = rng.usize(..groups.len());
    let pair = some(0..groups[group].members.len(), 2, rng);
    let alone = pair[rng.usize(..2)];
    let of = |bytes: usize, from: usize, to: usize| {
        let side = |rank: usize| Dealt { by: "block", ranks: vec![rank] };
        let (from, to, binding, shared) = (side(from), side(to), Binding::Usual, [false; 2]);
        Planned { group, extent: bytes / 8, from, to, binding, shared }
    };
    [of(rng.usize(FLOODS), pair[0], pair[1]), of(64, alone, alone)]
}

/// The drawing of a program whose groups and plans are known.
struct Drawing<'p> {
    /// Ranks of the program.
    ranks: usize,
    groups: &'p [Group],
    plans: &'p [Planned],
    rng: &'p mut Rng,
}

impl Drawing<'_> {
    /// Draws the loop with this number.
    fn phase(&mut self, number: usize) -> Phase {
        let asked = match self.rng.usize(..4) {
            0 | 1 => self.rng.usize(1..8),
            2 => self.rng.usize(LONG..70),
            _ => self.rng.usize(100..=200),
        };
        let body = self.body();
        let mut late = vec![Duration::ZERO; self.ranks];
        // The longest rank of each program works for a time that chance does not reach.
        if number == 0 || self.rng.usize(..4) > 0 {
            late[self.rng.usize(..self.ranks)] = Duration::from_millis(self.rng.u64(20..100));
        }
        if self.rng.usize(..3) == 0 {
            late[self.rng.usize(..self.ranks)] = Duration::from_millis(self.rng.u64(20..80));
        }
        self.looped(&body, (asked, LOOP), late)
    }

    /// Draws a loop in which a sender of many long messages may be ahead of their receiver.
    fn flood(&mut self) -> Phase {
        let (flood, alone) = (self.plans.len() - 2, self.plans.len() - 1);
        let mut body = vec![Begun::Move(flood)];
        body.resize(1 + [0, 1, 1, 1, 3][self.rng.usize(..5)], Begun::Move(alone));
        self.rng.shuffle(&mut body);
        let mut late = vec![Duration::ZERO; self.ranks];
        let Planned { group, from, .. } = &self.plans[flood];
        let sender = self.groups[*group].members[from.ranks[0]];
        for (rank, late) in late.iter_mut().enumerate() {
            // Mostly all but the sender.
            if self.rng.usize(..4) > 0 && (self.rng.usize(..4) == 0 || rank != sender) {
                *late = Duration::from_millis(self.rng.u64(200..600));
            }
        }
        self.looped(&body, (200, FLOOD), late)
    }

    /// Draws the calls of a loop, which has fewer turns than asked where that would move more
    /// bytes.
    fn looped(
        &mut self,
        body: &[Begun],
        (turns, most): (usize, usize),
        late: Vec<Duration>,
    ) -> Phase {
        let bytes: usize = body.iter().map(|begun| self.bytes(*begun)).sum();
        let times = turns.min(most / bytes.max(1)).max(1);
        let mut calls: Vec<_> = (0..self.ranks).map(|rank| self.calls(rank, body, times)).collect();
        if times < LONG && self.rng.usize(..3) > 0 {
            let work = Call::Work(Duration::from_millis(self.rng.u64(2..20)));
            calls[self.rng.usize(..self.ranks)].insert(0, work);
        }
        Phase { times, late, calls }
    }

    fn body(&mut self) -> Vec<Begun> {
        let len = [1, 2, 2, 3, 4, 6][self.rng.usize(..6)];
        let mut begun = || match self.rng.usize(..20) {
            0 => Begun::Barrier(self.rng.usize(..self.groups.len())),
            _ => Begun::Move(self.rng.usize(..self.plans.len())),
        };
        (0..len).map(|_| begun()).collect()
    }

    /// Returns the bytes of a move.
    fn bytes(&self, begun: Begun) -> usize {
        match begun {
            Begun::Move(plan) => 8 * self.plans[plan].extent,
            Begun::Barrier(_) => 0,
        }
    }

    fn is_in(&self, rank: usize, begun: Begun) -> bool {
        let group = match begun {
            Begun::Move(plan) => self.plans[plan].group,
            Begun::Barrier(group) => group,
        };
        self.groups[group].members.contains(&rank)
    }

    /// Draws a rank's calls in a turn of a loop: how it begins each move, and after which of them
    /// it finishes a started move. It does so before it begins a second move by the same plan,
    /// in this turn or the next.
    fn calls(&mut self, rank: usize, body: &[Begun], times: usize) -> Vec<Call> {
        let own: Vec<Begun> =
            body.iter().copied().filter(|begun| self.is_in(rank, *begun)).collect();
        let count = own.len();
        // Calls after each of the rank's steps, before its next one.
        let mut after = vec![Vec::new(); count];
        let mut begins = Vec::new();
        let runs = [0, 2, 5][self.rng.usize(..3)];
        for (at, begun) in own.iter().enumerate() {
            begins.push(match *begun {
                Begun::Barrier(group) => Call::Barrier(group),
                Begun::Move(plan) if self.rng.usize(..5) < runs => Call::Run(plan),
                Begun::Move(plan) => {
                    let until = (1..=count).find(|ahead| own[(at + ahead) % count] == *begun);
                    let last = self.rng.usize(..until.unwrap_or(1));
                    for test in 0..last {
                        if self.rng.usize(..4) == 0 {
                            after[(at + test) % count].push(Call::Test(plan));
                        }
                    }
                    let finish = if self.rng.usize(..4) == 0 {
                        Call::Poll(plan)
                    } else {
                        Call::Finish(plan)
                    };
                    after[(at + last) % count].push(finish);
                    Call::Start(plan)
                }
            });
        }
        let mut calls = Vec::new();
        for (begin, mut after) in begins.into_iter().zip(after) {
            calls.extend(self.work(times));
            calls.push(begin);
            self.rng.shuffle(&mut after);
            calls.extend(after);
        }
        calls.extend(self.work(times));
        calls
    }

    /// Draws work between two calls, or none.
    fn work(&mut self, times: usize) -> Option<Call> {
        let is_long = times >= LONG;
        let works = self.rng.usize(..if is_long { 12 } else { 4 }) == 0;
        let most = if is_long { 3 } else { 5 };
        works.then(|| Call::Work(Duration::from_micros(100 << self.rng.u32(..most))))
    }
}
