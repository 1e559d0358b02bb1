//! Pictures of a redistribution, as SVG: each a pure function from a plan to a canvas.
#![forbid(unsafe_code)]

mod axis;
mod canvas;
mod common;
mod drawing;
mod error;
mod html;
mod intersection;
mod legend;
mod metrics;
mod number;
mod ownership;
mod page;
mod pair;
mod palette;
mod region;
mod scale;
mod schedule;
mod sides;
mod table;
#[cfg(test)]
mod tests;
mod view;
mod volumes;
mod what;

pub use drawing::Drawing;
pub use error::DrawError;
pub use html::PageTexts;
pub use what::{METHODS, PictureKind};
