//! Copies from the chunks that ranks publish round by round.

use super::pairs::{Pairs, stores_in_words, ways_to_store};
use super::rows::{CopyOptions, RowCopies, copy_rows_to_own};
use crate::cache::Stores;
use crate::exec::calls::CopiedBytes;
use crate::exec::transfer::UnpackTo;
use crate::exec::ways::Taken;
use crate::learnt::LearntSegments;
use crate::plan::AnyPlan;
use crate::program::{Chunks, Program, RankChunks, RowProgram, StridedCopy};
use crate::transport::{Chunk, NO_CHUNK};

/// First moves of a plan, or segments of them, in which senders try ways to store: copies of each take
/// other times.
const STORE_TRIALS: u64 = 8;

/// Copies one rank's elements from the chunks that its senders publish.
#[derive(Debug)]
pub(in crate::exec) struct Staged {
    /// This rank's number in the communicator.
    rank: usize,
    /// The chunks that this rank publishes.
    pub own: RankChunks,
    pairs: Pairs,
    chunks: Chunks,
    /// Of all senders together, if that is faster: by compiled code, or with few runs of a sender
    /// in a block.
    rows: Option<RowCopies>,
    /// The way of the move that goes on, or of a segment of it.
    taken: Taken,
    segments: LearntSegments,
    /// Words on the ways to store long runs, which the channel chooses.
    stored: &'static str,
}

impl Staged {
    /// Prepares messages to `rank` from chunks of at most `longest` elements, and its own chunks.
    pub fn new(
        plan: &AnyPlan,
        rank: usize,
        options: CopyOptions,
        packing: &Program,
        longest: usize,
    ) -> Self {
        let chunks = Chunks::new(plan, longest);
        let own = chunks.of_rank(plan, packing, rank);
        let pairs = Pairs::new((plan, None), rank, options);
        let rows = RowProgram::new(plan, Some(rank), options.grain);
        let rows =
            rows.filter(|rows| rows.is_cut_by(&chunks)).map(|rows| RowCopies::new(rows, options));
        let gains = |rows: &RowCopies| rows.has_code() || rows.program.along().1.are_by_period();
        let rows = rows.filter(gains);
        rows.iter().for_each(|rows| rows.ways.begin_after(STORE_TRIALS));
        let segments = LearntSegments::of(own.rounds(), longest.saturating_mul(options.width));
        let taken = Taken::default();
        let stored = stores_in_words(&ways_to_store(&options));
        Self { rank, own, pairs, chunks, rows, taken, segments, stored }
    }

    /// Begins the rounds of a move.
    pub fn begin(&mut self) {
        self.segments.begin();
        self.taken = self.rows.as_ref().map_or_else(Taken::default, |rows| rows.ways.take());
    }

    /// Ends the rounds of a move that has succeeded. Its time counts whole if it has no segments.
    pub fn end(&mut self) {
        if self.segments.is_whole() {
            self.rows.iter().for_each(|rows| rows.ways.note(self.taken));
        }
    }

    fn note_round(&mut self) {
        if self.segments.note_rounds(1)
            && let Some(rows) = &self.rows
        {
            rows.ways.note(self.taken);
            self.taken = rows.ways.take();
        }
    }

    /// Copies one round's part of this rank's messages, or passes it to a function. `shown` holds
    /// each rank's chunk; this rank's own is in `source`, whose chunks are `own`. Returns the bytes
    /// copied by kind of code. Long runs are stored to a large array as `stores` says. Allocates
    /// nothing. Panics if a chunk or an array is too short.
    pub fn copy_round(
        &mut self,
        shown: &[Chunk<'_>],
        source: &[u8],
        to: &mut UnpackTo<'_>,
        stores: Stores,
    ) -> CopiedBytes {
        let mut taken = self.taken;
        let is_timed = self.segments.is_timed();
        let mut copy = || self.copy_chunks(shown, source, to, stores);
        let copied = if is_timed { taken.copy(copy) } else { copy() };
        self.taken = taken;
        self.note_round();
        copied
    }

    fn copy_chunks(
        &mut self,
        shown: &[Chunk<'_>],
        source: &[u8],
        to: &mut UnpackTo<'_>,
        stores: Stores,
    ) -> CopiedBytes {
        let Self { rank, own, pairs, chunks, rows, taken, .. } = self;
        let Pairs { program, walk, width } = pairs;
        let mut copied = CopiedBytes::default();
        // Without code, runs that do not repeat are copied sender by sender.
        let gains = |rows: &RowCopies| {
            rows.ways.way(*taken).is_some() || rows.program.along().1.are_by_period()
        };
        if let (UnpackTo::Array(to), Some(rows)) =
            (&mut *to, rows.as_mut().filter(|rows| gains(rows)))
            && let Some(number) = same_number(program.senders(), shown)
        {
            let RowCopies { program, walk, options, ways } = rows;
            let exchange = ways.way(*taken).as_ref();
            let chunk = own.elements_of(number);
            let chunk = &source[chunk.start * *width..chunk.end * *width];
            let source_of = |from: usize| if from == *rank { chunk } else { shown[from].bytes };
            program.for_each_of_round(walk, (chunks, number), &mut |rows| {
                copy_rows_to_own(source_of, to, rows, (*options, exchange), &mut copied);
            });
            return copied;
        }
        program.for_each_of_round(
            walk,
            chunks,
            |sender| (shown[sender].number != NO_CHUNK).then_some(shown[sender].number),
            // Sender by sender: places in its chunk and in the destination.
            &mut |sender, start, strided| {
                let (from, start) =
                    if sender == *rank { (source, 0) } else { (shown[sender].bytes, start) };
                let strided = StridedCopy { source: strided.source - start, ..strided };
                to.put_stored(from, strided, (*width, stores));
                copied.own += strided.elements() * *width;
            },
        );
        copied
    }

    pub fn in_words(&self) -> String {
        const SINGLY: &str = "one sender after the other";
        let how = self.rows.as_ref().map_or(SINGLY.into(), |rows| {
            rows.in_words(match rows.program.along().1.are_by_period() {
                true => "the runs of all senders together, in the order of the array",
                false => SINGLY,
            })
        });
        format!(
            "copied from the ranks' chunks, in as many rounds as the longest array has chunks: {how}{}",
            self.stored
        )
    }
}

/// Returns the number of all senders' chunks, if it is one; senders of messages publish none.
fn same_number(senders: &[usize], shown: &[Chunk<'_>]) -> Option<usize> {
    let (first, others) = senders.split_first()?;
    let number = shown[*first].number;
    let is_same = number != NO_CHUNK && others.iter().all(|rank| shown[*rank].number == number);
    is_same.then_some(number)
}
