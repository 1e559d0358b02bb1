//! Options of the guard.

use pico_args::Arguments;
use redist_measuring::bench::{drawn_seed, free};
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

/// Text of `--help`.
pub const HELP: &str = "\
  --groups A,B    of peers, busy, threads, kernels and nodes; all without it
  --rows TEXT     rows whose names contain this, also those that are not measured by default
  --rounds N      rounds for all rows (5); a row below .95 in them is measured again
  --more N        rounds for such a row, which decide (11; 7 at least)
  --minutes N     begins no more rounds after as many (7)
  --seconds S     for the turns of a row in a process (0.2)
  --nodes N       emulated nodes, with one and two ranks each (2)
  --out FOLDER    for guard.txt and guard.jsonl, which has each process as it ends
  --seed N        draws the same orders again
  --plant FACTOR  this commit's moves take as many times as long as they do: a test of the guard";

/// Options of the guard.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folders of the programs: the base's, and this commit's.
    pub sides: [PathBuf; 2],
    pub groups: Vec<String>,
    pub rows: Option<String>,
    /// Rounds for all rows.
    pub rounds: usize,
    /// Further rounds for suspects.
    pub more: usize,
    /// The end of the last round's beginning.
    pub patience: Duration,
    /// Seconds of a row's measurement in a process.
    pub seconds: f64,
    /// Emulated nodes.
    pub nodes: usize,
    pub out: PathBuf,
    /// Seed of the rows' order.
    pub seed: u64,
    /// The factor by which this commit is made slower.
    pub plant: Option<f64>,
}

impl Options {
    pub fn from_command_line() -> Result<Self, Box<dyn Error>> {
        let mut arguments = Arguments::from_env();
        if arguments.contains("--help") {
            println!("{HELP}");
            std::process::exit(0);
        }
        let side = |arguments: &mut Arguments, name| arguments.value_from_str::<_, PathBuf>(name);
        let sides = [side(&mut arguments, "--base")?, side(&mut arguments, "--this")?];
        let groups: Option<String> = arguments.opt_value_from_str("--groups")?;
        let groups = groups.iter().flat_map(|names| names.split(',')).map(str::to_owned);
        let minutes: f64 = arguments.opt_value_from_str("--minutes")?.unwrap_or(7.0);
        let options = Self {
            sides,
            groups: groups.collect(),
            rows: arguments.opt_value_from_str("--rows")?,
            rounds: arguments.opt_value_from_str("--rounds")?.unwrap_or(5),
            more: arguments.opt_value_from_str("--more")?.unwrap_or(11),
            patience: Duration::from_secs_f64(60.0 * minutes),
            seconds: arguments.opt_value_from_str("--seconds")?.unwrap_or(0.2),
            nodes: arguments.opt_value_from_str("--nodes")?.unwrap_or(2),
            out: arguments.opt_value_from_str("--out")?.unwrap_or("target/guard/results".into()),
            seed: arguments.opt_value_from_str("--seed")?.unwrap_or_else(drawn_seed),
            plant: arguments.opt_value_from_str("--plant")?,
        };
        match free(arguments)?.first() {
            Some(word) => Err(format!("'{word}' is not understood").into()),
            None => Ok(options),
        }
    }

    pub fn wants_group(&self, name: &str) -> bool {
        self.groups.is_empty() || self.groups.iter().any(|group| group == name)
    }
}
