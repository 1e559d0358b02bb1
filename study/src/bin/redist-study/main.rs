//! `redist-study`: the papers' comparisons again, on this machine.
//!
//! Each study, a folder, measures, writes CSV and SVG, and returns a [`Report`] for the summary.

mod aspen;
mod breakdown;
mod cited;
mod context;
mod drawn;
mod grids;
mod hsu_chung;
mod plot;
mod processes;
mod report;
mod sampling;
mod scale;
mod schedules;
mod timed;

use clap::{Parser, ValueEnum};
use context::Context;
use redist_measuring::machine;
use report::Report;
use std::path::PathBuf;
use std::time::Instant;

/// Runs the comparisons of the papers on this machine: tables, plots and a summary with ratios.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    /// The paper whose comparison to run, or `scale`.
    #[arg(value_enum)]
    study: Name,
    /// Folder for the results; made if it is not there. Files of an earlier run are replaced.
    #[arg(long, value_name = "DIR", default_value = "redist-study")]
    out: PathBuf,
    /// Folder with what was measured over links between nodes, by `docs/images/make-links`.
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/data"))]
    data: PathBuf,
    /// A small part of each study, in seconds: to see whether it works.
    #[arg(long)]
    quick: bool,
    /// Processes for each study that takes times, run in turn; a single process in a quick run.
    #[arg(long, default_value_t = 3)]
    processes: usize,
    /// Called by the study itself: the number of this process, from which the orders are drawn.
    #[arg(long, hide = true)]
    process: Option<u64>,
}

/// A study.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Intersection algorithms: operations and times (the setting of ASPEN).
    Aspen,
    /// Packing and unpacking on 64 ranks (the setting of Hsu and Chung).
    HsuChung,
    /// Communication schedules (the comparison of Park, Prasanna and Raghavendra).
    Schedules,
    /// Several phases, and processor mapping, in counts (Kaushik et al.; Kalns and Ni).
    Cited,
    /// Pictures of plans, as the papers draw them.
    Drawn,
    /// The parts of one move between threads, and its overlap with computing.
    Breakdown,
    /// Gaussian grids, and many producers with many consumers, in counts and times.
    Grids,
    /// The cost of a rank among up to a million ranks, on a simulated network.
    Scale,
    /// Schedules over links between nodes, measured before (the experiments of Park, Prasanna and
    /// Raghavendra).
    SchedulesTimed,
    /// Packing and unpacking over links, measured before (the experiments of Hsu and Chung).
    MovesTimed,
    /// All of them.
    All,
}

impl Name {
    fn takes_times(self) -> bool {
        matches!(self, Name::Aspen | Name::HsuChung | Name::Schedules | Name::Grids | Name::Scale)
    }

    fn in_words(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

type Study = fn(&Context) -> anyhow::Result<Report>;

const STUDIES: [(Name, Study); 10] = [
    (Name::Aspen, aspen::run),
    (Name::HsuChung, hsu_chung::run),
    (Name::Schedules, schedules::run),
    (Name::Cited, cited::run),
    (Name::Drawn, drawn::run),
    (Name::Breakdown, breakdown::run),
    (Name::Grids, grids::run),
    (Name::Scale, scale::run),
    (Name::SchedulesTimed, timed::schedules::run),
    (Name::MovesTimed, timed::moves::run),
];

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let mut context = Context::new(options.out, options.data, options.quick)?;
    context.is_launched = options.process.is_some();
    sampling::draw_from(options.process.unwrap_or(1));
    let single = context.is_launched || options.quick;
    let processes = if single { 1 } else { options.processes };
    let (mut reports, mut seconds) = (Vec::new(), Vec::new());
    for (name, study) in STUDIES {
        if options.study == name || options.study == Name::All {
            let begin = Instant::now();
            context.launched.clear();
            let count = if name.takes_times() { processes } else { 1 };
            for number in 2..=count {
                let folder = context.folder_of(number);
                processes::launch(&name.in_words(), number, &folder, options.quick)?;
                context.launched.push(folder);
            }
            let mut report = study(&context)?;
            report.paragraphs.extend(context.apart());
            println!("{}", report.text());
            let write =
                |file: &str, text: &str| context.write(&format!("{}/{file}", report.folder), text);
            write("results.md", &report.results())?;
            report.plots.iter().try_for_each(|plot| write(plot.file, &plot.svg).map(drop))?;
            seconds.push((report.folder, begin.elapsed().as_secs_f64()));
            reports.push(report);
        }
    }
    let summary = report::summary(
        &reports,
        &format!("{}; {}", machine::description(), machine::date()),
        &report::took(&seconds),
        options.quick,
    );
    println!("{}{}\n", report::not_made(&reports), report::took(&seconds));
    let path = context.write("summary.md", &summary)?;
    println!("Written: {} and what it links to.", path.display());
    Ok(())
}
