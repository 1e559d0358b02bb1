//! Chooses the kernel for a shape of runs. `benches/kernels --thresholds` measures thresholds.

use super::raw::moves::MAX_MOVES_BYTES;
use super::{Kernel, KernelChoice, Memory, Vectors};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunShape {
    pub packs: bool,
    pub peers: usize,
    pub run: Option<usize>,
    pub mean: usize,
    pub rounds: usize,
    pub squares: bool,
    pub runs: usize,
    pub lanes: bool,
    pub written: Option<Vectors>,
    pub always: bool,
    pub vectors: Vectors,
    pub array: usize,
}

/// Largest mean run length for which vector permutation beats per-run copies.
const MAX_PERMUTE_RUN_BYTES: usize = 32;

/// Mean run length from which prefetching copies pack large arrays faster.
const MIN_AHEAD_RUN_BYTES: usize = 64;

const MIN_AHEAD_ARRAY_BYTES: usize = 4 << 20;

/// Array size from which long vectors of compiled code gain nothing when unpacking.
const MAX_LONG_VECTORS_ARRAY_BYTES: usize = 24 << 20;

/// Messages from which squares beat tiles and permutation, mostly by 1.5 to 4 times for 9 to 64
/// messages, and not for 5 (AVX2, AMD EPYC, 26 November 2026).
pub(super) const MIN_SQUARES_MESSAGES: usize = 9;

const MIN_FILLED_RUN_BYTES: usize = 32;

const MIN_LOOP_RUNS: usize = 64;

const MIN_TURN_ROUNDS: usize = 16;

/// Rounds from which vector permutation packs faster than whole registers.
const MIN_PERMUTE_ROUNDS: usize = 64;

/// Smallest mean run length for which array order beats message order.
const MIN_ARRAY_ORDER_RUN_BYTES: usize = 16;

const MAX_MASKED_RUN_BYTES: usize = 192;

/// Array size from which prefetches pay: above a core's part of the last-level cache.
const MIN_PREFETCHED_ARRAY_BYTES: usize = 12 << 20;

/// Messages from which their stores overlap enough without prefetches.
const MIN_MANY_MESSAGES: usize = 16;

impl RunShape {
    pub fn choose(&self) -> KernelChoice {
        let (kernel, reason) = self.kernel();
        KernelChoice { kernel, memory: self.memory(kernel), reason }
    }

    fn memory(&self, kernel: Kernel) -> Memory {
        let Self { packs, peers, array, .. } = *self;
        let network = matches!(kernel, Kernel::Network { .. });
        let copies = match kernel {
            Kernel::Moves { .. } | Kernel::Copy => true,
            Kernel::Permute | Kernel::Masked | Kernel::Table => true,
            _ => network,
        };
        // A network stores whole lines with strides, and waits for its lines in any cache.
        let waits =
            network && packs && peers < MIN_MANY_MESSAGES && self.vectors == Vectors::Avx512;
        let is_large = array >= MIN_PREFETCHED_ARRAY_BYTES;
        match self.vectors >= Vectors::Sse2 && copies && (is_large || waits) {
            true => Memory::Prefetched,
            false => Memory::Cached,
        }
    }

    fn kernel(&self) -> (Kernel, &'static str) {
        let Self { peers, mean, vectors, .. } = *self;
        if peers <= 1 {
            return (Kernel::Copy, "one message has whole rows");
        }
        if let Some(vectors) = self.written.filter(|_| self.always) {
            return (Kernel::Written { vectors }, "it was asked for wherever there is any");
        }
        if let Some(run) = self.run.filter(|run| self.has_network(*run)) {
            return (
                Kernel::Network { run, peers, vectors },
                "short runs for a power of two of messages in turn",
            );
        }
        if let Some(vectors) = self.written.filter(|vectors| self.is_worth_it(*vectors)) {
            return (Kernel::Written { vectors }, "the compiler knew the blocks");
        }
        if self.goes_in_squares() {
            let run = self.run.unwrap_or(mean);
            return (Kernel::Network { run, peers, vectors }, "short runs for many messages");
        }
        // Runs of whole registers in turn are best gathered without permutation.
        let in_turn =
            !self.packs && self.rounds >= MIN_TURN_ROUNDS && mean >= MIN_ARRAY_ORDER_RUN_BYTES;
        // Few rounds do not repay the setup of permutations.
        let soon = self.run.is_some_and(|run| run >= MIN_ARRAY_ORDER_RUN_BYTES)
            && self.runs < MIN_PERMUTE_ROUNDS * peers;
        let worth = vectors == Vectors::Avx512 && mean <= MAX_PERMUTE_RUN_BYTES;
        // Copies of whole registers win for long runs, and for shorter ones with many messages.
        let (many, in_turns) = (
            self.rounds * peers >= MIN_LOOP_RUNS,
            peers >= MIN_MANY_MESSAGES && self.rounds >= MIN_TURN_ROUNDS,
        );
        let filled = self.run.is_some_and(|run| {
            run >= MIN_FILLED_RUN_BYTES && many || run >= MIN_ARRAY_ORDER_RUN_BYTES && in_turns
        });
        if self.lanes && worth && !in_turn && !soon && !filled {
            return (Kernel::Permute, "short runs of whole lanes");
        }
        match (self.run, mean) {
            (_, ..MIN_ARRAY_ORDER_RUN_BYTES) => {
                (Kernel::Tiles, "short runs that no vector kernel copies")
            }
            (Some(run), ..=MAX_MOVES_BYTES) => {
                (Kernel::Moves { run }, "runs of one length, too short for calls of memcpy")
            }
            (_, ..=MAX_MASKED_RUN_BYTES) if vectors == Vectors::Avx512 => {
                (Kernel::Masked, "runs of several lengths")
            }
            (None, ..=MAX_MOVES_BYTES) => (Kernel::Table, "runs of several lengths"),
            _ => (Kernel::Copy, "long runs"),
        }
    }

    /// Returns `true` if compiled code with these instructions beats the library's. It does not
    /// prefetch, as long vectors from many messages and long runs to messages need in large arrays.
    fn is_worth_it(&self, vectors: Vectors) -> bool {
        let packs_long_runs = self.packs && self.mean >= MIN_AHEAD_RUN_BYTES;
        let most = match vectors {
            _ if packs_long_runs => MIN_AHEAD_ARRAY_BYTES,
            Vectors::Avx512 if !self.packs => MAX_LONG_VECTORS_ARRAY_BYTES,
            _ => usize::MAX,
        };
        self.array < most
    }

    /// Returns `true` if a network takes these runs: of one lane, in turn often enough. With 16
    /// messages, packing by SSE2 runs out of registers.
    fn has_network(&self, run: usize) -> bool {
        // Block bytes per message: at least a vector, except that AVX-512 masks partial ones.
        let width = match self.vectors {
            Vectors::Portable | Vectors::Neon => return false,
            Vectors::Sse2 => 16,
            Vectors::Avx2 => 32,
            Vectors::Avx512 => 48,
        };
        let spilled = self.vectors == Vectors::Sse2 && self.packs && self.peers == 16;
        let lanes = match run {
            4 | 8 => !spilled,
            // With SSE2 a register is one run; with 16 messages a network has more steps than runs.
            16 => self.vectors > Vectors::Sse2 && self.peers < 16,
            _ => false,
        };
        lanes && matches!(self.peers, 2 | 4 | 8 | 16) && self.rounds >= width / run
    }

    /// Returns `true` if squares copy the part, and no network does.
    pub fn goes_in_squares(&self) -> bool {
        self.squares && !self.run.is_some_and(|run| self.has_network(run))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: RunShape = RunShape {
        packs: true,
        peers: 4,
        run: Some(4),
        mean: 4,
        rounds: 100,
        squares: false,
        runs: 400,
        lanes: true,
        written: None,
        always: false,
        vectors: Vectors::Sse2,
        array: 32 << 10,
    };

    fn kernel(shape: RunShape) -> Kernel {
        shape.choose().kernel
    }

    fn memory(shape: RunShape) -> Memory {
        shape.choose().memory
    }

    fn network(run: usize, peers: usize, vectors: Vectors) -> Kernel {
        Kernel::Network { run, peers, vectors }
    }

    #[test]
    fn short_runs_in_turn_go_through_a_network() {
        for vectors in [Vectors::Sse2, Vectors::Avx2, Vectors::Avx512] {
            assert_eq!(kernel(RunShape { vectors, ..SHAPE }), network(4, 4, vectors));
            assert_eq!(
                kernel(RunShape { run: Some(8), mean: 8, vectors, ..SHAPE }),
                network(8, 4, vectors)
            );
        }
        assert_eq!(kernel(RunShape { peers: 16, ..SHAPE }), Kernel::Tiles);
        assert_eq!(
            kernel(RunShape { peers: 16, packs: false, ..SHAPE }),
            network(4, 16, Vectors::Sse2)
        );
        assert_eq!(kernel(RunShape { rounds: 3, ..SHAPE }), Kernel::Tiles);
        assert_eq!(kernel(RunShape { vectors: Vectors::Portable, ..SHAPE }), Kernel::Tiles);
        let registers = RunShape { run: Some(16), mean: 16, rounds: 3, ..SHAPE };
        assert_eq!(kernel(registers), Kernel::Moves { run: 16 });
        for vectors in [Vectors::Avx2, Vectors::Avx512] {
            assert_eq!(kernel(RunShape { vectors, ..registers }), network(16, 4, vectors));
            assert_eq!(
                kernel(RunShape { vectors, peers: 16, ..registers }),
                Kernel::Moves { run: 16 }
            );
        }
        let masked = RunShape { vectors: Vectors::Avx512, rounds: 12, ..SHAPE };
        assert_eq!(kernel(masked), network(4, 4, Vectors::Avx512));
        assert_eq!(kernel(RunShape { rounds: 11, ..masked }), Kernel::Permute);
    }

    #[test]
    fn short_runs_for_many_messages_go_through_squares() {
        let many = RunShape { peers: 25, squares: true, vectors: Vectors::Avx2, ..SHAPE };
        assert_eq!(kernel(many), network(4, 25, Vectors::Avx2));
        assert_eq!(kernel(RunShape { squares: false, ..many }), Kernel::Tiles);
        let irregular = RunShape { run: None, mean: 6, rounds: 0, ..many };
        assert_eq!(kernel(irregular), network(6, 25, Vectors::Avx2));
    }

    #[test]
    fn other_short_runs_are_permuted() {
        let shape = RunShape { peers: 3, ..SHAPE };
        assert_eq!(kernel(shape), Kernel::Tiles);
        let wide = RunShape { vectors: Vectors::Avx512, ..shape };
        assert_eq!(kernel(wide), Kernel::Permute);
        assert_eq!(kernel(RunShape { lanes: false, run: Some(2), ..wide }), Kernel::Tiles);
        assert_eq!(kernel(RunShape { run: None, mean: 20, rounds: 0, ..wide }), Kernel::Permute);
        let register = RunShape { run: Some(16), mean: 16, ..wide };
        assert_eq!(kernel(register), Kernel::Permute);
        assert_eq!(kernel(RunShape { packs: false, ..register }), Kernel::Moves { run: 16 });
        let long = RunShape { run: Some(32), mean: 32, ..wide };
        assert_eq!(kernel(long), Kernel::Moves { run: 32 });
        assert_eq!(kernel(RunShape { run: None, rounds: 0, ..long }), Kernel::Permute);
        assert_eq!(kernel(RunShape { rounds: 1, ..long }), Kernel::Permute);
        assert_eq!(
            kernel(RunShape { peers: 16, runs: 1600, ..register }),
            Kernel::Moves { run: 16 }
        );
        assert_eq!(
            kernel(RunShape { peers: 16, runs: 1600, rounds: 6, ..register }),
            Kernel::Permute
        );
        assert_eq!(kernel(RunShape { runs: 100, ..register }), Kernel::Moves { run: 16 });
        assert_eq!(
            kernel(RunShape { vectors: Vectors::Avx2, ..register }),
            Kernel::Moves { run: 16 }
        );
    }

    #[test]
    fn what_the_compiler_has_written_is_preferred_to_all_but_networks() {
        let code = |vectors| Kernel::Written { vectors };
        for vectors in [Vectors::Sse2, Vectors::Avx2, Vectors::Avx512] {
            let shape = RunShape { peers: 3, written: Some(vectors), vectors, ..SHAPE };
            assert_eq!(kernel(shape), code(vectors));
            let mixed = RunShape { run: None, mean: 100, rounds: 0, ..shape };
            assert_eq!(kernel(mixed), code(vectors));
            let large = RunShape { array: MIN_AHEAD_ARRAY_BYTES, ..mixed };
            assert_ne!(kernel(large), code(vectors));
            let unpacks = RunShape { packs: false, ..large };
            assert_eq!(kernel(unpacks), code(vectors));
            let larger = RunShape { array: MAX_LONG_VECTORS_ARRAY_BYTES, ..unpacks };
            assert_eq!(kernel(larger) == code(vectors), vectors < Vectors::Avx512);
            let in_turn = RunShape { peers: 4, ..shape };
            assert_eq!(kernel(in_turn), network(4, 4, vectors));
            let large = RunShape { array: MAX_LONG_VECTORS_ARRAY_BYTES, ..shape };
            assert_eq!(kernel(large), code(vectors), "short runs are packed by code");
            let always = RunShape { always: true, peers: 4, ..shape };
            assert_eq!(kernel(always), code(vectors));
        }
    }

    #[test]
    fn memory_is_reached_as_the_array_is_large() {
        let wide = RunShape { vectors: Vectors::Avx512, ..SHAPE };
        assert_eq!(memory(wide), Memory::Prefetched, "stores of a network are strides apart");
        assert_eq!(memory(RunShape { packs: false, ..wide }), Memory::Cached);
        assert_eq!(memory(SHAPE), Memory::Cached);
        assert_eq!(
            memory(RunShape { packs: false, array: MIN_PREFETCHED_ARRAY_BYTES, ..SHAPE }),
            Memory::Prefetched
        );
        let lines = RunShape { run: Some(128), mean: 128, rounds: 0, ..SHAPE };
        assert_eq!(memory(lines), Memory::Cached);
        assert_eq!(
            memory(RunShape { array: MIN_PREFETCHED_ARRAY_BYTES, ..lines }),
            Memory::Prefetched
        );
        let portable =
            RunShape { array: MIN_PREFETCHED_ARRAY_BYTES, vectors: Vectors::Portable, ..lines };
        assert_eq!(memory(portable), Memory::Cached);
    }

    #[test]
    fn longer_runs_are_copied_in_the_order_of_the_array() {
        let shape = |run, mean| RunShape { run, mean, rounds: 0, ..SHAPE };
        assert_eq!(kernel(shape(Some(64), 64)), Kernel::Moves { run: 64 });
        assert_eq!(kernel(shape(Some(256), 256)), Kernel::Moves { run: 256 });
        assert_eq!(kernel(shape(Some(257), 257)), Kernel::Copy);
        assert_eq!(kernel(shape(None, 100)), Kernel::Table);
        assert_eq!(
            kernel(RunShape { vectors: Vectors::Avx512, ..shape(None, 100) }),
            Kernel::Masked
        );
        assert_eq!(kernel(shape(None, 1000)), Kernel::Copy);
    }
}
