//! Places in which the paper's tables and text disagree.

use redist_study::printed::{PrintedTime, printed_times};

pub fn text() -> String {
    let all = printed_times();
    let (copied, places) = copied(&all);
    let broken: Vec<String> =
        ["kr→r", "r→kr"].iter().flat_map(|direction| broken_orders(&all, direction)).collect();
    format!(
        "Errata of the printed tables: {copied} ms stands for the communication of the paper's method at four times the extent in \
         {} of {} tables; that is PITFALLS' time in the first of them. The caption of figure 7 has 1.28 Mbytes where the others have \
         1.28 million elements. The text claims for figure 7 that Krr computes before Thakur and Thakur before PITFALLS; the \
         table says otherwise at {}.",
        places.0,
        places.1,
        broken.join(" and at ")
    )
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
    let times = |extent| ["Krr", "Thakur", "PITFALLS"].map(|method| time(extent, method));
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
        assert!(text.ends_with("5 N for r→kr (162.3, 169.9 and 163.4 ms)."), "{text}");
        assert_eq!(text.matches(" N for ").count(), 2, "{text}");
    }
}
