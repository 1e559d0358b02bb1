//! A chart of all cases: a group of bars each, a bar a method.

use plotters::prelude::*;
use redist_measuring::Measured;
use std::error::Error;
use std::path::Path;

/// Okabe and Ito's colours, for any colour vision.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(230, 159, 0),
    RGBColor(204, 121, 167),
    RGBColor(120, 120, 120),
    RGBColor(0, 0, 0),
];

/// Cut beyond this.
const LONGEST: f64 = 6.0;

const ROW: i32 = 13;
const LEFT: i32 = 190;
const WIDTH: i32 = 900;
const TOP: i32 = 60;

/// Draws multiples of two `memcpy` passes, with a line from the least process to the most.
pub fn draw(cases: &[&Measured], path: &Path) -> Result<(), Box<dyn Error>> {
    let Some(first) = cases.first() else { return Ok(()) };
    let methods = first.methods().split_off(1);
    let rows = methods.len() as i32;
    let group = rows * ROW + 14;
    let height = TOP + group * cases.len() as i32 + 40;
    let area = SVGBackend::new(path, (WIDTH as u32, height as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let text = |size| ("sans-serif", size).into_font().color(&BLACK);
    let title = format!("A move as a multiple of two memcpy passes, {} ranks", first.task.ranks);
    area.draw(&Text::new(title, (12, 10), text(16)))?;
    let scale =
        |ratio: f64| LEFT + (ratio.min(LONGEST) / LONGEST * f64::from(WIDTH - LEFT - 70)) as i32;
    for tick in 0..=LONGEST as i32 {
        let x = scale(f64::from(tick));
        area.draw(&PathElement::new(
            vec![(x, TOP - 8), (x, height - 30)],
            RGBColor(210, 210, 210),
        ))?;
        area.draw(&Text::new(tick.to_string(), (x - 3, height - 26), text(12)))?;
    }
    for (index, method) in methods.iter().enumerate() {
        let (x, y) = (12 + index as i32 % 4 * 220, 29 + index as i32 / 4 * 12);
        area.draw(&Rectangle::new(
            [(x, y + 1), (x + 9, y + 10)],
            COLOURS[index % COLOURS.len()].filled(),
        ))?;
        area.draw(&Text::new((*method).to_owned(), (x + 13, y), text(11)))?;
    }
    for (number, case) in cases.iter().enumerate() {
        let top = TOP + number as i32 * group;
        area.draw(&Text::new(case.name().to_owned(), (12, top + rows * ROW / 2 - 7), text(13)))?;
        for (row, method) in methods.iter().enumerate() {
            let y = top + row as i32 * ROW;
            let Some(spread) = case.ratio(method) else { continue };
            let ratio = spread.median;
            let bar = [(LEFT, y), (scale(ratio), y + ROW - 3)];
            area.draw(&Rectangle::new(bar, COLOURS[row % COLOURS.len()].filled()))?;
            let middle = y + (ROW - 3) / 2;
            let ends = vec![(scale(spread.least), middle), (scale(spread.most), middle)];
            area.draw(&PathElement::new(ends, BLACK))?;
            area.draw(&Text::new(
                format!("{ratio:.2}"),
                (scale(spread.most) + 4, y - 1),
                text(11),
            ))?;
        }
    }
    Ok(area.present()?)
}
