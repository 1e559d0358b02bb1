//! The paper's twelve panels: the data transfer time of three scenarios by four figures of the runs.

use super::figures::{Network, STEPS, sizes};
use crate::plot::{Panels, Plot, curves};
use crate::report::{Picture, names};
use crate::sampling::geometric_mean;
use crate::timed::{in_a_name, in_words};
use redist_study::links::TimedSchedule;
use std::cmp::Ordering;

/// The paper's scenarios, by the numbers of sources and destinations.
const SCENARIOS: [(&str, Ordering); 3] =
    [("P < Q", Ordering::Less), ("P = Q", Ordering::Equal), ("P > Q", Ordering::Greater)];

type Figure = fn(&TimedSchedule) -> Option<f64>;

const FIGURES: [(&str, Figure); 4] = [
    ("longest", |row| row.transfer_most),
    ("mean", |row| row.transfer_mean),
    ("median", |row| row.transfer_median),
    ("shortest", |row| row.transfer_least),
];

pub fn draw(((nodes, link), rows): &Network<'_>) -> anyhow::Result<Picture> {
    let nested: Vec<&TimedSchedule> =
        rows.iter().filter(|row| row.way == STEPS && row.family == "x→kx").copied().collect();
    let panel = |(scenario, order): (&str, Ordering), (name, figure): (&str, Figure)| {
        let here: Vec<&TimedSchedule> = nested
            .iter()
            .filter(|row| row.sources.cmp(&row.destinations) == order)
            .copied()
            .collect();
        let points = |method: &str| {
            let point = |size: usize| {
                let of = here.iter().filter(|row| row.method == method && row.bytes == size);
                let of_wire = of.filter_map(|row| Some(figure(row)? / row.wire));
                (size as f64, geometric_mean(&of_wire.collect::<Vec<f64>>()))
            };
            let points = sizes(&here).into_iter().map(point);
            points.filter(|(_, time)| time.is_finite()).collect()
        };
        let names = names(nested.iter().map(|row| row.method.as_str()));
        let title = format!("{scenario}, {name} of the runs");
        Plot { title, x: "", y: "", curves: curves(names, |_| false, points) }
    };
    let plots =
        SCENARIOS.iter().flat_map(|scenario| FIGURES.map(|figure| panel(*scenario, figure)));
    let title = format!(
        "data transfer time in steps over the bytes of a rank, multiples of the wire's time; {}",
        in_words(*nodes, link)
    );
    let panels = Panels { title, columns: FIGURES.len(), plots: plots.collect() };
    match in_a_name(link) {
        "shallow" => panels.picture("transfer-shallow.svg", "data transfer time, shallow buffers"),
        _ => panels.picture("transfer-deep.svg", "data transfer time, deep buffers"),
    }
}
