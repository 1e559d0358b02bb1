//! Which kernel copies runs of a shape. Thresholds are measured: `benches/kernels`.

use super::raw::memory::LINE;
use super::raw::moves::LONG;
use super::{Kernel, Memory, Recipe, Vectors};

/// The shape of a rank's runs along the fastest dimension of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// True from the local array to messages.
    pub packs: bool,
    /// Messages of a row.
    pub peers: usize,
    /// Bytes of every run, where all are alike.
    pub run: Option<usize>,
    /// Bytes of a run on average.
    pub mean: usize,
    /// How often in a row all messages get a run in turn, where they do so from period to period.
    pub rounds: usize,
    /// Runs of a row, or of a block where blocks are copied one by one.
    pub runs: usize,
    /// True if runs are made of 4-byte lanes.
    pub lanes: bool,
    /// True if the macro wrote a loop for these blocks.
    pub written: bool,
    /// The instructions that may be used.
    pub vectors: Vectors,
    /// Bytes of the local array.
    pub array: usize,
    /// Bytes of it from which whole lines are stored past the caches.
    pub nontemporal: usize,
}

/// Bytes of a run on average up to which permuted vectors beat a copy a run.
const PERMUTED: usize = 32;

/// Bytes of runs of one length from which copies of them beat permuted vectors.
const FILLED: usize = 32;

/// Runs of a block, and what is left of a round, from which they have a loop of their own.
const MANY_RUNS: usize = 64;

/// Bytes of a run on average from which permuted vectors of AVX2 beat a loop message by message.
const HALF: usize = 9;

/// Rounds from which all messages count as served in turn.
const IN_TURN: usize = 16;

/// Rounds of runs of whole registers from which permuted vectors beat copies of them when packing.
const MANY_ROUNDS: usize = 64;

/// Bytes of a run on average from which copies in the order of the local array beat those message by message.
const SHORT: usize = 16;

/// Bytes of a run on average up to which a masked vector beats branches.
const MASKED: usize = 192;

/// Bytes of the local array from which lines are asked for ahead: more than a core's part of the last cache.
const FAR: usize = 12 << 20;

/// Messages that are many: stores to them wait for nothing that it helps to ask for.
const MANY_STREAMS: usize = 16;

impl Shape {
    /// The kernel for this shape.
    pub fn choose(&self) -> Recipe {
        let (kernel, reason) = self.kernel();
        Recipe { kernel, memory: self.memory(kernel), reason }
    }

    /// How a kernel best reaches memory.
    fn memory(&self, kernel: Kernel) -> Memory {
        let Self { packs, peers, array, .. } = *self;
        // Runs of whole lines, or neighbouring vectors that fill them: half a line past the caches costs more than two.
        let (copies, lines, network) = match kernel {
            Kernel::Network { .. } => (true, true, true),
            Kernel::Moves { run } => (true, run.is_multiple_of(LINE), false),
            Kernel::Copy => (true, true, false),
            Kernel::Permute | Kernel::Masked | Kernel::Table => (true, false, false),
            _ => (false, false, false),
        };
        // Stores of whole lines that are strides apart wait for their lines one by one, in any cache.
        let waits = network && packs && peers < MANY_STREAMS && self.vectors == Vectors::Avx512;
        if self.vectors == Vectors::Portable || !copies {
            Memory::Cached
        } else if array >= self.nontemporal && lines {
            Memory::Nontemporal
        } else if array >= FAR || waits {
            Memory::Prefetched
        } else {
            Memory::Cached
        }
    }

    fn kernel(&self) -> (Kernel, &'static str) {
        let Self { peers, mean, vectors, .. } = *self;
        if peers <= 1 {
            return (Kernel::Copy, "one message has whole rows");
        }
        if let Some(run) = self.run.filter(|run| self.has_network(*run)) {
            return (Kernel::Network { run, peers, vectors }, "short runs for a power of two of messages in turn");
        }
        // Runs of whole registers that all messages get in turn are best gathered as they are.
        let in_turn = !self.packs && self.rounds >= IN_TURN && mean >= SHORT;
        // A few rounds of them are over before vectors are under way.
        let soon = self.run.is_some_and(|run| run >= SHORT) && self.runs < MANY_ROUNDS * peers;
        // Vectors of half the size beat copies between what is best done lane by lane and what fills registers.
        let worth = match vectors {
            Vectors::Avx512 => mean <= PERMUTED,
            Vectors::Avx2 => !self.written && (HALF..SHORT).contains(&mean),
            _ => false,
        };
        // So do registers of the larger kind, and smaller ones for many messages in turn.
        let (many, in_turns) = (self.rounds * peers >= MANY_RUNS, peers >= MANY_STREAMS && self.rounds >= IN_TURN);
        let filled = self.run.is_some_and(|run| run >= FILLED && many || run >= SHORT && in_turns);
        if self.lanes && worth && !in_turn && !soon && !filled {
            return (Kernel::Permute, "short runs of whole lanes");
        }
        match (self.run, mean) {
            (_, ..SHORT) if self.written => (Kernel::Written, "short runs known to the compiler"),
            (_, ..SHORT) => (Kernel::Tiles, "short runs, of no shape that vectors are permuted for"),
            (Some(run), ..=LONG) => (Kernel::Moves { run }, "runs of one length, too short for calls of memcpy"),
            (_, ..=MASKED) if vectors == Vectors::Avx512 => (Kernel::Masked, "runs of several lengths"),
            (None, ..=LONG) => (Kernel::Table, "runs of several lengths"),
            _ => (Kernel::Copy, "long runs"),
        }
    }

    /// Runs of one lane, often enough all messages in turn; at 16 messages, packing by SSE2 runs out of registers.
    fn has_network(&self, run: usize) -> bool {
        // Bytes that a block gives each message at least; AVX-512 masks what does not fill vectors.
        let width = match self.vectors {
            Vectors::Portable => return false,
            Vectors::Sse2 => 16,
            Vectors::Avx2 => 32,
            Vectors::Avx512 => 48,
        };
        let spilled = self.vectors == Vectors::Sse2 && self.packs && self.peers == 16;
        let lanes = match run {
            4 | 8 => !spilled,
            // A register of SSE2 is one run, and at 16 messages a network takes more steps than there are runs to copy.
            16 => self.vectors > Vectors::Sse2 && self.peers < 16,
            _ => false,
        };
        lanes && matches!(self.peers, 2 | 4 | 8 | 16) && self.rounds >= width / run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        packs: true,
        peers: 4,
        run: Some(4),
        mean: 4,
        rounds: 100,
        runs: 400,
        lanes: true,
        written: false,
        vectors: Vectors::Sse2,
        array: 32 << 10,
        nontemporal: usize::MAX,
    };

    fn network(run: usize, peers: usize, vectors: Vectors) -> Kernel {
        Kernel::Network { run, peers, vectors }
    }

    #[test]
    fn short_runs_in_turn_go_through_a_network() {
        for vectors in [Vectors::Sse2, Vectors::Avx2, Vectors::Avx512] {
            assert_eq!(Shape { vectors, ..SHAPE }.choose().kernel, network(4, 4, vectors));
            assert_eq!(Shape { run: Some(8), mean: 8, vectors, ..SHAPE }.choose().kernel, network(8, 4, vectors));
        }
        assert_eq!(Shape { peers: 16, ..SHAPE }.choose().kernel, Kernel::Tiles);
        assert_eq!(Shape { peers: 16, packs: false, ..SHAPE }.choose().kernel, network(4, 16, Vectors::Sse2));
        assert_eq!(Shape { rounds: 3, ..SHAPE }.choose().kernel, Kernel::Tiles);
        assert_eq!(Shape { vectors: Vectors::Portable, ..SHAPE }.choose().kernel, Kernel::Tiles);
        let registers = Shape { run: Some(16), mean: 16, rounds: 3, ..SHAPE };
        assert_eq!(registers.choose().kernel, Kernel::Moves { run: 16 });
        for vectors in [Vectors::Avx2, Vectors::Avx512] {
            assert_eq!(Shape { vectors, ..registers }.choose().kernel, network(16, 4, vectors));
            assert_eq!(Shape { vectors, peers: 16, ..registers }.choose().kernel, Kernel::Moves { run: 16 });
        }
        let masked = Shape { vectors: Vectors::Avx512, rounds: 12, ..SHAPE };
        assert_eq!(masked.choose().kernel, network(4, 4, Vectors::Avx512));
        assert_eq!(Shape { rounds: 11, ..masked }.choose().kernel, Kernel::Permute);
    }

    #[test]
    fn other_short_runs_are_permuted_or_written_out() {
        let shape = Shape { peers: 3, ..SHAPE };
        assert_eq!(shape.choose().kernel, Kernel::Tiles);
        assert_eq!(Shape { written: true, ..shape }.choose().kernel, Kernel::Written);
        let wide = Shape { vectors: Vectors::Avx512, written: true, ..shape };
        assert_eq!(wide.choose().kernel, Kernel::Permute);
        assert_eq!(Shape { lanes: false, run: Some(2), ..wide }.choose().kernel, Kernel::Written);
        assert_eq!(Shape { run: None, mean: 20, rounds: 0, ..wide }.choose().kernel, Kernel::Permute);
        let register = Shape { run: Some(16), mean: 16, ..wide };
        assert_eq!(register.choose().kernel, Kernel::Permute);
        assert_eq!(Shape { packs: false, ..register }.choose().kernel, Kernel::Moves { run: 16 });
        let long = Shape { run: Some(32), mean: 32, ..wide };
        assert_eq!(long.choose().kernel, Kernel::Moves { run: 32 });
        assert_eq!(Shape { run: None, rounds: 0, ..long }.choose().kernel, Kernel::Permute);
        assert_eq!(Shape { rounds: 1, ..long }.choose().kernel, Kernel::Permute);
        assert_eq!(Shape { peers: 16, runs: 1600, ..register }.choose().kernel, Kernel::Moves { run: 16 });
        assert_eq!(Shape { peers: 16, runs: 1600, rounds: 6, ..register }.choose().kernel, Kernel::Permute);
        assert_eq!(Shape { runs: 100, ..register }.choose().kernel, Kernel::Moves { run: 16 });
        assert_eq!(Shape { vectors: Vectors::Avx2, ..register }.choose().kernel, Kernel::Moves { run: 16 });
        let half = Shape { vectors: Vectors::Avx2, run: None, mean: 12, rounds: 0, ..SHAPE };
        assert_eq!(half.choose().kernel, Kernel::Permute);
        assert_eq!(Shape { written: true, ..half }.choose().kernel, Kernel::Written);
    }

    #[test]
    fn memory_is_reached_as_the_array_is_large() {
        let wide = Shape { vectors: Vectors::Avx512, ..SHAPE };
        assert_eq!(wide.choose().memory, Memory::Prefetched, "stores of a network are strides apart");
        assert_eq!(Shape { packs: false, ..wide }.choose().memory, Memory::Cached);
        assert_eq!(SHAPE.choose().memory, Memory::Cached);
        assert_eq!(Shape { packs: false, array: FAR, ..SHAPE }.choose().memory, Memory::Prefetched);
        let lines = Shape { run: Some(128), mean: 128, rounds: 0, ..SHAPE };
        assert_eq!(lines.choose().memory, Memory::Cached);
        assert_eq!(Shape { array: FAR, ..lines }.choose().memory, Memory::Prefetched);
        let portable = Shape { array: FAR, nontemporal: 0, vectors: Vectors::Portable, ..lines };
        assert_eq!(portable.choose().memory, Memory::Cached);
    }

    #[test]
    fn only_whole_lines_go_past_the_caches() {
        let shape = |run, mean| Shape { run, mean, rounds: 0, nontemporal: 32 << 10, ..SHAPE };
        assert_eq!(shape(Some(128), 128).choose().memory, Memory::Nontemporal);
        assert_eq!(Shape { nontemporal: 32 << 10, ..SHAPE }.choose().memory, Memory::Nontemporal, "a network");
        assert_eq!(Shape { array: 31 << 10, ..shape(Some(128), 128) }.choose().memory, Memory::Cached);
        assert_eq!(shape(Some(120), 120).choose().memory, Memory::Cached);
        assert_eq!(shape(None, 100).choose().memory, Memory::Cached);
        assert_eq!(shape(None, 1000).choose().memory, Memory::Nontemporal);
    }

    #[test]
    fn longer_runs_are_copied_in_the_order_of_the_array() {
        let shape = |run, mean| Shape { run, mean, rounds: 0, ..SHAPE };
        assert_eq!(shape(Some(64), 64).choose().kernel, Kernel::Moves { run: 64 });
        assert_eq!(shape(Some(256), 256).choose().kernel, Kernel::Moves { run: 256 });
        assert_eq!(shape(Some(257), 257).choose().kernel, Kernel::Copy);
        assert_eq!(shape(None, 100).choose().kernel, Kernel::Table);
        assert_eq!(Shape { vectors: Vectors::Avx512, ..shape(None, 100) }.choose().kernel, Kernel::Masked);
        assert_eq!(shape(None, 1000).choose().kernel, Kernel::Copy);
    }
}
