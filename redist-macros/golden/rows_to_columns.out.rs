/// # Plan
///
/// | `[f64; 344, 403]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `(block, *) onto 4` | 0..4 | 86 × 403 |
/// | to | `(*, block) onto 4 storage fortran` | 0..4 | 344 × 101 |
///
/// | elements | local array | to 0 | to 1 | to 2 | to 3 |
/// |---|---:|---:|---:|---:|---:|
/// | from 0 | 86 × 403 | 8686 | 8686 | 8686 | 8600 |
/// | from 1 | 86 × 403 | 8686 | 8686 | 8686 | 8600 |
/// | from 2 | 86 × 403 | 8686 | 8686 | 8686 | 8600 |
/// | from 3 | 86 × 403 | 8686 | 8686 | 8686 | 8600 |
/// | local array |  | 344 × 101 | 344 × 101 | 344 × 101 | 344 × 100 |
///
/// - dimension 0: kr→r, k = 1, r = 86; blocks of 86 on 4 → blocks of 86 on 1; window of 86 elements in 1 piece, 4 in all
/// - dimension 1: kr→r, k = 1, r = 101; blocks of 101 on 1 → blocks of 101 on 4; window of 101 elements in 1 piece, 4 in all
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct RowsToColumns;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<2> {
        ::redist::Plan::constant(
            [344, 403],
            ::redist::Layout::new(
                [::redist::Dist::Block, ::redist::Dist::Collapsed],
                [4, 1],
            ),
            ::redist::Layout::new(
                    [::redist::Dist::Collapsed, ::redist::Dist::Block],
                    [1, 4],
                )
                .storage(::redist::StorageOrder::Fortran),
        )
    }
    /// Dimension 0: kr→r, k = 1, r = 86; blocks of 86 on 4 → blocks of 86 on 1; window of 86 elements in 1 piece, 4 in all.
    const __CLASS_0: __redist::Class = __redist::Class::KrToR {
        k: 1,
        r: 86,
    };
    /// ASPEN's table: the pieces of a window, as [block, place in it, block and place there, elements].
    const __WINDOW_0: [::redist::Piece; 1] = __redist::window([[0, 0, 0, 0, 86]]);
    /// Dimension 1: kr→r, k = 1, r = 101; blocks of 101 on 1 → blocks of 101 on 4; window of 101 elements in 1 piece, 4 in all.
    const __CLASS_1: __redist::Class = __redist::Class::KrToR {
        k: 1,
        r: 101,
    };
    /// ASPEN's table: the pieces of a window, as [block, place in it, block and place there, elements].
    const __WINDOW_1: [::redist::Piece; 1] = __redist::window([[0, 0, 0, 0, 101]]);
    #[allow(dead_code)]
    impl RowsToColumns {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        pub const fn new() -> Self {
            Self
        }
    }
    impl __redist::Compiled<2> for RowsToColumns {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((101, 1), (101, 4)),
        );
        const BLOCKS_BACK: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((86, 4), (86, 1)),
        );
        const ON_BOTH_SIDES: ::core::primitive::bool = false;
    }
    impl ::redist::Redistribution<2> for RowsToColumns {
        type Element = f64;
        fn name(&self) -> &str {
            "RowsToColumns"
        }
        fn plan(&self) -> ::redist::Plan<2> {
            const { __redist::checked(__plan(), [__CLASS_0, __CLASS_1]) }
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
