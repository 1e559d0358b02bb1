//! The worked examples of Hsu and Chung, *Efficient Methods for kr → r and r → kr Array
//! Redistribution*, figures 2, 3 and 5. A list has the elements, from 0, in local or message order;
//! `|` ends a cycle of owners.

use redist::{Error, Plan, Redistribution, Side, TypedPlan, threads};
use redist_testing::message::Message;
use std::ops::Range;

struct Example<const RANKS: usize> {
    from: &'static str,
    to: &'static str,
    before: [&'static str; RANKS],
    after: [&'static str; RANKS],
    /// From each rank (a row) to each rank (a column).
    messages: [[&'static str; RANKS]; RANKS],
}

/// 30 elements on 3 ranks, k = 5 and r = 2: one cycle. A source block of 10 is dealt out in pairs,
/// from the rank after the last pair's on.
const FIGURE_2: Example<3> = Example {
    from: "cyclic(10) onto 3",
    to: "cyclic(2) onto 3",
    before: [
        "0 1 2 3 4 5 6 7 8 9",           // rank 0
        "10 11 12 13 14 15 16 17 18 19", // rank 1
        "20 21 22 23 24 25 26 27 28 29", // rank 2
    ],
    after: [
        "0 1  6 7  12 13  18 19  24 25",   // rank 0
        "2 3  8 9  14 15  20 21  26 27",   // rank 1
        "4 5  10 11  16 17  22 23  28 29", // rank 2
    ],
    messages: [
        ["0 1  6 7", "2 3  8 9", "4 5"],           // from rank 0
        ["12 13  18 19", "14 15", "10 11  16 17"], // from rank 1
        ["24 25", "20 21  26 27", "22 23  28 29"], // from rank 2
    ],
};

/// 24 elements on 2 ranks, k = 3 and r = 2: two cycles of 12.
const FIGURE_3: Example<2> = Example {
    from: "cyclic(6) onto 2",
    to: "cyclic(2) onto 2",
    before: ["0 1 2 3 4 5 | 12 13 14 15 16 17", "6 7 8 9 10 11 | 18 19 20 21 22 23"],
    after: ["0 1  4 5  8 9 | 12 13  16 17  20 21", "2 3  6 7  10 11 | 14 15  18 19  22 23"],
    messages: [
        ["0 1  4 5 | 12 13  16 17", "2 3 | 14 15"],
        ["8 9 | 20 21", "6 7  10 11 | 18 19  22 23"],
    ],
};

const FIGURE_5: Example<2> = Example {
    from: "cyclic(2) onto 2",
    to: "cyclic(6) onto 2",
    before: ["0 1  4 5  8 9 | 12 13  16 17  20 21", "2 3  6 7  10 11 | 14 15  18 19  22 23"],
    after: ["0 1 2 3 4 5 | 12 13 14 15 16 17", "6 7 8 9 10 11 | 18 19 20 21 22 23"],
    messages: [
        ["0 1  4 5 | 12 13  16 17", "8 9 | 20 21"],
        ["2 3 | 14 15", "6 7  10 11 | 18 19  22 23"],
    ],
};

#[test]
fn figure_2_blocks_of_10_to_blocks_of_2() {
    FIGURE_2.check();
}

#[test]
fn figure_3_blocks_of_6_to_blocks_of_2() {
    FIGURE_3.check();
}

#[test]
fn figure_5_blocks_of_2_to_blocks_of_6() {
    FIGURE_5.check();
}

/// Section 3.1, in each cycle, from rank 0, 1, …
#[test]
fn kr_to_r_messages_land_in_one_range_a_cycle() {
    let landing = |q| [0, 1, 2].map(|p| FIGURE_2.ranges(Side::Destination, p, q));
    assert_eq!(landing(0), ["0..4", "4..8", "8..10"]);
    assert_eq!(landing(1), ["0..4", "4..6", "6..10"]);
    assert_eq!(landing(2), ["0..2", "2..6", "6..10"]);
    let landing = |q| [0, 1].map(|p| FIGURE_3.ranges(Side::Destination, p, q));
    assert_eq!(landing(0), ["0..4 6..10", "4..6 10..12"]);
    assert_eq!(landing(1), ["0..2 6..8", "2..6 8..12"]);
}

/// Section 3.2, in each cycle, to rank 0, 1, …
#[test]
fn r_to_kr_messages_leave_from_one_range_a_cycle() {
    let leaving = |p| [0, 1].map(|q| FIGURE_5.ranges(Side::Source, p, q));
    assert_eq!(leaving(0), ["0..4 6..10", "4..6 10..12"]);
    assert_eq!(leaving(1), ["0..2 6..8", "2..6 8..12"]);
}

impl<const RANKS: usize> Example<RANKS> {
    fn plan(&self) -> Plan<1> {
        let extent = self.before.iter().map(|list| elements(list).len()).sum();
        Plan::parse([extent], self.from, self.to).expect("the examples are right")
    }

    fn check(&self) {
        self.check_owners(Side::Source, &self.before);
        self.check_owners(Side::Destination, &self.after);
        self.check_messages();
        self.check_move();
    }

    fn check_owners(&self, side: Side, lists: &[&str; RANKS]) {
        let deal = self.plan().descriptor(side).axis(0);
        for (rank, list) in lists.iter().enumerate() {
            let held: Vec<usize> =
                (0..deal.numroc(rank)).filter_map(|local| deal.global(rank, local)).collect();
            assert_eq!(held, elements(list), "{side} rank {rank}");
        }
    }

    fn check_messages(&self) {
        for (p, q) in (0..RANKS).flat_map(|p| (0..RANKS).map(move |q| (p, q))) {
            let (before, after) = (elements(self.before[p]), elements(self.after[q]));
            let sent: Vec<usize> =
                self.offsets(Side::Source, p, q).map(|offset| before[offset]).collect();
            let received: Vec<usize> =
                self.offsets(Side::Destination, p, q).map(|offset| after[offset]).collect();
            assert_eq!(sent, elements(self.messages[p][q]), "what {p} sends to {q}");
            assert_eq!(received, sent, "what {q} receives from {p}");
        }
    }

    fn check_move(&self) {
        let moved = threads::run(RANKS, |rank| {
            let mut bound = TypedPlan::<usize, 1>::from(self.plan()).bind(rank)?;
            let mut after = vec![0; bound.local_len(Side::Destination)];
            bound.run(&elements(self.before[rank.rank()]), &mut after)?;
            Ok::<_, Error>(after)
        });
        let expected = self.after.map(elements).to_vec();
        assert_eq!(moved, Ok(expected));
    }

    fn offsets(
        &self,
        side: Side,
        source: usize,
        destination: usize,
    ) -> impl Iterator<Item = usize> {
        let runs: Vec<_> = Message::new(&self.plan(), source, destination).runs().collect();
        runs.into_iter().flat_map(move |run| {
            let first =
                if side == Side::Source { run.source_offset } else { run.destination_offset };
            first..first + run.len
        })
    }

    fn ranges(&self, side: Side, source: usize, destination: usize) -> String {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for offset in self.offsets(side, source, destination) {
            match ranges.last_mut() {
                Some(last) if last.end == offset => last.end += 1,
                _ => ranges.push(offset..offset + 1),
            }
        }
        ranges.iter().map(|range| format!("{range:?}")).collect::<Vec<_>>().join(" ")
    }
}

fn elements(list: &str) -> Vec<usize> {
    list.replace('|', " ")
        .split_whitespace()
        .map(|number| number.parse().expect("a number"))
        .collect()
}
