//! The loops over steps and vectors, for vectors of any kind.

/// Defines `stream` of a module for the tables named here, with the instructions named here. The
/// module provides `write::<S, STREAM, NUMBER>`, which writes vector number `NUMBER` of a stream, or
/// the pair with that number, given where the step begins in each stream that is read, and where it
/// begins in the stream that is written. It is compiled for vectors that there are.
macro_rules! steps {
    (#[$attribute:meta], $table:ident, $each:literal) => {
        steps!(#[$attribute], $table, $each, [0 1 2 3 4 5 6 7], [
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
            61 62 63 64
        ]);
    };
    (#[$attribute:meta], $table:ident, $each:literal, [$($peer:literal)*], [$($number:literal)*]) => {
        /// # Safety
        /// As [`WriteStream`](super::WriteStream); the processor has the instructions of this module.
        #[$attribute]
        pub(super) unsafe fn stream<S: CompiledStep, const STREAM: usize>(
            steps: usize,
            mut from: [*const u8; MAX_STEP_PEERS],
            mut to: *mut u8,
        ) {
            for _ in 0..steps {
                $(if const { $each * $number < S::$table.count(STREAM) } {
                    // A function that is merely named here would be compiled; one that is no part of
                    // the constant is not.
                    let write: Write = const {
                        match $each * $number < S::$table.count(STREAM) {
                            true => write::<S, STREAM, $number>,
                            false => no_write,
                        }
                    };
                    // SAFETY: the caller vouches for this step, of the streams that the table has.
                    unsafe { write(from, to) };
                })*
                $(if const { $peer < S::$table.reads } {
                    from[$peer] = from[$peer].wrapping_add(const { S::$table.read[$peer] });
                })*
                to = to.wrapping_add(const { S::$table.written[STREAM] });
            }
        }

        /// The functions of all streams that are written.
        pub(super) const fn streams<S: CompiledStep>() -> [WriteStream; MAX_STEP_PEERS] {
            [$(match $peer < S::$table.writes {
                true => stream::<S, $peer>,
                false => no_stream,
            }),*]
        }
    };
}
pub(super) use steps;
