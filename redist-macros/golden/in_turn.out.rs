/// # Plan
///
/// | `[f32; 1280]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `block onto 4` | 0..4 | 320 |
/// | to | `cyclic(1) onto 4` | 0..4 | 320 |
///
/// | elements | local array | to 0 | to 1 | to 2 | to 3 |
/// |---|---:|---:|---:|---:|---:|
/// | from 0 | 320 | 80 | 80 | 80 | 80 |
/// | from 1 | 320 | 80 | 80 | 80 | 80 |
/// | from 2 | 320 | 80 | 80 | 80 | 80 |
/// | from 3 | 320 | 80 | 80 | 80 | 80 |
/// | local array |  | 320 | 320 | 320 | 320 |
///
/// - dimension 0: kr→r, k = 320, r = 1; blocks of 320 on 4 → blocks of 1 on 4; window of 320 elements in 320 pieces, 1280 in all
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
struct InTurn;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<1> {
        ::redist::Plan::constant(
            [1280],
            ::redist::Layout::new([::redist::Dist::Block], [4]),
            ::redist::Layout::new([::redist::Dist::Cyclic(1)], [4]),
        )
    }
    /// Dimension 0: kr→r, k = 320, r = 1; blocks of 320 on 4 → blocks of 1 on 4; window of 320 elements in 320 pieces, 1280 in all.
    const __CLASS_0: __redist::Class = __redist::Class::KrToR {
        k: 320,
        r: 1,
    };
    #[allow(dead_code)]
    impl InTurn {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        const fn new() -> Self {
            Self
        }
    }
    mod __loops {
        #[allow(unused_imports)]
        use ::redist::exec::generated::of_4::{
            copy, copy_two, elements, elements_mut, steps, steps_mut,
        };
        use ::redist::exec::generated::{self as __redist, Bytes};
        /// Runs of a step in the order of the local array: message, and elements.
        static UNPACK_RUNS: [[usize; 2]; 4] = [[0, 80], [1, 80], [2, 80], [3, 80]];
        /// Unpacks steps of 320 elements of the local array: the runs of `UNPACK_RUNS`. Message 0 comes from the sender of a step's first element.
        fn unpack(messages: &[&Bytes], local: &mut Bytes) {
            let mut there = [0; 4];
            let steps = steps_mut::<320>(local, local.len() / 1280);
            for step in 0..steps.len() {
                let local = &mut steps[step];
                let mut place = 0;
                for run in 0..UNPACK_RUNS.len() {
                    let [number, len] = UNPACK_RUNS[run];
                    let message = elements(messages[number]);
                    copy(message, there[number], local, place, len);
                    place += len;
                    there[number] += len;
                }
            }
        }
        pub(super) static LOOPS: __redist::Loops = __redist::Loops::new(
            __redist::BlocksAndRanks::new((320, 4), (1, 4)),
            4,
            &[],
            &[::core::option::Option::Some(unpack)],
            ::core::option::Option::None,
        );
    }
    impl __redist::Compiled<1> for InTurn {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((320, 4), (1, 4)),
        );
        const TEXT: [::core::primitive::bool; 3] = [false, true, false];
        fn loops() -> ::core::option::Option<&'static __redist::Loops> {
            ::core::option::Option::Some(&__loops::LOOPS)
        }
    }
    impl ::redist::Redistribution<1> for InTurn {
        type Element = f32;
        fn name(&self) -> &::core::primitive::str {
            "InTurn"
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
