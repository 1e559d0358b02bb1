//! Writes all pictures.

use crate::ownership;
use landscape::{Dem, Fallible, Relief, hillshade};
use redist::Plan;
use std::path::{Path, PathBuf};

/// In pixels.
const LONGER_SIDE: f64 = 1200.0;

pub fn write(before: &Dem, after: &Dem, plan: &Plan<2>, folder: &Path) -> Fallible<Vec<PathBuf>> {
    let relief = Relief::new(before, before);
    let pictures = [
        ("before.png", hillshade(&relief, before.spacing, LONGER_SIDE)),
        ("after.png", hillshade(&Relief::new(after, before), after.spacing, LONGER_SIDE)),
        ("ownership.png", ownership::picture(&relief, before.spacing, plan)),
    ];
    let write = |(name, picture): (&str, landscape::Picture)| {
        let path = folder.join(name);
        picture.write(&path).map(|()| path)
    };
    pictures.into_iter().map(write).collect()
}
