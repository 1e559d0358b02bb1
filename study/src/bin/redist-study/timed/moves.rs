//! Ways to pack and unpack over links: each part of a move, beside what the paper prints.

use super::{apart, in_words, not_measured, read};
use crate::context::Context;
use crate::plot::{Panels, Plot, curves};
use crate::report::{Picture, Report, Table, distinct, duration, names, ratio, spread};
use crate::sampling::geometric_mean;
use redist_study::links::TimedMove;
use redist_study::packing::{PackingMethod, RunTime};
use redist_study::printed::{PrintedTime, printed_ratios, printed_times};

const TITLE: &str = "Packing and unpacking over links, as timed by Hsu and Chung";

const FOLDER: &str = "moves-timed";

const PAPER: &str = "Hsu-Chung";

const SCHEMES: [&str; 3] =
    ["synchronous, in order", "asynchronous, in order", "asynchronous, any order"];

const ANY_ORDER: &str = SCHEMES[2];

const RANKS: usize = 4;

type Time = fn(&TimedMove) -> Option<f64>;

/// Methods that the paper compares with.
const PUBLISHED: [&str; 2] = ["Thakur", "PITFALLS"];

/// All methods here that somebody has published.
const LITERATURE: [&str; 4] = ["Thakur", "PITFALLS", PAPER, "ASPEN"];

const DIRECTIONS: [&str; 2] = ["kr→r", "r→kr"];

/// Returns the scheme that the paper gives to a method. Thakur's exchange is synchronous for kr→r
/// only; for r→kr all are asynchronous, and Thakur's and the paper's unpack any received message.
fn scheme_of(method: &str, direction: &str) -> &'static str {
    match (method, direction) {
        ("Thakur", "kr→r") => SCHEMES[0],
        ("PITFALLS", _) => SCHEMES[1],
        _ => ANY_ORDER,
    }
}

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let rows: Vec<TimedMove> = read(context, "moves.csv")?;
    if rows.is_empty() {
        return Ok(not_measured(FOLDER, TITLE));
    }
    let delayed: Vec<TimedMove> = read(context, "latency.csv")?;
    Ok(Report {
        folder: FOLDER,
        title: TITLE,
        paragraphs: [findings(&rows)]
            .into_iter()
            .chain(apart("total times", rows.iter().map(|row| row.total_apart)))
            .collect(),
        tables: [
            ahead(&rows),
            items(&rows),
            beside_printed(&rows, "Thakur"),
            beside_printed(&rows, "PITFALLS"),
            orders(&rows),
            by_scheme(&rows),
            by_distributions(&rows),
        ]
        .into_iter()
        .chain((!delayed.is_empty()).then(|| by_latency(&delayed)))
        .collect(),
        plots: draw(&rows)?,
        ..Report::default()
    })
}

fn total(row: &TimedMove) -> Option<f64> {
    Some(row.total)
}

fn packing(row: &TimedMove) -> Option<f64> {
    row.packing
}

fn communication(row: &TimedMove) -> Option<f64> {
    row.communication
}

fn same_case(a: &TimedMove, b: &TimedMove) -> bool {
    let key = |row: &TimedMove| (row.ranks, row.elements, row.k, row.r, row.direction.clone());
    key(a) == key(b)
}

fn over<'a>(
    rows: &'a [TimedMove],
    [(method, scheme), (other, beside)]: [(&str, &str); 2],
    time: Time,
    wanted: impl Fn(&TimedMove) -> bool + 'a,
) -> Vec<f64> {
    let is = |row: &TimedMove, method: &str, scheme: &str| {
        row.method == method && (row.scheme == scheme || row.scheme.is_empty())
    };
    let of_method = rows.iter().filter(|row| is(row, method, scheme) && wanted(row));
    let ratios = of_method.filter_map(|row| {
        let mut others = rows.iter().filter(|others| same_case(others, row));
        let found = others.find(|others| is(others, other, beside))?;
        Some(time(row)? / time(found)?)
    });
    ratios.collect()
}

fn findings(rows: &[TimedMove]) -> String {
    let link = rows.first().map_or(String::new(), |row| in_words(row.nodes, &row.link));
    let share: Vec<f64> = rows
        .iter()
        .filter(|row| row.ranks == RANKS)
        .filter_map(|row| Some(row.communication? / row.total))
        .collect();
    let ours = (RunTime.name(), ANY_ORDER);
    let moved = |way| spread(&over(rows, [(way, ""), ours], total, |row| row.ranks == RANKS));
    format!(
        "{link} and more, one rank each, against 64 ranks of an SP2 in the paper. Indices, packing and unpacking are one part of \
         a rank's time, the exchange is the other: on {RANKS} ranks it makes up {} of the total. {} A move by the library with a plan \
         made before takes {} of the total of its own packing in any order, and {} with the macro's item. PITFALLS and ASPEN \
         list one period, which between BLOCK and CYCLIC is the whole array, a piece an element.",
        spread(&share),
        schemes_text(rows),
        moved("redist, a move"),
        moved("redist, a move by the macro"),
    )
}

fn schemes_text(rows: &[TimedMove]) -> String {
    let on = |ranks: usize| {
        let against = |scheme: &str| {
            let methods = names(rows.iter().map(|row| row.method.as_str()));
            let of = |method: &str| {
                let pair = [(method, scheme), (method, ANY_ORDER)];
                over(rows, pair, total, |row| row.ranks == ranks && !row.scheme.is_empty())
            };
            let all: Vec<f64> = methods.into_iter().flat_map(of).collect();
            let behind = all.iter().filter(|ratio| **ratio > 1.0).count();
            format!("{} (behind in {behind} of {})", spread(&all), all.len())
        };
        format!(
            "On {ranks} ranks the synchronous exchange takes {} of the total in any order, the asynchronous in order {}.",
            against(SCHEMES[0]),
            against(SCHEMES[1])
        )
    };
    ranks_of(rows).into_iter().map(on).collect::<Vec<_>>().join(" ")
}

fn ranks_of(rows: &[TimedMove]) -> Vec<usize> {
    distinct(rows.iter().map(|row| row.ranks))
}

fn beside_printed(rows: &[TimedMove], other: &str) -> Table {
    let caption = format!(
        "Hsu and Chung's method over {other}, geometric mean over the extents: as printed, and here on {RANKS} ranks, {PAPER} in \
         any order and {other} {}. Printed exchanges and totals are without the eight figures that are copies.",
        match other {
            "Thakur" => "synchronous for kr→r, asynchronous in any order for r→kr".to_owned(),
            other => scheme_of(other, DIRECTIONS[0]).to_owned(),
        }
    );
    let head = ["distributions", "computation, printed", "here", "exchange, printed", "here"]
        .into_iter()
        .chain(["total, printed", "here"]);
    let rows: Vec<TimedMove> = rows.iter().filter(|row| row.ranks == RANKS).cloned().collect();
    let cells = |row: &TimedMove| {
        let of_blocks = |other: &TimedMove| distributions(other) == distributions(row);
        let is_block = [&row.source, &row.destination].iter().any(|word| *word == "block");
        let (k, direction) = ((!is_block).then_some(row.k), row.direction.as_str());
        let printed = |keeps_copies: bool, time: fn(&PrintedTime) -> f64| {
            let wanted = |row: &PrintedTime| {
                row.k == k && row.direction == direction && (keeps_copies || !row.is_copied)
            };
            ratio(geometric_mean(&printed_ratios(["Krr", other], wanted, time)))
        };
        let here = |time| {
            let pair = [PAPER, other].map(|method| (method, scheme_of(method, direction)));
            ratio(geometric_mean(&over(&rows, pair, time, of_blocks)))
        };
        vec![
            distributions(row),
            printed(true, |row| row.computation),
            here(packing),
            printed(false, |row| row.communication),
            here(communication),
            printed(false, PrintedTime::total),
            here(total),
        ]
    };
    Table::new(caption, head, first_of_each(&rows).into_iter().map(cells))
}

/// Tables the paper's method over the two that it compares with, in its schemes.
fn ahead(rows: &[TimedMove]) -> Table {
    let caption = format!(
        "Total time of {PAPER}'s method over the two that the paper compares with, each in the scheme that the paper gives it: least, \
         geometric mean and most over distributions (means over their extents), and in how many {PAPER}'s is ahead."
    );
    let columns = PUBLISHED.iter().flat_map(|other| [format!("over {other}"), "ahead in".into()]);
    let head = ["ranks, direction"].map(str::to_owned).into_iter().chain(columns);
    let pairs = ranks_of(rows).into_iter().flat_map(|ranks| DIRECTIONS.map(|it| (ranks, it)));
    let row = |(ranks, direction): (usize, &str)| {
        let here: Vec<TimedMove> = rows
            .iter()
            .filter(|row| row.ranks == ranks && row.direction == direction)
            .cloned()
            .collect();
        let cells = PUBLISHED.iter().flat_map(|other| {
            let pair = [PAPER, *other].map(|method| (method, scheme_of(method, direction)));
            let of = |first: &TimedMove| {
                let same = |row: &TimedMove| distributions(row) == distributions(first);
                geometric_mean(&over(&here, pair, total, same))
            };
            let ratios: Vec<f64> = first_of_each(&here).into_iter().map(of).collect();
            let ahead = ratios.iter().filter(|ratio| **ratio < 1.0).count();
            [spread(&ratios), format!("{ahead} of {}", ratios.len())]
        });
        let cells: Vec<String> = cells.collect();
        (!here.is_empty()).then(|| [vec![format!("{ranks}, {direction}")], cells].concat())
    };
    Table::new(caption, head, pairs.filter_map(row))
}

/// Tables what the library has over the published methods, case by case.
fn items(rows: &[TimedMove]) -> Table {
    let caption = "Total time of the library over each published method in any order (Thakur, PITFALLS, Hsu-Chung, ASPEN), case by \
                   case: least, geometric mean, most, and in how many comparisons the library is behind. An item plans in every \
                   call, as the published methods do, and exchanges as they do; a move has its plan made before, and an exchange \
                   of its own.";
    let head = ["ranks", "of the library", "over the published", "behind in"];
    let ours = [("redist, macro", ANY_ORDER), ("redist, run time", ANY_ORDER)]
        .into_iter()
        .chain([("redist, a move", ""), ("redist, a move by the macro", "")]);
    let pairs =
        ranks_of(rows).into_iter().flat_map(|ranks| ours.clone().map(move |it| (ranks, it)));
    let row = |(ranks, (name, scheme)): (usize, (&str, &str))| {
        let of = |other| {
            over(rows, [(name, scheme), (other, ANY_ORDER)], total, move |row| row.ranks == ranks)
        };
        let ratios: Vec<f64> = LITERATURE.into_iter().flat_map(of).collect();
        let behind = ratios.iter().filter(|ratio| **ratio > 1.0).count();
        let count = format!("{behind} of {}", ratios.len());
        vec![ranks.to_string(), name.to_owned(), spread(&ratios), count]
    };
    Table::new(caption, head, pairs.map(row))
}

/// Tables the orders of the three methods, as the paper's tables have them.
fn orders(rows: &[TimedMove]) -> Table {
    let caption = format!(
        "The orders here, on {RANKS} ranks, in the paper's schemes, by geometric means over the extents; the study of packing has the \
         printed ones."
    );
    let head = ["distributions", "computation", "exchange", "total"];
    let here: Vec<TimedMove> = rows.iter().filter(|row| row.ranks == RANKS).cloned().collect();
    let methods = [PAPER, PUBLISHED[0], PUBLISHED[1]];
    let cells = |first: &TimedMove| {
        let order = |time: Time| {
            let mean = |method: &&str| {
                let scheme = scheme_of(method, &first.direction);
                let of = here.iter().filter(|row| {
                    distributions(row) == distributions(first)
                        && row.method == **method
                        && row.scheme == scheme
                });
                geometric_mean(&of.filter_map(time).collect::<Vec<f64>>())
            };
            let mut sorted = methods;
            sorted.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
            sorted.join(" < ")
        };
        let times: [Time; 3] = [packing, communication, total];
        [distributions(first)].into_iter().chain(times.map(order)).collect()
    };
    Table::new(caption, head, first_of_each(&here).into_iter().map(cells))
}

/// Tables totals by the latency of the links.
fn by_latency(rows: &[TimedMove]) -> Table {
    let caption = format!(
        "With latency: total time on {RANKS} ranks as a multiple of that of a plan made at run time in any order at the same latency, \
         geometric mean over distributions of the least extent; and the latter's time. A receiver waits until a message's latency \
         has passed since it was sent, because the kernel here has no queue that delays packets."
    );
    let latencies = distinct(rows.iter().map(|row| row.latency as usize));
    let columns = latencies.iter().map(|latency| format!("{latency} µs"));
    let head = ["method", "scheme"].map(str::to_owned).into_iter().chain(columns);
    let ours = (RunTime.name(), ANY_ORDER);
    let methods = names(rows.iter().map(|row| row.method.as_str())).into_iter();
    let pairs = methods.flat_map(|method| SCHEMES.map(|scheme| (method, scheme)));
    let row = |(method, scheme): (&str, &str)| {
        let cell = |latency: &usize| {
            let here: Vec<TimedMove> =
                rows.iter().filter(|row| row.latency as usize == *latency).cloned().collect();
            ratio(geometric_mean(&over(&here, [(method, scheme), ours], total, |_| true)))
        };
        let name = [method.to_owned(), scheme.to_owned()];
        name.into_iter().chain(latencies.iter().map(cell)).collect()
    };
    let whole = |latency: &usize| {
        let of = |row: &&TimedMove| {
            row.latency as usize == *latency && (row.method.as_str(), row.scheme.as_str()) == ours
        };
        let times: Vec<f64> = rows.iter().filter(of).map(|row| row.total * 1e-3).collect();
        duration(geometric_mean(&times))
    };
    let last =
        [ours.0.to_owned(), "time".to_owned()].into_iter().chain(latencies.iter().map(whole));
    Table::new(caption, head, pairs.map(row).chain([last.collect()]))
}

fn by_scheme(rows: &[TimedMove]) -> Table {
    let caption = format!(
        "Every method in every scheme: packing, exchange and total as multiples of those of a plan made at run time in any order, \
         geometric mean over the cases of the same extent (all extents on {RANKS} ranks)."
    );
    let ranks = ranks_of(rows);
    let columns = ranks.iter().flat_map(|ranks| {
        ["packing", "exchange", "total"].map(|part| format!("{part}, {ranks} ranks"))
    });
    let head = ["method", "scheme"].map(str::to_owned).into_iter().chain(columns);
    let row = |(method, scheme): (&str, &str)| {
        let cell = |ranks: usize, time: Time| {
            let pair = [(method, scheme), (RunTime.name(), ANY_ORDER)];
            ratio(geometric_mean(&over(rows, pair, time, |row| row.ranks == ranks)))
        };
        let times: [Time; 3] = [packing, communication, total];
        let cells = ranks.iter().flat_map(|ranks| times.map(|time| cell(*ranks, time)));
        let name = [method, if scheme.is_empty() { "–" } else { scheme }];
        name.map(str::to_owned).into_iter().chain(cells).collect()
    };
    let schemes = |method| {
        let of_method = rows.iter().filter(move |row| row.method == method);
        let schemes = names(of_method.map(|row| row.scheme.as_str()));
        schemes.into_iter().map(move |scheme| (method, scheme))
    };
    let pairs = names(rows.iter().map(|row| row.method.as_str())).into_iter().flat_map(schemes);
    Table::new(caption, head, pairs.map(row))
}

fn distributions(row: &TimedMove) -> String {
    format!("{} → {}", row.source, row.destination)
}

/// Returns the first row of each pair of distributions.
fn first_of_each(rows: &[TimedMove]) -> Vec<&TimedMove> {
    let is_first = |(number, row): &(usize, &TimedMove)| {
        rows[..*number].iter().all(|before| distributions(before) != distributions(row))
    };
    rows.iter().enumerate().filter(is_first).map(|(_, row)| row).collect()
}

fn by_distributions(rows: &[TimedMove]) -> Table {
    let rows = in_any_order(rows);
    let methods = names(rows.iter().map(|row| row.method.as_str()));
    let caption = format!(
        "By distributions, on {RANKS} ranks, in any order: total time as a multiple of that of a plan made at run time, geometric \
         mean over the extents; and, for the largest, the latter as a multiple of the wire's time."
    );
    let head = ["distributions"].into_iter().chain(methods.iter().copied()).chain(["of the wire"]);
    let cells = |row: &TimedMove| {
        let here = |other: &TimedMove| distributions(other) == distributions(row);
        let cell = |method: &&str| {
            let pair = [(*method, ANY_ORDER), (RunTime.name(), ANY_ORDER)];
            ratio(geometric_mean(&over(&rows, pair, total, here)))
        };
        let largest = rows.iter().rfind(|row| here(row) && row.method == RunTime.name());
        let largest = largest.map_or(f64::NAN, |row| row.total / row.wire);
        let cells = methods.iter().map(cell).chain([ratio(largest)]);
        [distributions(row)].into_iter().chain(cells).collect()
    };
    Table::new(caption, head, first_of_each(&rows).into_iter().map(cells))
}

fn draw(all: &[TimedMove]) -> anyhow::Result<Vec<Picture>> {
    let rows = in_any_order(all);
    let largest = rows.iter().map(|row| row.elements).max().unwrap_or(0);
    let plot = |direction| {
        let here = |row: &&TimedMove| row.elements == largest && row.direction == direction;
        let points = |name: &str| {
            let of = rows.iter().filter(here).filter(|row| row.method == name);
            of.map(|row| (row.k as f64, row.total / row.wire)).collect()
        };
        let (millions, names) =
            (largest as f64 / 1e6, names(rows.iter().map(|row| row.method.as_str())));
        Plot {
            title: format!("{direction}, {RANKS} ranks, {millions:.2} million elements"),
            x: "k (the last: BLOCK and CYCLIC)",
            y: "total, multiple of the wire's time",
            curves: curves(names, |name| name.starts_with("redist"), points),
        }
    };
    Ok(vec![
        plot("kr→r").picture("total-kr-to-r.svg", "total time over k, kr→r")?,
        plot("r→kr").picture("total-r-to-kr.svg", "total time over k, r→kr")?,
        over_n(all).picture("total-over-n.svg", "total time over the extent, printed and here")?,
    ])
}

/// Draws totals over the extent as figures 7 to 11 do, each beside what the paper prints.
fn over_n(rows: &[TimedMove]) -> Panels {
    let here: Vec<TimedMove> = rows.iter().filter(|row| row.ranks == RANKS).cloned().collect();
    let least = here.iter().map(|row| row.elements).min().unwrap_or(1);
    let panel = |first: &TimedMove| {
        let measured = |method: &str| -> Vec<(f64, f64)> {
            let scheme = scheme_of(method, &first.direction);
            let of = here.iter().filter(|row| {
                distributions(row) == distributions(first)
                    && row.method == method
                    && row.scheme == scheme
            });
            of.map(|row| ((row.elements / least) as f64, row.total)).collect()
        };
        let is_block = [&first.source, &first.destination].iter().any(|word| *word == "block");
        let k = (!is_block).then_some(first.k);
        let all = printed_times();
        let printed = |method: &str| -> Vec<(f64, f64)> {
            let is = |row: &&PrintedTime| {
                row.k == k
                    && row.direction == first.direction
                    && row.method == method
                    && !row.is_copied
            };
            all.iter().filter(is).map(|row| (row.extent as f64, row.total())).collect()
        };
        let curve = |(name, points): (String, Vec<(f64, f64)>), unit: f64| {
            let points = points.into_iter().map(|(x, y)| (x, y / unit)).collect();
            crate::plot::Curve { is_ours: false, name, points }
        };
        let first_of = |points: &[(f64, f64)]| points.first().map_or(f64::NAN, |point| point.1);
        let (ours, theirs) = (first_of(&measured(PAPER)), first_of(&printed("Krr")));
        let of_here = [PAPER, PUBLISHED[0], PUBLISHED[1]].map(|it| (it.to_owned(), measured(it)));
        let of_paper = ["Krr", PUBLISHED[0], PUBLISHED[1]];
        let of_paper = of_paper.map(|it| (format!("{it}, printed"), printed(it)));
        let here = of_here.into_iter().map(|it| curve(it, ours));
        let paper = of_paper.into_iter().map(|it| curve(it, theirs));
        Plot { title: distributions(first), x: "", y: "", curves: here.chain(paper).collect() }
    };
    let title = format!(
        "total over the extent, multiples of Hsu and Chung's at N = 1.28 million: {RANKS} ranks here, 64 printed"
    );
    let plots = first_of_each(&here).into_iter().map(panel).collect();
    Panels { title, columns: 2, plots }
}

fn in_any_order(rows: &[TimedMove]) -> Vec<TimedMove> {
    let compared =
        |row: &&TimedMove| row.ranks == RANKS && [ANY_ORDER, ""].contains(&row.scheme.as_str());
    rows.iter().filter(compared).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(method: &str, scheme: &str, total: f64, part: Option<f64>) -> TimedMove {
        TimedMove {
            nodes: 4,
            link: "2gbit".into(),
            ranks: 4,
            elements: 1000,
            source: "cyclic(10)".into(),
            destination: "cyclic(2)".into(),
            direction: "kr→r".into(),
            k: 5,
            r: 2,
            method: method.into(),
            scheme: scheme.into(),
            latency: 0.0,
            wire: 2.0,
            packing: part,
            communication: part,
            total,
            total_apart: 0.0,
        }
    }

    #[test]
    fn methods_are_compared_in_their_schemes() {
        let rows = [
            row(PAPER, ANY_ORDER, 6.0, Some(3.0)),
            row(PAPER, SCHEMES[0], 9.0, Some(6.0)),
            row("Thakur", SCHEMES[0], 12.0, Some(4.0)),
            row("Thakur", ANY_ORDER, 24.0, Some(4.0)),
            row(RunTime.name(), ANY_ORDER, 4.0, Some(3.0)),
            row("redist, a move", "", 2.0, None),
        ];
        let pair = [(PAPER, ANY_ORDER), (PAPER, SCHEMES[0])];
        assert_eq!(over(&rows, pair, communication, |_| true), [0.5]);
        let table = beside_printed(&rows, "Thakur").markdown();
        let last = table.lines().last().unwrap();
        // 3 over 4 in both parts; 6 over 12, as Thakur's exchange is synchronous.
        let here: Vec<&str> = last.split('|').map(str::trim).collect();
        assert_eq!([here[3], here[5], here[7]], ["0.75", "0.75", "0.50"], "{last}");
        let table = by_scheme(&rows).markdown();
        let of_thakur = ahead(&rows).markdown();
        let line = of_thakur.lines().last().unwrap();
        assert!(line.contains("4, kr→r") && line.contains("0.50 / 0.50 / 0.50"), "{line}");
        assert!(line.contains("1 of 1"), "{line}");
        let moved = table.lines().find(|line| line.contains("a move")).unwrap();
        assert!(moved.contains("–") && moved.contains("0.50"), "{moved}");
        assert!(by_distributions(&rows).markdown().contains("1.50"));
    }

    /// For r→kr the paper's exchanges are all asynchronous, and Thakur's unpacks any message.
    #[test]
    fn of_r_to_kr_thakur_s_exchange_is_asynchronous() {
        let schemes = |direction| ["Thakur", "PITFALLS", PAPER].map(|it| scheme_of(it, direction));
        assert_eq!(schemes("kr→r"), [SCHEMES[0], SCHEMES[1], ANY_ORDER]);
        assert_eq!(schemes("r→kr"), [ANY_ORDER, SCHEMES[1], ANY_ORDER]);
        let back = |method: &str, scheme: &str, total| {
            let (source, destination) = ("cyclic(2)".into(), "cyclic(10)".into());
            let row = row(method, scheme, total, Some(3.0));
            TimedMove { direction: "r→kr".into(), source, destination, ..row }
        };
        let rows = [
            back(PAPER, ANY_ORDER, 6.0),
            back("Thakur", SCHEMES[0], 12.0),
            back("Thakur", ANY_ORDER, 4.0),
            back("PITFALLS", SCHEMES[1], 5.0),
        ];
        let table = ahead(&rows).markdown();
        let line = table.lines().find(|line| line.starts_with("| 4, r→kr")).unwrap().to_owned();
        assert!(line.contains("1.50 / 1.50 / 1.50 |   0 of 1") && line.contains("1.20"), "{line}");
        let order = orders(&rows).markdown();
        assert!(order.contains("Thakur < PITFALLS < Hsu-Chung"), "{order}");
    }
}
