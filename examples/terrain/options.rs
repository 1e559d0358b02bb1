//! The command line.

use crate::Fallible;
use crate::dem::Spacing;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: terrain [FILE.npy] [--steps N] [--spacing EAST,NORTH] [--out DIR]
  FILE.npy              elevations in metres, two-dimensional, northernmost row first
                        (without it: the Jacksboro fault, Tennessee)
  --steps N             time steps [20]
  --spacing EAST,NORTH  distance of neighbouring elevations, in metres [74.5,92.7]
  --out DIR             where the pictures go [target/terrain]";

/// What is asked for.
pub struct Options {
    pub file: PathBuf,
    pub steps: u64,
    pub spacing: Spacing,
    pub out: PathBuf,
}

impl Default for Options {
    fn default() -> Self {
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self {
            file: home.join("examples/data/jacksboro_fault_dem.npy"),
            steps: 20,
            spacing: Spacing { east: 74.5, north: 92.7 },
            out: home.join("target/terrain"),
        }
    }
}

impl Options {
    pub fn from_arguments(mut arguments: impl Iterator<Item = OsString>) -> Fallible<Self> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.to_str() {
                Some("--steps") => options.steps = steps(&value("--steps", arguments.next())?)?,
                Some("--spacing") => options.spacing = spacing(&value("--spacing", arguments.next())?)?,
                Some("--out") => options.out = value("--out", arguments.next())?.into(),
                Some("--help" | "-h") => {
                    println!("{USAGE}");
                    std::process::exit(0)
                }
                Some(unknown) if unknown.starts_with('-') => {
                    return Err(format!("unknown option `{unknown}`\n{USAGE}").into());
                }
                _ => options.file = argument.into(),
            }
        }
        Ok(options)
    }
}

fn value(option: &str, argument: Option<OsString>) -> Fallible<String> {
    let text = argument.and_then(|text| text.into_string().ok());
    text.ok_or_else(|| format!("`{option}` needs a value\n{USAGE}").into())
}

fn steps(text: &str) -> Fallible<u64> {
    text.parse().map_err(|_| format!("`--steps` takes a whole number, found `{text}`").into())
}

fn spacing(text: &str) -> Fallible<Spacing> {
    let parsed = text.split_once(',').and_then(|(east, north)| Some((metres(east)?, metres(north)?)));
    let (east, north) = parsed.ok_or_else(|| format!("`--spacing` takes two lengths such as 30,30, found `{text}`"))?;
    Ok(Spacing { east, north })
}

fn metres(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|length: &f64| length.is_finite() && *length > 0.0)
}
