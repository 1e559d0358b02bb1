/// Blocks of which neither size divides the other one, and whose period is long.
///
/// # Plan
///
/// | `[f64; 52320]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `cyclic(30) onto 4` | 0..4 | 13080 |
/// | to | `cyclic(654) onto 4` | 0..4 | 13080 |
///
/// | elements | local array | to 0 | to 1 | to 2 | to 3 |
/// |---|---:|---:|---:|---:|---:|
/// | from 0 | 13080 | 3288 | 3264 | 3264 | 3264 |
/// | from 1 | 13080 | 3264 | 3288 | 3264 | 3264 |
/// | from 2 | 13080 | 3264 | 3264 | 3288 | 3264 |
/// | from 3 | 13080 | 3264 | 3264 | 3264 | 3288 |
/// | local array |  | 13080 | 13080 | 13080 | 13080 |
///
/// - dimension 0: general; blocks of 30 on 4 → blocks of 654 on 4; window of 3270 elements in 113 pieces, 1808 in all; its table is in the binary
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Walk;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<1> {
        ::redist::Plan::constant(
            [52320],
            ::redist::Layout::new([::redist::Dist::Cyclic(30)], [4]),
            ::redist::Layout::new([::redist::Dist::Cyclic(654)], [4]),
        )
    }
    /// Dimension 0: general; blocks of 30 on 4 → blocks of 654 on 4; window of 3270 elements in 113 pieces, 1808 in all.
    const __CLASS_0: __redist::Class = __redist::Class::General;
    /// Window table: the pieces of a window, for all ranks at once (ASPEN's walk finds one rank's), as [block, place in it, block and place there, elements].
    static __WINDOW_0: [::redist::Piece; 113] = __redist::window([
        [0, 0, 0, 0, 30],
        [1, 0, 0, 30, 30],
        [2, 0, 0, 60, 30],
        [3, 0, 0, 90, 30],
        [4, 0, 0, 120, 30],
        [5, 0, 0, 150, 30],
        [6, 0, 0, 180, 30],
        [7, 0, 0, 210, 30],
        [8, 0, 0, 240, 30],
        [9, 0, 0, 270, 30],
        [10, 0, 0, 300, 30],
        [11, 0, 0, 330, 30],
        [12, 0, 0, 360, 30],
        [13, 0, 0, 390, 30],
        [14, 0, 0, 420, 30],
        [15, 0, 0, 450, 30],
        [16, 0, 0, 480, 30],
        [17, 0, 0, 510, 30],
        [18, 0, 0, 540, 30],
        [19, 0, 0, 570, 30],
        [20, 0, 0, 600, 30],
        [21, 0, 0, 630, 24],
        [21, 24, 1, 0, 6],
        [22, 0, 1, 6, 30],
        [23, 0, 1, 36, 30],
        [24, 0, 1, 66, 30],
        [25, 0, 1, 96, 30],
        [26, 0, 1, 126, 30],
        [27, 0, 1, 156, 30],
        [28, 0, 1, 186, 30],
        [29, 0, 1, 216, 30],
        [30, 0, 1, 246, 30],
        [31, 0, 1, 276, 30],
        [32, 0, 1, 306, 30],
        [33, 0, 1, 336, 30],
        [34, 0, 1, 366, 30],
        [35, 0, 1, 396, 30],
        [36, 0, 1, 426, 30],
        [37, 0, 1, 456, 30],
        [38, 0, 1, 486, 30],
        [39, 0, 1, 516, 30],
        [40, 0, 1, 546, 30],
        [41, 0, 1, 576, 30],
        [42, 0, 1, 606, 30],
        [43, 0, 1, 636, 18],
        [43, 18, 2, 0, 12],
        [44, 0, 2, 12, 30],
        [45, 0, 2, 42, 30],
        [46, 0, 2, 72, 30],
        [47, 0, 2, 102, 30],
        [48, 0, 2, 132, 30],
        [49, 0, 2, 162, 30],
        [50, 0, 2, 192, 30],
        [51, 0, 2, 222, 30],
        [52, 0, 2, 252, 30],
        [53, 0, 2, 282, 30],
        [54, 0, 2, 312, 30],
        [55, 0, 2, 342, 30],
        [56, 0, 2, 372, 30],
        [57, 0, 2, 402, 30],
        [58, 0, 2, 432, 30],
        [59, 0, 2, 462, 30],
        [60, 0, 2, 492, 30],
        [61, 0, 2, 522, 30],
        [62, 0, 2, 552, 30],
        [63, 0, 2, 582, 30],
        [64, 0, 2, 612, 30],
        [65, 0, 2, 642, 12],
        [65, 12, 3, 0, 18],
        [66, 0, 3, 18, 30],
        [67, 0, 3, 48, 30],
        [68, 0, 3, 78, 30],
        [69, 0, 3, 108, 30],
        [70, 0, 3, 138, 30],
        [71, 0, 3, 168, 30],
        [72, 0, 3, 198, 30],
        [73, 0, 3, 228, 30],
        [74, 0, 3, 258, 30],
        [75, 0, 3, 288, 30],
        [76, 0, 3, 318, 30],
        [77, 0, 3, 348, 30],
        [78, 0, 3, 378, 30],
        [79, 0, 3, 408, 30],
        [80, 0, 3, 438, 30],
        [81, 0, 3, 468, 30],
        [82, 0, 3, 498, 30],
        [83, 0, 3, 528, 30],
        [84, 0, 3, 558, 30],
        [85, 0, 3, 588, 30],
        [86, 0, 3, 618, 30],
        [87, 0, 3, 648, 6],
        [87, 6, 4, 0, 24],
        [88, 0, 4, 24, 30],
        [89, 0, 4, 54, 30],
        [90, 0, 4, 84, 30],
        [91, 0, 4, 114, 30],
        [92, 0, 4, 144, 30],
        [93, 0, 4, 174, 30],
        [94, 0, 4, 204, 30],
        [95, 0, 4, 234, 30],
        [96, 0, 4, 264, 30],
        [97, 0, 4, 294, 30],
        [98, 0, 4, 324, 30],
        [99, 0, 4, 354, 30],
        [100, 0, 4, 384, 30],
        [101, 0, 4, 414, 30],
        [102, 0, 4, 444, 30],
        [103, 0, 4, 474, 30],
        [104, 0, 4, 504, 30],
        [105, 0, 4, 534, 30],
        [106, 0, 4, 564, 30],
        [107, 0, 4, 594, 30],
        [108, 0, 4, 624, 30],
    ]);
    #[allow(dead_code)]
    impl Walk {
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
        /// Runs of a step in the order of the local array: message, and elements.
        static PACK_RUNS: [[usize; 2]; 20] = [
            [0, 180],
            [1, 150],
            [2, 180],
            [3, 150],
            [0, 180],
            [1, 150],
            [2, 168],
            [3, 162],
            [0, 156],
            [1, 174],
            [2, 150],
            [3, 180],
            [0, 150],
            [1, 180],
            [2, 150],
            [3, 174],
            [0, 156],
            [1, 162],
            [2, 168],
            [3, 150],
        ];
        /// Packs steps of 3270 elements of the local array: the runs of `PACK_RUNS`. Message 0 goes to the receiver of a step's first element.
        fn pack(local: &Bytes, messages: &mut [&mut Bytes]) {
            let mut there = [0; 4];
            let steps = steps::<3270>(local, local.len() / 26160);
            for step in 0..steps.len() {
                let local = &steps[step];
                let mut place = 0;
                for run in 0..PACK_RUNS.len() {
                    let [number, len] = PACK_RUNS[run];
                    let message = elements_mut(messages[number]);
                    copy(local, place, message, there[number], len);
                    place += len;
                    there[number] += len;
                }
            }
        }
        /// Runs of a step in the order of the local array: message, and elements.
        static UNPACK_RUNS: [[usize; 2]; 113] = [
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 24],
            [3, 24],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [2, 18],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 6],
            [1, 12],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 12],
            [0, 6],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 30],
            [3, 30],
            [0, 30],
            [1, 30],
            [2, 18],
        ];
        /// Unpacks steps of 3270 elements of the local array: the runs of `UNPACK_RUNS`. Message 0 comes from the sender of a step's first element.
        fn unpack(messages: &[&Bytes], local: &mut Bytes) {
            let mut there = [0; 4];
            let steps = steps_mut::<3270>(local, local.len() / 26160);
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
            __redist::BlocksAndRanks::new((30, 4), (654, 4)),
            8,
            &[::core::option::Option::Some(pack)],
            &[::core::option::Option::Some(unpack)],
            ::core::option::Option::None,
        );
    }
    impl __redist::Compiled<1> for Walk {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((30, 4), (654, 4)),
        );
        const TEXT: [::core::primitive::bool; 3] = [true, true, false];
        fn loops() -> ::core::option::Option<&'static __redist::Loops> {
            ::core::option::Option::Some(&__loops::LOOPS)
        }
    }
    impl ::redist::Redistribution<1> for Walk {
        type Element = f64;
        fn name(&self) -> &::core::primitive::str {
            "Walk"
        }
        fn plan(&self) -> ::redist::Plan<1> {
            const { __redist::checked::<Self, 1>(__plan(), [__CLASS_0], [&[]]) }
        }
        fn windows(&self) -> [__redist::WindowTable<'static>; 1] {
            const { [__redist::WindowTable::of(&__plan().axis(0), &__WINDOW_0)] }
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
