//! Times of Hsu and Chung, tables (c) of figures 7 to 11: milliseconds on 64 ranks of an IBM SP2,
//! single precision, means of 20 runs.

/// The times of one method in one row of a printed table.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedTime {
    /// Blocks of `k r` to blocks of `r`, or back; `None` for BLOCK and CYCLIC.
    pub k: Option<usize>,
    pub direction: &'static str,
    /// The extent, as a multiple of 1.28 million elements.
    pub extent: usize,
    /// Thakur, PITFALLS or Krr, which is the authors' method.
    pub method: String,
    /// Indices, packing and unpacking.
    pub computation: f64,
    /// The exchange.
    pub communication: f64,
    /// The tables have another method's figure here.
    pub is_copied: bool,
}

impl PrintedTime {
    pub fn total(&self) -> f64 {
        self.computation + self.communication
    }
}

type Line = (usize, String, String, usize, String, f64, f64, String);

/// Returns all 300 times, of 150 rows.
pub fn printed_times() -> Vec<PrintedTime> {
    let text = include_str!("../data/hsu-chung-times.csv");
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    reader.deserialize().map(|line| row(line.unwrap_or_else(|error| panic!("{error}")))).collect()
}

fn row((_, k, direction, extent, method, computation, communication, note): Line) -> PrintedTime {
    PrintedTime {
        k: k.parse().ok(),
        direction: if direction == "kr_to_r" { "kr→r" } else { "r→kr" },
        extent,
        method,
        computation,
        communication,
        is_copied: note.contains("suspect"),
    }
}

/// Returns one method's times over a second method's in all cases of one kind that have both.
pub fn printed_ratios(
    [method, other]: [&str; 2],
    wanted: impl Fn(&PrintedTime) -> bool,
    time: impl Fn(&PrintedTime) -> f64,
) -> Vec<f64> {
    let all = printed_times();
    let of = |wanted: &str| all.iter().filter(move |row| row.method == wanted).collect::<Vec<_>>();
    let others = of(other);
    let same = |a: &PrintedTime, b: &PrintedTime| {
        (a.k, a.direction, a.extent) == (b.k, b.direction, b.extent)
    };
    let rows = of(method).into_iter().filter(|row| wanted(row));
    rows.filter_map(|row| {
        let beside = others.iter().find(|beside| same(beside, row))?;
        Some(time(row) / time(beside))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_times_are_read() {
        let all = printed_times();
        assert_eq!(all.len(), 150);
        let of = |method: &str| all.iter().filter(|row| row.method == method).count();
        assert_eq!(["Thakur", "PITFALLS", "Krr"].map(of), [50; 3]);
        assert_eq!((all[0].k, all[0].computation, all[0].communication), (Some(5), 36.364, 31.795));
        assert_eq!(all.iter().filter(|row| row.k.is_none()).count(), 30);
    }

    #[test]
    fn copied_figures_are_marked() {
        let copied: Vec<f64> = printed_times()
            .iter()
            .filter(|row| row.is_copied)
            .map(|row| row.communication)
            .collect();
        assert_eq!(copied, [42.1; 8]);
    }

    #[test]
    fn ratios_are_of_the_same_case() {
        let of_first = |row: &PrintedTime| row.k == Some(5) && row.direction == "kr→r";
        let ratios = printed_ratios(["Thakur", "Krr"], of_first, |row| row.computation);
        assert_eq!(ratios.len(), 5);
        assert!((ratios[0] - 36.364 / 32.126).abs() < 1e-12);
    }
}
