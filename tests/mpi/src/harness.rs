//! The trials of a test binary.

use crate::case::Case;
use crate::implementation::{Implementation, version};
use crate::job::Ended;
use crate::rank::Part;
use crate::verdict::verdict;
use crate::{job, nodes};
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often a job is launched again that its launcher has left alone.
const LAUNCHES: usize = 2;

/// The `main` of a test binary: a trial for each case and number of ranks, or, where a trial has
/// launched it, one rank of it.
pub fn main(cases: Vec<Case>) -> ExitCode {
    match Part::of_this_process() {
        Some(part) => part.play(&cases),
        None => return run(&cases),
    }
    ExitCode::SUCCESS
}

/// At the end it prints how many ranks took part in all trials together.
fn run(cases: &[Case]) -> ExitCode {
    let mut arguments = Arguments::from_args();
    // A job takes all cores already.
    arguments.test_threads = arguments.test_threads.or(Some(1));
    let launched = Arc::new(AtomicUsize::new(0));
    let trials = cases.iter().flat_map(|case| trials(case, &launched)).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{} rank-trials over {}", launched.load(Ordering::Relaxed), version());
    conclusion.exit_code()
}

fn trials(case: &Case, launched: &Arc<AtomicUsize>) -> Vec<Trial> {
    let linked = Implementation::linked();
    let launches = case.ranks.iter().map(|&first| case.programs(first));
    let possible =
        launches.filter(|programs| programs.iter().sum::<usize>() <= linked.most_ranks());
    possible.map(|programs| trial(*case, programs, Arc::clone(launched))).collect()
}

fn trial(case: Case, programs: Vec<usize>, launched: Arc<AtomicUsize>) -> Trial {
    let can_run = Implementation::linked().has(case.launcher) && nodes::allow(&case);
    let ignored = case.ignored || !can_run;
    let ranks = programs.iter().map(usize::to_string).collect::<Vec<_>>().join("+");
    let run = move || -> Result<(), Failed> {
        launched.fetch_add(programs.iter().sum(), Ordering::Relaxed);
        let mut ended = job::run(&case, &programs)?;
        for _ in 0..LAUNCHES {
            if !is_left_alone(&ended) {
                break;
            }
            ended = job::run(&case, &programs)?;
        }
        Ok(verdict(&case, &ended)?)
    };
    Trial::test(format!("{}::{ranks}", case.name), run).with_ignored_flag(ignored)
}

/// Whether a rank has aborted the job, and the launcher did not end: that of MPICH 4.0 does so now and
/// then where ranks are on several nodes. It says nothing of what was tested.
fn is_left_alone(ended: &Ended) -> bool {
    ended.status.is_none() && ended.output.contains("application called MPI_Abort")
}
