/// # Plan
///
/// | `[u16; 1000]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `cyclic(4) onto 3` | 0..3 | 336 |
/// | to | `cyclic(6) onto 5` | 0..5 | 204 |
///
/// | elements | local array | to 0 | to 1 | to 2 | to 3 | to 4 |
/// |---|---:|---:|---:|---:|---:|---:|
/// | from 0 | 336 | 68 | 68 | 68 | 64 | 68 |
/// | from 1 | 332 | 68 | 66 | 66 | 66 | 66 |
/// | from 2 | 332 | 68 | 68 | 64 | 68 | 64 |
/// | local array |  | 204 | 202 | 198 | 198 | 198 |
///
/// - dimension 0: general; blocks of 4 on 3 → blocks of 6 on 5; window of 12 elements in 4 pieces, 333 in all; its table is in the binary
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub(crate) struct General;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<1> {
        ::redist::Plan::constant(
            [1000],
            ::redist::Layout::new([::redist::Dist::Cyclic(4)], [3]),
            ::redist::Layout::new([::redist::Dist::Cyclic(6)], [5]),
        )
    }
    /// Dimension 0: general; blocks of 4 on 3 → blocks of 6 on 5; window of 12 elements in 4 pieces, 333 in all.
    const __CLASS_0: __redist::Class = __redist::Class::General;
    /// ASPEN's table: the pieces of a window, as [block, place in it, block and place there, elements].
    static __WINDOW_0: [::redist::Piece; 4] = __redist::window([
        [0, 0, 0, 0, 4],
        [1, 0, 0, 4, 2],
        [1, 2, 1, 0, 2],
        [2, 0, 1, 2, 4],
    ]);
    #[allow(dead_code)]
    impl General {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        pub(crate) const fn new() -> Self {
            Self
        }
    }
    impl __redist::Compiled<1> for General {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((4, 3), (6, 5)),
        );
        /// Packs a step of 20 elements: its runs, as [array 0, place in it, message, place in it, elements].
        const PACK: &'static [__redist::Written] = &[
            &[
                [0, 0, 0, 0, 4],
                [0, 12, 1, 0, 4],
                [0, 4, 2, 0, 4],
                [0, 16, 3, 0, 4],
                [0, 8, 4, 0, 4],
            ],
        ];
        /// Unpacks a step of 12 elements: its runs, as [message, place in it, array 0, place in it, elements].
        const UNPACK: &'static [__redist::Written] = &[
            &[[0, 0, 0, 0, 4], [1, 0, 0, 4, 4], [2, 0, 0, 8, 4]],
        ];
    }
    impl ::redist::Redistribution<1> for General {
        type Element = u16;
        fn name(&self) -> &str {
            "General"
        }
        fn plan(&self) -> ::redist::Plan<1> {
            const { __redist::checked(__plan(), [__CLASS_0]) }
        }
        fn windows(&self) -> [&'static [::redist::Piece]; 1] {
            [&__WINDOW_0]
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
