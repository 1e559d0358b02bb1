//! `redist-study drawn`: plans, as the papers draw them.

use super::context::Context;
use super::report::{Picture, Report};
use redist::Plan;
use redist::plan::schedule::Method;
use redist_draw::{Drawing, PictureKind};

const GRIDS: (&str, &str) = (
    "aspen-grids.svg",
    "ASPEN, figure 1: a grid of 4 × 4 ranks meets one of 3 × 3, and what ranks (0, 0) share",
);

/// A picture of a plan in one dimension.
struct Line {
    file: &'static str,
    shows: &'static str,
    title: &'static str,
    /// Extent, in elements.
    extent: usize,
    from: &'static str,
    to: &'static str,
    /// A source rank and a destination rank whose common elements are marked.
    pair: Option<[usize; 2]>,
}

const LINES: [Line; 3] = [
    Line {
        file: "aspen.svg",
        shows: "ASPEN, figure 2: the offset of the first block, and adjacent blocks after it",
        title: "From block to adjacent block: one window, one period",
        extent: 96,
        from: "cyclic(6) onto 2",
        to: "cyclic(4) onto 4",
        pair: Some([1, 2]),
    },
    Line {
        file: "basic-cycle.svg",
        shows: "Hsu and Chung: the basic cycle, after which owners repeat",
        title: "The basic cycle of kr → r: owners repeat, k = 3, r = 2",
        extent: 36,
        from: "cyclic(6) onto 3",
        to: "cyclic(2) onto 3",
        pair: Some([0, 1]),
    },
    Line {
        file: "dpt.svg",
        shows: "Park, Prasanna and Raghavendra: the table of destinations, the three stages from the array before to the array after, the steps",
        title: "x → 3x: from the table of destinations to steps",
        extent: 36,
        from: "cyclic(1) onto 4",
        to: "cyclic(3) onto 6",
        pair: None,
    },
];

pub fn run(_: &Context) -> anyhow::Result<Report> {
    let mut plots = vec![Picture { file: GRIDS.0, shows: GRIDS.1, svg: grids()? }];
    for line @ Line { file, shows, .. } in &LINES {
        plots.push(Picture { file, shows, svg: line.draw()? });
    }
    Ok(Report { folder: "drawn", title: "Drawn as the papers draw", plots, ..Report::default() })
}

fn grids() -> anyhow::Result<String> {
    let [from, to] = ["(cyclic(3), cyclic(3)) onto (4, 4)", "(cyclic(4), cyclic(4)) onto (3, 3)"];
    let plan = Plan::<2>::parse([48, 48], from, to)?;
    Ok(intersection("A grid of 4 × 4 ranks meets one of 3 × 3", [0, 0]).page(&plan)?)
}

fn intersection(title: &str, pair: [usize; 2]) -> Drawing {
    let (kind, title) = (PictureKind::Intersection, Some(title.to_owned()));
    Drawing { kind, title, pair: Some(pair), ..Drawing::default() }
}

impl Line {
    fn draw(&self) -> anyhow::Result<String> {
        let plan = Plan::<1>::parse([self.extent], self.from, self.to)?;
        let Some(pair) = self.pair else {
            let (method, title) = (Some(Method::Circulant), Some(self.title.to_owned()));
            return Ok(Drawing { method, title, ..Drawing::default() }.table(&plan, 0)?);
        };
        Ok(intersection(self.title, pair).page(&plan)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn pictures_are_those_of_the_pages() {
        let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/images");
        let drawn = LINES.iter().map(|line| (line.file, line.draw().unwrap()));
        for (file, drawn) in drawn.chain([(GRIDS.0, grids().unwrap())]) {
            assert!(fs::read_to_string(images.join(file)).unwrap() == drawn, "{file}");
        }
    }
}
