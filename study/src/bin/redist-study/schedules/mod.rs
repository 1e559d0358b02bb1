//! `redist study schedules`: the steps of schedules, their time, and the time to find them.

mod measure;
mod relays;

use super::context::Context;
use super::plot::{Curve, Plot, curves};
use super::report::{Picture, Report, Table, distinct, duration, names, ratio, spread};
use super::sampling::exponent;
use measure::Row;
use redist::plan::schedule::{CostModel, Method};
use redist_measuring::median;
use redist_study::ScheduledCase;
use redist_study::matchings::Matching;
use std::fmt::Display;

const FOLDER: &str = "schedules";

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let cases = ScheduledCase::all(context.quick);
    let mut rows = Vec::new();
    for case in context.progress("schedules, case by case", &cases) {
        rows.extend(measure::measure(case, context.scale(5, 1))?);
    }
    context.write_timed(&format!("{FOLDER}/schedules.csv"), &mut rows)?;
    Ok(Report {
        folder: FOLDER,
        title: "Communication schedules, as compared by Park, Prasanna and Raghavendra",
        paragraphs: vec![setting_text(cases.len()), findings_text(&rows)],
        tables: vec![by_method(&rows), growth(&rows), examples(&rows)],
        plots: draw(&rows, context.scale((36, 48), (16, 32)))?,
        ..Report::default()
    })
}

fn setting_text(cases: usize) -> String {
    let CostModel { startup, per_byte, contention } = CostModel::NETWORK;
    format!(
        "Rerun: x→kx and kx→x for k from 2 to 100, and general blocks, between 8 and 128 ranks: {cases} redistributions of \
         about 1 MiB a rank in double precision. A step costs a startup of {} and its longest message at {:.0} GB/s; all at once \
         costs the startups and bytes of the busiest rank, the latter {:.0} % longer. That is the paper's model with \
         numbers of today, which are assumed, not measured. Every schedule was checked: each step a partial matching, each \
         message in exactly one step. The paper compares with the bipartite matchings of Desprez, Dongarra, Petitet, Randriamaro and \
         Robert, by weighted assignment: stepwise for the fewest steps, greedy for the least transmission. Both are on up to 64 \
         ranks here. Longest first and König's edge colouring with balanced steps are the project's. Random is a drawn order, \
         after Walker and Otto. Indirect and hybrid send through other ranks, after Lim, Bhat and Prasanna, as chains of blocks in \
         between on the same ranks: their steps are below the fewest of direct messages, and their elements move several times.",
        duration(startup),
        1e-9 / per_byte,
        100.0 * contention
    )
}

fn beside<'a>(rows: &'a [Row], row: &Row, method: impl Display) -> Option<&'a Row> {
    let key = |row: &Row| (row.source_block, row.destination_block, row.sources, row.destinations);
    let method = method.to_string();
    rows.iter().find(|other| key(other) == key(row) && other.method == method)
}

fn of(rows: &[Row], method: Method) -> Vec<&Row> {
    let method = method.to_string();
    rows.iter().filter(|row| row.method == method).collect()
}

fn computing(rows: &[Row], method: Method, other: impl Display + Copy) -> Vec<f64> {
    let pairs =
        of(rows, method).into_iter().filter_map(|row| Some((row, beside(rows, row, other)?)));
    pairs.map(|(row, other)| other.compute_nanoseconds / row.compute_nanoseconds).collect()
}

fn findings_text(rows: &[Row]) -> String {
    let circulant = of(rows, Method::Circulant);
    let minimal = circulant
        .iter()
        .filter(|row| row.steps == row.least_steps && row.elements == row.least_elements)
        .count();
    let over_caterpillar = |row: &&Row| {
        let caterpillar = beside(rows, row, Method::Caterpillar)?;
        Some(row.communication_microseconds / caterpillar.communication_microseconds)
    };
    let savings: Vec<f64> = circulant.iter().filter_map(over_caterpillar).collect();
    let cheaper = savings.iter().filter(|saving| **saving < 1.0).count();
    let least = savings.iter().copied().fold(f64::MAX, f64::min);
    format!(
        "The paper claims the fewest steps, a transmission cost at the lower bound, and a schedule that takes a small part of the \
         time of a bipartite matching to compute. For whole periods the circulant schedule has the first two at their lower \
         bounds in {minimal} of {} cases of x→kx and kx→x, also where P > Q: the paper's analysis takes Q ≥ P without loss of \
         generality, and its experiments have all three scenarios, P < Q, P = Q and P > Q. It is cheaper than the caterpillar in {} \
         of them, at best by {:.0} %. Colouring the whole graph takes this many times as long as the closed form of one rank \
         (least, geometric mean, most): {} for x→kx and kx→x, {} for s→t. Stepwise matchings take {} times as long as the \
         circulant schedule, greedy ones {}, and longest first {}.",
        circulant.len(),
        cheaper,
        100.0 * (1.0 - least),
        spread(&computing(rows, Method::Circulant, Method::Koenig)),
        spread(&computing(rows, Method::ClosedForm, Method::Koenig)),
        spread(&computing(rows, Method::Circulant, Matching::Stepwise)),
        spread(&computing(rows, Method::Circulant, Matching::Greedy)),
        spread(&computing(rows, Method::Circulant, Matching::LongestFirst)),
    )
}

fn by_method(rows: &[Row]) -> Table {
    let caption = "Each method over all redistributions that it applies to: steps and sum of step maxima as multiples of their \
                   lower bounds (least, geometric mean, most), and time to compute the schedule of a rank.";
    let head = ["family", "method", "cases", "steps", "step maxima", "median time to compute"];
    let methods = names(rows.iter().map(|row| row.method.as_str()));
    let families = names(rows.iter().map(|row| row.family)).into_iter();
    let pairs = families.flat_map(|family| methods.iter().map(move |method| (family, *method)));
    let row = |(family, method): (&str, &str)| {
        let here = |row: &&Row| row.family == family && row.method == method;
        let of =
            |value: fn(&Row) -> f64| -> Vec<f64> { rows.iter().filter(here).map(value).collect() };
        let times = of(|row| row.compute_nanoseconds);
        (!times.is_empty()).then(|| {
            vec![
                family.to_owned(),
                method.to_owned(),
                times.len().to_string(),
                spread(&of(|row| row.steps as f64 / row.least_steps as f64)),
                spread(&of(|row| row.elements as f64 / row.least_elements as f64)),
                computed(median(&times)),
            ]
        })
    };
    Table::new(caption, head, pairs.filter_map(row))
}

/// Fits how the time to compute a schedule grows with the ranks, `P` on both sides, for each `k`.
fn growth(rows: &[Row]) -> Table {
    let caption = "Exponents of the ranks in the time to compute a schedule, x→kx on P → P ranks: least, mean, most over k. The \
                   paper has max(P, Q) for a whole circulant schedule, and (P + Q)⁴ for bipartite matchings; a rank computes its \
                   own entries of the circulant one here, and all of a matching.";
    let head = ["method", "ranks", "exponent"];
    let square: Vec<&Row> =
        rows.iter().filter(|row| row.family == "x→kx" && row.sources == row.destinations).collect();
    let row = |method: &str| {
        let of = |k: usize| -> Vec<(f64, f64)> {
            let here = square.iter().filter(|row| row.method == method && row.k == k);
            here.map(|row| (row.sources as f64, row.compute_nanoseconds)).collect()
        };
        let ks = distinct(square.iter().map(|row| row.k));
        let exponents: Vec<f64> = ks.iter().map(|k| exponent(&of(*k))).collect();
        let ranks =
            distinct(square.iter().filter(|row| row.method == method).map(|row| row.sources));
        let (least, most) = (ranks.first().copied()?, ranks.last().copied()?);
        let [low, mean, high] = least_mean_most(&exponents);
        let exponent = format!("{low:.2} / {mean:.2} / {high:.2}");
        exponents
            .iter()
            .all(|it| it.is_finite())
            .then(|| vec![method.to_owned(), format!("{least} to {most}"), exponent])
    };
    let is_computed = |row: &&&Row| row.compute_nanoseconds >= 1.0;
    let methods = names(square.iter().filter(is_computed).map(|row| row.method.as_str()));
    Table::new(caption, head, methods.into_iter().filter_map(row))
}

fn least_mean_most(values: &[f64]) -> [f64; 3] {
    let least = values.iter().copied().fold(f64::MAX, f64::min);
    let most = values.iter().copied().fold(f64::MIN, f64::max);
    [least, values.iter().sum::<f64>() / values.len().max(1) as f64, most]
}

fn computed(nanoseconds: f64) -> String {
    if nanoseconds < 1.0 { "–".into() } else { duration(nanoseconds * 1e-9) }
}

fn examples(rows: &[Row]) -> Table {
    let caption = "Some redistributions: steps, and startup + transmission by the model, in ms.";
    let methods = names(rows.iter().map(|row| row.method.as_str()));
    let head = ["blocks, ranks"].into_iter().chain(methods.iter().copied());
    let chosen = [
        ((8, 24), (16, 32)),
        ((8, 24), (36, 48)),
        ((8, 96), (36, 48)),
        ((96, 8), (48, 36)),
        ((7, 11), (32, 32)),
        ((6, 4), (36, 48)),
        ((2, 3), (96, 128)),
    ];
    let row = |(blocks, ranks): ((usize, usize), (usize, usize))| {
        let here = |row: &&Row| {
            (row.source_block, row.destination_block, row.sources, row.destinations)
                == (blocks.0, blocks.1, ranks.0, ranks.1)
        };
        let cell = |method: &&str| {
            let row = rows.iter().filter(here).find(|row| row.method == *method);
            row.map_or("–".into(), |row| {
                let [startup, transmission] =
                    [row.startup_microseconds, row.transmission_microseconds]
                        .map(|us| ratio(us * 1e-3));
                format!("{}: {startup} + {transmission}", row.steps)
            })
        };
        let what = format!("{} → {}, {} → {}", blocks.0, blocks.1, ranks.0, ranks.1);
        let is_measured = rows.iter().any(|row| here(&row));
        is_measured.then(|| [what].into_iter().chain(methods.iter().map(cell)).collect())
    };
    Table::new(caption, head, chosen.into_iter().filter_map(row))
}

fn draw(rows: &[Row], grid: (usize, usize)) -> anyhow::Result<Vec<Picture>> {
    let nested = || rows.iter().filter(|row| row.family == "x→kx");
    let square = |row: &&Row| row.sources == row.destinations && row.k == 2;
    let stepped =
        |row: &&Row| row.method != Method::AllAtOnce.to_string() && row.compute_nanoseconds >= 1.0;
    let compute = Plot {
        title: "x → 2x, P ranks → P ranks".into(),
        x: "ranks P",
        y: "time to compute a rank's schedule (ns)",
        curves: curves_of(nested().filter(square).filter(stepped), |row| {
            (row.sources as f64, row.compute_nanoseconds)
        }),
    };
    let model = CostModel::NETWORK;
    let bound = |row: &Row| model.seconds(row.least_steps, row.least_elements as f64 * 8.0) * 1e6;
    let cost = Plot {
        title: format!("x → kx, {} ranks → {} ranks, 1 MiB a rank", grid.0, grid.1),
        x: "k",
        y: "communication, multiple of the lower bound",
        curves: curves_of(nested().filter(|row| (row.sources, row.destinations) == grid), |row| {
            (row.k as f64, row.communication_microseconds / bound(row))
        }),
    };
    Ok(vec![
        compute.picture("compute.svg", "time to compute a schedule over the number of ranks")?,
        cost.picture("cost.svg", "communication over k, as a multiple of the lower bound")?,
    ])
}

fn curves_of<'a>(
    rows: impl Iterator<Item = &'a Row>,
    point: impl Fn(&Row) -> (f64, f64),
) -> Vec<Curve> {
    let rows: Vec<&Row> = rows.collect();
    let of = |method: &str| {
        rows.iter().filter(|row| row.method == method).map(|row| point(row)).collect()
    };
    curves(names(rows.iter().map(|row| row.method.as_str())), |_| false, of)
}
