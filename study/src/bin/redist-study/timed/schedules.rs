//! Schedules over links: times of runs beside the time of the wire, over the size of the array.

use super::{in_a_name, in_words, not_measured, read};
use crate::context::Context;
use crate::plot::{Plot, curves};
use crate::report::{Picture, Report, Table, distinct, duration, names, ratio, spread};
use crate::sampling::geometric_mean;
use redist::plan::schedule::Method;
use redist_study::links::TimedSchedule;
use redist_study::matchings::Matching;

const TITLE: &str = "Schedules over links, as timed by Park, Prasanna and Raghavendra";

const FOLDER: &str = "schedules-timed";

const STEPS: &str = "in steps";

/// Times nearer to each other count as equal.
const EQUAL: f64 = 0.05;

type Network<'a> = ((usize, &'a str), Vec<&'a TimedSchedule>);

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let rows: Vec<TimedSchedule> = read(context, "schedules.csv")?;
    if rows.is_empty() {
        return Ok(not_measured(FOLDER, TITLE));
    }
    let networks = by_network(&rows);
    let verdicts = networks.iter().map(verdict).chain([computing(&rows)]);
    let tables = [over_all_at_once(&networks), ways(&networks)].into_iter();
    Ok(Report {
        folder: FOLDER,
        title: TITLE,
        paragraphs: verdicts.collect(),
        tables: tables.chain(networks.iter().map(all_cases)).collect(),
        plots: networks.iter().map(draw).collect::<Result<_, _>>()?,
        ..Report::default()
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

fn case_of(row: &TimedSchedule) -> String {
    let TimedSchedule { source_block, destination_block, sources, destinations, .. } = row;
    format!("{source_block} → {destination_block}, {sources} → {destinations}")
}

fn sizes(rows: &[&TimedSchedule]) -> Vec<usize> {
    distinct(rows.iter().map(|row| row.bytes))
}

fn in_bytes(bytes: usize) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}

/// Returns one method's mean times in a way over another's, in all cases of a size that have both.
fn over(
    rows: &[&TimedSchedule],
    size: usize,
    [(method, way), (other, beside)]: [(&str, &str); 2],
) -> Vec<f64> {
    let is = |row: &TimedSchedule, method: &str, way: &str| {
        row.bytes == size && row.method == method && row.way == way
    };
    let ratios = rows.iter().filter(|row| is(row, method, way)).filter_map(|row| {
        let mut others = rows.iter().filter(|others| is(others, other, beside));
        Some(row.mean / others.find(|others| case_of(others) == case_of(row))?.mean)
    });
    ratios.collect()
}

fn verdict((network, rows): &Network<'_>) -> String {
    let (at_once, circulant) = (Method::AllAtOnce.to_string(), Method::Circulant.to_string());
    let caterpillar = Method::Caterpillar.to_string();
    let of = |size, other: &str| over(rows, size, [(&circulant, STEPS), (other, STEPS)]);
    let judged = |other: &str| -> String {
        let word = |size: usize| match geometric_mean(&of(size, other)) {
            mean if mean < 1.0 - EQUAL => "pays at",
            mean if mean > 1.0 + EQUAL => "loses at",
            _ => "is equal at",
        };
        let part = |size: &usize| {
            let ratios = of(*size, other);
            let won = ratios.iter().filter(|ratio| **ratio < 1.0).count();
            format!(
                "{} {} ({}, ahead in {won} of {})",
                word(*size),
                in_bytes(*size),
                spread(&ratios),
                ratios.len()
            )
        };
        sizes(rows).iter().map(part).collect::<Vec<_>>().join("; ")
    };
    let closed_form = Method::ClosedForm.to_string();
    let equal = [(closed_form.as_str(), STEPS), (&circulant, STEPS)];
    let noise = sizes(rows).into_iter().flat_map(|size| over(rows, size, equal));
    format!(
        "{}, in steps as the paper has it; a rank's mean time, by the bytes of a rank (least, geometric mean, most of the cases \
         of x→kx and kx→x; a mean within {:.0} % of 1 counts as equal). The circulant schedule against all at once: {}. Against \
         the caterpillar: {}. The closed form has steps of the same number and lengths as the circulant schedule, and takes {} of \
         its time: as much is chance.",
        in_words(network.0, network.1),
        EQUAL * 100.0,
        judged(&at_once),
        judged(&caterpillar),
        spread(&noise.collect::<Vec<_>>()),
    )
}

fn computing(rows: &[TimedSchedule]) -> String {
    let in_steps = || rows.iter().filter(|row| row.way == STEPS);
    let methods = names(in_steps().map(|row| row.method.as_str()));
    let part = |method: &&str| {
        let of: Vec<&TimedSchedule> = in_steps().filter(|row| row.method == *method).collect();
        let mean = geometric_mean(&of.iter().map(|row| row.schedule).collect::<Vec<_>>());
        let most = of.iter().map(|row| row.schedule / row.mean).fold(0.0, f64::max);
        format!("{method} {} (at most {:.2} %)", duration(mean * 1e-3), most * 100.0)
    };
    format!(
        "Computing the schedule, partners of a rank included: geometric mean, and the largest share of a rank's mean time: {}.",
        methods.iter().map(part).collect::<Vec<_>>().join(", ")
    )
}

/// A column of ratios: one method in a way over another.
type Column<'a> = (String, [(String, &'a str); 2]);

fn by_size(caption: &str, networks: &[Network<'_>], columns: &[Column<'_>]) -> Table {
    let names = columns.iter().map(|(name, _)| name.clone());
    let head = ["network", "bytes of a rank"].map(str::to_owned).into_iter().chain(names);
    let of_network = |((_, link), rows): &Network<'_>| -> Vec<Vec<String>> {
        let row = |size| {
            let cell = |(_, pair): &Column<'_>| {
                let pair = pair.each_ref().map(|(method, way)| (method.as_str(), *way));
                ratio(geometric_mean(&over(rows, size, pair)))
            };
            let name = [in_a_name(link).to_owned(), in_bytes(size)];
            name.into_iter().chain(columns.iter().map(cell)).collect()
        };
        sizes(rows).into_iter().map(row).collect()
    };
    Table::new(caption, head, networks.iter().flat_map(of_network))
}

fn over_all_at_once(networks: &[Network<'_>]) -> Table {
    let methods = [Method::Circulant, Method::ClosedForm, Method::Koenig, Method::Caterpillar]
        .map(|method| method.to_string())
        .into_iter()
        .chain(Matching::ALL.map(|matching| matching.to_string()));
    let at_once = || (Method::AllAtOnce.to_string(), STEPS);
    let columns = methods.map(|method| (method.clone(), [(method, STEPS), at_once()]));
    let caption = "In steps: a rank's mean time with each schedule as a multiple of that with all at once, geometric mean of the \
                   cases that have both.";
    by_size(caption, networks, &columns.collect::<Vec<_>>())
}

fn ways(networks: &[Network<'_>]) -> Table {
    let column = |way, method: Method| {
        (format!("{method}, {way}"), [way, STEPS].map(|way| (method.to_string(), way)))
    };
    let methods = [Method::AllAtOnce, Method::Circulant, Method::Caterpillar];
    let columns =
        ["in phases", "by the library"].map(|way| methods.map(|method| column(way, method)));
    let caption = "The ways: a rank's mean time as a multiple of that in steps with the same schedule, geometric mean of all cases.";
    by_size(caption, networks, columns.as_flattened())
}

fn all_cases((network, rows): &Network<'_>) -> Table {
    let largest = sizes(rows).pop().unwrap_or(0);
    let caption = format!(
        "{}, {} a rank, in steps: blocks, ranks; the wire's time, and as multiples of it a rank's time (most, mean, median and \
         least of the runs) and the total; the time to compute a rank's schedule.",
        in_words(network.0, network.1),
        in_bytes(largest)
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
        "schedule",
    ];
    let cells = |row: &&TimedSchedule| {
        let times = [row.most, row.mean, row.median, row.least, row.total];
        let name = [case_of(row), row.method.clone(), row.steps.to_string()];
        let wire = format!("{:.0} ms", row.wire);
        let times = times.map(|time| ratio(time / row.wire));
        let schedule = duration(row.schedule * 1e-3);
        name.into_iter().chain([wire]).chain(times).chain([schedule]).collect()
    };
    let shown = rows.iter().filter(|row| row.bytes == largest && row.way == STEPS);
    Table::new(caption, head, shown.map(cells))
}

fn draw(((nodes, link), rows): &Network<'_>) -> anyhow::Result<Picture> {
    let nested = rows.iter().filter(|row| row.way == STEPS && row.family == "x→kx");
    let rows: Vec<&TimedSchedule> = nested.copied().collect();
    let points = |method: &str| {
        let point = |size: usize| {
            let here = rows.iter().filter(|row| row.method == method && row.bytes == size);
            let of_wire: Vec<f64> = here.map(|row| row.mean / row.wire).collect();
            (size as f64, geometric_mean(&of_wire))
        };
        sizes(&rows).into_iter().map(point).collect()
    };
    let plot = Plot {
        title: format!("x → kx in steps, {}", in_words(*nodes, link)),
        x: "bytes of a rank",
        y: "a rank's mean time, multiple of the wire's",
        curves: curves(names(rows.iter().map(|row| row.method.as_str())), |_| false, points),
    };
    let (file, shows) = match in_a_name(link) {
        "shallow" => ("total-shallow.svg", "time over the size of the array, shallow buffers"),
        _ => ("total-deep.svg", "time over the size of the array, deep buffers"),
    };
    plot.picture(file, shows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(method: Method, way: &str, sources: usize, time: f64) -> TimedSchedule {
        TimedSchedule {
            nodes: 12,
            link: "250mbit,shallow".into(),
            family: "x→kx".into(),
            source_block: 8,
            destination_block: 16,
            sources,
            destinations: 8,
            extent: 128,
            bytes: 8192,
            way: way.into(),
            method: method.to_string(),
            steps: 2,
            wire: 10.0,
            schedule: time / 1e5,
            most: time,
            mean: time,
            median: time,
            least: time,
            total: time,
        }
    }

    #[test]
    fn methods_are_compared_within_a_case_and_a_way() {
        let rows = [
            row(Method::Circulant, STEPS, 4, 20.0),
            row(Method::AllAtOnce, STEPS, 4, 40.0),
            row(Method::Circulant, STEPS, 8, 30.0),
            row(Method::Circulant, "in phases", 4, 60.0),
        ];
        let networks = by_network(&rows);
        assert_eq!(networks.len(), 1);
        let (_, rows) = &networks[0];
        let ratios = over(rows, 8192, [("circulant", STEPS), ("all at once", STEPS)]);
        assert_eq!(ratios, [0.5]); // the third has nothing beside it
        let said = verdict(&networks[0]);
        assert!(
            said.contains("all at once: pays at 8 KiB (0.50 / 0.50 / 0.50, ahead in 1 of 1)"),
            "{said}"
        );
        let table = over_all_at_once(&networks).markdown();
        assert!(table.contains("| shallow |           8 KiB |      0.50 |"), "{table}");
        assert!(ways(&networks).markdown().contains("3.00"));
    }
}
