/// Long blocks of kr→r, whose runs go to four ranks in turn.
///
/// # Plan
///
/// | `[f64; 64000]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `block onto 4` | 0..4 | 16000 |
/// | to | `cyclic(8) onto 4` | 0..4 | 16000 |
///
/// | elements | local array | to 0 | to 1 | to 2 | to 3 |
/// |---|---:|---:|---:|---:|---:|
/// | from 0 | 16000 | 4000 | 4000 | 4000 | 4000 |
/// | from 1 | 16000 | 4000 | 4000 | 4000 | 4000 |
/// | from 2 | 16000 | 4000 | 4000 | 4000 | 4000 |
/// | from 3 | 16000 | 4000 | 4000 | 4000 | 4000 |
/// | local array |  | 16000 | 16000 | 16000 | 16000 |
///
/// - dimension 0: kr→r, k = 2000, r = 8; blocks of 16000 on 4 → blocks of 8 on 4; window of 16000 elements in 2000 pieces, 8000 in all
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Turns;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<1> {
        ::redist::Plan::constant(
            [64000],
            ::redist::Layout::new([::redist::Dist::Block], [4]),
            ::redist::Layout::new([::redist::Dist::Cyclic(8)], [4]),
        )
    }
    /// Dimension 0: kr→r, k = 2000, r = 8; blocks of 16000 on 4 → blocks of 8 on 4; window of 16000 elements in 2000 pieces, 8000 in all.
    const __CLASS_0: __redist::Class = __redist::Class::KrToR {
        k: 2000,
        r: 8,
    };
    #[allow(dead_code)]
    impl Turns {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        pub const fn new() -> Self {
            Self
        }
    }
    mod __loops {
        #[allow(unused_imports)]
        use ::redist::exec::generated::of_8::{
            copy, copy_two, elements, elements_mut, steps, steps_mut,
        };
        use ::redist::exec::generated::{self as __redist, Bytes};
        /// Packs steps of 16000 elements of the local array: k = 2000 runs of r = 8 elements, 4 messages in turn. Message 0 goes to the receiver of a step's first element.
        fn pack(local: &Bytes, messages: &mut [&mut Bytes]) {
            let steps = steps::<16000>(local, local.len() / 128000);
            for step in 0..steps.len() {
                let local = &steps[step];
                for tile in 0..32 {
                    let (first, last) = (
                        tile * 16,
                        ::core::cmp::min(tile * 16 + 16, 500),
                    );
                    for number in 0..4 {
                        let message = elements_mut(messages[number]);
                        let there = step * 4000;
                        for round in first..last {
                            copy(
                                local,
                                (round * 4 + number) * 8,
                                message,
                                there + round * 8,
                                8,
                            );
                        }
                    }
                }
            }
        }
        pub(super) static LOOPS: __redist::Loops = __redist::Loops::new(
            __redist::BlocksAndRanks::new((16000, 4), (8, 4)),
            8,
            &[::core::option::Option::Some(pack)],
            &[],
            ::core::option::Option::None,
        );
    }
    impl __redist::Compiled<1> for Turns {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((16000, 4), (8, 4)),
        );
        const TEXT: [::core::primitive::bool; 3] = [true, false, false];
        fn loops() -> ::core::option::Option<&'static __redist::Loops> {
            ::core::option::Option::Some(&__loops::LOOPS)
        }
    }
    impl ::redist::Redistribution<1> for Turns {
        type Element = f64;
        fn name(&self) -> &::core::primitive::str {
            "Turns"
        }
        fn plan(&self) -> ::redist::Plan<1> {
            const { __redist::checked::<Self, 1>(__plan(), [__CLASS_0], [&[]]) }
        }
        fn kernels(&self) -> ::redist::Kernels {
            __redist::kernels::<Self, 1>()
        }
        #[inline]
        fn inverse(&self) -> ::redist::Inverse<Self::Element, 1> {
            __redist::inverse(self)
        }
    }
};
