//! Packs and unpacks on one rank as Hsu and Chung do, by each method's own indices and loops.

mod case;
mod krr;
mod ours;
mod periodic;
mod thakur;
mod truth;

pub use case::{ELEMENTS, KrCase, RANKS};
pub use krr::Krr;
pub use ours::{Macro, Planned, RunTime};
pub use periodic::Periodic;
pub use thakur::Thakur;
pub use truth::Truth;

use crate::baseline::{Aspen, Pitfalls};
use redist::Side;

/// Computes indices, packs and unpacks. Messages are numbered by the other rank, and ordered by the
/// global index.
pub trait PackingMethod {
    fn name(&self) -> &'static str;

    /// Packs all of `rank`'s local array into messages of the right lengths.
    fn pack(&self, case: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]);

    fn unpack(&self, case: &KrCase, rank: usize, messages: &[&[f32]], local: &mut [f32]);

    /// Computes indices, and returns an unpacker of single messages in any order, if there is one.
    fn unpacker(&self, _case: &KrCase, _rank: usize) -> Option<Unpacker> {
        None
    }

    /// Computes the indices by which `rank` packs, on the source's side, or unpacks `len` elements.
    fn indices(&self, case: &KrCase, rank: usize, side: Side, len: usize);
}

pub type Unpacker = Box<dyn FnMut(usize, &[f32], &mut [f32])>;

pub fn all() -> Vec<Box<dyn PackingMethod>> {
    vec![
        Box::new(Thakur),
        Box::new(Periodic(&Pitfalls)),
        Box::new(Krr),
        Box::new(Periodic(&Aspen)),
        Box::new(Macro),
        Box::new(RunTime),
    ]
}

/// By rank, the elements that its message has so far.
struct Cursors(Vec<usize>);

impl Cursors {
    fn new(ranks: usize) -> Self {
        Self(vec![0; ranks])
    }

    fn next(&mut self, message: usize, len: usize) -> std::ops::Range<usize> {
        let start = self.0[message];
        self.0[message] += len;
        start..start + len
    }
}

#[inline]
fn copy(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_methods_make_the_same_messages_and_arrays() {
        for (ranks, k, r) in
            [(1, 3, 2), (2, 3, 1), (4, 2, 3), (3, 4, 2), (5, 5, 1), (4, 9, 2), (6, 4, 1)]
        {
            for elements in [k * r * ranks * 3, k * r * ranks * 2 + k * r + 1, k * r + r + 1, r, 1]
            {
                for scatters in [true, false] {
                    let case = KrCase { elements, ranks, k, r, scatters };
                    let truth = Truth::of(&case);
                    for method in all().iter().filter(|method| method.name() != Macro.name()) {
                        assert_eq!(truth.refute(&case, &**method), None, "{case:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_planned_before_does_so_too() {
        let case = KrCase { elements: 121, ranks: 3, k: 4, r: 2, scatters: false };
        assert_eq!(Truth::of(&case).refute(&case, &Planned::new(&case)), None);
    }

    #[test]
    fn items_of_the_macro_do_so_too() {
        for ranks in [4, 8, 16, RANKS] {
            for case in KrCase::all(&[ranks * 202, ranks * 400], ranks) {
                assert_eq!(Truth::of(&case).refute(&case, &Macro), None, "{case:?}");
            }
        }
    }

    /// Krr's method, wrong where this says so.
    #[derive(Default)]
    struct Wrong {
        /// Its packed messages are wrong.
        packs: bool,
        /// Its unpacked arrays are wrong.
        unpacks: bool,
    }

    impl PackingMethod for Wrong {
        fn name(&self) -> &'static str {
            "wrong"
        }

        fn pack(&self, case: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
            Krr.pack(case, rank, local, messages);
            messages[1].swap(0, usize::from(self.packs));
        }

        fn unpack(&self, case: &KrCase, rank: usize, messages: &[&[f32]], local: &mut [f32]) {
            Krr.unpack(case, rank, messages, local);
        }

        fn unpacker(&self, case: &KrCase, rank: usize) -> Option<Unpacker> {
            let (mut inner, late) = (Krr.unpacker(case, rank)?, self.unpacks);
            Some(Box::new(move |source, message, local| {
                inner(source, message, local);
                local.rotate_right(usize::from(late));
            }))
        }

        fn indices(&self, case: &KrCase, rank: usize, side: Side, len: usize) {
            Krr.indices(case, rank, side, len);
        }
    }

    #[test]
    fn what_is_packed_or_unpacked_elsewhere_is_found_out() {
        let case = KrCase { elements: 120, ranks: 3, k: 4, r: 2, scatters: true };
        let found = |wrong: Wrong| Truth::of(&case).refute(&case, &wrong);
        assert_eq!(found(Wrong::default()), None);
        assert_eq!(
            found(Wrong { packs: true, ..Wrong::default() }).unwrap(),
            "wrong: rank 0 packs another message for rank 1"
        );
        assert_eq!(
            found(Wrong { unpacks: true, ..Wrong::default() }).unwrap(),
            "wrong: rank 0 unpacks message by message into another array"
        );
    }
}
