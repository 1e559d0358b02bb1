//! A run of a test binary: its cells and launches.

use crate::case::Case;
use crate::cell::Cell;
use crate::draw::{self, Share};
use crate::implementation::Implementation;
use crate::play::{self, Result};
use crate::rank::Part;
use crate::report::Report;
use fastrand::Rng;
use libtest_mimic::{Arguments, Trial};
use std::env;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// Most ranks of a job that cells share, because waiting ranks cost memory and time.
const FEW: usize = 4;

/// Returns two, because jobs of single cells mostly wait, or one if ranks keep their cores.
fn at_once() -> usize {
    if Implementation::asked_for().spins() { 1 } else { 2 }
}

/// The `main` of a test binary whose bodies use only their communicator's ranks. Plays cells in as
/// few launches as possible, or one rank in a process that was launched for that.
///
/// `REDIST_MPI_PLAY` is `all`, or `pairs` or `values` of the axes of each table. Of the rest,
/// `REDIST_MPI_SEED` draws a sample for `REDIST_MPI_SAMPLE_SECONDS`.
pub fn main_in_lists(cases: &[Case]) -> ExitCode {
    if !play_if_launched(cases) && !run(cases) {
        return ExitCode::from(101);
    }
    ExitCode::SUCCESS
}

/// Plays as [`main_in_lists`] does, but launches every cell apart, for bodies that use the world.
pub fn main(cases: Vec<Case>) -> ExitCode {
    main_in_lists(&cases.into_iter().map(Case::alone).collect::<Vec<_>>())
}

/// Plays this process's part and returns `true` if the harness has launched it as a rank.
pub fn play_if_launched(cases: &[Case]) -> bool {
    let part = Part::of_this_process();
    let is_rank = part.is_some();
    part.into_iter().for_each(|part| part.play(cases));
    is_rank
}

/// Plays all cells as one list, and returns each one's result: for tests of the harness.
///
/// # Panics
/// A job cannot be launched.
pub fn outcomes(cases: &[Case]) -> Vec<(String, Result)> {
    let mut outcomes = Vec::new();
    let played = play::list(&Cell::all(cases), None, &mut |cell, result, _| {
        outcomes.push((cell.to_string(), result));
        true
    });
    played.expect("a job can be launched");
    outcomes
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Returns the seed of all draws: `REDIST_MPI_SEED`, or 1.
pub fn seed() -> u64 {
    number("REDIST_MPI_SEED").unwrap_or(1)
}

struct Asked {
    to_play: Vec<Cell>,
    ignored: Vec<Cell>,
    filtered: usize,
}

impl Asked {
    fn new(arguments: &Arguments, cells: Vec<Cell>) -> Self {
        let all = cells.len();
        let trial = |cell: &Cell| {
            Trial::test(cell.to_string(), || Ok(())).with_ignored_flag(cell.is_ignored())
        };
        let filters = of_each_filter(arguments);
        let is_asked = |cell: &Cell| {
            let trial = trial(cell);
            filters.iter().any(|arguments| !arguments.is_filtered_out(&trial))
        };
        let asked = cells.into_iter().filter(is_asked);
        let (ignored, to_play): (Vec<_>, Vec<_>) =
            asked.partition(|cell| arguments.is_ignored(&trial(cell)));
        Self { filtered: all - to_play.len() - ignored.len(), to_play, ignored }
    }
}

fn of_each_filter(arguments: &Arguments) -> Vec<Arguments> {
    let Some(filter) = &arguments.filter else { return vec![arguments.clone()] };
    let with = |part: &str| Arguments { filter: Some(part.to_owned()), ..arguments.clone() };
    filter.split(',').map(with).collect()
}

fn run(cases: &[Case]) -> bool {
    let arguments = Arguments::from_args();
    let cells = Cell::all(cases).into_iter().filter(Cell::fits).collect();
    let Asked { to_play, ignored, filtered } = Asked::new(&arguments, cells);
    if arguments.list {
        to_play.iter().chain(&ignored).for_each(|cell| println!("{cell}: test"));
        return true;
    }
    let (report, all, seed) = (Report::new(), to_play.len(), seed());
    let (selected, mut rest) = draw::split(to_play, Share::asked(), seed);
    println!("\nrunning {} tests", selected.len());
    ignored.iter().for_each(|cell| println!("test {cell} ... ignored"));
    let at_once = arguments.test_threads.unwrap_or_else(at_once);
    groups(selected).iter().for_each(|group| group.play(None, at_once, &report));
    let chosen = report.played();
    let seconds = number("REDIST_MPI_SAMPLE_SECONDS").unwrap_or(0);
    if seconds > 0 && !rest.is_empty() {
        println!("\na sample of the other {} for {seconds} s, by seed {seed}", rest.len());
        Rng::with_seed(seed).shuffle(&mut rest);
        let groups = groups(rest);
        let time = Duration::from_secs(seconds) / groups.len() as u32;
        groups.iter().for_each(|group| group.play(Some(time), at_once, &report));
    }
    let drawn = report.played() - chosen;
    // A job whose end goes wrong counts its last cell once more.
    let left = all.saturating_sub(report.played());
    let is_good = report.end(ignored.len(), filtered + left);
    println!("{chosen} + {drawn} of {all} cells were played (selected + drawn), seed {seed}");
    is_good
}

enum Group {
    List(Vec<Cell>),
    Alone(Vec<Cell>),
}

/// Groups all cells; no group is empty.
///
/// A cell that leaves windows has its own launch. `MPI_Finalize` of Open MPI 4.1 frees windows in
/// the order of its numbers, which differ between ranks if some cells have fewer ranks.
fn groups(cells: Vec<Cell>) -> Vec<Group> {
    let (alone, lists): (Vec<_>, Vec<_>) = cells.into_iter().partition(Cell::is_alone);
    let (leave, lists): (Vec<_>, Vec<_>) =
        lists.into_iter().partition(|cell| cell.case.leaves_messages);
    let (few, many) = lists.into_iter().partition(|cell| cell.ranks() <= FEW);
    let groups = [Group::List(few), Group::List(many), Group::List(leave), Group::Alone(alone)];
    groups.into_iter().filter(|group| !group.cells().is_empty()).collect()
}

impl Group {
    fn cells(&self) -> &[Cell] {
        match self {
            Self::List(cells) | Self::Alone(cells) => cells,
        }
    }

    fn play(&self, time: Option<Duration>, at_once: usize, report: &Report) {
        if !report.goes_on() {
            return;
        }
        match self {
            Self::List(cells) => {
                let said = &mut |cell: &Cell, result, took| report.say(cell, result, took);
                play::list(cells, time, said).expect("a job can be launched");
            }
            Self::Alone(cells) => alone(cells, time, at_once, report),
        }
    }
}

fn alone(cells: &[Cell], time: Option<Duration>, at_once: usize, report: &Report) {
    let (begun, next) = (Instant::now(), Mutex::new(cells.iter()));
    let take = || {
        let has_time = time.is_none_or(|time| begun.elapsed() < time);
        let is_next = has_time && report.goes_on();
        if is_next { next.lock().expect("no thread panics").next() } else { None }
    };
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(cell) = take() {
                    let begun = Instant::now();
                    let result = play::alone(cell);
                    report.say(cell, result, begun.elapsed());
                }
            });
        }
    });
}
