//! Copies from the chunks that ranks publish round by round.

use super::exchange::RowExchange;
use super::rows::{CopyOptions, copy_row_to_own};
use crate::exec::calls::CopiedBytes;
use crate::exec::combine::UnpackTo;
use crate::plan::AnyPlan;
use crate::program::{Chunks, DirectProgram, Program, RankChunks, RowProgram, StridedCopy, Walk};
use crate::transport::{Chunk, NO_CHUNK};

#[derive(Debug)]
pub(in crate::exec) struct Staged {
    rank: usize,
    width: usize,
    program: DirectProgram,
    walk: Walk,
    chunks: Chunks,
    rows: Option<StagedRows>,
}

#[derive(Debug)]
struct StagedRows {
    program: RowProgram,
    walk: Walk,
    options: CopyOptions,
    exchange: Option<RowExchange>,
}

impl Staged {
    /// Prepares messages to `rank` from chunks of at most `longest` elements, and its own chunks.
    pub fn new(
        plan: &AnyPlan,
        rank: usize,
        options: CopyOptions,
        packing: &Program,
        longest: usize,
    ) -> (Self, RankChunks) {
        let (chunks, grain) = (Chunks::new(plan, longest), options.grain);
        let own = chunks.of_rank(plan, packing, rank);
        let program = DirectProgram::new(plan, rank, grain.tile);
        let rows = RowProgram::new(plan, Some(rank), grain);
        let rows = rows.filter(|rows| rows.is_cut_by(&chunks));
        let rows = rows.and_then(|program| StagedRows::new(program, options));
        (Self { rank, width: options.width, walk: program.walk(), program, chunks, rows }, own)
    }

    /// Copies one round's part of this rank's messages, or passes it to a function. `shown` holds
    /// each rank's chunk; this rank's own is in `source`, whose chunks are `own`. Returns the bytes
    /// copied by kind of code. Allocates nothing. Panics if a chunk or an array is too short.
    pub fn copy_round(
        &mut self,
        shown: &[Chunk<'_>],
        (source, own): (&[u8], &RankChunks),
        to: &mut UnpackTo<'_>,
    ) -> CopiedBytes {
        let Self { rank, width, program, walk, chunks, rows } = self;
        if let (UnpackTo::Array(to), Some(rows)) = (&mut *to, rows)
            && let Some(number) = same_number(program.senders(), shown)
        {
            let chunk = own.elements_of(number);
            let chunk = &source[chunk.start * *width..chunk.end * *width];
            let source_of = |from: usize| if from == *rank { chunk } else { shown[from].bytes };
            return rows.copy((chunks, number), source_of, to);
        }
        let mut copied = CopiedBytes::default();
        program.for_each_of_round(
            walk,
            chunks,
            |sender| (shown[sender].number != NO_CHUNK).then_some(shown[sender].number),
            // One sender after the other: places in its chunk and in the destination.
            &mut |sender, start, strided| {
                let (from, start) =
                    if sender == *rank { (source, 0) } else { (shown[sender].bytes, start) };
                let strided = StridedCopy { source: strided.source - start, ..strided };
                to.put(from, strided, *width);
                copied.own += strided.elements() * *width;
            },
        );
        copied
    }

    pub fn in_words(&self) -> String {
        let how = match self.rows.as_ref().map(|rows| &rows.exchange) {
            Some(Some(exchange)) => &exchange.in_words(),
            Some(None) => "the runs of all senders together, in the order of the array",
            None => "one sender after the other",
        };
        format!(
            "copied from the ranks' chunks, in as many rounds as the longest array has chunks: {how}"
        )
    }
}

impl StagedRows {
    /// Returns `None` if sender by sender is faster: no code, and many runs of a sender in a block.
    fn new(program: RowProgram, options: CopyOptions) -> Option<Self> {
        let CopyOptions { width, vectors, written, array, .. } = options;
        let exchange = RowExchange::new(written, vectors, program.along(), (width, array));
        let gains = exchange.is_some() || program.along().1.are_by_period();
        gains.then(|| Self { walk: program.walk(), program, options, exchange })
    }

    fn copy<'a>(
        &mut self,
        shown: (&Chunks, usize),
        source_of: impl Fn(usize) -> &'a [u8] + Copy,
        destination: &mut [u8],
    ) -> CopiedBytes {
        let mut copied = CopiedBytes::default();
        let Self { program, walk, options, exchange } = self;
        program.for_each_of_round(walk, shown, &mut |row| {
            let options = (*options, exchange.as_ref());
            copy_row_to_own(source_of, destination, row, options, &mut copied);
        });
        copied
    }
}

/// Returns the number of all senders' chunks, if it is one; senders of messages publish none.
fn same_number(senders: &[usize], shown: &[Chunk<'_>]) -> Option<usize> {
    let (first, others) = senders.split_first()?;
    let number = shown[*first].number;
    let is_same = number != NO_CHUNK && others.iter().all(|rank| shown[*rank].number == number);
    is_same.then_some(number)
}
