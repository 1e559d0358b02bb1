//! Two commits beside each other: rows of both in turns, and the ratio of each row.
//!
//! `benches/guard` builds this tree's benches with either commit's library, and passes both
//! folders.

mod judge;
mod options;
mod programs;
mod ratios;
mod report;
mod rounds;

use options::Options;
use redist_measuring::machine;
use rounds::Rounds;
use std::error::Error;
use std::process::ExitCode;

/// Returns `Some(true)` if no row is slower; `None` if time ran out.
fn run() -> Result<Option<bool>, Box<dyn Error>> {
    let options = Options::from_command_line()?;
    std::fs::create_dir_all(&options.out)?;
    let head = format!(
        "{}; {}; base time / this time: {} rounds, {} more where a row is suspected; seed {}",
        machine::description(),
        machine::date(),
        options.rounds,
        options.more,
        options.seed
    );
    println!("{head}");
    let mut rounds = Rounds::new(&options, &head)?;
    let mut measured = Vec::new();
    for group in programs::GROUPS.iter().filter(|group| options.wants_group(group.name)) {
        match group.rows(&options) {
            Ok((rows, _nodes)) => {
                rounds.first(group, &rows)?;
                measured.push((group, rows));
            }
            Err(reason) => println!("{}: skipped: {reason}", group.name),
        }
    }
    for (group, rows) in measured {
        let suspects = rounds.suspects(group, &rows);
        let _nodes = group.nodes(&options, &suspects)?;
        rounds.again(group, &suspects)?;
    }
    let report = rounds.report();
    println!("{report}");
    std::fs::write(options.out.join("guard.txt"), format!("{head}\n{report}\n"))?;
    Ok(rounds.is_fine())
}

fn main() -> ExitCode {
    match run() {
        Ok(Some(true)) => ExitCode::SUCCESS,
        Ok(Some(false)) => ExitCode::FAILURE,
        Ok(None) => ExitCode::from(2),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
