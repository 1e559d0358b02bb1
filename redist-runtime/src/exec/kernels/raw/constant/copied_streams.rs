//! Streams of copies: short ones, and those of more runs than are compiled together.

use super::copies::{self, CopiedRuns, TOGETHER};
use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::{advance, counted, place, steps};
use crate::program::MAX_STEP_PEERS;

steps!(#[doc = "On any processor."], COPIES, TOGETHER);

const fn write<S: CompiledStep, const STREAM: usize, const GROUP: usize>() -> Write {
    copies::write::<S, STREAM, GROUP>
}

/// The runs of a short stream.
struct ShortStream<S, const STREAM: usize>(S);

impl<S: CompiledStep, const STREAM: usize> ShortStream<S, STREAM> {
    const LIST: CopiedRuns = CopiedRuns::of::<S>(STREAM, 0);
}

/// Defines a loop over steps for each number of runs, because loops over the runs cost compilers more.
macro_rules! short {
    ($($count:literal $name:ident $number:literal)*) => {
        counted!(short (): $($name $number)*);

        const fn short<S: CompiledStep, const STREAM: usize>() -> WriteStream {
            match ShortStream::<S, STREAM>::LIST.count {
                $($count => $name::<S, STREAM>,)*
                _ => no_stream,
            }
        }
    };
    (@ () $name:ident [$($number:literal)*]) => {
        /// # Safety
        /// As [`WriteStream`].
        unsafe fn $name<S: CompiledStep, const STREAM: usize>(
            steps: usize,
            from: &[*const u8; MAX_STEP_PEERS],
            mut to: *mut u8,
        ) {
            let mut from = *from;
            for _ in 0..steps {
                // SAFETY: the caller vouches for this step, in which the runs lie (`StepMoves`).
                unsafe { $(const { ShortStream::<S, STREAM>::LIST.get($number) }.copy(&from, to);)* }
                short!(@ from 0 1 2 3 4 5 6 7);
                advance!(to, S::COPIES.shares.written[STREAM]);
            }
        }
    };
    (@ $from:ident $($peer:literal)*) => {
        $(advance!($from[$peer], S::COPIES.shares.read[$peer]);)*
    };
}
short! {
    1 of_1 0 2 of_2 1 3 of_3 2 4 of_4 3 5 of_5 4 6 of_6 5 7 of_7 6 8 of_8 7 9 of_9 8 10 of_10 9
    11 of_11 10 12 of_12 11 13 of_13 12 14 of_14 13 15 of_15 14 16 of_16 15
}

pub(super) const fn best_streams<S: CompiledStep>() -> [WriteStream; MAX_STEP_PEERS] {
    let long = streams::<S>();
    macro_rules! chosen {
        ($($stream:literal)*) => {
            [$(match S::COPIES.count($stream) {
                0 => no_stream,
                ..=TOGETHER => short::<S, $stream>(),
                _ => long[$stream],
            }),*]
        };
    }
    chosen!(0 1 2 3 4 5 6 7)
}
