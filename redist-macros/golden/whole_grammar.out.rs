/// # Plan
///
/// | `[T; 50, 20, 8]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `(cyclic(16), block, *) onto (2, 2) first (1, 0) ranks 4..8 order col of [128, 64, 8] at [37, 5, 0]` | 4..8 | 64 × 32 × 8 |
/// | to | `(*, cyclic(7), block(30)) onto (3, 2) storage fortran axes (1, 2, 0)` | 0..6 | 8 × 21 × 20 |
///
/// | elements | local array | to 0 | to 1 | to 2 | to 3 | to 4 | to 5 |
/// |---|---:|---:|---:|---:|---:|---:|---:|
/// | from 4 | 64 × 32 × 8 | 1920 | 0 | 640 | 0 | 1120 | 0 |
/// | from 5 | 64 × 32 × 8 | 1440 | 0 | 1760 | 0 | 1120 | 0 |
/// | from 6 | 64 × 32 × 8 | 0 | 0 | 0 | 0 | 0 | 0 |
/// | from 7 | 64 × 32 × 8 | 0 | 0 | 0 | 0 | 0 | 0 |
/// | local array |  | 8 × 21 × 20 | 8 × 21 × 0 | 8 × 15 × 20 | 8 × 15 × 0 | 8 × 14 × 20 | 8 × 14 × 0 |
///
/// - dimension 0: general; blocks of 16 on 2 → blocks of 7 on 3; window of 50 elements in 11 pieces, 11 in all
/// - dimension 1: general; blocks of 32 on 2 → blocks of 30 on 2; window of 20 elements in 1 piece, 1 in all
/// - dimension 2: identity; blocks of 8 on 1 → blocks of 8 on 1; window of 8 elements in 1 piece, 1 in all
/// - packing and unpacking copy runs by the library's code
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Panel<T: redist::Element>(
    ::core::marker::PhantomData<fn() -> (T,)>,
)
where
    T: Copy;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    const __FROM: ::redist::Layout<3> = ::redist::Layout::new(
            [
                ::redist::Dist::Cyclic(16),
                ::redist::Dist::Block,
                ::redist::Dist::Collapsed,
            ],
            [2, 2, 1],
        )
        .first([1, 0, 0])
        .ranks(::redist::Ranks::From(4))
        .order(::redist::RankOrder::Col)
        .of([128, 64, 8])
        .at([37, 5, 0]);
    const __TO: ::redist::Layout<3> = ::redist::Layout::new(
            [
                ::redist::Dist::Collapsed,
                ::redist::Dist::Cyclic(7),
                ::redist::Dist::BlockOf(30),
            ],
            [1, 3, 2],
        )
        .storage(::redist::StorageOrder::Fortran)
        .axes([1, 2, 0]);
    const __PLAN: ::redist::Plan<3> = ::redist::Plan::constant(
        [50, 20, 8],
        __FROM,
        __TO,
    );
    /// Dimension 0: general; blocks of 16 on 2 → blocks of 7 on 3; window of 50 elements in 11 pieces, 11 in all.
    const __CLASS_0: __redist::Class = __redist::Class::General;
    const _: () = __redist::check_class(&__PLAN.axis(0), __CLASS_0);
    /// Dimension 1: general; blocks of 32 on 2 → blocks of 30 on 2; window of 20 elements in 1 piece, 1 in all.
    const __CLASS_1: __redist::Class = __redist::Class::General;
    const _: () = __redist::check_class(&__PLAN.axis(1), __CLASS_1);
    /// Dimension 2: identity; blocks of 8 on 1 → blocks of 8 on 1; window of 8 elements in 1 piece, 1 in all.
    const __CLASS_2: __redist::Class = __redist::Class::Identity;
    const _: () = __redist::check_class(&__PLAN.axis(2), __CLASS_2);
    #[allow(dead_code)]
    impl<T: redist::Element> Panel<T>
    where
        T: Copy,
    {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        pub const fn new() -> Self {
            Self(::core::marker::PhantomData)
        }
    }
    impl<T: redist::Element> __redist::Compiled<3> for Panel<T>
    where
        T: Copy,
    {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((8, 1), (8, 1)),
        );
        const BLOCKS_BACK: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((8, 1), (8, 1)),
        );
        const ON_BOTH_SIDES: ::core::primitive::bool = true;
        fn inverted<const __USED: ::core::primitive::usize>() -> __redist::Inverted<3> {
            __redist::Inverted {
                plan: ::core::option::Option::Some(const {
                    __redist::only_when_used(__USED);
                    __PLAN.inverse()
                }),
                ..__redist::Inverted::AT_RUN_TIME
            }
        }
    }
    impl<T: redist::Element> ::redist::Redistribution<3> for Panel<T>
    where
        T: Copy,
    {
        type Element = T;
        fn name(&self) -> &str {
            "Panel"
        }
        fn tiers(&self) -> [(::redist::Tier, &'static str); 3] {
            [(::redist::Tier::Literal, ""); 3]
        }
        fn plan(&self) -> ::redist::Plan<3> {
            __PLAN
        }
        fn windows(&self) -> [&'static [::redist::Piece]; 3] {
            [&[], &[], &[]]
        }
        fn kernels(&self) -> ::redist::Kernels {
            __redist::kernels::<Self, 3>()
        }
        #[inline]
        fn inverse(&self) -> ::redist::Inverse<Self::Element, 3> {
            __redist::inverse(self)
        }
    }
};
