//! Counts a rank's calls of the library, by MPI's profiling interface: a move makes none for ranks
//! that this one exchanges nothing with.

use crate::coupled::{couple, layout, own_ranks};
use redist::mpi::Communicator;
use redist::{Layout, Redistribution, Side, TypedPlan};
use redist_mpi_tests::{Case, Outcome, nodes, of_the_library, unasked_bytes};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

pub const CASES: &[Case] = &[
    Case::new("calls::do_not_grow_with_ranks", &[1, 3, 9], do_not_grow).beside(&[1]),
    Case::new("calls::do_not_grow_with_ranks", &[1, 2, 9], do_not_grow).beside(&[2]),
    Case::new("calls::do_not_grow_with_ranks", &[1, 6], do_not_grow).beside(&[6]),
    Case::new("calls::for_each_piece", &[2], for_each_piece),
];

struct Counter(AtomicUsize);

static BROADCASTS: Counter = Counter(AtomicUsize::new(0));
static REDUCTIONS: Counter = Counter(AtomicUsize::new(0));
static SENDS: Counter = Counter(AtomicUsize::new(0));
static RECEIVES: Counter = Counter(AtomicUsize::new(0));

impl Counter {
    fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn take(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }
}

/// Returns broadcasts, reductions, sends, receives.
fn take() -> [usize; 4] {
    [&BROADCASTS, &REDUCTIONS, &SENDS, &RECEIVES].map(Counter::take)
}

/// Any number of ranks may be on either side; a rank's block goes to one rank, or to two.
fn do_not_grow(world: &Communicator) -> Outcome {
    let (coupling, nodes) = (couple(world)?, nodes(world));
    let is_one_node = nodes == 1;
    take();
    let (ranks, is_producer) = (own_ranks(&coupling), coupling.role() == Side::Source);
    let own: Layout<1> = layout(&format!("block onto {ranks}"), coupling.first_rank());
    let extents = [coupling.producers() * coupling.consumers()];
    let (peer, _) = coupling.handshake(own, Some(extents))?;
    assert_eq!(take(), [4, 0, 0, 0], "the length and the text of two layouts");
    let (from, to) = if is_producer { (own, peer) } else { (peer, own) };
    let mut bound = TypedPlan::<u8, 1>::new(extents, from, to)?.bind(&coupling)?;
    // Shared memory: its parts, its presence on the node, and on all ranks; and a broadcast of its
    // name.
    let memory = 3;
    let values = 2; // hashes of what all bring, and all of it by value
    // Between nodes: a vote, and whether messages of a node travel together. The board was made with
    // the coupling.
    let votes = if is_one_node { 0 } else { 2 };
    // Memory for slots, if a node's ranks use it, and for messages that travel together.
    let slots = if is_one_node { &[memory][..] } else { &[0, memory] };
    let joined = if is_one_node { &[0][..] } else { &[0, memory] };
    let found = take();
    let is_expected = |reductions: usize| {
        slots
            .iter()
            .any(|slots| joined.iter().any(|joined| values + votes + slots + joined == reductions))
    };
    assert!(is_expected(found[1]), "{found:?} {}", bound.explain());
    assert_eq!(found[0] * memory, found[1] - values - votes, "a name for each memory");
    assert_eq!(found[2..], [0; 2]);
    let messages = [bound.outgoing().len(), bound.incoming().len()];
    let source = vec![1; bound.local_len(Side::Source)];
    let mut destination = vec![0; bound.local_len(Side::Destination)];
    bound.run(&source, &mut destination)?;
    take();
    let mut least = [usize::MAX; 4];
    for round in 0..10 {
        match round % 2 {
            0 => bound.run(&source, &mut destination)?,
            _ => bound.start(&source, &mut destination)?.finish()?,
        }
        let made = take();
        let most = if round % 2 == 0 && is_one_node { [0; 2] } else { messages };
        assert!(made[2] <= most[0] && made[3] <= most[1], "{round}: {made:?} {messages:?}");
        least = std::array::from_fn(|call| least[call].min(made[call]));
    }
    assert_eq!(least[..2], [0, 0], "a move reduces nothing");
    assert!(least[2] <= messages[0] && least[3] <= messages[1], "{least:?} {messages:?}");
    Ok(())
}

/// A message to another node goes in segments below the eager limit.
fn for_each_piece(world: &Communicator) -> Outcome {
    const BYTES: usize = 10 * (60 << 10) + 1;
    let (from, to): (Layout<1>, Layout<1>) =
        ("block onto 1".parse()?, "block onto 1 ranks 1..2".parse()?);
    let mut bound = TypedPlan::<u8, 1>::new([BYTES], from, to)?.bind(world)?;
    let source = vec![1; bound.local_len(Side::Source)];
    let mut destination = vec![0; bound.local_len(Side::Destination)];
    take();
    bound.run(&source, &mut destination)?;
    let [.., sends, receives] = take();
    assert!(destination.iter().all(|byte| *byte == 1));
    let nodes = nodes(world);
    let pieces = if nodes == 1 { 0 } else { BYTES.div_ceil(unasked_bytes()) };
    let (sent, received) = if world.rank() == 0 { (pieces, 0) } else { (0, pieces) };
    assert_eq!([sends, receives], [sent, received]);
    Ok(())
}

// The following functions replace the library's of these names, as its profiling interface allows.
// Handles are words in any library.

/// The tag of questions to ranks that are waited for long, and of answers.
const OF_QUESTIONS: c_int = 0;

macro_rules! counted {
    ($(
        $name:ident, $own:literal ($($argument:ident: $type:ty),*), $counter:ident if $is:expr;
    )*) => {$(
        /// # Safety
        /// As the library's.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            if $is {
                $counter.count();
            }
            // SAFETY: the caller's arguments, which are as the library demands.
            unsafe { of_the_library!($own, ($($type),*))($($argument),*) }
        }
    )*};
}

counted! {
    MPI_Bcast, "PMPI_Bcast"(
        buffer: *mut c_void, count: c_int, of: usize, root: c_int, on: usize
    ), BROADCASTS if true;
    MPI_Allreduce, "PMPI_Allreduce"(
        from: *const c_void, to: *mut c_void, count: c_int, of: usize, by: usize, on: usize
    ), REDUCTIONS if true;
    MPI_Isend, "PMPI_Isend"(
        from: *const c_void, count: c_int, of: usize, to: c_int, tag: c_int, on: usize,
        request: *mut c_void
    ), SENDS if tag != OF_QUESTIONS;
    MPI_Issend, "PMPI_Issend"(
        from: *const c_void, count: c_int, of: usize, to: c_int, tag: c_int, on: usize,
        request: *mut c_void
    ), SENDS if tag != OF_QUESTIONS;
    MPI_Irecv, "PMPI_Irecv"(
        into: *mut c_void, count: c_int, of: usize, from: c_int, tag: c_int, on: usize,
        request: *mut c_void
    ), RECEIVES if tag != OF_QUESTIONS;
}
