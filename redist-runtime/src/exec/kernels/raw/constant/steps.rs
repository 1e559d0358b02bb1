//! The loops over steps and vectors, for vectors of any kind.
//!
//! The compiler evaluates each constant by itself, which takes most of the time that a step costs it:
//! so vectors come in groups, which are asked about first, and each has one constant with all that
//! is known of it.

/// Vectors, or pairs of them, in a group.
pub(super) const GROUP: usize = 8;

/// Defines `streams` of a module for the tables named here, with the instructions named here. The
/// module provides `write_of::<S, STREAM, PLACE, NUMBER>()`: what writes vector, or pair, number
/// `GROUP * PLACE + NUMBER` of a stream, if there is one, given where the step begins in each stream
/// that is read, and where it begins in the stream that is written.
macro_rules! steps {
    ([$(#[$attribute:meta])?], $table:ident, $each:literal) => {
        steps!([$(#[$attribute])?], $table, $each, [0 1 2 3 4 5 6 7], [0 1 2 3 4 5 6 7 8]);
    };
    ([$(#[$attribute:meta])?], $table:ident, $each:literal, [$($eight:literal)*], [$($place:literal)*]) => {
        /// # Safety
        /// As [`WriteStream`](super::WriteStream); the processor has the instructions of this module.
        $(#[$attribute])?
        unsafe fn stream<S: CompiledStep, const STREAM: usize>(
            steps: usize,
            mut from: [*const u8; MAX_STEP_PEERS],
            mut to: *mut u8,
        ) {
            let (read, written) = const { (&S::$table.read, S::$table.written[STREAM]) };
            for _ in 0..steps {
                $(if let Some(group) = const { group_of::<S, STREAM, $place>() } {
                    // SAFETY: the caller vouches for this step, of the streams that the table has.
                    unsafe { group(&from, to) };
                })*
                $(from[$eight] = from[$eight].wrapping_add(read[$eight]);)*
                to = to.wrapping_add(written);
            }
        }

        /// What writes a group. A function that is merely named in what is compiled would be
        /// compiled, too; one that is no part of a constant is not.
        const fn group_of<S: CompiledStep, const STREAM: usize, const PLACE: usize>() -> Option<Write>
        {
            match $each * super::steps::GROUP * PLACE < S::$table.count(STREAM) {
                true => Some(group::<S, STREAM, PLACE>),
                false => None,
            }
        }

        /// # Safety
        /// As [`Write`], for the vectors of the group.
        #[inline]
        $(#[$attribute])?
        unsafe fn group<S: CompiledStep, const STREAM: usize, const PLACE: usize>(
            from: &[*const u8; MAX_STEP_PEERS],
            to: *mut u8,
        ) {
            $(if let Some(write) = const { write_of::<S, STREAM, PLACE, $eight>() } {
                // SAFETY: the caller vouches for this vector.
                unsafe { write(from, to) };
            })*
        }

        /// The functions of all streams that are written.
        pub(super) const fn streams<S: CompiledStep>() -> [WriteStream; MAX_STEP_PEERS] {
            [$(match $eight < S::$table.writes {
                true => stream::<S, $eight>,
                false => no_stream,
            }),*]
        }
    };
}
pub(super) use steps;
