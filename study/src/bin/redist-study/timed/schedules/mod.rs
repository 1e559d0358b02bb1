//! Schedules over links: times of runs beside the time of the wire, over the size of the array.

mod figures;
mod kinds;
mod panels;

use super::{in_a_name, in_words, not_measured, read};
use crate::context::Context;
use crate::plot::{Plot, curves};
use crate::report::{Picture, Report, Table, duration, names, ratio};
use crate::sampling::geometric_mean;
use figures::{EQUAL, FIGURES, Network, STEPS, case_of, in_bytes, judged, over, sizes};
use redist::plan::schedule::Method;
use redist_study::links::TimedSchedule;
use redist_study::matchings::Matching;

const TITLE: &str = "Schedules over links, as timed by Park, Prasanna and Raghavendra";

const FOLDER: &str = "schedules-timed";

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let rows: Vec<TimedSchedule> = read(context, "schedules.csv")?;
    if rows.is_empty() {
        return Ok(not_measured(FOLDER, TITLE));
    }
    let networks = by_network(&rows);
    let verdicts = networks.iter().map(kinds::verdict).chain([computing(&rows)]);
    let tables = [
        kinds::table(&networks),
        steps_over_all_at_once(&networks),
        over_all_at_once(&networks),
        ways(&networks),
    ];
    let tables = tables.into_iter();
    Ok(Report {
        folder: FOLDER,
        title: TITLE,
        paragraphs: verdicts.collect(),
        tables: tables.chain(networks.iter().map(all_cases)).collect(),
        plots: networks
            .iter()
            .flat_map(|network| [draw(network), panels::draw(network)])
            .collect::<Result<_, _>>()?,
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

fn mean_of(row: &TimedSchedule) -> Option<f64> {
    Some(row.mean)
}

/// Tables the project's own question: what steps gain against all messages at once.
fn steps_over_all_at_once(networks: &[Network<'_>]) -> Table {
    let caption = format!(
        "The gain of steps, which no paper asks for: the circulant schedule over all at once, in steps, all cases of x→kx and kx→x: a rank's \
         time by the mean and by the least of the runs, the time from the first rank's start to the last rank's end, and the data \
         transfer time; geometric means, and in how many cases the circulant schedule is ahead. Chance: the closed form over the \
         circulant schedule, which has the same steps of the same lengths, by the same figures (least to most). Means over ranks \
         favour all at once, whose disjoint sources end early. Nearer to 1 than {EQUAL} counts as equal."
    );
    let (at_once, circulant) = (Method::AllAtOnce.to_string(), Method::Circulant.to_string());
    let closed_form = Method::ClosedForm.to_string();
    let columns =
        FIGURES.iter().flat_map(|(name, _)| [(*name).to_owned(), format!("{name}, chance")]);
    let head = ["network", "bytes of a rank"].map(str::to_owned).into_iter().chain(columns);
    let of_network = |((_, link), rows): &Network<'_>| -> Vec<Vec<String>> {
        let row = |size| {
            let cells = FIGURES.iter().flat_map(|(_, figure)| {
                let pair = [(circulant.as_str(), STEPS), (at_once.as_str(), STEPS)];
                let gained = over(rows, size, pair, *figure);
                let same = [(closed_form.as_str(), STEPS), (circulant.as_str(), STEPS)];
                let chance = over(rows, size, same, *figure);
                [judged(&gained), ends(&chance)]
            });
            let name = [in_a_name(link).to_owned(), in_bytes(size)];
            name.into_iter().chain(cells).collect()
        };
        sizes(rows).into_iter().map(row).collect()
    };
    Table::new(caption, head, networks.iter().flat_map(of_network))
}

fn ends(ratios: &[f64]) -> String {
    match ratios {
        [] => "–".into(),
        _ => {
            let least = ratios.iter().copied().fold(f64::MAX, f64::min);
            let most = ratios.iter().copied().fold(f64::MIN, f64::max);
            format!("{} to {}", ratio(least), ratio(most))
        }
    }
}

fn computing(rows: &[TimedSchedule]) -> String {
    let in_steps = || rows.iter().filter(|row| row.way == STEPS);
    let methods = names(in_steps().map(|row| row.method.as_str()));
    let part = |method: &&str| {
        let of: Vec<&TimedSchedule> = in_steps().filter(|row| row.method == *method).collect();
        let mean = geometric_mean(&of.iter().map(|row| row.schedule).collect::<Vec<_>>());
        let part = |row: &&TimedSchedule| Some(row.schedule / row.transfer_mean?);
        let most = of.iter().filter_map(part).reduce(f64::max);
        let most = most.map_or("–".into(), |most| format!("at most {:.2} %", most * 100.0));
        format!("{method} {} ({most})", duration(mean * 1e-3))
    };
    format!(
        "Computing the schedule, partners of a rank included: geometric mean, and the largest share of a rank's data transfer time: \
         {}.",
        methods.iter().map(part).collect::<Vec<_>>().join(", ")
    )
}

/// A column of ratios: one method in a way over a second method.
type Column<'a> = (String, [(String, &'a str); 2]);

fn by_size(caption: &str, networks: &[Network<'_>], columns: &[Column<'_>]) -> Table {
    let names = columns.iter().map(|(name, _)| name.clone());
    let head = ["network", "bytes of a rank"].map(str::to_owned).into_iter().chain(names);
    let of_network = |((_, link), rows): &Network<'_>| -> Vec<Vec<String>> {
        let row = |size| {
            let cell = |(_, pair): &Column<'_>| {
                let pair = pair.each_ref().map(|(method, way)| (method.as_str(), *way));
                ratio(geometric_mean(&over(rows, size, pair, mean_of)))
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
    use super::figures::examples::row;
    use super::*;

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
        let ratios = over(rows, 8192, [("circulant", STEPS), ("all at once", STEPS)], mean_of);
        assert_eq!(ratios, [0.5]); // the third has nothing beside it
        let table = steps_over_all_at_once(&networks).markdown();
        assert!(table.contains("0.50, 1 of 1"), "{table}");
        let table = over_all_at_once(&networks).markdown();
        assert!(table.contains("| shallow |           8 KiB |      0.50 |"), "{table}");
        assert!(ways(&networks).markdown().contains("3.00"));
    }
}
