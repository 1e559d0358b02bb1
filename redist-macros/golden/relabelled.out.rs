/// # Plan
///
/// | `[u8; 24]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `cyclic(3) onto 4` | 0..4 | 6 |
/// | to | `cyclic(5) onto 4 ranks [3, 2, 0, 1]` | 4 listed | 9 |
///
/// | elements | local array | to 3 | to 2 | to 0 | to 1 |
/// |---|---:|---:|---:|---:|---:|
/// | from 0 | 6 | 3 | 0 | 3 | 0 |
/// | from 1 | 6 | 2 | 1 | 0 | 3 |
/// | from 2 | 6 | 1 | 3 | 0 | 2 |
/// | from 3 | 6 | 3 | 1 | 2 | 0 |
/// | local array |  | 9 | 5 | 5 | 5 |
///
/// - dimension 0: general; blocks of 3 on 4 → blocks of 5 on 4; window of 15 elements in 7 pieces, 11 in all; its table is in the binary
/// - the ranks of `to` have the cells that let most stay: 12 of 24 elements, 4 before
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Relabelled;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<1> {
        ::redist::Plan::constant(
            [24],
            ::redist::Layout::new([::redist::Dist::Cyclic(3)], [4]),
            ::redist::Layout::new([::redist::Dist::Cyclic(5)], [4])
                .ranks(::redist::Ranks::Map(&[3, 2, 0, 1])),
        )
    }
    /// Dimension 0: general; blocks of 3 on 4 → blocks of 5 on 4; window of 15 elements in 7 pieces, 11 in all.
    const __CLASS_0: __redist::Class = __redist::Class::General;
    /// ASPEN's table: the pieces of a window, as [block, place in it, block and place there, elements].
    static __WINDOW_0: [::redist::Piece; 7] = __redist::window([
        [0, 0, 0, 0, 3],
        [1, 0, 0, 3, 2],
        [1, 2, 1, 0, 1],
        [2, 0, 1, 1, 3],
        [3, 0, 1, 4, 1],
        [3, 1, 2, 0, 2],
        [4, 0, 2, 2, 3],
    ]);
    #[allow(dead_code)]
    impl Relabelled {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        pub const fn new() -> Self {
            Self
        }
    }
    impl __redist::Compiled<1> for Relabelled {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((3, 4), (5, 4)),
        );
    }
    impl ::redist::Redistribution<1> for Relabelled {
        type Element = u8;
        fn name(&self) -> &str {
            "Relabelled"
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
