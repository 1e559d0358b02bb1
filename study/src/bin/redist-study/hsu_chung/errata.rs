//! Places in which the paper's tables and text disagree.

use crate::report::Table;
use redist_study::printed::{PrintedTime, printed_times};

/// The methods in the order that the text claims for computation.
const METHODS: [&str; 3] = ["Krr", "Thakur", "PITFALLS"];

/// Figures 7 to 11 by their factor; the last has BLOCK and CYCLIC.
const FIGURES: [(usize, Option<usize>); 5] =
    [(7, Some(5)), (8, Some(25)), (9, Some(50)), (10, Some(100)), (11, None)];

type Time = fn(&PrintedTime) -> f64;

pub fn text() -> String {
    let all = printed_times();
    let (copied, places) = copied(&all);
    let broken: Vec<String> =
        ["kr→r", "r→kr"].iter().flat_map(|direction| broken_orders(&all, direction)).collect();
    format!(
        "Errata of the printed tables: {copied} ms stands for the communication of the paper's method at four times the extent in \
         {} of {} tables; that is PITFALLS' time in the first of them. The caption of figure 7 has 1.28 Mbytes where the others have \
         1.28 million elements. The text claims for figure 7 that Krr computes before Thakur and Thakur before PITFALLS; the \
         table says otherwise at {}. {}",
        places.0,
        places.1,
        broken.join(" and at "),
        contradictions(&all)
    )
}

/// Says where else the text contradicts the tables.
fn contradictions(all: &[PrintedTime]) -> String {
    let time = |k, direction, extent: usize, method: &str, part: Time| {
        let is = |row: &&PrintedTime| {
            (row.k, row.direction, row.extent) == (k, direction, extent) && row.method == method
        };
        all.iter().find(is).map_or(f64::NAN, part)
    };
    let total = |method| time(Some(50), "kr→r", 1, method, PrintedTime::total);
    let exchange = |method| time(Some(50), "r→kr", 4, method, |row| row.communication);
    let of_block = |extent, method| time(None, "kr→r", extent, method, |row| row.communication);
    let behind = (1..=5).filter(|n| of_block(*n, "Thakur") > of_block(*n, "PITFALLS")).count();
    let pitfalls = |extent| time(None, "kr→r", extent, "PITFALLS", |row| row.computation);
    format!(
        "Three more: in figure 9, PITFALLS takes {:.2} ms in total at N for kr→r and Thakur {:.2}; at 4 N for r→kr, PITFALLS \
         communicates for {:.1} ms and Thakur for {:.1}; in figure 11, Thakur communicates for longer than PITFALLS from BLOCK to \
         CYCLIC in {behind} of 5 extents, where the text says the contrary. Of BLOCK and CYCLIC on 64 ranks the text has N/64 \
         intersections between a source and a destination; by counting they are N/4096, and PITFALLS' printed times, {:.0} to {:.0} \
         ms for N to 5 N, grow with neither.",
        total("PITFALLS"),
        total("Thakur"),
        exchange("PITFALLS"),
        exchange("Thakur"),
        pitfalls(1),
        pitfalls(5)
    )
}

/// Tables the order of the methods in each figure: the order that most extents have.
pub fn orders() -> Table {
    let caption = "The orders of the printed times: methods from the fastest to the slowest, in so many of the extents that have no \
                   copied figure.";
    let head = ["figure, direction", "computation", "communication", "total"];
    let all = printed_times();
    let parts: [(Time, bool); 3] = [
        (|row| row.computation, true),
        (|row| row.communication, false),
        (PrintedTime::total, false),
    ];
    let rows =
        FIGURES.iter().flat_map(|figure| ["kr→r", "r→kr"].map(|direction| (*figure, direction)));
    let row = |((figure, k), direction): ((usize, Option<usize>), &'static str)| {
        let cells = parts.map(|(time, keeps_copies)| {
            let orders = (1..=5)
                .filter_map(|extent| order(&all, (k, direction, extent), time, keeps_copies));
            most_frequent(&orders.collect::<Vec<_>>())
        });
        [format!("{figure}, {direction}")].into_iter().chain(cells).collect()
    };
    Table::new(caption, head, rows.map(row))
}

type Key = (Option<usize>, &'static str, usize);

fn order(all: &[PrintedTime], key: Key, time: Time, keeps_copies: bool) -> Option<String> {
    let here = all.iter().filter(|row| (row.k, row.direction, row.extent) == key);
    let mut rows: Vec<&PrintedTime> = here.collect();
    rows.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let names: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
    let is_whole = keeps_copies || rows.iter().all(|row| !row.is_copied);
    (is_whole && names.len() == METHODS.len()).then(|| names.join(" < "))
}

fn most_frequent(orders: &[String]) -> String {
    let count = |order: &String| orders.iter().filter(|other| *other == order).count();
    let most = orders.iter().max_by_key(|order| count(order));
    most.map_or("–".into(), |order| format!("{order}, {} of {}", count(order), orders.len()))
}

/// Returns the figure that is copied, the tables that have it, and all tables.
fn copied(all: &[PrintedTime]) -> (f64, (usize, usize)) {
    let here: Vec<&PrintedTime> =
        all.iter().filter(|row| row.method == "Krr" && row.extent == 4).collect();
    let suspects: Vec<f64> =
        here.iter().filter(|row| row.is_copied).map(|row| row.communication).collect();
    (suspects.first().copied().unwrap_or(f64::NAN), (suspects.len(), here.len()))
}

fn broken_orders(all: &[PrintedTime], direction: &str) -> Vec<String> {
    let time = |extent: usize, method: &str| {
        let mut rows = all.iter().filter(|row| row.k == Some(5) && row.direction == direction);
        rows.find(|row| row.extent == extent && row.method == method)
            .map_or(f64::NAN, |row| row.computation)
    };
    let times = |extent| METHODS.map(|method| time(extent, method));
    let broken = (1..=5).map(|extent| (extent, times(extent)));
    broken
        .filter(|(_, times)| !times.is_sorted())
        .map(|(extent, [ours, before, pitfalls])| {
            format!("{extent} N for {direction} ({ours:.1}, {before:.1} and {pitfalls:.1} ms)")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn errata_are_those_that_the_tables_have() {
        let text = super::text();
        assert!(text.contains("42.1 ms stands") && text.contains("8 of 10 tables"), "{text}");
        assert!(text.contains("at 5 N for kr→r (144.6, 195.6 and 175.2 ms)"), "{text}");
        assert!(text.contains("5 N for r→kr (162.3, 169.9 and 163.4 ms)."), "{text}");
        assert!(text.contains("89.03 ms in total at N for kr→r and Thakur 87.99"), "{text}");
        assert!(text.contains("for 45.6 ms and Thakur for 47.3"), "{text}");
        assert!(text.contains("CYCLIC in 5 of 5") && text.contains("2604 to 2921 ms"), "{text}");
    }

    #[test]
    fn orders_are_those_of_most_extents() {
        let table = super::orders().markdown();
        let cells = |start: &str| -> Vec<String> {
            let line = table.lines().find(|line| line.starts_with(start)).unwrap();
            line.split(" | ").map(|cell| cell.trim_matches(['|', ' ']).to_owned()).collect()
        };
        let seven = cells("| 7, kr→r");
        assert_eq!(seven[1], "Krr < Thakur < PITFALLS, 4 of 5");
        assert_eq!(seven[2], "Krr < PITFALLS < Thakur, 5 of 5");
        assert_eq!(cells("| 11, r→kr")[2], "Krr < Thakur < PITFALLS, 3 of 4");
    }

    /// Elements that one source of 64 has for one destination, between BLOCK and CYCLIC.
    #[test]
    fn a_pair_shares_one_element_in_4096() {
        let extent = 1 << 18;
        let plan = redist::Plan::<1>::parse([extent], "block onto 64", "cyclic onto 64").unwrap();
        assert_eq!(plan.volume(3, 5), extent / 4096);
    }
}
