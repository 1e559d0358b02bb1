//! Items of the macro beside plans made at run time, in a drawn order, which may favour one.

use super::measure::{index_once, mean_seconds, pack_once, unpack_once};
use crate::context::Context;
use crate::processes::Timed;
use crate::report::{Table, ratio};
use crate::sampling::turns;
use redist::Side;
use redist_measuring::{median, quartiles};
use redist_study::packing::{ELEMENTS, KrCase, Macro, PackingMethod, RANKS, RunTime, Truth};
use serde::Serialize;
use std::convert::Infallible;

/// One case: a line of `pairs.csv`. Ratios are medians over the rounds.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// Elements of the array.
    pub elements: usize,
    pub source: String,
    pub destination: String,
    /// Indices, packing and unpacking: the item over a plan made at run time.
    pub macro_over_run_time: f64,
    /// First quartile of that over the rounds.
    pub lower_quartile: f64,
    /// Third quartile of that over the rounds.
    pub upper_quartile: f64,
    /// A plan made at run time over itself, measured twice: the share of chance.
    pub run_time_over_itself: f64,
    /// Index computation: the item over a plan made at run time.
    pub index_over_run_time: f64,
}

impl Timed for Pair {
    fn times(&mut self) -> Vec<&mut f64> {
        vec![
            &mut self.macro_over_run_time,
            &mut self.lower_quartile,
            &mut self.upper_quartile,
            &mut self.run_time_over_itself,
            &mut self.index_over_run_time,
        ]
    }
}

pub fn measure(context: &Context, file: &str) -> anyhow::Result<Vec<Pair>> {
    let elements = context.scale(ELEMENTS[0], RANKS * 210);
    let rounds = context.scale(21, 2);
    let cases = KrCase::all(&[elements], RANKS);
    let mut pairs: Vec<Pair> = cases.iter().map(|case| pair(case, rounds)).collect();
    context.write_timed(file, &mut pairs)?;
    Ok(pairs)
}

fn pair(case: &KrCase, rounds: usize) -> Pair {
    let truth = Truth::of(case);
    let methods: [&dyn PackingMethod; 2] = [&RunTime, &Macro];
    let mut index = [Vec::new(), Vec::new()];
    let Ok(samples) = turns(rounds).take(4, |number| {
        let method = methods[number % 2];
        index[number % 2].push(mean_seconds(case, |rank| index_once(case, method, &truth, rank)));
        let both =
            |rank| pack_once(case, method, &truth, rank) + unpack_once(case, method, &truth, rank);
        Ok::<_, Infallible>(mean_seconds(case, both))
    });
    let [run_time, item, run_time_again, item_again] = &samples[..] else {
        unreachable!("four contestants")
    };
    let rounds = run_time.iter().zip(run_time_again).zip(item.iter().zip(item_again));
    let whole: Vec<f64> = rounds.map(|((a, b), (c, d))| (c + d) / (a + b)).collect();
    let itself: Vec<f64> = run_time_again.iter().zip(run_time).map(|(b, a)| b / a).collect();
    let [lower_quartile, _, upper_quartile] = quartiles(&whole);
    Pair {
        elements: case.elements,
        source: case.word(Side::Source),
        destination: case.word(Side::Destination),
        macro_over_run_time: median(&whole),
        lower_quartile,
        upper_quartile,
        run_time_over_itself: median(&itself),
        index_over_run_time: median(&index[1]) / median(&index[0]),
    }
}

pub fn text(pairs: &[Pair]) -> String {
    let slower = pairs.iter().filter(|pair| pair.lower_quartile > 1.0).count();
    let faster = pairs.iter().filter(|pair| pair.upper_quartile < 1.0).count();
    format!(
        "Items of the macro and plans made at run time, twice each in every round, in drawn order: an item is slower in {slower} and \
         faster in {faster} of {} distributions, where three quarters of the rounds say so; in the others the rounds disagree.",
        pairs.len()
    )
}

pub fn table(pairs: &[Pair]) -> Table {
    let caption = "Items of the macro over plans made at run time, in the same rounds: median, quartiles; index computation alone; \
                   and, as a measure of chance, a plan made at run time over another.";
    let head = ["distributions", "median", "quartiles", "indices", "run time over itself"];
    let row = |pair: &Pair| {
        vec![
            format!("{} → {}", pair.source, pair.destination),
            ratio(pair.macro_over_run_time),
            format!("{} to {}", ratio(pair.lower_quartile), ratio(pair.upper_quartile)),
            ratio(pair.index_over_run_time),
            ratio(pair.run_time_over_itself),
        ]
    };
    Table::new(caption, head, pairs.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lower_quartile: f64, upper_quartile: f64) -> Pair {
        Pair {
            elements: 1,
            source: "block".into(),
            destination: "cyclic".into(),
            macro_over_run_time: 1.0,
            lower_quartile,
            upper_quartile,
            run_time_over_itself: 1.0,
            index_over_run_time: 1.0,
        }
    }

    #[test]
    fn only_rounds_that_agree_say_which_is_slower() {
        let said = text(&[of(1.01, 1.2), of(0.9, 1.1), of(0.8, 0.99)]);
        assert!(said.contains("slower in 1 and faster in 1 of 3"), "{said}");
    }
}
