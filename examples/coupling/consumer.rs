//! The second of two programs: receives a landscape as it changes, and draws each state.
//!
//! ```text
//! cargo build --release -p redist-examples --features mpi --examples
//! mpirun -n 3 target/release/examples/producer [STEPS [EVERY]] : -n 4 target/release/examples/consumer [FOLDER]
//! ```
//!
//! Both run on any numbers of ranks. This one keeps blocks on a two-dimensional grid of its ranks.
//! When the programs meet, it learns the array's extents and the producer's layout, and plans its
//! side. While it draws, the next frame is under way.

mod gallery;
#[allow(dead_code, reason = "the producer's half of it")]
mod header;
mod program;

use gallery::Gallery;
use header::{Header, Headers};
use landscape::Fallible;
use redist::mpi::{Communicator, Coupling};
use redist::{Bound, Layout, Redistribution, Side, redistribute};
use std::mem;
use std::process::ExitCode;
use std::time::{Duration, Instant};

redistribute! {
    /// From wherever the producer has it, to blocks on a grid.
    struct Frames(peer: Layout<2>, m: usize, n: usize, p: usize, q: usize, first: usize): [f64; m, n] {
        from: peer,
        to: (block, block) onto (p, q) ranks first..,
    }
    /// From these blocks to one rank, within the consumer.
    struct Assemble(m: usize, n: usize, p: usize, q: usize): [f64; m, n] {
        from: (block, block) onto (p, q),
        to: (block, *) onto 1,
    }
}

fn main() -> ExitCode {
    program::play(Side::Destination, consume)
}

fn consume(own: &Communicator, coupling: &Coupling) -> Fallible<()> {
    let mut stream = Stream::new(own, coupling)?;
    let mut gallery = Gallery::new(stream.extents, std::env::args_os().nth(1));
    let mut whole = vec![0.0; stream.whole.local_len(Side::Destination)];
    let (mut current, mut next) = (stream.empty(), stream.empty());
    stream.receive(&mut current, || Ok(()))?;
    loop {
        let header = stream.header(&current)?;
        stream.whole.run(&current.field, &mut whole)?;
        let mut show = || if own.rank() == 0 { gallery.show(header, &whole) } else { Ok(()) };
        if header.is_last() {
            show()?;
            break;
        }
        stream.receive(&mut next, show)?;
        mem::swap(&mut current, &mut next);
    }
    stream.report_time();
    if own.rank() == 0 { gallery.check_last(&whole) } else { Ok(()) }
}

/// The consumer's end of the coupling.
struct Stream<'a> {
    own: &'a Communicator,
    /// Rows and columns of the landscape.
    extents: [usize; 2],
    /// Moves a frame's header.
    headers: Bound<u64, 1>,
    /// Moves a frame's elevations.
    fields: Bound<f64, 2>,
    /// Gathers the elevations on one rank.
    whole: Bound<f64, 2>,
    drawing: Duration,
    waiting: Duration,
}

/// A frame that has arrived.
struct Frame {
    /// Its header, on the rank that has it.
    header: Vec<u64>,
    /// This rank's elevations.
    field: Vec<f64>,
}

impl<'a> Stream<'a> {
    fn new(own: &'a Communicator, coupling: &Coupling) -> Fallible<Self> {
        let (first, [p, q]) = (coupling.first_rank(), grid(coupling.consumers()));
        let blocks: Layout<2> =
            format!("(block, block) onto ({p}, {q}) ranks {first}..").parse()?;
        let (peer, [m, n]) = coupling.handshake(blocks, None)?;
        let frames = Frames::new(peer, m, n, p, q, first)?;
        if own.rank() == 0 {
            println!(
                "consumer {m} x {n} elevations on a grid of {p} x {q} ranks; the producer has them {peer}"
            );
            println!("consumer {}", frames.explain().replace('\n', "\nconsumer "));
        }
        let (headers, fields) = (Headers::new(first)?.bind(coupling)?, frames.bind(coupling)?);
        let whole = Assemble::new(m, n, p, q)?.bind(own)?;
        let (drawing, waiting) = Default::default();
        Ok(Self { own, extents: [m, n], headers, fields, whole, drawing, waiting })
    }

    fn empty(&self) -> Frame {
        let [header, field] =
            [self.headers.local_len(Side::Destination), self.fields.local_len(Side::Destination)];
        Frame { header: vec![0; header], field: vec![0.0; field] }
    }

    fn receive(
        &mut self,
        frame: &mut Frame,
        meanwhile: impl FnOnce() -> Fallible<()>,
    ) -> Fallible<()> {
        let header = self.headers.start(&[], &mut frame.header)?;
        let field = self.fields.start(&[], &mut frame.field)?;
        let begun = Instant::now();
        meanwhile()?;
        let drawn = Instant::now();
        header.finish()?;
        field.finish()?;
        self.drawing += drawn - begun;
        self.waiting += drawn.elapsed();
        Ok(())
    }

    fn header(&self, frame: &Frame) -> Fallible<Header> {
        let mut words = frame.header.clone().try_into().unwrap_or([0; 6]);
        self.own.bcast(0, &mut words)?;
        Ok(Header::from_words(words))
    }

    fn report_time(&self) {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let (drawing, waiting) = (milliseconds(self.drawing), milliseconds(self.waiting));
        if self.own.rank() == 0 {
            println!(
                "consumer {drawing:.1} ms drawn while frames were under way, then waited for {waiting:.1} ms"
            );
        }
    }
}

fn grid(ranks: usize) -> [usize; 2] {
    let rows = (1..=ranks.isqrt()).rev().find(|rows| ranks.is_multiple_of(*rows)).unwrap_or(1);
    [rows, ranks / rows]
}
