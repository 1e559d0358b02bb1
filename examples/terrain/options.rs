//! Options of the example.

use landscape::{Dem, Fallible, Spacing};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::thread;

/// Text of `--help`.
const USAGE: &str = "usage: terrain [FILE.png] [OPTIONS]
  FILE.png              elevations: grey pixels of whole metres, the
                        northernmost row first (without it: the Jacksboro
                        fault, Tennessee)
  --spacing EAST,NORTH  distance of these elevations, in metres [74.5,92.7]
  --refine N            N times as many rows and columns, interpolated
                        [1 for a file that is named, else 4]
  --steps N             time steps [40]
  --ranks N             threads [4 where there are as many cores, else 2]
  --out DIR             where the pictures go [target/terrain]";

/// Options of the example.
pub struct Options {
    pub file: PathBuf,
    pub spacing: Spacing,
    /// Cells along a side for each cell of the file.
    pub refine: usize,
    /// Time steps.
    pub steps: u64,
    /// Threads.
    pub ranks: usize,
    /// Processor cores of this machine.
    pub cores: usize,
    pub out: PathBuf,
}

impl Options {
    fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        Self {
            file: Dem::shipped(),
            spacing: Spacing::SHIPPED,
            refine: 4,
            steps: 40,
            ranks: if cores < 4 { 2 } else { 4 },
            cores,
            out: workspace.join("target/terrain"),
        }
    }

    pub fn from_arguments(mut arguments: impl Iterator<Item = OsString>) -> Fallible<Self> {
        let (mut options, mut refine) = (Self::new(), None);
        while let Some(argument) = arguments.next() {
            let mut value = |option| value(option, arguments.next());
            match argument.to_str() {
                Some("--spacing") => options.spacing = spacing(&value("--spacing")?)?,
                Some("--refine") => refine = Some(number("--refine", &value("--refine")?, 1..=16)?),
                Some("--steps") => {
                    options.steps =
                        number("--steps", &value("--steps")?, 0..=u32::MAX as usize)? as u64
                }
                Some("--ranks") => options.ranks = number("--ranks", &value("--ranks")?, 1..=1024)?,
                Some("--out") => options.out = value("--out")?.into(),
                Some("--help" | "-h") => {
                    println!("{USAGE}");
                    std::process::exit(0)
                }
                Some(unknown) if unknown.starts_with('-') => {
                    return Err(format!("unknown option `{unknown}`\n{USAGE}").into());
                }
                _ => {
                    options.file = argument.into();
                    options.refine = 1;
                }
            }
        }
        Ok(Self { refine: refine.unwrap_or(options.refine), ..options })
    }
}

fn value(option: &str, argument: Option<OsString>) -> Fallible<String> {
    let text = argument.and_then(|text| text.into_string().ok());
    text.ok_or_else(|| format!("`{option}` needs a value\n{USAGE}").into())
}

fn number(option: &str, text: &str, range: std::ops::RangeInclusive<usize>) -> Fallible<usize> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (first, last) = range.into_inner();
    number.ok_or_else(|| {
        format!("`{option}` takes a number from {first} to {last}, found `{text}`").into()
    })
}

fn spacing(text: &str) -> Fallible<Spacing> {
    let parsed =
        text.split_once(',').and_then(|(east, north)| Some((metres(east)?, metres(north)?)));
    let (east, north) = parsed
        .ok_or_else(|| format!("`--spacing` takes two lengths such as 30,30, found `{text}`"))?;
    Ok(Spacing { east, north })
}

fn metres(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|length: &f64| length.is_finite() && *length > 0.0)
}
