//! What one rank does without any other: pack its part into messages, unpack its part from messages.

use super::arrival::Arrival;
use super::engine::{for_each_row, run_deals, run_row};
use super::generated::unrolled::{PackRow, UnpackRow};
use super::kernels::{Allowed, Direction, Extent, Kernel, Pack, Recipe, Row, Unpack};
use super::redistribution::{PackKernel, UnpackKernel};
use super::transfer::{Packer, Unpacker};
use crate::element::Element;
use crate::plan::{Piece, Plan, Side};
use crate::program::{Envelope, Footprint, Level, OwnBlocks, Program};
use std::sync::OnceLock;

/// One rank's packing, ready to run as often as wanted.
pub struct Packing<T>(Half<PackKernel<T>, Pack>);

/// One rank's unpacking, ready to run as often as wanted.
pub struct Unpacking<T> {
    half: Half<UnpackKernel<T>, Unpack>,
    /// Made when messages first come one by one: most never do.
    arrival: OnceLock<Arrival>,
}

struct Half<K, D> {
    program: Program,
    row: Row<D>,
    /// Levels that rows are not part of: where rows are whole and lie together, several levels are one row.
    depth: usize,
    /// The loop written for whole blocks, where it is the kernel.
    written: Option<(K, OwnBlocks)>,
}

impl<K, D: Direction> Half<K, D> {
    fn new(program: Program, element: usize, written: Option<(K, OwnBlocks)>, allowed: Allowed) -> Self {
        let (depth, unit) = folded(&program.levels);
        let whole = program.levels.len();
        let extent = Extent { bytes: element, unit, array: program.local_len().saturating_mul(element) };
        let row = match program.levels[..depth].last() {
            Some(level) => Row::new(level, extent, written.is_some() && depth == whole, allowed),
            None => Row::idle(),
        };
        let written = written.filter(|_| row.recipe().kernel == Kernel::Written);
        // Other loops know nothing of several levels as one.
        Self { depth: if row.copies() { depth } else { whole }, program, row, written }
    }

    /// The levels of the loop nest, the last of which is the row's.
    fn levels(&self) -> &[Level] {
        &self.program.levels[..self.depth]
    }

    /// The macro's loop, where there is one and it fits.
    fn fitting<const N: usize>(
        program: &Program,
        plan: &Plan<N>,
        kernel: Option<K>,
        side: Side,
        rank: usize,
    ) -> Option<(K, OwnBlocks)> {
        // Blocks that begin with different peers cannot be dealt with together; sorting by message beats that.
        let sorted = program.levels.last().is_some_and(|fastest| fastest.period.is_some());
        let blocks = program.own_blocks(plan, side, rank).filter(|blocks| blocks.starts.len() == 1 || !sorted);
        kernel.zip(blocks)
    }
}

/// How many levels are left when those are one whose rows are whole, go to one peer and lie together; and how many
/// elements are then one element of the last.
fn folded(levels: &[Level]) -> (usize, usize) {
    let (mut depth, mut unit) = (levels.len(), 1);
    while let [.., slower, fastest] = &levels[..depth]
        && let [count] = fastest.counts[..]
        && fastest.stride == unit
        && slower.stride == unit * count
        && fastest.start == 0
    {
        (depth, unit) = (depth - 1, unit * count);
    }
    (depth, unit)
}

impl<T: Element> Packing<T> {
    pub(super) fn new<const D: usize>(
        plan: &Plan<D>,
        windows: &[&[Piece]; D],
        kernel: Option<PackKernel<T>>,
        rank: usize,
    ) -> Self {
        let program = Program::new(plan, windows, Side::Source, rank);
        let written = Half::<_, Pack>::fitting(&program, plan, kernel, Side::Source, rank);
        Self(Half::new(program, size_of::<T>(), written, Allowed::now()))
    }

    /// The messages that it fills, in order.
    pub fn envelopes(&self) -> &[Envelope] {
        self.0.program.envelopes()
    }

    /// Where each message's elements lie in the local array.
    pub(super) fn footprints(&self) -> Vec<Footprint> {
        self.0.program.footprints()
    }

    /// Which stretches of the local array belong to which message.
    pub(super) fn program(&self) -> &Program {
        &self.0.program
    }

    /// Elements in the rank's local array.
    pub fn local_len(&self) -> usize {
        self.0.program.local_len()
    }

    /// What copies the rank's rows, and why: chosen when this was made.
    pub fn kernel(&self) -> Recipe {
        self.0.row.recipe()
    }

    /// Packs the local array into the messages, each as long as its envelope says, in the envelopes' order.
    ///
    /// # Panics
    /// If `local` or a message is shorter than the program says.
    pub fn pack(&self, local: &[T], messages: &mut [&mut [T]]) {
        let Half { row, written, .. } = &self.0;
        for_each_row(self.0.levels(), 0, 0, &mut |level, offset, message| {
            if level.peers.is_empty() {
                return;
            }
            let of_row = &mut messages[message..message + level.peers.len()];
            if row.pack(level, &local[offset..], of_row) {
                return;
            }
            let Some((kernel, blocks)) = written else {
                return run_row(&mut Packer { local, messages }, level, offset, message);
            };
            kernel(PackRow { blocks, local: &local[offset..], messages: of_row });
            let whole = blocks.block * blocks.count;
            run_deals(&mut Packer { local, messages }, level, blocks.rest.iter(), offset + whole, message);
        });
        row.finish();
    }
}

impl<T: Element> Unpacking<T> {
    pub(super) fn new<const D: usize>(
        plan: &Plan<D>,
        windows: &[&[Piece]; D],
        kernel: Option<UnpackKernel<T>>,
        rank: usize,
    ) -> Self {
        let program = Program::new(plan, windows, Side::Destination, rank);
        let written = Half::<_, Unpack>::fitting(&program, plan, kernel, Side::Destination, rank);
        let half = Half::new(program, size_of::<T>(), written, Allowed::now());
        Self { arrival: OnceLock::new(), half }
    }

    /// The messages that it reads, in order.
    pub fn envelopes(&self) -> &[Envelope] {
        self.half.program.envelopes()
    }

    /// Where each message's elements lie in the local array.
    pub(super) fn footprints(&self) -> Vec<Footprint> {
        self.half.program.footprints()
    }

    /// Elements in the rank's local array.
    pub fn local_len(&self) -> usize {
        self.half.program.local_len()
    }

    /// What copies the rank's rows, and why: chosen when this was made.
    pub fn kernel(&self) -> Recipe {
        self.half.row.recipe()
    }

    /// True where [`unpack`](Unpacking::unpack) with all messages is so much faster than with one at a time that it is
    /// worth waiting for all of them: where runs are short, every message touches the same cache lines.
    pub fn prefers_together(&self) -> bool {
        self.half.row.has_short_runs()
    }

    fn arrival(&self) -> &Arrival {
        self.arrival.get_or_init(|| Arrival::of(&self.half.program))
    }

    /// Unpacks message number `message` of the envelopes, whose elements are `data`, into the local array: all messages
    /// one by one, in any order, come to the same as [`unpack`](Unpacking::unpack). The first call sorts the program by
    /// message, and allocates for that.
    ///
    /// # Panics
    /// If there is no such message, or `local` or `data` is shorter than the program says.
    pub fn unpack_message(&self, local: &mut [T], message: usize, data: &[T]) {
        self.arrival().unpack(self.half.levels(), &self.half.row, local, message, data);
        self.half.row.finish();
    }

    /// Unpacks the messages, each as long as its envelope says, into the local array; the mirror of [`Packing::pack`].
    /// Elements outside the moved section keep their values.
    ///
    /// # Panics
    /// If `local` or a message is shorter than the program says.
    pub fn unpack(&self, local: &mut [T], messages: &mut [&[T]]) {
        let Half { row, written, .. } = &self.half;
        for_each_row(self.half.levels(), 0, 0, &mut |level, offset, message| {
            if level.peers.is_empty() {
                return;
            }
            let of_row = &mut messages[message..message + level.peers.len()];
            if row.unpack(level, &mut local[offset..], of_row) {
                return;
            }
            let Some((kernel, blocks)) = written else {
                return run_row(&mut Unpacker { local, messages }, level, offset, message);
            };
            kernel(UnpackRow { blocks, local: &mut local[offset..], messages: of_row });
            let whole = blocks.block * blocks.count;
            run_deals(&mut Unpacker { local, messages }, level, blocks.rest.iter(), offset + whole, message);
        });
        row.finish();
    }
}
