//! Loops over steps and vectors of any kind.

/// Defines a module's `stream` for a table and its instructions. The module provides `write::<S,
/// STREAM, NUMBER>`, which writes vector (or pair) `NUMBER` of a stream from the step's start in
/// each stream. Only existing vectors are compiled.
///
/// The compiler evaluates every constant of a compiled function, even behind a condition. So
/// vectors behind the first ones come in groups, each a function that is compiled only if needed.
macro_rules! steps {
    (#[$attribute:meta], $table:ident, $each:expr) => {
        steps!(#[$attribute], $table, $each, [0 1 2 3 4 5 6 7], [0 1 2 3 4 5 6 7], [
            vectors_8 8 [8 9 10 11 12 13 14 15]
            vectors_16 16 [16 17 18 19 20 21 22 23]
            vectors_24 24 [24 25 26 27 28 29 30 31]
            vectors_32 32 [32 33 34 35 36 37 38 39]
            vectors_40 40 [40 41 42 43 44 45 46 47]
            vectors_48 48 [48 49 50 51 52 53 54 55]
            vectors_56 56 [56 57 58 59 60 61 62 63]
            vectors_64 64 [64]
        ]);
    };
    (#[$attribute:meta], $table:ident, $each:expr, [$($peer:literal)*], [$($some:literal)*], [
        $($group:ident $first:literal [$($number:literal)*])*
    ]) => {
        /// # Safety
        /// As [`WriteStream`](super::step::WriteStream); the processor has this module's instructions.
        #[$attribute]
        pub(in crate::exec::kernels::raw::constant) unsafe fn stream<S: CompiledStep, const STREAM: usize>(
            steps: usize,
            from: &[*const u8; MAX_STEP_PEERS],
            mut to: *mut u8,
        ) {
            let mut from = *from;
            // Missing streams have no bytes.
            let (read, written) = const { (S::$table.shares.read, S::$table.shares.written[STREAM]) };
            for _ in 0..steps {
                // Naming a function here would compile it; leaving it out of the constant does not.
                $(if let Some(write) = const {
                    match $each * $some < S::$table.count(STREAM) {
                        true => Some(write::<S, STREAM, $some> as Write),
                        false => None,
                    }
                } {
                    // SAFETY: the caller vouches for this step, of the streams that the table has.
                    unsafe { write(from, to) };
                })*
                $(if let Some(write) = const {
                    match $each * $first < S::$table.count(STREAM) {
                        true => Some($group::<S, STREAM> as Write),
                        false => None,
                    }
                } {
                    // SAFETY: the caller vouches for this step, of the streams that the table has.
                    unsafe { write(from, to) };
                })*
                $(from[$peer] = from[$peer].wrapping_add(read[$peer]);)*
                to = to.wrapping_add(written);
            }
        }

        $(
            /// Writes the existing vectors of a group.
            ///
            /// # Safety
            /// As [`stream`], for one step.
            #[inline]
            #[$attribute]
            unsafe fn $group<S: CompiledStep, const STREAM: usize>(
                from: [*const u8; MAX_STEP_PEERS],
                to: *mut u8,
            ) {
                $(if let Some(write) = const {
                    match $each * $number < S::$table.count(STREAM) {
                        true => Some(write::<S, STREAM, $number> as Write),
                        false => None,
                    }
                } {
                    // SAFETY: the caller vouches for this step, of the streams that the table has.
                    unsafe { write(from, to) };
                })*
            }
        )*

        pub(in crate::exec::kernels::raw::constant) const fn streams<S: CompiledStep>()
        -> [WriteStream; MAX_STEP_PEERS] {
            [$(match $peer < S::$table.shares.writes {
                true => stream::<S, $peer>,
                false => no_stream,
            }),*]
        }
    };
}
pub(super) use steps;
