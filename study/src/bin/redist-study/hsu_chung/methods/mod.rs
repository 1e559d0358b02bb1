//! How one rank packs and unpacks, method by method: each with its own index computation and its
//! own loops.

mod krr;
mod ours;
mod periodic;
mod thakur;

pub use ours::{Macro, RunTime};

use super::case::Case;
use krr::Krr;
use periodic::Periodic;
use redist_study::baseline::{Aspen, Pitfalls};
use thakur::Thakur;

/// A way to compute indices, pack and unpack. Messages are numbered by the other rank, and hold
/// their elements in the order of the global index.
pub trait Method {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// Packs all of `rank`'s local array into messages that are as long as they must be.
    fn pack(&self, case: &Case, rank: usize, local: &[f32], messages: &mut [&mut [f32]]);

    /// Unpacks all messages into `rank`'s local array.
    fn unpack(&self, case: &Case, rank: usize, messages: &[&[f32]], local: &mut [f32]);
}

/// All of them; those of this crate come last.
pub fn all() -> Vec<Box<dyn Method>> {
    vec![
        Box::new(Thakur),
        Box::new(Periodic(&Pitfalls)),
        Box::new(Krr),
        Box::new(Periodic(&Aspen)),
        Box::new(Macro),
        Box::new(RunTime),
    ]
}

/// What is left of every message.
struct Cursors(Vec<usize>);

impl Cursors {
    fn new(ranks: usize) -> Self {
        Self(vec![0; ranks])
    }

    /// Where the next `len` elements of a message are.
    fn next(&mut self, message: usize, len: usize) -> std::ops::Range<usize> {
        let start = self.0[message];
        self.0[message] += len;
        start..start + len
    }
}

/// Element by element, as the papers do.
#[inline]
fn copy(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::Case;
    use super::super::truth::Truth;
    use super::*;

    #[test]
    fn all_methods_make_the_same_messages_and_arrays() {
        for (ranks, k, r) in
            [(1, 3, 2), (2, 3, 1), (4, 2, 3), (3, 4, 2), (5, 5, 1), (4, 9, 2), (6, 4, 1)]
        {
            for elements in [k * r * ranks * 3, k * r * ranks * 2 + k * r + 1, k * r + r + 1, r, 1]
            {
                for scatters in [true, false] {
                    let case = Case { elements, ranks, k, r, scatters };
                    let truth = Truth::of(&case);
                    for method in all().iter().filter(|method| method.name() != Macro.name()) {
                        assert_eq!(truth.refute(&case, &**method), None, "{case:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn items_of_the_macro_do_so_too() {
        for case in Case::all(&[64 * 200 + 128, 64 * 400]) {
            assert_eq!(Truth::of(&case).refute(&case, &Macro), None, "{case:?}");
        }
    }

    /// Swaps two elements of a message.
    struct Wrong;

    impl Method for Wrong {
        fn name(&self) -> &'static str {
            "wrong"
        }

        fn pack(&self, case: &Case, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
            Thakur.pack(case, rank, local, messages);
            messages[1].swap(0, 1);
        }

        fn unpack(&self, case: &Case, rank: usize, messages: &[&[f32]], local: &mut [f32]) {
            Thakur.unpack(case, rank, messages, local);
        }
    }

    #[test]
    fn a_message_in_another_order_is_found_out() {
        let case = Case { elements: 120, ranks: 3, k: 4, r: 2, scatters: true };
        assert_eq!(
            Truth::of(&case).refute(&case, &Wrong).unwrap(),
            "wrong: rank 0 packs another message for rank 1"
        );
    }
}
