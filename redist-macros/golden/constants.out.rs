/// Columns to rows.
///
/// # Plan
///
/// | `[T; N, 90]` | layout |
/// |---|---|
/// | from | `(*, cyclic(NB)) onto P first P - 1` |
/// | to | `(block(2 * Qr::NB), *) onto 2 ranks P..P + 2 storage fortran` |
///
/// - dimension 0: `*` → `block(2 * Qr::NB)`; planned when this crate is compiled
/// - dimension 1: `cyclic(NB)` → `*`; planned when this crate is compiled
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - see `explain()` for what was decided
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Constants<T: redist::Element>(::core::marker::PhantomData<fn() -> (T,)>);
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
#[allow(long_running_const_eval)]
#[allow(unused_variables, unused_parens, unused_braces, dead_code)]
const _: () = {
    const fn __redist_extent_of_dimension_0() -> ::core::primitive::usize {
        N
    }
    const fn __redist_block_size_of_source_dimension_1() -> ::core::primitive::usize {
        NB
    }
    const fn __redist_grid_extent_of_source_dimension_1() -> ::core::primitive::usize {
        P
    }
    #[allow(arithmetic_overflow, unconditional_panic)]
    const fn __redist_first_block_coordinate_of_source_dimension_1() -> ::core::primitive::usize {
        P - 1
    }
    #[allow(arithmetic_overflow, unconditional_panic)]
    const fn __redist_block_size_of_destination_dimension_0() -> ::core::primitive::usize {
        2 * Qr::NB
    }
    const fn __redist_first_rank_of_the_destination() -> ::core::primitive::usize {
        P
    }
    #[allow(arithmetic_overflow, unconditional_panic)]
    const fn __redist_end_of_the_ranks_of_the_destination() -> ::core::primitive::usize {
        P + 2
    }
    const _: () = {
        use ::redist::exec::generated as __redist;
        const EXTENT_OF_DIMENSION_0: ::core::primitive::usize = __redist::check_size(
            __redist_extent_of_dimension_0(),
            "N",
            "the extent of dimension 0",
            0,
        );
        const BLOCK_SIZE_OF_SOURCE_DIMENSION_1: ::core::primitive::usize = __redist::check_size(
            __redist_block_size_of_source_dimension_1(),
            "NB",
            "the block size of source dimension 1",
            1,
        );
        const GRID_EXTENT_OF_SOURCE_DIMENSION_1: ::core::primitive::usize = __redist::check_size(
            __redist_grid_extent_of_source_dimension_1(),
            "P",
            "the grid extent of source dimension 1",
            1,
        );
        const FIRST_BLOCK_COORDINATE_OF_SOURCE_DIMENSION_1: ::core::primitive::usize = __redist::check_size(
            __redist_first_block_coordinate_of_source_dimension_1(),
            "P - 1",
            "the first-block coordinate of source dimension 1",
            0,
        );
        const BLOCK_SIZE_OF_DESTINATION_DIMENSION_0: ::core::primitive::usize = __redist::check_size(
            __redist_block_size_of_destination_dimension_0(),
            "2 * Qr::NB",
            "the block size of destination dimension 0",
            1,
        );
        const FIRST_RANK_OF_THE_DESTINATION: ::core::primitive::usize = __redist::check_size(
            __redist_first_rank_of_the_destination(),
            "P",
            "the first rank of the destination",
            0,
        );
        const END_OF_THE_RANKS_OF_THE_DESTINATION: ::core::primitive::usize = __redist::check_size(
            __redist_end_of_the_ranks_of_the_destination(),
            "P + 2",
            "the end of the ranks of the destination",
            0,
        );
        const __EXTENTS: [::core::primitive::usize; 2] = [EXTENT_OF_DIMENSION_0, 90];
        const __FROM: ::redist::Layout<2> = {
            let __layout = ::redist::Layout::new(
                    [
                        ::redist::Dist::Collapsed,
                        ::redist::Dist::Cyclic(BLOCK_SIZE_OF_SOURCE_DIMENSION_1),
                    ],
                    [1, GRID_EXTENT_OF_SOURCE_DIMENSION_1],
                )
                .first([0, FIRST_BLOCK_COORDINATE_OF_SOURCE_DIMENSION_1]);
            let __fault = __redist::fault(
                ::redist::Side::Source,
                __EXTENTS,
                __layout,
                ::core::option::Option::None,
            );
            __redist::report(__fault, __redist::Role::First, 1);
            __redist::report(__fault, __redist::Role::Grid, 0);
            __redist::report(__fault, __redist::Role::Extent, 0);
            __redist::report(__fault, __redist::Role::Layout, 0);
            __layout
        };
        const __TO: ::redist::Layout<2> = {
            let __layout = ::redist::Layout::new(
                    [
                        ::redist::Dist::BlockOf(BLOCK_SIZE_OF_DESTINATION_DIMENSION_0),
                        ::redist::Dist::Collapsed,
                    ],
                    [2, 1],
                )
                .ranks(::redist::Ranks::From(FIRST_RANK_OF_THE_DESTINATION))
                .storage(::redist::StorageOrder::Fortran);
            let __fault = __redist::fault(
                ::redist::Side::Destination,
                __EXTENTS,
                __layout,
                ::core::option::Option::Some(END_OF_THE_RANKS_OF_THE_DESTINATION),
            );
            __redist::report(__fault, __redist::Role::Block, 0);
            __redist::report(__fault, __redist::Role::Ranks, 0);
            __redist::report(__fault, __redist::Role::Layout, 0);
            __layout
        };
        const __PLAN: ::redist::Plan<2> = ::redist::Plan::constant(
            __EXTENTS,
            __FROM,
            __TO,
        );
        const _: () = __redist::check_tables(__PLAN.axis(0), 0, "`require: tables`", 64);
        const _: () = __redist::check_tables(__PLAN.axis(1), 1, "`require: tables`", 64);
        const _: () = __redist::check_unroll(__PLAN.axis(1), 1, 16);
        const __WINDOW_0_LEN: ::core::primitive::usize = __PLAN.axis(0).table_len(64);
        static __WINDOW_0: __redist::WindowPieces<__WINDOW_0_LEN> = __redist::WindowPieces::of(
            __PLAN.axis(0),
        );
        const __WINDOW_1_LEN: ::core::primitive::usize = __PLAN.axis(1).table_len(64);
        static __WINDOW_1: __redist::WindowPieces<__WINDOW_1_LEN> = __redist::WindowPieces::of(
            __PLAN.axis(1),
        );
        #[allow(dead_code)]
        impl<T: redist::Element> Constants<T> {
            /// The redistribution, planned when this crate was compiled.
            #[must_use]
            pub const fn new() -> Self {
                const {
                    __redist::check_demand(
                        __PLAN,
                        __redist::Demand::Memory(67108864),
                        ::core::mem::size_of::<T>(),
                    )
                };
                Self(::core::marker::PhantomData)
            }
        }
        impl<T: redist::Element> __redist::Compiled<2> for Constants<T> {
            const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = __redist::blocks(
                __PLAN.axis(1),
            );
            const BLOCKS_BACK: ::core::option::Option<__redist::BlocksAndRanks> = __redist::blocks(
                __PLAN.axis(0),
            );
            const ON_BOTH_SIDES: ::core::primitive::bool = false;
        }
        impl<T: redist::Element> ::redist::Redistribution<2> for Constants<T> {
            type Element = T;
            fn name(&self) -> &::core::primitive::str {
                "Constants"
            }
            fn tiers(&self) -> [(::redist::Tier, &'static ::core::primitive::str); 2] {
                [(::redist::Tier::Constant, ""), (::redist::Tier::Constant, "")]
            }
            fn plan(&self) -> ::redist::Plan<2> {
                __PLAN
            }
            fn windows(&self) -> [__redist::WindowTable<'static>; 2] {
                [__WINDOW_0.table(), __WINDOW_1.table()]
            }
            fn kernels(&self) -> ::redist::Kernels {
                __redist::kernels::<Self, 2>()
            }
            #[inline]
            fn inverse(&self) -> ::redist::Inverse<Self::Element, 2> {
                __redist::inverse(self)
            }
        }
        const _: () = __redist::check_demand(__PLAN, __redist::Demand::Messages(2), 0);
        const _: () = __redist::check_demand(__PLAN, __redist::Demand::Stays(33), 0);
    };
};
