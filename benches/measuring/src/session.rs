//! Sessions: all rows of a bench, over several processes.

use crate::launch::{LIMIT, TOOK_LONGER};
use crate::{Row, Shuffle, Spread, Times, machine};
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A row to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub row: String,
    /// Number of ranks.
    pub ranks: usize,
}

/// A row, measured in several processes.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub task: Task,
    pub processes: Vec<Result<Row, String>>,
}

/// One bench, from its first row to its last.
#[derive(Clone, Debug)]
pub struct Session {
    pub name: String,
    pub out: PathBuf,
    /// Processes that measure each row.
    pub processes: usize,
    /// Seed of the methods' order.
    pub seed: u64,
}

/// A line of the session's file.
#[derive(Serialize)]
struct Line<'a> {
    /// Number of the process.
    process: usize,
    /// Number of ranks.
    ranks: usize,
    row: &'a str,
    outcome: &'a Result<Row, String>,
}

impl Session {
    pub fn head(&self) -> String {
        let (machine, date) = (machine::description(), machine::date());
        let processes = match self.processes {
            1 => "one process a row".into(),
            many => format!("median of {many} processes a row (least–most)"),
        };
        format!("{machine}; {date}; {processes}; seed {}", self.seed)
    }

    /// Returns the file: a line for the machine, then a line for each row and process.
    pub fn lines(&self) -> PathBuf {
        self.out.join(format!("{}.jsonl", self.name))
    }

    /// Launches each row in passes over all rows, because the machine's state changes. `launch`
    /// gets a seed. `show` gets all rows and the number of the latest whenever a process has ended.
    /// A failed process is kept as a failure of its row.
    ///
    /// # Errors
    /// Files that cannot be written, and the first of `show`'s.
    pub fn run(
        &self,
        tasks: &[Task],
        launch: impl Fn(&Task, u64) -> io::Result<Command>,
        mut show: impl FnMut(&[Measured], usize) -> io::Result<()>,
    ) -> io::Result<Vec<Measured>> {
        fs::create_dir_all(&self.out)?;
        let mut file = File::create(self.lines())?;
        writeln!(file, "{}", serde_json::json!({ "bench": self.name, "machine": self.head() }))?;
        let start = |task: &Task| Measured { task: task.clone(), processes: Vec::new() };
        let mut measured: Vec<Measured> = tasks.iter().map(start).collect();
        let mut shuffle = Shuffle::new(self.seed);
        for process in 1..=self.processes {
            for number in 0..tasks.len() {
                let task = &tasks[number];
                let outcome = ask(launch(task, shuffle.seed() >> 16)?);
                let Task { row, ranks } = task;
                let line = Line { process, ranks: *ranks, row, outcome: &outcome };
                writeln!(file, "{}", serde_json::to_string(&line)?)?;
                measured[number].processes.push(outcome);
                show(&measured, number)?;
            }
        }
        Ok(measured)
    }
}

/// Launches a process and reads the row that it prints among other lines.
pub fn ask(mut command: Command) -> Result<Row, String> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("it could not be launched: {error}"))?;
    let lines = child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines());
    // To the end, so that the process never waits for a reader.
    let told: Vec<Row> =
        lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok()).collect();
    let status = child.wait().map_err(|error| error.to_string())?;
    match told.into_iter().next() {
        Some(row) if status.success() => Ok(row),
        _ if status.code() == Some(TOOK_LONGER) => Err(format!("it took longer than {LIMIT} s")),
        _ => Err(format!("it ended with {status}")),
    }
}

impl Measured {
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.processes.iter().filter_map(|process| process.as_ref().ok())
    }

    /// Returns the row's name as the worker printed it, which may be longer.
    pub fn name(&self) -> &str {
        let told = self.rows().next().map(|row| row.row.as_str());
        told.unwrap_or_else(|| self.task.row.split(": ").next().unwrap_or_default())
    }

    pub fn methods(&self) -> Vec<&str> {
        let first = self.rows().next().map_or(&[][..], |row| &row.methods);
        first.iter().map(|method| method.name.as_str()).collect()
    }

    /// Summarises a method's figure over the processes; `None` if it cannot do the row.
    pub fn figure(&self, method: &str, of: impl Fn(&Row, &Times) -> f64) -> Option<Spread> {
        Spread::of(self.rows().filter_map(|row| Some(of(row, row.times(method)?))))
    }

    pub fn ratio(&self, method: &str) -> Option<Spread> {
        Spread::of(self.rows().filter_map(|row| row.ratio(method)))
    }

    /// Returns the seconds of the unit.
    pub fn unit(&self) -> Option<Spread> {
        self.figure(self.methods().first()?, |_, times| times.median)
    }

    pub fn complaint(&self) -> Option<String> {
        let Task { row, ranks } = &self.task;
        let failed = self.processes.iter().find_map(|process| process.as_ref().err());
        if let Some(reason) = failed {
            return Some(format!("'{row}' on {ranks} ranks: {reason}"));
        }
        let wrong = self.rows().any(|row| row.wrong() > 0);
        wrong.then(|| format!("a method got '{row}' on {ranks} ranks wrong"))
    }
}

/// Returns all failures.
pub fn complaints(measured: &[Measured]) -> Result<(), String> {
    let lines: Vec<String> = measured.iter().filter_map(Measured::complaint).collect();
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}

/// Replaces a whole file at once.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;

    fn session(name: &str) -> Session {
        let out = std::env::temp_dir().join(format!("redist-{name}-{}", std::process::id()));
        Session { name: name.into(), out, processes: 3, seed: 1 }
    }

    fn tasks() -> Vec<Task> {
        ["one", "two"].map(|row| Task { row: row.into(), ranks: 2 }).into()
    }

    fn shell(script: String) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &script]);
        command
    }

    fn telling(task: &Task, seconds: f64) -> Command {
        let methods = vec![Method::timed("unit", &[1.0]), Method::timed("method", &[seconds])];
        let row = Row::plain(&*task.row, task.ranks, methods);
        shell(format!("echo something else; echo '{}'", serde_json::to_string(&row).unwrap()))
    }

    #[test]
    fn results_are_written_as_rows_end() {
        let session = session("as-rows-end");
        let mut seen = 0;
        let launch = |task: &Task, _| Ok(telling(task, 2.0));
        let show = |measured: &[Measured], number: usize| {
            seen += 1;
            // The line of the machine is the first.
            let lines = fs::read_to_string(session.lines())?.lines().count();
            assert_eq!(lines, 1 + seen, "a row that has ended is in the file");
            assert_eq!(measured[number].processes.len(), seen.div_ceil(2));
            Ok(())
        };
        let measured = session.run(&tasks(), launch, show).unwrap();
        assert_eq!(seen, 6);
        assert_eq!(measured[1].ratio("method"), Spread::of([2.0]));
        assert_eq!(complaints(&measured), Ok(()));
        fs::remove_dir_all(&session.out).unwrap();
    }

    #[test]
    fn a_process_that_is_killed_costs_its_row_alone() {
        let session = session("killed");
        let launch = |task: &Task, _| {
            Ok(if task.row == "one" { shell("kill -KILL $$".into()) } else { telling(task, 3.0) })
        };
        let measured = session.run(&tasks(), launch, |_, _| Ok(())).unwrap();
        assert_eq!(measured[0].rows().count(), 0);
        assert_eq!(measured[1].ratio("method"), Spread::of([3.0]));
        let words = complaints(&measured).unwrap_err();
        assert!(words.starts_with("'one' on 2 ranks: it ended with signal: 9"), "{words}");
        fs::remove_dir_all(&session.out).unwrap();
    }

    #[test]
    fn a_process_that_takes_too_long_is_told_from_others() {
        let words = ask(shell("exit 124".into())).unwrap_err();
        assert_eq!(words, "it took longer than 300 s");
    }

    #[test]
    fn processes_draw_different_orders() {
        let session = session("seeds");
        let seeds = std::cell::RefCell::new(Vec::new());
        let launch = |task: &Task, seed| {
            seeds.borrow_mut().push(seed);
            Ok(telling(task, 1.0))
        };
        session.run(&tasks(), launch, |_, _| Ok(())).unwrap();
        let mut seeds = seeds.into_inner();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 6);
        fs::remove_dir_all(&session.out).unwrap();
    }

    #[test]
    fn the_spread_is_that_of_the_processes() {
        let row = |seconds| {
            let methods = vec![Method::timed("unit", &[2.0]), Method::timed("method", &[seconds])];
            Ok(Row::plain("one", 2, methods))
        };
        let processes = vec![row(1.0), row(4.0), row(3.0)];
        let measured = Measured { task: tasks().remove(0), processes };
        assert_eq!(measured.ratio("method").unwrap().to_string(), "1.50 (0.50–2.00)");
        assert_eq!(measured.methods(), ["unit", "method"]);
        assert_eq!(measured.ratio("another"), None);
    }
}
