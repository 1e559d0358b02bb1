//! A bench launches itself: a process with `--worker ROW` measures one row and prints it.

use crate::launch::limited;
use crate::session::{complaints, replace};
use crate::{Measured, Row, Session, Spread, Task, Turns};
use pico_args::Arguments;
use std::collections::hash_map::RandomState;
use std::error::Error;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A bench: its rows, and the measurement of one row in a process.
pub trait Bench {
    fn name(&self) -> &'static str;

    /// Takes its own options off the command line, and repeats them for a worker.
    fn options(&mut self, arguments: &mut Arguments) -> Result<Vec<String>, Box<dyn Error>> {
        let _ = arguments;
        Ok(Vec::new())
    }

    /// Prepares the machine for all rows; workers do not.
    fn begin(&mut self) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

    /// Returns the command that launches the program for a row; options follow it.
    fn launcher(&self, program: &Path, task: &Task) -> Command {
        let _ = task;
        limited(program)
    }

    /// Returns the default of its methods' turns.
    fn turns(&self) -> Turns {
        Turns::default()
    }

    fn rows(&self) -> Vec<Task>;

    fn measure(&self, task: &Task, turns: Turns) -> Result<Row, Box<dyn Error>>;

    fn line(&self, measured: &Measured) -> String;

    fn head(&self) -> String;

    fn summary(&self, measured: &[Measured]) -> String {
        let _ = measured;
        String::new()
    }
}

/// Cargo runs benches in the folder of their package.
const OUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/benches");

/// Options that all benches have.
pub struct Common {
    pub turns: Turns,
    pub session: Session,
}

impl Common {
    /// Takes `--processes N`, `--out FOLDER` and the options of [`Turns`] off a command line.
    pub fn from_arguments(
        name: &str,
        turns: Turns,
        arguments: &mut Arguments,
    ) -> Result<Self, pico_args::Error> {
        let turns = turns.or_said(arguments)?;
        let processes = arguments.opt_value_from_str("--processes")?.unwrap_or(3);
        let out: Option<PathBuf> = arguments.opt_value_from_str("--out")?;
        let out = out.unwrap_or_else(|| PathBuf::from(OUT));
        let seed = if turns.seed == 0 { drawn_seed() } else { turns.seed };
        Ok(Self { turns, session: Session { name: name.into(), out, processes, seed } })
    }
}

pub fn drawn_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000 + 1
}

/// Runs a bench by its command line: words select the rows whose names contain one of them.
pub fn main(mut bench: impl Bench) -> Result<(), Box<dyn Error>> {
    let mut arguments = Arguments::from_env();
    // Cargo adds this option.
    arguments.contains("--bench");
    let list = arguments.contains("--list");
    let worker: Option<String> = arguments.opt_value_from_str("--worker")?;
    let ranks: Option<usize> = arguments.opt_value_from_str("--ranks")?;
    let Common { turns, session } =
        Common::from_arguments(bench.name(), bench.turns(), &mut arguments)?;
    let own = bench.options(&mut arguments)?;
    let words = free(arguments)?;
    if let Some(row) = worker {
        let task = Task { row, ranks: ranks.unwrap_or(1) };
        bench.measure(&task, turns)?.tell();
        return Ok(());
    }
    let wanted = |task: &Task| {
        ranks.is_none_or(|ranks| ranks == task.ranks)
            && (words.is_empty() || words.iter().any(|word| task.row.contains(word.as_str())))
    };
    let tasks: Vec<Task> = bench.rows().into_iter().filter(wanted).collect();
    if list {
        tasks.iter().for_each(|task| println!("{}\t{}", task.ranks, task.row));
        return Ok(());
    }
    bench.begin()?;
    // Options may have changed the name.
    let session = Session { name: bench.name().into(), ..session };
    drive(&bench, &session, &tasks, turns, &own)
}

fn drive(
    bench: &impl Bench,
    session: &Session,
    tasks: &[Task],
    turns: Turns,
    own: &[String],
) -> Result<(), Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let launch = |task: &Task, seed| {
        let mut command = worker(bench.launcher(&program, task), task, turns, seed);
        command.args(own);
        Ok(command)
    };
    let file = session.out.join(format!("{}.txt", session.name));
    let mut shown = format!("{}\n{}\n", session.head(), bench.head());
    print!("{shown}");
    let measured = session.run(tasks, launch, |all, number| {
        let row = &all[number];
        if row.processes.len() == session.processes {
            let line = bench.line(row);
            println!("{line}");
            shown += &format!("{line}\n");
            replace(&file, &shown)?;
        }
        Ok(())
    })?;
    let summary = bench.summary(&measured);
    print!("{summary}");
    replace(&file, &(shown + &summary))?;
    Ok(complaints(&measured)?)
}

/// Adds the options of a worker to the command that launches it.
pub fn worker(mut command: Command, task: &Task, turns: Turns, seed: u64) -> Command {
    command.args(["--worker", &task.row, "--ranks", &task.ranks.to_string()]);
    command.args(turns.to_arguments(seed));
    command
}

pub fn cell(figure: Option<Spread>) -> String {
    figure.map_or("–".into(), |figure| figure.to_string())
}

/// Returns words that are no options.
pub fn free(arguments: Arguments) -> Result<Vec<String>, Box<dyn Error>> {
    let words: Vec<String> =
        arguments.finish().into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match words.iter().find(|word| word.starts_with("--") && word.len() > 2) {
        Some(option) => Err(format!("{option} is not an option here").into()),
        None => Ok(words.into_iter().filter(|word| word != "--").collect()),
    }
}
