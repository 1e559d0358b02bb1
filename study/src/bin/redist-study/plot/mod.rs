//! Curves on two logarithmic axes, as SVG.

mod look;
mod panels;
mod ticks;

use crate::report::Picture;
use anyhow::anyhow;
use look::Look;
pub use panels::Panels;
use plotters::coord::Shift;
use plotters::coord::combinators::{BindKeyPoints, IntoLogRange, LogCoord, WithKeyPoints};
use plotters::prelude::*;
use std::ops::Range;

/// Width, height, and the legend's part of the width, in pixels.
const SIZE: (u32, u32) = (900, 530);
const LEGEND: u32 = 230;
const AIR: u32 = 10;
const FONT: &str = "sans-serif";

/// Distances and sizes of a plot, in pixels.
struct Style {
    /// Empty space around the plot.
    margin: u32,
    /// Height of the labels below the horizontal axis.
    below: u32,
    /// Width of the labels beside the vertical axis.
    beside: u32,
    /// Size of the labels' font.
    label: u32,
}

const LARGE: Style = Style { margin: 12, below: 50, beside: 70, label: 15 };

/// Curves over two logarithmic axes.
pub struct Plot {
    pub title: String,
    pub x: &'static str,
    pub y: &'static str,
    /// A curve's look follows from its place among those like it, those without points counted.
    pub curves: Vec<Curve>,
}

/// A named line through points.
#[derive(Clone)]
pub struct Curve {
    pub name: String,
    /// Values along both axes.
    pub points: Vec<(f64, f64)>,
    /// The curve is of this crate, and stands out.
    pub is_ours: bool,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Fault<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;
type Axis = WithKeyPoints<LogCoord<f64>>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

impl Plot {
    pub fn picture(&self, file: &'static str, shows: &'static str) -> anyhow::Result<Picture> {
        Ok(Picture { file, shows, svg: self.svg()? })
    }

    fn svg(&self) -> anyhow::Result<String> {
        drawn(SIZE, |root| self.draw(root))
    }

    fn draw<'a>(&self, root: &Area<'a>) -> Result<(), Fault<'a>> {
        root.fill(&WHITE)?;
        let root = root.margin(AIR, 0, 0, 0).titled(&self.title, (FONT, 20))?;
        let (data, legend) = root.split_horizontally(SIZE.0 - LEGEND);
        self.draw_chart(&data, &LARGE)?;
        draw_legend(&legend, &self.curves)
    }

    fn draw_chart(&self, area: &Area<'_>, style: &Style) -> Result<(), Fault<'_>> {
        let mut chart = ChartBuilder::on(area)
            .margin(style.margin)
            .x_label_area_size(style.below)
            .y_label_area_size(style.beside)
            .build_cartesian_2d(self.axis(|point| point.0), self.axis(|point| point.1))?;
        chart
            .configure_mesh()
            .label_style((FONT, style.label))
            .axis_desc_style((FONT, style.label + 1))
            .x_desc(self.x)
            .y_desc(self.y)
            .max_light_lines(0)
            .bold_line_style(BLACK.mix(0.12))
            .x_label_formatter(&|value| ticks::label(*value))
            .y_label_formatter(&|value| ticks::label(*value))
            .draw()?;
        let curves = looks(&self.curves);
        for (place, (curve, look)) in curves.iter().enumerate() {
            draw_curve(&mut chart, curve, *look, curves.len() - 1 - place)?;
        }
        Ok(())
    }

    fn axis(&self, coordinate: impl Fn(&(f64, f64)) -> f64) -> Axis {
        let range = self.range(coordinate);
        range.clone().log_scale().with_key_points(ticks::of(range))
    }

    fn range(&self, coordinate: impl Fn(&(f64, f64)) -> f64) -> Range<f64> {
        let values = self.curves.iter().flat_map(Curve::visible).map(|point| coordinate(&point));
        let (low, high) = values
            .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high { 1.0..10.0 } else { low / 1.25..high * 1.25 }
    }
}

impl Curve {
    fn visible(&self) -> impl Iterator<Item = (f64, f64)> {
        self.points.iter().copied().filter(|(x, y)| *x > 0.0 && *y > 0.0)
    }
}

/// Makes a curve of each name, with its points.
pub fn curves<'a>(
    names: impl IntoIterator<Item = &'a str>,
    is_ours: impl Fn(&str) -> bool,
    points: impl Fn(&str) -> Vec<(f64, f64)>,
) -> Vec<Curve> {
    let curve =
        |name: &str| Curve { name: name.to_owned(), points: points(name), is_ours: is_ours(name) };
    names.into_iter().map(curve).collect()
}

fn drawn(
    size: (u32, u32),
    draw: impl for<'a> FnOnce(&Area<'a>) -> Result<(), Fault<'a>>,
) -> anyhow::Result<String> {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    let drawn = draw(&root).and_then(|()| root.present());
    // The errors of the drawing borrow from it.
    drawn.map_err(|error| anyhow!("cannot draw: {error}"))?;
    drop(root);
    Ok(svg)
}

fn looks(curves: &[Curve]) -> Vec<(&Curve, Look)> {
    let looks = look::of_all(curves.iter().map(|curve| curve.is_ours));
    curves.iter().zip(looks).filter(|(curve, _)| !curve.points.is_empty()).collect()
}

fn draw_legend<'a>(legend: &Area<'a>, curves: &[Curve]) -> Result<(), Fault<'a>> {
    for (place, (curve, look)) in looks(curves).into_iter().enumerate() {
        draw_entry(legend, place, look, &curve.name)?;
    }
    Ok(())
}

fn draw_curve<'b>(
    chart: &mut Chart<'_, 'b>,
    curve: &Curve,
    look: Look,
    over: usize,
) -> Result<(), Fault<'b>> {
    chart.draw_series(LineSeries::new(curve.visible(), look.color.stroke_width(look.width)))?;
    let marker = |point| {
        EmptyElement::at(point) + Polygon::new(look.marker((0, 0), over), look.color.filled())
    };
    chart.draw_series(curve.visible().map(marker))?;
    Ok(())
}

fn draw_entry<'a>(
    legend: &Area<'a>,
    place: usize,
    look: Look,
    name: &str,
) -> Result<(), Fault<'a>> {
    let y = 30 + 26 * place as i32;
    legend.draw(&PathElement::new(vec![(6, y), (38, y)], look.color.stroke_width(look.width)))?;
    legend.draw(&Polygon::new(look.marker((22, y), 0), look.color.filled()))?;
    legend.draw(&Text::new(name.to_owned(), (46, y - 7), (FONT, 15)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_holds_all_points_that_can_be_drawn() {
        let curve = |points: &[(f64, f64)]| Curve {
            name: String::new(),
            points: points.to_vec(),
            is_ours: false,
        };
        let curves = vec![curve(&[(1.0, 0.0), (10.0, 5.0)]), curve(&[(1000.0, 1.0)])];
        let plot = Plot { title: String::new(), x: "", y: "", curves };
        assert_eq!(plot.range(|point| point.0), 8.0..1250.0);
        assert_eq!(Plot { curves: Vec::new(), ..plot }.range(|point| point.1), 1.0..10.0);
    }

    fn elements(plot: &Plot, element: &str) -> Vec<String> {
        let of_kind = |tag: &&str| tag.starts_with(&format!("{element} "));
        plot.svg()
            .expect("a text can be written to")
            .split('<')
            .filter(of_kind)
            .map(str::to_owned)
            .collect()
    }

    fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
        element
            .split(&format!(" {name}=\""))
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .expect("it has it")
    }

    #[test]
    fn titles_do_not_touch_the_edge() {
        let curves =
            vec![Curve { name: "a".into(), points: vec![(1.0, 1.0), (10.0, 5.0)], is_ours: true }];
        let texts = elements(&Plot { title: "The title".into(), x: "x", y: "y", curves }, "text");
        let title = texts.iter().find(|text| text.contains("The title")).expect("a title");
        // The text hangs from its place, less the quarter that is left free above capital letters.
        let (y, size) = (attribute(title, "y"), attribute(title, "font-size"));
        let [y, size] = [y, size].map(|number| number.parse::<f64>().expect("a number"));
        assert!(attribute(title, "dy") == "0.76em" && y >= 12.0 && y + size < 60.0, "{title}");
    }

    #[test]
    fn no_other_curve_has_the_colour_of_ours() {
        let curve = |number| Curve {
            name: format!("curve {number}"),
            points: vec![(1.0, f64::from(number)), (10.0, 5.0)],
            is_ours: number == 4 || number == 9,
        };
        let plot =
            Plot { title: String::new(), x: "x", y: "y", curves: (1..=10).map(curve).collect() };
        let mut lines = elements(&plot, "polyline");
        // The axes are lines without a width of their own.
        lines.retain(|line| attribute(line, "stroke-width") != "1");
        let heavy: Vec<_> =
            lines.iter().filter(|line| attribute(line, "stroke-width") == "3").collect();
        let ours = attribute(heavy[0], "stroke");
        let same = lines.iter().filter(|line| attribute(line, "stroke") == ours);
        // Each is drawn in the chart and in the legend.
        assert_eq!((lines.len(), heavy.len(), same.count()), (20, 4, 4), "{lines:?}");
    }
}
