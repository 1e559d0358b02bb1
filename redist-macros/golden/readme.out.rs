/// # Plan
///
/// | `[f64; 600, 1200]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `(cyclic(64), cyclic(64)) onto (2, 3) storage fortran` | 0..6 | 320 × 432 |
/// | to | `(*, block) onto 6 storage fortran` | 0..6 | 600 × 200 |
///
/// | elements | local array | to 0 | to 1 | to 2 | to 3 | to 4 | to 5 |
/// |---|---:|---:|---:|---:|---:|---:|---:|
/// | from 0 | 320 × 432 | 23040 | 23040 | 23040 | 23040 | 23040 | 23040 |
/// | from 1 | 320 × 384 | 20480 | 20480 | 20480 | 20480 | 20480 | 20480 |
/// | from 2 | 320 × 384 | 20480 | 20480 | 20480 | 20480 | 20480 | 20480 |
/// | from 3 | 280 × 432 | 20160 | 20160 | 20160 | 20160 | 20160 | 20160 |
/// | from 4 | 280 × 384 | 17920 | 17920 | 17920 | 17920 | 17920 | 17920 |
/// | from 5 | 280 × 384 | 17920 | 17920 | 17920 | 17920 | 17920 | 17920 |
/// | local array |  | 600 × 200 | 600 × 200 | 600 × 200 | 600 × 200 | 600 × 200 | 600 × 200 |
///
/// - dimension 0: kr→r, k = 1, r = 64; blocks of 64 on 2 → blocks of 64 on 1; window of 64 elements in 1 piece, 10 in all
/// - dimension 1: general; blocks of 64 on 3 → blocks of 200 on 6; window of 1200 elements in 24 pieces, 24 in all; its table is in the binary
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
struct ToColumns;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<2> {
        ::redist::Plan::constant(
            [600, 1200],
            ::redist::Layout::new(
                    [::redist::Dist::Cyclic(64), ::redist::Dist::Cyclic(64)],
                    [2, 3],
                )
                .storage(::redist::StorageOrder::Fortran),
            ::redist::Layout::new(
                    [::redist::Dist::Collapsed, ::redist::Dist::Block],
                    [1, 6],
                )
                .storage(::redist::StorageOrder::Fortran),
        )
    }
    /// Dimension 0: kr→r, k = 1, r = 64; blocks of 64 on 2 → blocks of 64 on 1; window of 64 elements in 1 piece, 10 in all.
    const __CLASS_0: __redist::Class = __redist::Class::KrToR {
        k: 1,
        r: 64,
    };
    /// Window table: the pieces of a window, for all ranks at once (ASPEN's walk finds one rank's), as [block, place in it, block and place there, elements].
    const __WINDOW_0: [::redist::Piece; 1] = __redist::window([[0, 0, 0, 0, 64]]);
    /// Dimension 1: general; blocks of 64 on 3 → blocks of 200 on 6; window of 1200 elements in 24 pieces, 24 in all.
    const __CLASS_1: __redist::Class = __redist::Class::General;
    /// Window table: the pieces of a window, for all ranks at once (ASPEN's walk finds one rank's), as [block, place in it, block and place there, elements].
    static __WINDOW_1: [::redist::Piece; 24] = __redist::window([
        [0, 0, 0, 0, 64],
        [1, 0, 0, 64, 64],
        [2, 0, 0, 128, 64],
        [3, 0, 0, 192, 8],
        [3, 8, 1, 0, 56],
        [4, 0, 1, 56, 64],
        [5, 0, 1, 120, 64],
        [6, 0, 1, 184, 16],
        [6, 16, 2, 0, 48],
        [7, 0, 2, 48, 64],
        [8, 0, 2, 112, 64],
        [9, 0, 2, 176, 24],
        [9, 24, 3, 0, 40],
        [10, 0, 3, 40, 64],
        [11, 0, 3, 104, 64],
        [12, 0, 3, 168, 32],
        [12, 32, 4, 0, 32],
        [13, 0, 4, 32, 64],
        [14, 0, 4, 96, 64],
        [15, 0, 4, 160, 40],
        [15, 40, 5, 0, 24],
        [16, 0, 5, 24, 64],
        [17, 0, 5, 88, 64],
        [18, 0, 5, 152, 48],
    ]);
    #[allow(dead_code)]
    impl ToColumns {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        const fn new() -> Self {
            Self
        }
    }
    mod __loops {
        #[allow(unused_imports)]
        use ::redist::exec::generated::of_8::{
            copy, copy_two, elements, elements_mut, steps, steps_mut,
        };
        use ::redist::exec::generated::{self as __redist, Bytes};
        /// Runs of a step in the order of the local array: message, and elements.
        static UNPACK_RUNS: [[usize; 2]; 2] = [[0, 64], [1, 64]];
        /// Unpacks steps of 128 elements of the local array: the runs of `UNPACK_RUNS`. Message 0 comes from the sender of a step's first element.
        fn unpack(messages: &[&Bytes], local: &mut Bytes) {
            let mut there = [0; 2];
            let steps = steps_mut::<128>(local, local.len() / 1024);
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
        /// Copies steps of 128 elements between arrays. Array 0 of a side is of the rank with its first block.
        fn exchange(sources: &[&Bytes], destinations: &mut [&mut Bytes]) {
            let [source_0, source_1] = sources else { ::core::unreachable!() };
            let [destination_0] = destinations else { ::core::unreachable!() };
            {
                let count = destination_0.len() / 1024;
                let destination = steps_mut::<128>(destination_0, count);
                let source_0 = steps::<64>(source_0, count);
                let source_1 = steps::<64>(source_1, count);
                for step in 0..count {
                    let source_0 = &source_0[step];
                    let source_1 = &source_1[step];
                    let destination = &mut destination[step];
                    copy(source_0, 0, destination, 0, 64);
                    copy(source_1, 0, destination, 64, 64);
                }
            }
        }
        pub(super) static LOOPS: __redist::Loops = __redist::Loops::new(
            __redist::BlocksAndRanks::new((64, 2), (64, 1)),
            8,
            &[],
            &[::core::option::Option::Some(unpack)],
            ::core::option::Option::Some(exchange),
        );
    }
    impl __redist::Compiled<2> for ToColumns {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((64, 2), (64, 1)),
        );
        const TEXT: [::core::primitive::bool; 3] = [false, true, true];
        fn loops() -> ::core::option::Option<&'static __redist::Loops> {
            ::core::option::Option::Some(&__loops::LOOPS)
        }
    }
    impl ::redist::Redistribution<2> for ToColumns {
        type Element = f64;
        fn name(&self) -> &::core::primitive::str {
            "ToColumns"
        }
        fn plan(&self) -> ::redist::Plan<2> {
            const {
                __redist::checked::<
                    Self,
                    2,
                >(__plan(), [__CLASS_0, __CLASS_1], [&__WINDOW_0, &[]])
            }
        }
        fn windows(&self) -> [__redist::WindowTable<'static>; 2] {
            const {
                [
                    __redist::WindowTable::NONE,
                    __redist::WindowTable::of(&__plan().axis(1), &__WINDOW_1),
                ]
            }
        }
        fn kernels(&self) -> ::redist::Kernels {
            __redist::kernels::<Self, 2>()
        }
        #[inline]
        fn inverse(&self) -> ::redist::Inverse<Self::Element, 2> {
            __redist::inverse(self)
        }
    }
};
