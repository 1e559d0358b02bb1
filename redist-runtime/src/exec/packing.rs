//! Packing and unpacking without a move, for callers who send messages in their own way.

use super::direct::Pairs;
use super::kernels::{CopyDirection, FromMessages, KernelChoice, ToMessages};
use super::prepared::Facts;
use super::rank::RankCopier;
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::layout::vocabulary::counted;
use crate::program::Envelope;
use core::marker::PhantomData;
use std::sync::OnceLock;

/// One rank's packing or unpacking, ready to run as often as wanted: see [`Binder::packing`] and
/// [`Binder::unpacking`], which return a [`Packing`] and an [`Unpacking`].
///
/// [`Binder::packing`]: super::Binder::packing
/// [`Binder::unpacking`]: super::Binder::unpacking
pub struct ElementCopier<T, D> {
    rank: RankCopier<D>,
    facts: Facts,
    /// Made when messages are first copied singly.
    singly: OnceLock<Pairs>,
    element: PhantomData<fn(T)>,
}

/// Copies a rank's local array into its messages.
pub type Packing<T> = ElementCopier<T, ToMessages>;

/// Copies messages into a rank's local array.
pub type Unpacking<T> = ElementCopier<T, FromMessages>;

impl<T: Element, D: CopyDirection> ElementCopier<T, D> {
    pub(super) fn of(facts: Facts) -> Self {
        Self { rank: facts.copier(), facts, singly: OnceLock::new(), element: PhantomData }
    }

    /// Returns the envelopes of the messages, in order: the other rank, and the number of elements.
    /// None is empty.
    pub fn envelopes(&self) -> &[Envelope] {
        self.rank.envelopes()
    }

    /// Returns the number of elements of the rank's local array.
    pub fn local_len(&self) -> usize {
        self.rank.local_len()
    }

    /// Returns the kernel for the rank's rows, with the reason.
    #[doc(hidden)]
    pub fn kernel(&self) -> KernelChoice {
        self.rank.kernel()
    }

    fn check(
        &self,
        local: &[T],
        envelopes: &[Envelope],
        lens: impl ExactSizeIterator<Item = usize>,
    ) {
        let (expected, found) = (self.local_len(), local.len());
        assert!(
            found == expected,
            "the local array must hold {}, found {found}; see `local_len`",
            counted(expected, "element")
        );
        let (found, expected) = (lens.len(), envelopes.len());
        assert!(
            found == expected,
            "there must be {}, found {found}; see `envelopes`",
            counted(expected, "message")
        );
        for (found, Envelope { rank, len }) in lens.zip(envelopes) {
            assert!(
                found == *len,
                "the message with rank {rank} must hold {}, found {found}; see `envelopes`",
                counted(*len, "element")
            );
        }
    }
}

impl<T: Element> Packing<T> {
    /// Packs one message, with the number of its envelope. Packs the elements of
    /// [`pack`](Packing::pack) in the same order, without kernels. Plans on the first call, and
    /// allocates.
    ///
    /// # Panics
    /// If there is no such message, `local` or `data` has a wrong length, or a trapezoid moves.
    pub fn pack_message(&self, local: &[T], message: usize, data: &mut [T]) {
        assert!(self.facts.trapezoid.is_none(), "a trapezoid's messages are packed together");
        self.check(local, &self.envelopes()[message..=message], [data.len()].into_iter());
        let singly = self.singly.get_or_init(|| self.facts.singly_packed());
        // SAFETY: packing writes whole elements of `local`, of the same type, to the places of
        // whole elements, because `of` receives facts of elements as long as a `T`.
        let data = unsafe { bytes_of_mut(data) };
        singly.pack(bytes_of(local), self.envelopes()[message].rank, data);
    }

    /// Packs the local array into the messages, as the envelopes say.
    ///
    /// # Panics
    /// If `local` or a message has a wrong length, or a message is missing or extra.
    pub fn pack(&self, local: &[T], messages: &mut [&mut [T]]) {
        self.check(local, self.envelopes(), messages.iter().map(|message| message.len()));
        // SAFETY: packing writes whole elements of `local`, of the same type, to the places of
        // whole elements, because `of` receives facts of elements as long as a `T`.
        let mut messages: Vec<&mut [u8]> =
            messages.iter_mut().map(|to| unsafe { bytes_of_mut(to) }).collect();
        self.rank.pack(bytes_of(local), &mut messages);
        debug_assert!(messages.iter().all(|rest| rest.is_empty()), "a message was not filled");
    }
}

impl<T: Element> Unpacking<T> {
    /// Unpacks one message, with the number of its envelope, into the local array. All messages in
    /// any order have the effect of [`unpack`](Unpacking::unpack). Uses no kernels. Plans
    /// on the first call, and allocates.
    ///
    /// # Panics
    /// If there is no such message, `local` or `data` has a wrong length, or a trapezoid moves.
    pub fn unpack_message(&self, local: &mut [T], message: usize, data: &[T]) {
        assert!(self.facts.trapezoid.is_none(), "a trapezoid's messages are unpacked together");
        self.check(local, &self.envelopes()[message..=message], [data.len()].into_iter());
        // SAFETY: unpacking writes whole elements of `data`, of the same type, to the places of
        // whole elements, because `of` receives facts of elements as long as a `T`.
        let local = unsafe { bytes_of_mut(local) };
        let singly = self.singly.get_or_init(|| self.facts.singly());
        singly.unpack(bytes_of(data), self.envelopes()[message].rank, local);
    }

    /// Unpacks all messages, each as long as its envelope says, into the local array. Elements
    /// outside the moved section keep their values.
    ///
    /// # Panics
    /// If `local` or a message has a wrong length, or messages and envelopes differ in number.
    pub fn unpack(&self, local: &mut [T], messages: &[&[T]]) {
        self.check(local, self.envelopes(), messages.iter().map(|message| message.len()));
        let mut messages: Vec<&[u8]> = messages.iter().map(|from| bytes_of(from)).collect();
        // SAFETY: unpacking writes whole elements of messages, of the same type, to the places of
        // whole elements, because `of` receives facts of elements as long as a `T`.
        self.rank.unpack(unsafe { bytes_of_mut(local) }, &mut messages);
        debug_assert!(messages.iter().all(|rest| rest.is_empty()), "a message was not used up");
    }
}

#[cfg(test)]
mod tests {
    use crate::exec::{Redistribution, TypedPlan};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn refuses(call: impl FnOnce(), words: &str) {
        let payload = catch_unwind(AssertUnwindSafe(call))
            .expect_err("a wrong length is no undefined behaviour");
        let found = payload.downcast_ref::<String>().expect("a message");
        assert!(found.contains(words), "{found}");
    }

    #[test]
    fn wrong_lengths_are_told_before_anything_is_copied() {
        let plan = TypedPlan::<f64, 1>::parse([10], "block onto 1", "cyclic onto 2").unwrap();
        let (packing, unpacking) = (plan.binder().packing(0), plan.binder().unpacking(1));
        let pack = |source: &[f64], lens: &[usize]| {
            let mut messages: Vec<_> = lens.iter().map(|len| vec![0.0; *len]).collect();
            let mut messages: Vec<_> = messages.iter_mut().map(Vec::as_mut_slice).collect();
            packing.pack(source, &mut messages);
        };
        let ten = &[1.0; 10];
        let told = "the message with rank 1 must hold 5 elements, found 4";
        refuses(|| pack(ten, &[5, 4]), told);
        refuses(|| pack(&ten[1..], &[5, 5]), "the local array must hold 10 elements, found 9");
        refuses(|| pack(ten, &[5]), "there must be 2 messages, found 1");
        let told = "the message with rank 0 must hold 5 elements, found 6";
        refuses(|| unpacking.unpack(&mut [0.0; 5], &[&ten[..6]]), told);
        let told = "the local array must hold 5 elements, found 4";
        refuses(|| unpacking.unpack_message(&mut [0.0; 4], 0, &ten[..5]), told);
    }

    #[test]
    fn an_array_that_cannot_exist_is_not_packed() {
        let plan = TypedPlan::<f64, 1>::parse([1 << 62], "block onto 1", "cyclic onto 2").unwrap();
        refuses(|| plan.binder().packing(0).pack(&[], &mut [&mut [], &mut []]), "found 0");
    }

    /// Their tables would take 22 GB.
    #[test]
    fn too_many_partners_are_told_before_tables_are_made() {
        let layout = "cyclic onto 2000000011";
        let plan = TypedPlan::<u8, 1>::parse([1 << 62], layout, "cyclic onto 1999999973").unwrap();
        refuses(|| drop(plan.binder().packing(0)), "plan for fewer ranks");
        refuses(|| drop(plan.binder().unpacking(0)), "plan for fewer ranks");
        // Few elements have few receivers.
        let plan = TypedPlan::<u8, 1>::parse([1000], layout, "cyclic onto 1999999973").unwrap();
        assert_eq!(plan.binder().packing(999).envelopes().len(), 1);
    }
}
