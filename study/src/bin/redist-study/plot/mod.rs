//! Curves on two logarithmic axes, as SVG.

mod look;
mod ticks;

use crate::context::cannot_write;
use anyhow::anyhow;
use look::Look;
use plotters::coord::Shift;
use plotters::coord::combinators::{BindKeyPoints, IntoLogRange, LogCoord, WithKeyPoints};
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// Width and height of a picture, and the part of the width that is the legend's, in pixels.
const SIZE: (u32, u32) = (900, 520);
const LEGEND: u32 = 230;
const FONT: &str = "sans-serif";

/// A picture of several curves.
pub struct Plot {
    /// What is shown.
    pub title: String,
    /// What runs to the right, with its unit.
    pub x: &'static str,
    /// What runs upward, with its unit.
    pub y: &'static str,
    /// The curves. How one looks follows from its place here, also where others have no points and are left out.
    pub curves: Vec<Curve>,
}

/// A curve. Points with a coordinate that is not positive have no place on logarithmic axes and are left out.
pub struct Curve {
    /// What it is called in the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Fault<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;
type Axis = WithKeyPoints<LogCoord<f64>>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

impl Plot {
    /// Writes the picture.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        let root = SVGBackend::new(path, SIZE).into_drawing_area();
        let drawn = self.draw(&root).and_then(|()| root.present());
        // The errors of the drawing borrow from it.
        drawn.map_err(|error| anyhow!("{}: {error}", cannot_write(path)))
    }

    fn draw<'a>(&self, root: &Area<'a>) -> Result<(), Fault<'a>> {
        root.fill(&WHITE)?;
        let root = root.titled(&self.title, (FONT, 20))?;
        let (data, legend) = root.split_horizontally(SIZE.0 - LEGEND);
        let mut chart = ChartBuilder::on(&data)
            .margin(12)
            .x_label_area_size(50)
            .y_label_area_size(70)
            .build_cartesian_2d(self.axis(|point| point.0), self.axis(|point| point.1))?;
        chart
            .configure_mesh()
            .label_style((FONT, 15))
            .axis_desc_style((FONT, 16))
            .x_desc(self.x)
            .y_desc(self.y)
            .max_light_lines(0)
            .bold_line_style(BLACK.mix(0.12))
            .x_label_formatter(&|value| ticks::label(*value))
            .y_label_formatter(&|value| ticks::label(*value))
            .draw()?;
        let curves: Vec<_> = self.curves.iter().enumerate().filter(|(_, curve)| !curve.points.is_empty()).collect();
        for (place, (number, curve)) in curves.iter().enumerate() {
            draw_curve(&mut chart, curve, Look::of(*number), curves.len() - 1 - place)?;
            draw_entry(&legend, place, Look::of(*number), &curve.name)?;
        }
        Ok(())
    }

    /// A logarithmic axis that holds all points.
    fn axis(&self, coordinate: impl Fn(&(f64, f64)) -> f64) -> Axis {
        let range = self.range(coordinate);
        range.clone().log_scale().with_key_points(ticks::of(range))
    }

    /// From a little below the lowest point to a little above the highest.
    fn range(&self, coordinate: impl Fn(&(f64, f64)) -> f64) -> Range<f64> {
        let values = self.curves.iter().flat_map(Curve::visible).map(|point| coordinate(&point));
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high { 1.0..10.0 } else { low / 1.25..high * 1.25 }
    }
}

impl Curve {
    /// The points that have a place.
    fn visible(&self) -> impl Iterator<Item = (f64, f64)> {
        self.points.iter().copied().filter(|(x, y)| *x > 0.0 && *y > 0.0)
    }
}

fn draw_curve<'b>(chart: &mut Chart<'_, 'b>, curve: &Curve, look: Look, over: usize) -> Result<(), Fault<'b>> {
    chart.draw_series(LineSeries::new(curve.visible(), look.color.stroke_width(2)))?;
    let marker = |point| EmptyElement::at(point) + Polygon::new(look.marker((0, 0), over), look.color.filled());
    chart.draw_series(curve.visible().map(marker))?;
    Ok(())
}

fn draw_entry<'a>(legend: &Area<'a>, place: usize, look: Look, name: &str) -> Result<(), Fault<'a>> {
    let y = 30 + 26 * place as i32;
    legend.draw(&PathElement::new(vec![(6, y), (38, y)], look.color.stroke_width(2)))?;
    legend.draw(&Polygon::new(look.marker((22, y), 0), look.color.filled()))?;
    legend.draw(&Text::new(name.to_owned(), (46, y - 7), (FONT, 15)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_holds_all_points_that_can_be_drawn() {
        let curve = |points: &[(f64, f64)]| Curve { name: String::new(), points: points.to_vec() };
        let curves = vec![curve(&[(1.0, 0.0), (10.0, 5.0)]), curve(&[(1000.0, 1.0)])];
        let plot = Plot { title: String::new(), x: "", y: "", curves };
        assert_eq!(plot.range(|point| point.0), 8.0..1250.0);
        assert_eq!(Plot { curves: Vec::new(), ..plot }.range(|point| point.1), 1.0..10.0);
    }
}
