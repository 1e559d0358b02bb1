use super::{apart, in_words, not_measured, read};
use crate::context::Context;
use crate::plot::{Plot, curves};
use crate::report::{Picture, Report, Table, distinct, names, ratio, spread};
use crate::sampling::geometric_mean;
use redist_study::links::TimedMove;
use redist_study::packing::{PackingMethod, RunTime};
use redist_study::printed::{PrintedTime, printed_ratios};

const TITLE: &str = "Packing and unpacking over links, as timed by Hsu and Chung";

const FOLDER: &str = "moves-timed";

const PAPER: &str = "Hsu-Chung";

const SCHEMES: [&str; 3] =
    ["synchronous, in order", "asynchronous, in order", "asynchronous, any order"];

const ANY_ORDER: &str = SCHEMES[2];

const RANKS: usize = 4;

type Time = fn(&TimedMove) -> Option<f64>;

/// Returns the scheme that the paper gives to a method.
fn scheme_of(method: &str) -> &'static str {
    match method {
        "Thakur" => SCHEMES[0],
        "PITFALLS" => SCHEMES[1],
        _ => ANY_ORDER,
    }
}

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let rows: Vec<TimedMove> = read(context, "moves.csv")?;
    if rows.is_empty() {
        return Ok(not_measured(FOLDER, TITLE));
    }
    Ok(Report {
        folder: FOLDER,
        title: TITLE,
        paragraphs: [findings(&rows)]
            .into_iter()
            .chain(apart("total times", rows.iter().map(|row| row.total_apart)))
            .collect(),
        tables: vec![
            beside_printed(&rows, "Thakur"),
            beside_printed(&rows, "PITFALLS"),
            by_scheme(&rows),
            by_distributions(&rows),
        ],
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
        scheme_of(other)
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
            let pair = [(PAPER, scheme_of(PAPER)), (other, scheme_of(other))];
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

fn draw(rows: &[TimedMove]) -> anyhow::Result<Vec<Picture>> {
    let rows = in_any_order(rows);
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
    ])
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
        let moved = table.lines().find(|line| line.contains("a move")).unwrap();
        assert!(moved.contains("–") && moved.contains("0.50"), "{moved}");
        assert!(by_distributions(&rows).markdown().contains("1.50"));
    }
}
