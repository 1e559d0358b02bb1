//! The paper's claims of its schedule against the caterpillar, kind by kind.

use super::figures::{EQUAL, FIGURES, Figure, Network, STEPS, in_bytes, judged, over, sizes};
use crate::report::{Table, ratio};
use crate::sampling::geometric_mean;
use crate::timed::{in_a_name, in_words};
use num_integer::gcd;
use redist::plan::schedule::Method;
use redist_study::links::TimedSchedule;

/// A kind of x→kx by its messages, with what the paper claims of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Not all ranks meet: fewer steps than the caterpillar, so less time, the more so the longer.
    FewerSteps,
    /// All meet, with equal messages: as many steps, and the same time.
    Equal,
    /// All meet, with messages of two lengths: as many steps, and less time.
    TwoLengths,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::FewerSteps, Kind::Equal, Kind::TwoLengths];

    /// Returns the kind of a case of x→kx.
    pub fn of(row: &TimedSchedule) -> Option<Kind> {
        if row.family != "x→kx" {
            return None;
        }
        let k = row.destination_block / row.source_block;
        let common = gcd(row.sources, k * row.destinations);
        Some(match common {
            common if common > k => Kind::FewerSteps,
            common if k.is_multiple_of(common) => Kind::Equal,
            _ => Kind::TwoLengths,
        })
    }

    fn in_words(self) -> &'static str {
        match self {
            Kind::FewerSteps => "(i) fewer steps",
            Kind::Equal => "(ii) equal messages",
            Kind::TwoLengths => "(iii) two lengths",
        }
    }

    fn claim(self) -> &'static str {
        match self {
            Kind::Equal => "the same",
            _ => "less",
        }
    }
}

/// Returns the circulant schedule over the caterpillar, in all cases of a kind and of a size.
fn ratios(rows: &[&TimedSchedule], kind: Kind, size: usize, figure: Figure) -> Vec<f64> {
    let here: Vec<&TimedSchedule> =
        rows.iter().filter(|row| Kind::of(row) == Some(kind)).copied().collect();
    let names = [Method::Circulant, Method::Caterpillar].map(|method| method.to_string());
    over(&here, size, [(&names[0], STEPS), (&names[1], STEPS)], figure)
}

pub fn table(networks: &[Network<'_>]) -> Table {
    let caption = "The paper's claim, by kind of x→kx: the circulant schedule over the caterpillar, in steps. A rank's time by the \
                   mean and by the least of the runs, the time from the first rank's start to the last rank's end, and the data \
                   transfer time; geometric means over P < Q, P = Q and P > Q, and in how many of them the circulant is ahead.";
    let figures = FIGURES.iter().map(|(name, _)| (*name).to_owned());
    let head = ["network", "kind", "bytes of a rank"].map(str::to_owned).into_iter().chain(figures);
    let rows = networks.iter().flat_map(|((_, link), rows)| {
        let keys = Kind::ALL
            .into_iter()
            .flat_map(|kind| sizes(rows).into_iter().map(move |size| (kind, size)));
        let row = move |(kind, size): (Kind, usize)| {
            let cells =
                FIGURES.iter().map(|(_, figure)| judged(&ratios(rows, kind, size, *figure)));
            let name = [in_a_name(link).to_owned(), kind.in_words().into(), in_bytes(size)];
            name.into_iter().chain(cells).collect::<Vec<_>>()
        };
        keys.map(row).collect::<Vec<_>>()
    });
    Table::new(caption, head, rows)
}

/// Says for each kind whether the claim holds, by the total time at the largest size.
pub fn verdict((network, rows): &Network<'_>) -> String {
    let part = |kind: Kind| {
        let by_size: Vec<String> = sizes(rows)
            .into_iter()
            .map(|size| {
                let mean = geometric_mean(&ratios(rows, kind, size, |row| Some(row.total)));
                let word = match mean {
                    mean if mean < 1.0 - EQUAL => "less",
                    mean if mean > 1.0 + EQUAL => "more",
                    mean if mean.is_nan() => "not measured",
                    _ => "the same",
                };
                format!("{word} at {} ({})", in_bytes(size), ratio(mean))
            })
            .collect();
        format!("{}, claimed {}: {}", kind.in_words(), kind.claim(), by_size.join(", "))
    };
    format!(
        "{}: the circulant schedule against the caterpillar, in steps, total time (a mean within {:.0} % of 1 counts as the same). {}.",
        in_words(network.0, network.1),
        EQUAL * 100.0,
        Kind::ALL.map(part).join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::figures::examples::row;
    use super::*;

    #[test]
    fn kinds_are_those_of_the_messages() {
        let of = |k: usize, (sources, destinations): (usize, usize)| {
            let row = row(Method::Circulant, STEPS, sources, 1.0);
            Kind::of(&TimedSchedule {
                destination_block: row.source_block * k,
                destinations,
                ..row
            })
        };
        assert_eq!([of(2, (4, 8)), of(3, (6, 6)), of(2, (8, 4))], [Some(Kind::FewerSteps); 3]);
        assert_eq!([of(4, (4, 8)), of(6, (6, 6)), of(8, (8, 4))], [Some(Kind::Equal); 3]);
        assert_eq!([of(6, (4, 8)), of(9, (6, 6)), of(12, (8, 4))], [Some(Kind::TwoLengths); 3]);
    }

    #[test]
    fn a_kind_is_judged_by_its_own_cases() {
        let rows =
            [row(Method::Circulant, STEPS, 4, 20.0), row(Method::Caterpillar, STEPS, 4, 40.0)];
        let rows: Vec<&TimedSchedule> = rows.iter().collect();
        let network: Network<'_> = ((12, "250mbit"), rows);
        let said = verdict(&network);
        assert!(said.contains("fewer steps, claimed less: less at 8 KiB (0.50);"), "{said}");
        assert!(said.contains("equal messages, claimed the same: not measured"), "{said}");
        let table = table(&[network]).markdown();
        assert!(table.contains("0.50, 1 of 1"), "{table}");
    }
}
