//! Chooses the kernel for a shape of runs. `benches/kernels --thresholds` measures thresholds.

use super::raw::moves::MAX_MOVES_BYTES;
use super::{Kernel, KernelChoice, Memory, Vectors};

/// The shape of one rank's runs along the fastest dimension of its messages: the kernel follows
/// from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunShape {
    /// `true` from the local array to messages, `false` from messages to the array.
    pub packs: bool,
    /// Messages that a row has runs of.
    pub peers: usize,
    /// Bytes of every run, if all have one length.
    pub run: Option<usize>,
    /// Mean bytes of a run.
    pub mean: usize,
    /// Times that all messages get a run in turn; 0 if a period is several groups of runs.
    pub rounds: usize,
    /// `true` if squares can copy the runs.
    pub squares: bool,
    /// Runs of the part: of all its repetitions.
    pub runs: usize,
    /// `true` if every run is a multiple of 4 bytes.
    pub lanes: bool,
    /// Instructions of the code compiled for these runs, if there is any.
    pub written: Option<Vectors>,
    /// `true` if that code is a rolled loop. Each rank learns whether other copies are faster.
    pub rolled: bool,
    /// `true` to use that code even if it gains nothing.
    pub always: bool,
    /// Vector instructions that a kernel may use.
    pub vectors: Vectors,
    /// Bytes of the local array.
    pub array: usize,
}

/// Largest mean run length for which vector permutation beats per-run copies.
const MAX_PERMUTE_RUN_BYTES: usize = 32;

/// Mean run length from which prefetching copies pack large arrays faster.
const MIN_AHEAD_RUN_BYTES: usize = 64;

/// Bytes of a local array from which prefetching copies pack it faster.
const MIN_AHEAD_ARRAY_BYTES: usize = 4 << 20;

/// Messages from which squares beat tiles and permutation, mostly by 1.5 to 4 times for 9 to 64
/// messages, and not for 5 (AVX2, AMD EPYC, 26 November 2026).
#[cfg(target_arch = "x86_64")]
pub(super) const MIN_SQUARES_MESSAGES: usize = 9;

/// Bytes of a run from which copies of whole registers beat permutation, if runs are many.
const MIN_FILLED_RUN_BYTES: usize = 32;

/// Runs of a period from which a loop over them repays its start-up.
const MIN_LOOP_RUNS: usize = 64;

/// Rounds of all messages in turn from which a loop over rounds repays its start-up.
const MIN_TURN_ROUNDS: usize = 16;

/// Rounds from which vector permutation packs faster than whole registers.
const MIN_PERMUTE_ROUNDS: usize = 64;

/// Smallest mean run length for which array order beats message order.
const MIN_ARRAY_ORDER_RUN_BYTES: usize = 16;

/// Longest mean run, in bytes, for which masked vectors beat calls of `memcpy`.
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
            return (Kernel::Compiled { vectors }, "it was asked for wherever there is any");
        }
        if let Some(run) = self.run.filter(|run| self.has_network(*run)) {
            return (
                Kernel::Network { run, peers, vectors },
                "short runs for a power of two of messages in turn",
            );
        }
        if let Some(vectors) = self.written.filter(|_| self.is_worth_it()) {
            return (Kernel::Compiled { vectors }, "the compiler knew the blocks");
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
        // Copies of whole registers win for long runs, and with many messages also for shorter
        // runs.
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

    /// Returns `true` if compiled code beats the library's. It does not prefetch runs to messages.
    fn is_worth_it(&self) -> bool {
        let Self { peers, run, mean, rounds, vectors, array, .. } = *self;
        let ahead = mean >= MIN_AHEAD_RUN_BYTES && array >= MIN_AHEAD_ARRAY_BYTES;
        let in_turn = rounds >= MIN_TURN_ROUNDS && mean >= MIN_ARRAY_ORDER_RUN_BYTES;
        // Each lane of a short vector comes from a vector of its own.
        let lanes = self.written == Some(Vectors::Avx2) && run == Some(4) && peers > 4;
        let slower = ahead
            || vectors < Vectors::Avx512
                && (lanes || in_turn && array >= MIN_PREFETCHED_ARRAY_BYTES);
        self.rolled || !(self.packs && slower)
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

    /// Levels and departures from packing 100 rounds of 4 bytes to 4 messages; the kernel, which
    /// fetches ahead or not.
    const CHOICES: [&str; 51] = [
        // Short runs in turn go through a network.
        "sse2 avx2: network 4",
        "avx512: network 4 ahead",
        "sse2 avx2 run=8: network 8",
        "avx512 run=8: network 8 ahead",
        "sse2 peers=16: tiles",
        "sse2 peers=16 unpack: network 4",
        "sse2 rounds=3: tiles",
        "portable: tiles",
        "sse2 run=16 rounds=3: moves 16",
        "avx2 run=16 rounds=3: network 16",
        "avx512 run=16 rounds=3: network 16 ahead",
        "avx2 avx512 run=16 rounds=3 peers=16: moves 16",
        "avx512 rounds=12: network 4 ahead",
        "avx512 rounds=11: permute",
        // Runs for nine messages or more are transposed in squares.
        "avx2 peers=25 squares: network 4",
        "avx2 peers=25: tiles",
        "avx2 peers=25 squares mean=6 rounds=0: network 6",
        // Others are permuted.
        "sse2 peers=3: tiles",
        "avx512 peers=3: permute",
        "avx512 peers=3 run=2 odd: tiles",
        "avx512 peers=3 mean=20 rounds=0: permute",
        "avx512 peers=3 run=16: permute",
        "avx512 peers=3 run=16 unpack: moves 16",
        "avx512 peers=3 run=32: moves 32",
        "avx512 peers=3 mean=32 rounds=0: permute",
        "avx512 peers=3 run=32 rounds=1: permute",
        "avx512 peers=16 run=16 runs=1600: moves 16",
        "avx512 peers=16 run=16 runs=1600 rounds=6: permute",
        "avx512 peers=3 run=16 runs=100: moves 16",
        "avx2 peers=3 run=16: moves 16",
        // Compiled code is preferred to all but networks.
        "sse2 avx2 avx512 peers=3 code: code",
        "sse2 avx2 avx512 peers=3 code mean=100 rounds=0: code",
        "sse2 avx2 peers=3 code mean=100 rounds=0 mib=4: table",
        "avx512 peers=3 code mean=100 rounds=0 mib=4: masked",
        "sse2 avx2 avx512 peers=3 code mean=100 rounds=0 mib=4 unpack: code",
        "sse2 avx2 avx512 peers=3 code mean=100 rounds=0 mib=24 unpack: code",
        "avx2 peers=5 code: tiles",
        "avx2 peers=5 code unpack: code",
        "avx2 peers=5 code run=16 rounds=16 mib=12: moves 16 ahead",
        "avx2 avx512 peers=5 code run=16 rounds=15 mib=12: code",
        "sse2 avx2 code: network 4",
        "sse2 avx2 avx512 peers=3 code mib=24: code",
        "sse2 avx2 avx512 code always: code",
        // Memory is reached as the array is large, longer runs in its order.
        "avx512 unpack: network 4",
        "sse2 unpack mib=12: network 4 ahead",
        "sse2 run=128 rounds=0 mib=12: moves 128 ahead",
        "portable sse2 run=128 rounds=0: moves 128",
        "sse2 run=256 rounds=0: moves 256",
        "sse2 run=257 rounds=0: copy",
        "sse2 mean=100 rounds=0: table",
        "sse2 avx512 mean=1000 rounds=0: copy",
    ];

    fn shape(words: &str, vectors: Vectors) -> RunShape {
        let mut shape = RunShape {
            packs: true,
            peers: 4,
            run: Some(4),
            mean: 4,
            rounds: 100,
            squares: false,
            runs: 400,
            lanes: true,
            written: None,
            rolled: false,
            always: false,
            vectors,
            array: 32 << 10,
        };
        for word in words.split(' ') {
            let (name, number) = word.split_once('=').unwrap_or((word, "0"));
            let number: usize = number.parse().unwrap();
            match name {
                "unpack" => shape.packs = false,
                "squares" => shape.squares = true,
                "odd" => shape.lanes = false,
                "code" => shape.written = Some(vectors),
                "always" => shape.always = true,
                "peers" => shape.peers = number,
                "rounds" => shape.rounds = number,
                "runs" => shape.runs = number,
                "mib" => shape.array = number << 20,
                "run" => (shape.run, shape.mean) = (Some(number), number),
                "mean" => (shape.run, shape.mean) = (None, number),
                "portable" | "sse2" | "avx2" | "avx512" => {}
                _ => panic!("{word}"),
            }
        }
        shape
    }

    fn in_words(shape: RunShape) -> String {
        let KernelChoice { kernel, memory, .. } = shape.choose();
        let ahead = if memory == Memory::Prefetched { " ahead" } else { "" };
        let kernel = match kernel {
            Kernel::Network { run, peers, vectors } => {
                assert_eq!((peers, vectors), (shape.peers, shape.vectors));
                format!("network {run}")
            }
            Kernel::Compiled { vectors } if vectors == shape.vectors => "code".into(),
            Kernel::Moves { run } => format!("moves {run}"),
            kernel => format!("{kernel:?}").to_lowercase(),
        };
        kernel + ahead
    }

    #[test]
    fn shapes_have_their_kernels() {
        for (words, kernel) in CHOICES.map(|choice| choice.split_once(": ").unwrap()) {
            for word in words.split(' ') {
                let vectors = match word {
                    "portable" => Vectors::Portable,
                    "sse2" => Vectors::Sse2,
                    "avx2" => Vectors::Avx2,
                    "avx512" => Vectors::Avx512,
                    _ => continue,
                };
                assert_eq!(in_words(shape(words, vectors)), kernel, "{words}, {vectors}");
            }
        }
    }
}
