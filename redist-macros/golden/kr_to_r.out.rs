/// Panels to tiles.
#[derive(Clone, Copy, Debug)]
///
/// # Plan
///
/// | `[f64; 1003]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `cyclic(10) onto 3` | 0..3 | 340 |
/// | to | `cyclic(2) onto 3` | 0..3 | 335 |
///
/// | elements | local array | to 0 | to 1 | to 2 |
/// |---|---:|---:|---:|---:|
/// | from 0 | 340 | 136 | 136 | 68 |
/// | from 1 | 333 | 133 | 66 | 134 |
/// | from 2 | 330 | 66 | 132 | 132 |
/// | local array |  | 335 | 334 | 334 |
///
/// - dimension 0: kr→r, k = 5, r = 2; blocks of 10 on 3 → blocks of 2 on 3; window of 10 elements in 5 pieces, 502 in all
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Kr;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<1> {
        ::redist::Plan::constant(
            [1003],
            ::redist::Layout::new([::redist::Dist::Cyclic(10)], [3]),
            ::redist::Layout::new([::redist::Dist::Cyclic(2)], [3]),
        )
    }
    /// Dimension 0: kr→r, k = 5, r = 2; blocks of 10 on 3 → blocks of 2 on 3; window of 10 elements in 5 pieces, 502 in all.
    const __CLASS_0: __redist::Class = __redist::Class::KrToR {
        k: 5,
        r: 2,
    };
    /// Window table: the pieces of a window, for all ranks at once (ASPEN's walk finds one rank's), as [block, place in it, block and place there, elements].
    const __WINDOW_0: [::redist::Piece; 5] = __redist::window([
        [0, 0, 0, 0, 2],
        [0, 2, 1, 0, 2],
        [0, 4, 2, 0, 2],
        [0, 6, 3, 0, 2],
        [0, 8, 4, 0, 2],
    ]);
    #[allow(dead_code)]
    impl Kr {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        pub const fn new() -> Self {
            Self
        }
    }
    impl __redist::Compiled<1> for Kr {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((10, 3), (2, 3)),
        );
        /// Packs a step of 10 elements: its runs, as [array 0, place in it, message, place in it, elements].
        /// Message 0 goes to the receiver of the step's first element. Each run is compiled to one load and one store, or to several beyond a register.
        const PACK: &'static [__redist::Statements] = &[
            &[
                [0, 0, 0, 0, 2],
                [0, 6, 0, 2, 2],
                [0, 2, 1, 0, 2],
                [0, 8, 1, 2, 2],
                [0, 4, 2, 0, 2],
            ],
        ];
        /// Unpacks a step of 10 elements: its runs, as [message, place in it, array 0, place in it, elements].
        /// Message 0 comes from the sender of the step's first element. Each run is compiled to one load and one store, or to several beyond a register.
        const UNPACK: &'static [__redist::Statements] = &[
            &[[0, 0, 0, 0, 4], [1, 0, 0, 4, 4], [2, 0, 0, 8, 2]],
        ];
        /// Copies between arrays, a step of 30 elements: its runs, as [source, place in it, destination, place in it, elements].
        /// Array 0 of a side is of the rank with its first block. Each run is compiled to one load and one store, or to several beyond a register.
        const EXCHANGE: __redist::Statements = &[
            [0, 0, 0, 0, 2],
            [0, 6, 0, 2, 2],
            [1, 2, 0, 4, 2],
            [1, 8, 0, 6, 2],
            [2, 4, 0, 8, 2],
            [0, 2, 1, 0, 2],
            [0, 8, 1, 2, 2],
            [1, 4, 1, 4, 2],
            [2, 0, 1, 6, 2],
            [2, 6, 1, 8, 2],
            [0, 4, 2, 0, 2],
            [1, 0, 2, 2, 2],
            [1, 6, 2, 4, 2],
            [2, 2, 2, 6, 2],
            [2, 8, 2, 8, 2],
        ];
    }
    impl ::redist::Redistribution<1> for Kr {
        type Element = f64;
        fn name(&self) -> &::core::primitive::str {
            "Kr"
        }
        fn plan(&self) -> ::redist::Plan<1> {
            const { __redist::checked::<Self, 1>(__plan(), [__CLASS_0], [&__WINDOW_0]) }
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
