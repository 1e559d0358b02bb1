//! Loops over steps and vectors of any kind.
//!
//! The compiler inlines no function into a function with other target features before LLVM does,
//! which costs the most. So code that is compiled with each item calls as few functions as it can.

/// More than the bytes of any step in a stream.
pub(super) const REACH: usize = 1 << 18;

/// A vector at any address.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(super) struct AtAnyAddress<V>(pub V);

/// Returns the place that many bytes on, in what the pointer points to, without a call.
macro_rules! place {
    ($from:expr, $bytes:expr) => {
        &raw const (*($from as *const [u8; $crate::exec::kernels::raw::constant::steps::REACH]))
            [$bytes]
    };
}
pub(super) use place;

/// Advances a pointer by a constant number of bytes, if there are any.
macro_rules! advance {
    ($pointer:expr, $bytes:expr) => {
        if const { $bytes > 0 } {
            // SAFETY: the caller vouches for the bytes of this step.
            $pointer = unsafe { place!($pointer, const { $bytes }) } as _;
        }
    };
}
pub(super) use advance;

/// Calls `$define!` with each beginning of a list of numbers: a function for each number of things. The
/// compiler evaluates every constant of a compiled function, even behind a condition, so that one
/// function for all would have constants of missing things.
macro_rules! counted {
    ($define:ident $arguments:tt: $($name:ident $number:literal)*) => {
        counted!(@ $define $arguments: [] $($name $number)*);
    };
    (@ $define:ident $arguments:tt: [$($before:literal)*] $name:ident $number:literal $($rest:tt)*) => {
        $define!(@ $arguments $name [$($before)* $number]);
        counted!(@ $define $arguments: [$($before)* $number] $($rest)*);
    };
    (@ $define:ident $arguments:tt: [$($before:literal)*]) => {};
}
pub(super) use counted;

/// Defines a module's `streams` for a table and its instructions: loops over steps. The module
/// provides `write::<S, STREAM, NUMBER>()`, which returns the function of vector (or pair) `NUMBER`
/// of a stream. Functions of many vectors come in groups, each a function that is compiled only if
/// needed.
macro_rules! steps {
    (#[$attribute:meta], $table:ident, $each:expr) => {
        steps!(#[$attribute], $table, $each, [
            1 stream_of_1 0 2 stream_of_2 1 3 stream_of_3 2 4 stream_of_4 3
            5 stream_of_5 4 6 stream_of_6 5 7 stream_of_7 6 8 stream_of_8 7
        ], [
            vectors_0 0 [0 1 2 3 4 5 6 7]
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
    (
        #[$attribute:meta], $table:ident, $each:expr, [$($count:literal $stream:ident $peer:literal)*],
        [$($group:ident $first:literal $some:tt)*]
    ) => {
        counted!(steps (#[$attribute] $table [$($peer)*]): $($stream $peer)*);

        /// # Safety
        /// The contract of [`WriteStream`](super::step::WriteStream) holds; the processor has this
        /// module's instructions.
        #[$attribute]
        unsafe fn stream_of_groups<S: CompiledStep, const STREAM: usize>(
            steps: usize,
            from: &[*const u8; MAX_STEP_PEERS],
            mut to: *mut u8,
        ) {
            let mut from = *from;
            for _ in 0..steps {
                // Naming a function here would compile it; leaving it out of the constant does not.
                $(if let Some(write) = const {
                    match $each * $first < S::$table.count(STREAM) {
                        true => Some($group::<S, STREAM> as Write),
                        false => None,
                    }
                } {
                    // SAFETY: the caller vouches for this step, of the streams that the table has.
                    unsafe { write(&from, to) };
                })*
                $(advance!(from[$peer], S::$table.shares.read[$peer]);)*
                advance!(to, S::$table.shares.written[STREAM]);
            }
        }

        $(steps!(@ #[$attribute] $group, $table, $each, $some);)*

        const fn chosen<S: CompiledStep, const STREAM: usize>() -> WriteStream {
            match S::$table.count(STREAM).div_ceil($each) {
                0 => no_stream,
                $($count => $stream::<S, STREAM>,)*
                _ => stream_of_groups::<S, STREAM>,
            }
        }

        pub(in crate::exec::kernels::raw::constant) const fn streams<S: CompiledStep>()
        -> [WriteStream; MAX_STEP_PEERS] {
            [$(chosen::<S, $peer>()),*]
        }
    };
    (@ (#[$attribute:meta] $table:ident [$($peer:literal)*]) $stream:ident [$($number:literal)*]) => {
        /// # Safety
        /// The contract of [`WriteStream`](super::step::WriteStream) holds; the processor has this
        /// module's instructions.
        #[$attribute]
        unsafe fn $stream<S: CompiledStep, const STREAM: usize>(
            steps: usize,
            from: &[*const u8; MAX_STEP_PEERS],
            mut to: *mut u8,
        ) {
            let mut from = *from;
            for _ in 0..steps {
                // SAFETY: the caller vouches for this step, of the streams that the table has.
                unsafe { $((const { write::<S, STREAM, $number>() })(&from, to);)* }
                $(advance!(from[$peer], S::$table.shares.read[$peer]);)*
                advance!(to, S::$table.shares.written[STREAM]);
            }
        }
    };
    (@ #[$attribute:meta] $group:ident, $table:ident, $each:expr, [$($number:literal)*]) => {
        /// Writes the existing vectors of a group.
        ///
        /// # Safety
        /// The contract of [`stream_of_groups`] holds, for one step.
        #[inline]
        #[$attribute]
        unsafe fn $group<S: CompiledStep, const STREAM: usize>(
            from: &[*const u8; MAX_STEP_PEERS],
            to: *mut u8,
        ) {
            $(if let Some(write) = const {
                match $each * $number < S::$table.count(STREAM) {
                    true => Some(write::<S, STREAM, $number>()),
                    false => None,
                }
            } {
                // SAFETY: the caller vouches for this step, of the streams that the table has.
                unsafe { write(from, to) };
            })*
        }
    };
}
pub(super) use steps;

/// Defines `write` for a module's instructions, by the number of inputs or runs. Its body is `$body!`.
macro_rules! by_inputs {
    (($($attribute:meta),*), $inputs:ident, $body:ident) => {
        by_inputs!(($($attribute),*), $inputs, $body: 1 of_1 0 2 of_2 1 3 of_3 2 4 of_4 3 5 of_5 4
            6 of_6 5 7 of_7 6 8 of_8 7);
    };
    (
        ($($attribute:meta),*), $inputs:ident, $body:ident:
        $($count:literal $name:ident $number:literal)*
    ) => {
        counted!(by_inputs (($($attribute),*) $body): $($name $number)*);

        const fn write<S: CompiledStep, const STREAM: usize, const NUMBER: usize>() -> Write {
            match $inputs::<S, STREAM, NUMBER>() {
                $($count => $name::<S, STREAM, NUMBER>,)*
                _ => panic!("nothing to write, or too much"),
            }
        }
    };
    (@ (($($attribute:meta),*) $body:ident) $name:ident [$($input:literal)*]) => {
        /// # Safety
        /// The contract of [`Write`](super::step::Write) holds; the processor has this module's
        /// instructions.
        $(#[$attribute])*
        unsafe fn $name<S: CompiledStep, const STREAM: usize, const NUMBER: usize>(
            from: &[*const u8; MAX_STEP_PEERS],
            to: *mut u8,
        ) {
            $body!(from, to, [$($input)*])
        }
    };
}
pub(super) use by_inputs;
