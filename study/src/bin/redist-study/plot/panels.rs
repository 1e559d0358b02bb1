//! Several plots side by side, with one legend.

use super::{AIR, Area, Curve, FONT, Fault, LEGEND, Plot, Style, draw_legend, drawn};
use crate::report::Picture;
use plotters::prelude::*;

const PANEL: (u32, u32) = (280, 230);

const SMALL: Style = Style { margin: 4, below: 34, beside: 54, label: 12 };

/// Plots of the same quantities, in rows. Every plot has all curves, and some have no points.
pub struct Panels {
    pub title: String,
    /// Plots in a row.
    pub columns: usize,
    pub plots: Vec<Plot>,
}

impl Panels {
    pub fn picture(&self, file: &'static str, shows: &'static str) -> anyhow::Result<Picture> {
        let (columns, rows) = (self.columns as u32, self.plots.len().div_ceil(self.columns) as u32);
        let size = (columns * PANEL.0 + LEGEND, rows * PANEL.1 + 50);
        let svg = drawn(size, |root| self.draw(root, size.0 - LEGEND))?;
        Ok(Picture { file, shows, svg })
    }

    fn draw<'a>(&self, root: &Area<'a>, width: u32) -> Result<(), Fault<'a>> {
        root.fill(&WHITE)?;
        let root = root.margin(AIR, 0, 0, 0).titled(&self.title, (FONT, 24))?;
        let (data, legend) = root.split_horizontally(width);
        let rows = self.plots.len().div_ceil(self.columns);
        for (area, plot) in data.split_evenly((rows, self.columns)).iter().zip(&self.plots) {
            let area = area.titled(&plot.title, (FONT, 15))?;
            plot.draw_chart(&area, &SMALL)?;
        }
        draw_legend(&legend, &self.in_any())
    }

    fn in_any(&self) -> Vec<Curve> {
        let mut curves: Vec<Curve> = Vec::new();
        for (number, curve) in self.plots.iter().flat_map(|plot| plot.curves.iter().enumerate()) {
            match curves.get_mut(number) {
                Some(all) => all.points.extend(&curve.points),
                None => curves.push(curve.clone()),
            }
        }
        curves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_has_every_curve_that_a_panel_shows() {
        let curve = |name: &str, points: &[(f64, f64)]| Curve {
            name: name.into(),
            points: points.to_vec(),
            is_ours: false,
        };
        let plot = |curves| Plot { title: String::new(), x: "", y: "", curves };
        let plots = vec![
            plot(vec![curve("a", &[(1.0, 1.0)]), curve("b", &[]), curve("c", &[])]),
            plot(vec![curve("a", &[]), curve("b", &[]), curve("c", &[(1.0, 2.0)])]),
        ];
        let all = Panels { title: String::new(), columns: 2, plots }.in_any();
        let shown: Vec<&str> =
            all.iter().filter(|curve| !curve.points.is_empty()).map(|curve| &*curve.name).collect();
        assert_eq!(shown, ["a", "c"]);
    }
}
