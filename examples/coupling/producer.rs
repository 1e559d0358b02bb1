//! The first of two programs: computes a landscape worn down by soil creep, and sends its states.
//!
//! ```text
//! cargo build --release -p redist-examples --features mpi --examples
//! mpirun -n 3 target/release/examples/producer [STEPS [EVERY]] : -n 4 target/release/examples/consumer [FOLDER]
//! ```
//!
//! Both run on any numbers of ranks. This one deals whole rows for its solver (see `terrain`). It
//! learns the consumer's layout, and plans the way there. While a frame is under way it computes
//! the next.

#[allow(dead_code, reason = "the consumer's half of it")]
mod header;
mod program;
mod solver;

use header::{Header, Headers, checksum};
use landscape::{Creep, Dem, Fallible, Spacing};
use redist::layout::Descriptor;
use redist::mpi::{Communicator, Coupling, Operation};
use redist::{Bound, Layout, Redistribution, Side, redistribute};
use solver::Solver;
use std::process::ExitCode;
use std::time::{Duration, Instant};

redistribute! {
    /// From whole rows to wherever the consumer wants them.
    struct Frames(consumer: Layout<2>, m: usize, n: usize, ranks: usize): [f64; m, n] {
        from: (block, *) onto ranks,
        to: consumer,
    }
}

fn main() -> ExitCode {
    program::play(Side::Source, produce)
}

fn produce(own: &Communicator, coupling: &Coupling) -> Fallible<()> {
    let [steps, every] = arguments()?;
    let dem = Dem::read(&Dem::shipped(), Spacing::SHIPPED)?;
    let creep = Creep::new(&dem, steps);
    let mut solver = Solver::new(own, &dem, &creep)?;
    let mut stream = Stream::new(own, coupling, &dem)?;
    let frames = steps.div_ceil(every) + 1;
    stream.report_plan(frames, &creep)?;
    for frame in 0..frames {
        let (before, after) = ((frame * every).min(steps), (frame * every + every).min(steps));
        let header = Header {
            frame,
            frames,
            steps: before,
            checksum: stream.checksum(&solver.rows)?,
            spacing: dem.spacing,
        };
        stream.send(header, &mut solver, after - before)?;
    }
    stream.report_time(frames);
    Ok(())
}

fn arguments() -> Fallible<[u64; 2]> {
    let mut given = std::env::args().skip(1);
    let mut next = |usual: &str| given.next().unwrap_or_else(|| usual.into()).parse::<u64>();
    match [next("40"), next("4")] {
        [Ok(steps), Ok(every)] if every > 0 => Ok([steps, every]),
        _ => Err("usage: producer [STEPS [EVERY]], two whole numbers, the second not 0".into()),
    }
}

/// The producer's end of the coupling.
struct Stream<'a> {
    own: &'a Communicator,
    /// Elements before this rank's rows.
    start: usize,
    /// Rows and columns of the landscape.
    extents: [usize; 2],
    consumer: Layout<2>,
    /// Moves a frame's header.
    headers: Bound<u64, 1>,
    /// Moves a frame's elevations.
    fields: Bound<f64, 2>,
    computing: Duration,
    waiting: Duration,
}

impl<'a> Stream<'a> {
    fn new(own: &'a Communicator, coupling: &Coupling, dem: &Dem) -> Fallible<Self> {
        let ranks = coupling.producers();
        let rows: Layout<2> = format!("(block, *) onto {ranks}").parse()?;
        let (consumer, [m, n]) = coupling.handshake(rows, Some(dem.extents))?;
        // The consumer binds in this order, too: that is collective over both programs.
        let headers = Headers::new(ranks)?.bind(coupling)?;
        let fields = Frames::new(consumer, m, n, ranks)?.bind(coupling)?;
        let array = Descriptor::new([m, n], rows)?;
        let start = (0..coupling.rank()).map(|before| array.local(before).len()).sum();
        let (computing, waiting) = Default::default();
        Ok(Self { own, start, extents: [m, n], consumer, headers, fields, computing, waiting })
    }

    fn checksum(&self, rows: &[f64]) -> Fallible<u64> {
        sum(self.own, checksum(self.start, rows))
    }

    fn send(&mut self, header: Header, solver: &mut Solver, steps: u64) -> Fallible<()> {
        let words = if self.own.rank() == 0 { &header.to_words()[..] } else { &[] };
        let header = self.headers.start(words, &mut [])?;
        let mut field = self.fields.start(&solver.rows, &mut [])?;
        let begun = Instant::now();
        for _ in 0..steps {
            // Asking lets the library make progress.
            solver.step(|| field.test().map(drop))?;
        }
        let computed = Instant::now();
        header.finish()?;
        field.finish()?;
        self.computing += computed - begun;
        self.waiting += computed.elapsed();
        Ok(())
    }

    fn report_plan(&self, frames: u64, creep: &Creep) -> Fallible<()> {
        let (plan, rank) = (self.fields.plan(), self.fields.rank());
        let messages = (0..plan.ranks()).filter(|to| plan.volume(rank, *to) > 0).count();
        let messages = sum(self.own, messages as u64)?;
        let ([m, n], ranks) = (self.extents, self.own.size());
        if self.own.rank() == 0 {
            println!(
                "producer {m} x {n} elevations in whole rows, ranks: {ranks}; {} steps of {:.0} years",
                creep.steps,
                creep.years()
            );
            println!("producer the consumer wants {}", self.consumer);
            println!(
                "producer {frames} frames of {} bytes, each in {messages} messages",
                m * n * size_of::<f64>()
            );
        }
        Ok(())
    }

    fn report_time(&self, frames: u64) {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        if self.own.rank() == 0 {
            println!(
                "producer {frames} frames sent; {:.1} ms computed while they were under way, then waited for {:.1} ms",
                milliseconds(self.computing),
                milliseconds(self.waiting)
            );
        }
    }
}

fn sum(own: &Communicator, mine: u64) -> Fallible<u64> {
    let mut sum = [0];
    own.allreduce(&[mine], &mut sum, Operation::Sum)?;
    Ok(sum[0])
}
