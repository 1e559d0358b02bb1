//! `redist-study breakdown`: the parts of one move between threads, and its overlap with computing.

mod barrier;
mod measure;
mod pace;

use super::context::Context;
use super::report::{Report, Table, duration, ratio};
use super::scale::CASES;
use measure::{Times, ranks};
use redist_measuring::median;
use std::time::Duration;

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let rounds = context.scale(51, 3);
    let found = CASES
        .iter()
        .map(|case| Ok((case.name, measure::measure(case, rounds)?)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let totals = totals(context)?;
    Ok(Report {
        folder: "breakdown",
        title: "The parts of one move",
        paragraphs: vec![setting_text(rounds), overlap_text(&found)],
        tables: vec![parts(&found), whole(&totals), overlap(&found)],
        missing: vec![
            "the parts of a move between MPI processes: only threads are divided into parts".into(),
        ],
        ..Report::default()
    })
}

fn setting_text(rounds: usize) -> String {
    format!(
        "{} threads move 1 MiB each in double precision, as many as there are cores, up to four, because a rank that computes needs \
         one to itself. Times are medians of {rounds} rounds of the mean over the ranks. The study moves by the programs of a plan: \
         each rank packs all messages, waits for the others, copies its messages, unpacks them, waits. The library's own move \
         between threads copies no messages. The whole cost that the authors want next (generating, buffering and latency together) \
         is in the second table, on more threads, too, whose ranks then share cores; a receiver takes a message no sooner than its \
         latency after it was packed.",
        ranks()
    )
}

fn overlap_text(found: &[(&str, Vec<Times>)]) -> String {
    let ratios: Vec<f64> = found.iter().map(|(_, rounds)| over_apart(rounds)).collect();
    let [least, most] =
        [f64::min, f64::max].map(|of| ratios.iter().copied().reduce(of).map_or("–".into(), ratio));
    let verdict = match ratios.iter().filter(|ratio| **ratio < HIDES).count() {
        0 => "hides nothing",
        count if count == ratios.len() => "hides something in all cases",
        _ => "hides something in some cases",
    };
    format!(
        "ASPEN's authors write that a move cannot be asynchronous, and between threads that agrees with what is found. A rank starts a move, computes, and finishes it. All of it takes \
         {least} to {most} of both one after the other, which {verdict}; 0.50 would hide the shorter of the two. Between threads \
         only the rank's own thread moves elements, so that waiting alone can be hidden; and `start` packs messages, where `run` \
         copies from array to array."
    )
}

/// Below this part of both one after the other, some of a move counts as hidden.
const HIDES: f64 = 0.95;

fn over_apart(rounds: &[Times]) -> f64 {
    middle(rounds, |times| times.together / (times.run + times.computing))
}

fn middle(rounds: &[Times], time: impl Fn(&Times) -> f64) -> f64 {
    median(&rounds.iter().map(time).collect::<Vec<_>>())
}

fn parts(found: &[(&str, Vec<Times>)]) -> Table {
    let caption =
        "Parts of one move, in percent of it; set-up (plan and bind) as a multiple of it.";
    let head = ["case", "move", "packing", "waiting", "transfer", "unpacking", "set-up"];
    let row = |(name, rounds): &(&str, Vec<Times>)| {
        let whole = middle(rounds, Times::whole);
        let part = |time: fn(&Times) -> f64| {
            format!("{:.0} %", 100.0 * middle(rounds, |times| time(times) / times.whole()))
        };
        vec![
            (*name).into(),
            duration(whole),
            part(|times| times.packing),
            part(|times| times.waiting),
            part(|times| times.transfer),
            part(|times| times.unpacking),
            ratio(middle(rounds, |times| times.set_up) / whole),
        ]
    };
    Table::new(caption, head, found.iter().map(row))
}

/// Threads and latencies of the whole cost.
const THREADS: [usize; 4] = [2, 4, 8, 16];
const LATENCIES: [Duration; 3] =
    [Duration::ZERO, Duration::from_micros(20), Duration::from_micros(200)];

/// The rounds of a case on so many threads with a latency.
struct Total {
    case: &'static str,
    /// Threads.
    ranks: usize,
    latency: Duration,
    rounds: Vec<Times>,
}

fn totals(context: &Context) -> anyhow::Result<Vec<Total>> {
    let threads = context.scale(&THREADS[..], &THREADS[..2]);
    let settings = threads.iter().flat_map(|ranks| LATENCIES.map(|latency| (*ranks, latency)));
    let all = CASES.iter().flat_map(|case| settings.clone().map(move |setting| (case, setting)));
    let total = |(case, (ranks, latency)): (&super::scale::Case, (usize, Duration))| {
        let rounds = measure::totals(case, ranks, latency, context.scale(21, 3))?;
        Ok(Total { case: case.name, ranks, latency, rounds })
    };
    all.map(total).collect()
}

fn whole(totals: &[Total]) -> Table {
    let caption = "The whole cost of a move that is planned for once, and its parts in percent: generating the programs, packing, \
                   waiting for other ranks, latency, transfer, unpacking.";
    let head = ["case", "threads", "latency", "whole", "generating"].into_iter().chain([
        "packing",
        "waiting",
        "latency",
        "transfer",
        "unpacking",
    ]);
    let row = |total: &Total| {
        let part = |time: fn(&Times) -> f64| {
            format!("{:.0} %", 100.0 * middle(&total.rounds, |it| time(it) / it.total()))
        };
        let Total { case, ranks, latency, rounds } = total;
        vec![
            (*case).into(),
            ranks.to_string(),
            format!("{} µs", latency.as_micros()),
            duration(middle(rounds, Times::total)),
            part(|times| times.generating),
            part(|times| times.packing),
            part(|times| times.waiting),
            part(|times| times.latency),
            part(|times| times.transfer),
            part(|times| times.unpacking),
        ]
    };
    Table::new(caption, head, totals.iter().map(row))
}

fn overlap(found: &[(&str, Vec<Times>)]) -> Table {
    let caption = "A move by the library, a computation that is to take as long, and the computation between start and \
                   finish, over both one after the other.";
    let head = ["case", "run", "computation", "start, compute, finish"];
    let row = |(name, rounds): &(&str, Vec<Times>)| {
        vec![
            (*name).into(),
            duration(middle(rounds, |times| times.run)),
            duration(middle(rounds, |times| times.computing)),
            ratio(over_apart(rounds)),
        ]
    };
    Table::new(caption, head, found.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_part_of_the_whole_cost() {
        let latency = Duration::from_millis(2);
        let rounds = measure::totals(&CASES[0], 2, latency, 3).unwrap();
        assert!(rounds.iter().all(|times| times.latency <= times.total()), "{rounds:?}");
        // Packing ends before other ranks have packed, so that some of it has passed then.
        assert!(rounds.iter().any(|times| times.latency + times.waiting >= 1e-3), "{rounds:?}");
        let none = measure::totals(&CASES[0], 2, Duration::ZERO, 1).unwrap();
        let total = |latency, rounds| Total { case: "a", ranks: 2, latency, rounds };
        let text = whole(&[total(latency, rounds), total(Duration::ZERO, none)]).markdown();
        assert!(text.contains("2000 µs") && text.contains(" 0 µs |"), "{text}");
    }

    #[test]
    fn the_overlap_is_over_both_one_after_the_other() {
        let times = |together| Times { run: 2.0, computing: 2.0, together, ..Times::default() };
        let found = [("a", vec![times(2.0)]), ("b", vec![times(4.0)])];
        assert_eq!(over_apart(&found[0].1), 0.5);
        let text = overlap_text(&found);
        assert!(text.contains("takes 0.50 to 1.00 of both") && text.contains("in some cases"));
    }
}
