//! Frames as they come: checked, and drawn.

use crate::header::{Header, checksum};
use landscape::{Creep, Dem, Fallible, Relief, Spacing, hillshade, single};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// In pixels.
const LONGER_SIDE: f64 = 600.0;

/// The pictures of all frames.
pub struct Gallery {
    /// Rows and columns of the landscape.
    extents: [usize; 2],
    folder: PathBuf,
    first: Option<Dem>,
    last: Option<Header>,
}

impl Gallery {
    pub fn new(extents: [usize; 2], folder: Option<OsString>) -> Self {
        let usual =
            || Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join("coupling");
        Self { extents, folder: folder.map_or_else(usual, PathBuf::from), first: None, last: None }
    }

    pub fn show(&mut self, header: Header, elevation: &[f64]) -> Fallible<()> {
        let Header { frame, frames, steps, spacing, .. } = header;
        if checksum(0, elevation) != header.checksum {
            return Err(format!("frame {} of {frames} is not what was sent", frame + 1).into());
        }
        let dem = Dem { elevation: elevation.to_vec(), extents: self.extents, spacing };
        let path = self.draw(frame, &dem)?;
        println!(
            "consumer frame {:2} of {frames}, after {steps:3} steps: {:.1} to {:.1} m, as sent, {}",
            frame + 1,
            dem.lowest(),
            dem.highest(),
            short(&path)
        );
        self.last = Some(header);
        self.first.get_or_insert(dem);
        Ok(())
    }

    fn draw(&self, frame: u64, dem: &Dem) -> Fallible<PathBuf> {
        let path = self.folder.join(format!("frame-{:03}.png", frame + 1));
        let relief = Relief::new(dem, self.first.as_ref().unwrap_or(dem));
        hillshade(&relief, dem.spacing, LONGER_SIDE).write(&path)?;
        Ok(path)
    }

    /// Compares with the last frame computed without any distribution, to the last bit.
    pub fn check_last(&self, elevation: &[f64]) -> Fallible<()> {
        let steps = self.last.map_or(0, |header| header.steps);
        let dem = Dem::read(&Dem::shipped(), Spacing::SHIPPED)?;
        let alone = single::diffuse(&dem.elevation, &Creep::new(&dem, steps));
        let is_same = |(ours, theirs): (&f64, &f64)| ours.to_bits() == theirs.to_bits();
        let same = elevation.iter().zip(&alone).filter(|&pair| is_same(pair)).count();
        if same != alone.len() || same != elevation.len() {
            return Err(format!(
                "only {same} of {} elevations equal those of one rank",
                alone.len()
            )
            .into());
        }
        println!(
            "consumer all {same} elevations of the last frame equal those of one rank, bit by bit"
        );
        Ok(())
    }
}

fn short(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}
