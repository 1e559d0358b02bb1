//! The loops over steps, messages and vectors, for vectors of any kind.

/// Defines `copy` of a module for the tables named here, with the instructions named here. The
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
    (#[$attribute:meta], $table:ident, $each:literal, [$($peer:literal)*], $numbers:tt) => {
        /// # Safety
        /// As [`CopySteps`]; the processor has the instructions of this module.
        #[$attribute]
        pub(super) unsafe fn copy<S: CompiledStep>(
            steps: usize,
            local: *mut u8,
            cursors: &mut [*mut u8],
        ) {
            // SAFETY: the contract is the same.
            unsafe {
                let copy: CopySteps = const { if S::PACKS { pack::<S> } else { unpack::<S> } };
                copy(steps, local, cursors);
            }
        }

        /// Inside a part of the local array that fits a first-level cache, one message after the
        /// other: streams of stores that take turns are slower.
        ///
        /// # Safety
        /// As [`copy`].
        #[$attribute]
        unsafe fn pack<S: CompiledStep>(
            mut left: usize,
            mut local: *mut u8,
            cursors: &mut [*mut u8],
        ) {
            let (span, peers) = const { (S::$table.span, S::$table.peers) };
            let cursors = &mut cursors[..peers];
            let together = const { crate::arithmetic::max(TOGETHER_BYTES / S::$table.span, 1) };
            while left > 0 {
                let steps = left.min(together);
                $(if const { $peer < S::$table.peers } {
                    // SAFETY: the caller vouches for `left` steps, of the local array and of each
                    // message that the table has.
                    cursors[$peer] = unsafe {
                        let message: Message = const {
                            match $peer < S::$table.peers {
                                true => message::<S, $peer>,
                                false => no_message,
                            }
                        };
                        message(steps, local, cursors[$peer])
                    };
                })*
                local = local.wrapping_add(steps * span);
                left -= steps;
            }
        }

        /// # Safety
        /// As [`copy`], for one message, whose place it returns.
        #[$attribute]
        unsafe fn message<S: CompiledStep, const PEER: usize>(
            steps: usize,
            local: *mut u8,
            mut to: *mut u8,
        ) -> *mut u8 {
            let mut from = local.cast_const();
            for _ in 0..steps {
                steps!(@write $table, $each, PEER, [from; MAX_STEP_PEERS], to, $numbers);
                from = from.wrapping_add(const { S::$table.span });
                to = to.wrapping_add(const { S::$table.shares[PEER] });
            }
            to
        }

        /// In the order of the local array.
        ///
        /// # Safety
        /// As [`copy`].
        #[$attribute]
        unsafe fn unpack<S: CompiledStep>(
            steps: usize,
            mut local: *mut u8,
            cursors: &mut [*mut u8],
        ) {
            let mut from = [ptr::null(); MAX_STEP_PEERS];
            for (from, cursor) in from.iter_mut().zip(&cursors[..const { S::$table.peers }]) {
                *from = cursor.cast_const();
            }
            for _ in 0..steps {
                steps!(@write $table, $each, 0, from, local, $numbers);
                local = local.wrapping_add(const { S::$table.span });
                $(if const { $peer < S::$table.peers } {
                    from[$peer] = from[$peer].wrapping_add(const { S::$table.shares[$peer] });
                })*
            }
        }
    };
    (@write $table:ident, $each:literal, $stream:tt, $from:expr, $to:ident,
        [$($number:literal)*]) => {
        $(if const { $each * $number < S::$table.count($stream) } {
            // A function that is merely named here would be compiled; one that is no part of the
            // constant is not.
            let write: Write = const {
                match $each * $number < S::$table.count($stream) {
                    true => write::<S, $stream, $number>,
                    false => no_write,
                }
            };
            // SAFETY: the caller vouches for this step, of the streams that the table has.
            unsafe { write($from, $to) };
        })*
    };
}
pub(super) use steps;
