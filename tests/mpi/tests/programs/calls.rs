//! Counts a rank's calls of the library, by MPI's profiling interface. They do not grow with the
//! remote ranks, except for reports to other nodes, which the ranks of a node share.

use crate::coupled::{couple, layout, own_ranks};
use redist::mpi::{Communicator, Operation};
use redist::transport::Way;
use redist::{Layout, Redistribution, RuntimePlan, Side};
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
    let mut bound = RuntimePlan::<u8, 1>::new(extents, from, to)?.bind(&coupling)?;
    let is_joined = bound.way() == Way::Joined;
    // Shared memory: its size and room, its presence on the node and on all nodes, its place, and
    // its readiness.
    let memory = 6;
    // The communicator of each node is there on all ranks.
    let node = 1;
    // The windows of couplings that all have dropped are freed.
    let dropped = 1;
    let expected = match (is_one_node, is_joined) {
        // Memory for the board, and for slots.
        (true, _) => node + dropped + memory + memory,
        // The nodes of all ranks, memory to vote in, and the decision on joining.
        (false, false) => node + 3 + memory + 1,
        // The same, and memory for them, with a number.
        (false, true) => node + 3 + memory + 1 + memory + 1,
    };
    let values = 2; // hashes of what all bring, and all of it by value
    assert_eq!(take(), [0, values + expected, 0, 0], "{}", bound.explain());
    let source = vec![1; bound.local_len(Side::Source)];
    let mut destination = vec![0; bound.local_len(Side::Destination)];
    bound.run(&source, &mut destination)?;
    let [broadcasts, reductions, sends, receives] = take();
    assert_eq!([broadcasts, reductions], [0, 0]);
    let messages = match bound.way() {
        Way::Chunks | Way::Joined => [0, 0],
        _ => [bound.outgoing().len(), bound.incoming().len()],
    };
    // Each other node reports its readiness to this rank. This rank reports to ranks of other
    // nodes, in shares of its node.
    let elsewhere = if is_one_node { 0 } else { world.size() - 1 };
    assert_eq!(receives, messages[1] + nodes - 1);
    assert!((messages[0]..=messages[0] + elsewhere).contains(&sends));
    let (told, mut by_all) = ((sends - messages[0]) as u64, [0]);
    world.allreduce(&[told], &mut by_all, Operation::Sum)?;
    let by_each = world.size() * (nodes - 1);
    assert_eq!(by_all, [by_each as u64], "each rank is told once by each node");
    take();
    bound.start(&source, &mut destination)?.finish()?;
    let [broadcasts, reductions, sends, receives] = take();
    assert_eq!([broadcasts, reductions], [0, 0]);
    // Packed messages go; if ranks leave, one reports for all of its node.
    let messages =
        if is_joined { [0, 0] } else { [bound.outgoing().len(), bound.incoming().len()] };
    assert_eq!(receives, messages[1] + nodes - 1);
    assert!((messages[0]..=messages[0] + elsewhere).contains(&sends));
    Ok(())
}

/// A message to another node goes in segments below the eager limit.
fn for_each_piece(world: &Communicator) -> Outcome {
    const BYTES: usize = 10 * (60 << 10) + 1;
    let (from, to): (Layout<1>, Layout<1>) =
        ("block onto 1".parse()?, "block onto 1 ranks 1..2".parse()?);
    let mut bound = RuntimePlan::<u8, 1>::new([BYTES], from, to)?.bind(world)?;
    let source = vec![1; bound.local_len(Side::Source)];
    let mut destination = vec![0; bound.local_len(Side::Destination)];
    take();
    bound.run(&source, &mut destination)?;
    let [.., sends, receives] = take();
    assert!(destination.iter().all(|byte| *byte == 1));
    let nodes = nodes(world);
    let pieces = if nodes == 1 { 0 } else { BYTES.div_ceil(unasked_bytes()) };
    let (sent, received) = if world.rank() == 0 { (pieces, 0) } else { (0, pieces) };
    // Each node reports to the other that it is ready.
    assert_eq!([sends, receives], [sent, received].map(|pieces| pieces + nodes - 1));
    Ok(())
}

// The following functions replace the library's of these names, as its profiling interface allows.
// Handles are words in any library.

macro_rules! counted {
    ($($name:ident, $own:literal ($($argument:ident: $type:ty),*), $counter:ident;)*) => {$(
        /// # Safety
        /// As the library's.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            $counter.count();
            // SAFETY: the caller's arguments, which are as the library demands.
            unsafe { of_the_library!($own, ($($type),*))($($argument),*) }
        }
    )*};
}

counted! {
    MPI_Bcast, "PMPI_Bcast"(
        buffer: *mut c_void, count: c_int, of: usize, root: c_int, on: usize
    ), BROADCASTS;
    MPI_Allreduce, "PMPI_Allreduce"(
        from: *const c_void, to: *mut c_void, count: c_int, of: usize, by: usize, on: usize
    ), REDUCTIONS;
    MPI_Isend, "PMPI_Isend"(
        from: *const c_void, count: c_int, of: usize, to: c_int, tag: c_int, on: usize,
        request: *mut c_void
    ), SENDS;
    MPI_Irecv, "PMPI_Irecv"(
        into: *mut c_void, count: c_int, of: usize, from: c_int, tag: c_int, on: usize,
        request: *mut c_void
    ), RECEIVES;
}
