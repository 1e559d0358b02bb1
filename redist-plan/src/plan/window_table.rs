//! WindowPieces tables that are proved when they are made: code that reads one trusts nobody.

use super::{Axis, Piece, Side};
use crate::arithmetic::min;
use crate::interned::Interner;

/// The pieces of a window, with the blocks that cut it. Only tables that equal the
/// [walk](Axis::window_walk) of their blocks can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowTable<'a> {
    /// Elements in a block of either side.
    blocks: (usize, usize),
    /// Elements of the window: the blocks' lcm, or less where a dimension is shorter.
    window: usize,
    pieces: &'a [Piece],
}

impl WindowTable<'_> {
    /// No table: a walk takes its place.
    pub const NONE: Self = Self { blocks: (0, 0), window: 0, pieces: &[] };
}

impl<'a> WindowTable<'a> {
    /// Proves that these are the pieces of a dimension's window; no pieces are no table.
    ///
    /// # Panics
    /// The dimension's window has other pieces, or blocks with sizes of their own. In a constant,
    /// that is a compile error.
    pub const fn of(axis: &Axis, pieces: &'a [Piece]) -> Self {
        if pieces.is_empty() {
            return WindowTable::NONE;
        }
        let table = Self::proved(axis, pieces);
        // As `Axis::window_walk`, for blocks of one size from the first index on: compilers take a
        // tenth of the time for this.
        let (mut number, mut index) = (0, 0);
        let (mut from, mut to) = ((0, 0), (0, 0));
        while number < pieces.len() {
            let left = min(table.blocks.0 - from.1, table.blocks.1 - to.1);
            let len = min(left, table.window - index);
            if len == 0 || !pieces[number].is(&Piece::new(from, to, len)) {
                panic!("a window table has other pieces than the window of its blocks")
            }
            from = if from.1 + len == table.blocks.0 {
                (from.0 + 1, 0)
            } else {
                (from.0, from.1 + len)
            };
            to = if to.1 + len == table.blocks.1 { (to.0 + 1, 0) } else { (to.0, to.1 + len) };
            (number, index) = (number + 1, index + len);
        }
        assert!(index == table.window, "a window table ends before the window of its blocks");
        table
    }

    const fn proved(axis: &Axis, pieces: &'a [Piece]) -> Self {
        if pieces.is_empty() {
            return WindowTable::NONE;
        }
        assert!(has_table(axis), "only regular blocks of whole dimensions have window tables");
        let Some(blocks) = axis.regular_blocks() else { unreachable!() };
        Self { blocks, window: axis.window(), pieces }
    }

    /// Returns the pieces; none if there is no table.
    pub const fn pieces(&self) -> &'a [Piece] {
        self.pieces
    }

    /// Returns the pieces for a dimension; `None` without a table, and for sections and given
    /// blocks, whose numbers no table has. The pieces may go on after the dimension's end.
    ///
    /// # Panics
    /// The table is one of other blocks, or of a shorter window.
    pub(crate) fn for_axis(&self, axis: &Axis) -> Option<&'a [Piece]> {
        if self.pieces.is_empty() || !has_table(axis) {
            return None;
        }
        assert!(
            axis.regular_blocks() == Some(self.blocks) && axis.window() <= self.window,
            "a window table belongs to the blocks it was made for"
        );
        Some(self.pieces)
    }
}

impl WindowTable<'static> {
    /// Returns the table of the inverse, which exchanges the sides; equal ones are kept once.
    pub fn turned(self) -> Self {
        let turned = self.pieces.iter().map(|piece| {
            let place = |side| (piece.block(side), piece.offset(side));
            Piece::new(place(Side::Destination), place(Side::Source), piece.len)
        });
        if self.pieces.is_empty() {
            return Self::NONE;
        }
        // Exchanged sides have the same boundaries, and so the same pieces.
        let pieces = TURNED.get(&turned.collect::<Vec<_>>());
        Self { blocks: (self.blocks.1, self.blocks.0), pieces, ..self }
    }
}

/// Tables of inverses, kept for the life of the program.
static TURNED: Interner<[Piece]> = Interner::new();

const fn has_table(axis: &Axis) -> bool {
    let whole = axis.side(Side::Source).at() == 0 && axis.side(Side::Destination).at() == 0;
    whole && axis.regular_blocks().is_some()
}

/// A window's pieces as the planner lists them, for a static that rustc's const evaluator makes.
#[derive(Clone, Copy, Debug)]
pub struct WindowPieces<const CAPACITY: usize> {
    axis: Axis,
    /// The first `len` are the window's.
    pieces: [Piece; CAPACITY],
    /// Pieces in use.
    len: usize,
}

impl<const CAPACITY: usize> WindowPieces<CAPACITY> {
    /// Lists the pieces of a window; none if there are more than `CAPACITY`.
    pub const fn of(axis: Axis) -> Self {
        let mut window = Self { axis, pieces: [Piece::new((0, 0), (0, 0), 0); CAPACITY], len: 0 };
        if axis.window_pieces() > CAPACITY {
            return window;
        }
        let mut walk = axis.window_walk();
        while let Some(piece) = walk.step() {
            window.pieces[window.len] = piece;
            window.len += 1;
        }
        window
    }

    /// Returns the table, which needs no further proof.
    pub const fn table(&self) -> WindowTable<'_> {
        let end = min(self.len, CAPACITY);
        WindowTable::proved(&self.axis, self.pieces.split_at(end).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use std::panic::catch_unwind;

    fn axis(extent: usize, from: &str, to: &str) -> Axis {
        Plan::<1>::parse([extent], from, to).unwrap().axis(0)
    }

    fn refusal(made: impl FnOnce() + std::panic::UnwindSafe) -> String {
        let payload = catch_unwind(made).expect_err("a wrong table is refused");
        let words = payload.downcast_ref::<&str>().map(ToString::to_string);
        words.or(payload.downcast_ref::<String>().cloned()).expect("words")
    }

    /// Each number of each piece is compared: none of five columns is decoration.
    #[test]
    fn a_table_with_one_other_number_is_refused() {
        let axis = axis(90, "cyclic(10) onto 3", "cyclic(4) onto 3");
        let right: Vec<Piece> = axis.window_walk().collect();
        assert_eq!(WindowTable::of(&axis, &right).pieces(), right);
        for number in 0..right.len() {
            let columns: [fn(&mut Piece) -> &mut usize; 5] = [
                |piece| &mut piece.source_block,
                |piece| &mut piece.source_offset,
                |piece| &mut piece.destination_block,
                |piece| &mut piece.destination_offset,
                |piece| &mut piece.len,
            ];
            for column in columns {
                let mut wrong = right.clone();
                *column(&mut wrong[number]) += 1;
                let told = refusal(move || _ = WindowTable::of(&axis, &wrong));
                assert!(told.contains("has other pieces"), "{told}");
            }
        }
        let (short, mut long) = (right[..right.len() - 1].to_vec(), right.clone());
        long.push(right[0]);
        assert!(refusal(move || _ = WindowTable::of(&axis, &short)).contains("ends before"));
        assert!(refusal(move || _ = WindowTable::of(&axis, &long)).contains("has other pieces"));
    }

    #[test]
    fn the_walk_of_any_blocks_is_a_table() {
        for (own, other) in (1..14).flat_map(|own| (1..14).map(move |other| (own, other))) {
            for extent in [1, 7, 60, 500] {
                let [from, to] = [own, other].map(|block| format!("cyclic({block}) onto 3"));
                let axis = axis(extent, &from, &to);
                let pieces: Vec<Piece> = axis.window_walk().collect();
                assert_eq!(WindowTable::of(&axis, &pieces).pieces(), pieces);
            }
        }
    }

    #[test]
    fn a_table_serves_its_own_blocks_alone() {
        let (own, other) = ("cyclic(10) onto 3", "cyclic(4) onto 3");
        let window = WindowPieces::<6>::of(axis(90, own, other));
        let table = window.table();
        for extent in [20, 19, 7, 500] {
            assert_eq!(table.for_axis(&axis(extent, own, other)), Some(table.pieces()));
        }
        assert_eq!(table.for_axis(&axis(90, "cyclic(10) onto 3 of 93 at 3", other)), None);
        assert_eq!(table.for_axis(&axis(90, "gen_block([40, 50]) onto 2", other)), None);
        let foreign = [axis(90, other, own), axis(90, own, "cyclic(6) onto 3")];
        for axis in foreign {
            let table = WindowPieces::<6>::of(self::axis(90, own, other));
            assert!(refusal(move || _ = table.table().for_axis(&axis)).contains("belongs to"));
        }
        // The window of 7 elements ends before that of more.
        let short = WindowPieces::<6>::of(axis(7, own, other));
        let longer = axis(20, own, other);
        assert!(refusal(move || _ = short.table().for_axis(&longer)).contains("belongs to"));
    }

    #[test]
    fn what_has_no_table_gets_none() {
        let section = axis(90, "cyclic(10) onto 3 of 93 at 3", "cyclic(4) onto 3");
        let pieces: Vec<Piece> = section.window_walk().collect();
        assert!(refusal(move || _ = WindowTable::of(&section, &pieces)).contains("whole"));
        assert_eq!(WindowTable::of(&section, &[]), WindowTable::NONE);
        let few = WindowPieces::<2>::of(axis(90, "cyclic(10) onto 3", "cyclic(4) onto 3"));
        assert_eq!(few.table(), WindowTable::NONE);
        assert_eq!(WindowTable::NONE.turned(), WindowTable::NONE);
    }
}
