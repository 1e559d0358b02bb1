//! The cost for one rank of a plan made at run time, for grids from 4 to 1 000 000 ranks.
//!
//! kr→r with k = 5 and r = 2, an extent of 2^40 elements. Three steps take turns: the plan; the
//! plan and a rank's program while both grids grow; the same while the other side grows.

use redist::layout::Dist;
use redist::program::Program;
use redist::{Layout, Plan, Side};
use redist_measuring::bench::{self, Bench};
use redist_measuring::{Measured, Method, Row, Task, Turns};
use std::convert::Infallible;
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// Elements of the array.
const EXTENT: [usize; 1] = [1 << 40];
/// Ranks on both sides.
const RANKS: [usize; 4] = [4, 64, 4096, 1_000_000];

/// Columns: the work that is measured.
const STEPS: [&str; 3] = ["plan", "plan, program", "plan, program of one of 4"];

/// Plans made in one measurement.
const CALLS: usize = 16;

fn plan(here: usize, there: usize) -> Plan<1> {
    let layout = |block, ranks| Layout::new([Dist::Cyclic(block)], [ranks]);
    Plan::new(black_box(EXTENT), black_box(layout(10, here)), black_box(layout(2, there)))
        .expect("layouts that meet")
}

fn program(here: usize, there: usize) -> Program {
    Program::new(&plan(here, there).into(), &[], Side::Source, 1)
}

fn step(number: usize, ranks: usize) {
    match number {
        0 => {
            let plan = plan(ranks, ranks);
            let (axis, volume) = (plan.axis(0), plan.volume(ranks - 1, 1));
            black_box((axis.class(), axis.window_pieces(), volume, plan.digest()));
        }
        1 => _ = black_box(program(ranks, ranks)),
        _ => _ = black_box(program(4, ranks)),
    }
}

/// The bench of planning.
struct Planning;

impl Bench for Planning {
    fn name(&self) -> &'static str {
        "plan"
    }

    fn rows(&self) -> Vec<Task> {
        RANKS.map(|ranks| Task { row: "cyclic(10) → (2)".into(), ranks }).into()
    }

    fn measure(&self, task: &Task, turns: Turns) -> Result<Row, Box<dyn Error>> {
        let Ok(mut samples) = turns.take(STEPS.len(), |number| {
            let start = Instant::now();
            (0..CALLS).for_each(|_| step(number, task.ranks));
            Ok::<_, Infallible>(start.elapsed().as_secs_f64())
        });
        samples.iter_mut().flatten().for_each(|sample| *sample /= CALLS as f64);
        let methods = STEPS.iter().zip(&samples).map(|(name, times)| Method::timed(*name, times));
        let [one, other] = [task.ranks, 4].map(|here| program(here, task.ranks).envelopes().len());
        let note = format!("{one} and {other}");
        Ok(Row { note, ..Row::plain(&*task.row, task.ranks, methods.collect()) })
    }

    fn head(&self) -> String {
        let [plan, program, of_four] = STEPS;
        format!("microseconds\n{:>9}  {plan:<24}{program:<24}{of_four:<32}messages", "ranks")
    }

    fn line(&self, measured: &Measured) -> String {
        let cell = |step| bench::cell(measured.figure(step, |_, times| times.median * 1e6));
        let note = measured.rows().next().map_or("", |row| &row.note);
        let [plan, program, of_four] = STEPS.map(cell);
        format!("{:>9}  {plan:<24}{program:<24}{of_four:<32}{note}", measured.task.ranks)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    bench::main(Planning)
}
