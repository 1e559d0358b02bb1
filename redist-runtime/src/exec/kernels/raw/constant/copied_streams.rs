//! Streams of copies: short ones, and those of more runs than are compiled together.

use super::copies::{self, TOGETHER};
use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::steps;
use crate::program::MAX_STEP_PEERS;

steps!(#[doc = "On any processor."], COPIES, TOGETHER);

const fn write<S: CompiledStep, const STREAM: usize, const GROUP: usize>() -> Write {
    copies::write::<S, STREAM, GROUP>
}

/// A stream of few runs, which costs the compiler a tenth of a long one.
///
/// # Safety
/// As [`WriteStream`].
unsafe fn short<S: CompiledStep, const STREAM: usize>(
    steps: usize,
    from: &[*const u8; MAX_STEP_PEERS],
    mut to: *mut u8,
) {
    let (mut from, step) = (*from, &S::COPIES.shares);
    for _ in 0..steps {
        // SAFETY: the caller vouches for this step.
        unsafe { copies::write::<S, STREAM, 0>(&from, to) };
        let mut stream = 0;
        while stream < step.reads {
            from[stream] = from[stream].wrapping_add(step.read[stream]);
            stream += 1;
        }
        to = to.wrapping_add(step.written[STREAM]);
    }
}

pub(super) const fn best_streams<S: CompiledStep>() -> [WriteStream; MAX_STEP_PEERS] {
    let long = streams::<S>();
    macro_rules! chosen {
        ($($stream:literal)*) => {
            [$(match S::COPIES.count($stream) {
                0 => no_stream,
                ..=TOGETHER => short::<S, $stream>,
                _ => long[$stream],
            }),*]
        };
    }
    chosen!(0 1 2 3 4 5 6 7)
}
