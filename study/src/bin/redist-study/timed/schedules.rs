//! Schedules over links: total and transfer times beside the time of the wire.

use super::{apart, in_a_name, in_words, read};
use crate::context::Context;
use crate::plot::{Curve, Plot};
use crate::report::{Report, Table, names, ratio, spread};
use redist::plan::schedule::Method;
use redist_study::links::TimedSchedule;

/// The folder of its files.
const FOLDER: &str = "schedules-timed";

/// One network's rows.
type Network<'a> = ((usize, &'a str), Vec<&'a TimedSchedule>);

/// Shows the schedules that were timed.
///
/// # Errors
/// If there is no such data, or a file cannot be written.
pub fn run(context: &Context) -> anyhow::Result<Report> {
    let rows: Vec<TimedSchedule> = read(context, "schedules.csv")?;
    let networks = by_network(&rows);
    let mut paragraphs = Vec::new();
    for network in &networks {
        paragraphs.extend(findings(network));
        let rows = || network.1.iter();
        paragraphs.extend(apart("total times", rows().map(|row| row.total_apart)));
        paragraphs.extend(apart("moves by the library", rows().map(|row| row.moved_apart)));
    }
    let tables = [by_method(&networks)].into_iter().chain(networks.iter().map(all_cases));
    Ok(Report {
        folder: FOLDER,
        title: "Schedules over links, as timed by Park, Prasanna and Raghavendra",
        paragraphs,
        tables: tables.collect(),
        plots: draw(context, &networks)?,
    })
}

fn by_network(rows: &[TimedSchedule]) -> Vec<Network<'_>> {
    let mut networks: Vec<Network<'_>> = Vec::new();
    for row in rows {
        let key = (row.nodes, row.link.as_str());
        match networks.iter_mut().find(|(network, _)| *network == key) {
            Some((_, rows)) => rows.push(row),
            None => networks.push((key, vec![row])),
        }
    }
    networks
}

/// What is redistributed: equal for all methods of a case.
fn case_of(row: &TimedSchedule) -> String {
    let TimedSchedule { source_block, destination_block, sources, destinations, .. } = row;
    format!("{source_block} → {destination_block}, {sources} → {destinations}")
}

/// A time of one method over that of another, in all cases that have both.
fn over(
    rows: &[&TimedSchedule],
    method: Method,
    other: Method,
    time: impl Fn(&TimedSchedule) -> f64,
) -> Vec<f64> {
    let (method, other) = (method.to_string(), other.to_string());
    let of_method = rows.iter().filter(|row| row.method == method);
    let pairs = of_method.filter_map(|row| {
        let mut others = rows.iter().filter(|beside| case_of(beside) == case_of(row));
        Some((row, others.find(|beside| beside.method == other)?))
    });
    pairs.map(|(row, beside)| time(row) / time(beside)).collect()
}

fn findings((network, rows): &Network<'_>) -> Vec<String> {
    use Method::{AllAtOnce, Caterpillar, Circulant, ClosedForm, Koenig};
    let total = |row: &TimedSchedule| row.total;
    let moved = |row: &TimedSchedule| row.moved;
    let schedule = |row: &TimedSchedule| row.schedule;
    let share: Vec<f64> = rows
        .iter()
        .filter(|row| row.method == Circulant.to_string())
        .map(|row| row.schedule / row.total)
        .collect();
    let most = share.iter().copied().fold(0.0, f64::max);
    vec![format!(
        "{}. In phases, the circulant schedule takes {} of the caterpillar's total time, {} of König's and {} of all at \
         once's (least, geometric mean, most of the cases that have it). In a move by the library, where a rank does not wait for what it \
         receives before its next step, it is {}, {} and {}. Computing the circulant schedule \
         takes at most {:.4} % of the total time, and König's colouring {} times as long. The closed form has steps of the same number and lengths \
         as the circulant schedule where both apply, and takes {} of its total time: as much is chance.",
        in_words(network.0, network.1),
        spread(&over(rows, Circulant, Caterpillar, total)),
        spread(&over(rows, Circulant, Koenig, total)),
        spread(&over(rows, Circulant, AllAtOnce, total)),
        spread(&over(rows, Circulant, Caterpillar, moved)),
        spread(&over(rows, Circulant, Koenig, moved)),
        spread(&over(rows, Circulant, AllAtOnce, moved)),
        most * 100.0,
        spread(&over(rows, Koenig, Circulant, schedule)),
        spread(&over(rows, ClosedForm, Circulant, total)),
    )]
}

fn by_method(networks: &[Network<'_>]) -> Table {
    let caption = "Each method over all cases that it applies to, as multiples of the wire's time: least, geometric mean, most.";
    let head = ["network", "method", "cases", "transfer, slowest rank", "total", "library's move"];
    let mut table = Table::new(caption, head);
    for ((_, link), rows) in networks {
        for method in names(rows.iter().map(|row| row.method.as_str())) {
            let rows: Vec<_> = rows.iter().filter(|row| row.method == method).collect();
            let column = |time: fn(&TimedSchedule) -> f64| {
                spread(&rows.iter().map(|row| time(row) / row.wire).collect::<Vec<_>>())
            };
            table.push(vec![
                in_a_name(link).into(),
                method.into(),
                rows.len().to_string(),
                column(|row| row.transfer_most),
                column(|row| row.total),
                column(|row| row.moved),
            ]);
        }
    }
    table
}

/// The tables of the paper: every method of every case.
fn all_cases((network, rows): &Network<'_>) -> Table {
    let caption = format!(
        "{}: blocks, ranks; the wire's time, and as multiples of it the transfer (most, mean, median and least of the ranks), \
         the total in phases and the library's move; the time to compute a rank's schedule.",
        in_words(network.0, network.1)
    );
    let head = [
        "blocks, ranks",
        "method",
        "steps",
        "wire",
        "most",
        "mean",
        "median",
        "least",
        "total",
        "move",
        "schedule",
    ];
    let mut table = Table::new(caption, head);
    for row in rows {
        let transfer =
            [row.transfer_most, row.transfer_mean, row.transfer_median, row.transfer_least];
        let times = transfer.into_iter().chain([row.total, row.moved]);
        let name = [case_of(row), row.method.clone(), row.steps.to_string()];
        let wire = format!("{:.0} ms", row.wire);
        let schedule = format!("{:.0} µs", row.schedule * 1e3);
        let times = times.map(|time| ratio(time / row.wire));
        table.push(name.into_iter().chain([wire]).chain(times).chain([schedule]).collect());
    }
    table
}

type Picture = (&'static str, &'static str);

/// Total over k where as many ranks receive as send: one picture a network.
fn draw(context: &Context, networks: &[Network<'_>]) -> anyhow::Result<Vec<Picture>> {
    let mut pictures = Vec::new();
    for ((nodes, link), rows) in networks {
        let picture = match in_a_name(link) {
            "shallow" => ("total-shallow.svg", "total time over k, shallow buffers"),
            _ => ("total-deep.svg", "total time over k, deep buffers"),
        };
        let square =
            |row: &&&TimedSchedule| row.sources == row.destinations && row.family == "x→kx";
        let rows: Vec<_> = rows.iter().filter(square).collect();
        let curve = |method: &str| {
            let rows = rows.iter().filter(|row| row.method == method);
            let k = |row: &TimedSchedule| (row.destination_block / row.source_block) as f64;
            let points = rows.map(|row| (k(row), row.total / row.wire)).collect();
            Curve { name: method.to_owned(), points, is_ours: false }
        };
        let curves = names(rows.iter().map(|row| row.method.as_str())).into_iter().map(curve);
        let title = format!("x → kx, 8 → 8 ranks, {}", in_words(*nodes, link));
        let y = "total, multiple of the wire's time";
        let plot = Plot { title, x: "k", y, curves: curves.collect() };
        plot.save(&context.path(&format!("{FOLDER}/{}", picture.0))?)?;
        pictures.push(picture);
    }
    Ok(pictures)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(method: Method, sources: usize, total: f64) -> TimedSchedule {
        TimedSchedule {
            nodes: 8,
            link: "250mbit,shallow".into(),
            family: "x→kx".into(),
            source_block: 8,
            destination_block: 16,
            sources,
            destinations: 8,
            extent: 128,
            method: method.to_string(),
            steps: 2,
            wire: 10.0,
            schedule: total / 1e5,
            transfer_most: total,
            transfer_mean: total,
            transfer_median: total,
            transfer_least: total,
            total,
            moved: total,
            total_apart: 0.0,
            moved_apart: 0.0,
        }
    }

    #[test]
    fn methods_are_compared_within_a_case() {
        let rows = [
            row(Method::Circulant, 4, 20.0),
            row(Method::Caterpillar, 4, 40.0),
            row(Method::Circulant, 8, 30.0),
        ];
        let networks = by_network(&rows);
        assert_eq!(networks.len(), 1);
        let (_, rows) = &networks[0];
        let ratios = over(rows, Method::Circulant, Method::Caterpillar, |row| row.total);
        assert_eq!(ratios, [0.5]); // the third has no caterpillar beside it
        assert!(by_method(&networks).markdown().contains("| shallow |   circulant |     2 |"));
        assert!(
            findings(&networks[0])[0].starts_with("8 nodes, links of 250mbit, shallow buffers.")
        );
    }
}
