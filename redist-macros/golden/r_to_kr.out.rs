/// # Plan
///
/// | `[f32; 5000]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `cyclic(2) onto 8` | 0..8 | 626 |
/// | to | `cyclic(6) onto 3 ranks 8..` | 8..11 | 1668 |
///
/// | elements | local array | to 8 | to 9 | to 10 |
/// |---|---:|---:|---:|---:|
/// | from 0 | 626 | 206 | 210 | 210 |
/// | from 1 | 626 | 208 | 208 | 210 |
/// | from 2 | 626 | 210 | 206 | 210 |
/// | from 3 | 626 | 210 | 206 | 210 |
/// | from 4 | 624 | 210 | 208 | 206 |
/// | from 5 | 624 | 210 | 210 | 204 |
/// | from 6 | 624 | 208 | 210 | 206 |
/// | from 7 | 624 | 206 | 210 | 208 |
/// | local array |  | 1668 | 1668 | 1664 |
///
/// - dimension 0: r→kr, k = 3, r = 2; blocks of 2 on 8 → blocks of 6 on 3; window of 6 elements in 3 pieces, 2500 in all
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
struct Rk;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    const __FROM: ::redist::Layout<1> = ::redist::Layout::new(
        [::redist::Dist::Cyclic(2)],
        [8],
    );
    const __TO: ::redist::Layout<1> = ::redist::Layout::new(
            [::redist::Dist::Cyclic(6)],
            [3],
        )
        .ranks(::redist::Ranks::From(8));
    const __PLAN: ::redist::Plan<1> = ::redist::Plan::constant([5000], __FROM, __TO);
    /// Dimension 0: r→kr, k = 3, r = 2; blocks of 2 on 8 → blocks of 6 on 3; window of 6 elements in 3 pieces, 2500 in all.
    const __CLASS_0: __redist::Class = __redist::Class::RToKr {
        k: 3,
        r: 2,
    };
    const _: () = __redist::check_class(&__PLAN.axis(0), __CLASS_0);
    /// ASPEN's table: the pieces of a window, by block and place in it on both sides.
    const __WINDOW_0: [::redist::Piece; 3] = [
        ::redist::Piece::new((0, 0), (0, 0), 2),
        ::redist::Piece::new((1, 0), (0, 2), 2),
        ::redist::Piece::new((2, 0), (0, 4), 2),
    ];
    #[allow(dead_code)]
    impl Rk {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        const fn new() -> Self {
            Self
        }
    }
    impl __redist::Compiled<1> for Rk {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((2, 8), (6, 3)),
        );
        const BLOCKS_BACK: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((2, 8), (6, 3)),
        );
        const ON_BOTH_SIDES: ::core::primitive::bool = true;
        /// Packs a step of 18 elements: for each message its runs, as (array 0, place in it, place in the message, elements).
        const PACK: &'static [__redist::Written] = &[
            &[&[(0, 0, 0, 2), (0, 14, 2, 4)], &[(0, 8, 0, 6)], &[(0, 2, 0, 6)]],
        ];
        /// Unpacks a step of 48 elements: its runs, as (message, place in it, place in the array, elements).
        const UNPACK: &'static [__redist::Written] = &[
            &[
                &[
                    (0, 0, 0, 2),
                    (1, 0, 2, 2),
                    (2, 0, 4, 2),
                    (1, 2, 6, 2),
                    (2, 2, 8, 2),
                    (3, 0, 10, 2),
                    (2, 4, 12, 2),
                    (3, 2, 14, 2),
                    (4, 0, 16, 2),
                    (3, 4, 18, 2),
                    (4, 2, 20, 2),
                    (5, 0, 22, 2),
                    (4, 4, 24, 2),
                    (5, 2, 26, 2),
                    (6, 0, 28, 2),
                    (5, 4, 30, 2),
                    (6, 2, 32, 2),
                    (7, 0, 34, 2),
                    (6, 4, 36, 2),
                    (7, 2, 38, 2),
                    (0, 2, 40, 2),
                    (7, 4, 42, 2),
                    (0, 4, 44, 2),
                    (1, 4, 46, 2),
                ],
            ],
        ];
        /// Copies between arrays, a step of 144 elements: for each destination its runs, as (source, place there, place here, elements).
        const EXCHANGE: __redist::Written = &[
            &[
                (0, 0, 0, 2),
                (1, 0, 2, 2),
                (2, 0, 4, 2),
                (1, 2, 6, 2),
                (2, 2, 8, 2),
                (3, 2, 10, 2),
                (2, 4, 12, 2),
                (3, 4, 14, 2),
                (4, 4, 16, 2),
                (3, 6, 18, 2),
                (4, 6, 20, 2),
                (5, 6, 22, 2),
                (4, 8, 24, 2),
                (5, 8, 26, 2),
                (6, 8, 28, 2),
                (5, 10, 30, 2),
                (6, 10, 32, 2),
                (7, 10, 34, 2),
                (6, 12, 36, 2),
                (7, 12, 38, 2),
                (0, 14, 40, 2),
                (7, 14, 42, 2),
                (0, 16, 44, 2),
                (1, 16, 46, 2),
            ],
            &[
                (3, 0, 0, 2),
                (4, 0, 2, 2),
                (5, 0, 4, 2),
                (4, 2, 6, 2),
                (5, 2, 8, 2),
                (6, 2, 10, 2),
                (5, 4, 12, 2),
                (6, 4, 14, 2),
                (7, 4, 16, 2),
                (6, 6, 18, 2),
                (7, 6, 20, 2),
                (0, 8, 22, 2),
                (7, 8, 24, 2),
                (0, 10, 26, 2),
                (1, 10, 28, 2),
                (0, 12, 30, 2),
                (1, 12, 32, 2),
                (2, 12, 34, 2),
                (1, 14, 36, 2),
                (2, 14, 38, 2),
                (3, 14, 40, 2),
                (2, 16, 42, 2),
                (3, 16, 44, 2),
                (4, 16, 46, 2),
            ],
            &[
                (6, 0, 0, 2),
                (7, 0, 2, 2),
                (0, 2, 4, 2),
                (7, 2, 6, 2),
                (0, 4, 8, 2),
                (1, 4, 10, 2),
                (0, 6, 12, 2),
                (1, 6, 14, 2),
                (2, 6, 16, 2),
                (1, 8, 18, 2),
                (2, 8, 20, 2),
                (3, 8, 22, 2),
                (2, 10, 24, 2),
                (3, 10, 26, 2),
                (4, 10, 28, 2),
                (3, 12, 30, 2),
                (4, 12, 32, 2),
                (5, 12, 34, 2),
                (4, 14, 36, 2),
                (5, 14, 38, 2),
                (6, 14, 40, 2),
                (5, 16, 42, 2),
                (6, 16, 44, 2),
                (7, 16, 46, 2),
            ],
        ];
        fn inverted<const __USED: ::core::primitive::usize>() -> __redist::Inverted<1> {
            __redist::Inverted {
                plan: ::core::option::Option::Some(const {
                    __redist::only_when_used(__USED);
                    __PLAN.inverse()
                }),
                ..__redist::Inverted::AT_RUN_TIME
            }
        }
    }
    impl ::redist::Redistribution<1> for Rk {
        type Element = f32;
        fn name(&self) -> &str {
            "Rk"
        }
        fn tiers(&self) -> [(::redist::Tier, &'static str); 1] {
            [(::redist::Tier::Literal, ""); 1]
        }
        fn plan(&self) -> ::redist::Plan<1> {
            __PLAN
        }
        fn windows(&self) -> [&'static [::redist::Piece]; 1] {
            [&[]]
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
