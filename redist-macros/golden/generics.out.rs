/// # Plan
///
/// | `[T; 1000]` | layout |
/// |---|---|
/// | from | `cyclic(B) onto 3` |
/// | to | `gen_block([B, 1000 - B]) onto 2` |
///
/// - dimension 0: `cyclic(B)` → `gen_block([B, 1000 - B])`; planned by the compiler for each instance
/// - see `explain()` for what was decided
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Generics<T: redist::Element, const B: usize>(
    ::core::marker::PhantomData<fn() -> (T,)>,
);
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
#[allow(unused_variables, unused_parens, unused_braces, dead_code)]
const _: () = {
    const fn __redist_block_size_of_source_dimension_0<
        T: redist::Element,
        const B: usize,
    >() -> ::core::primitive::usize {
        B
    }
    const fn __redist_size_of_block_0_of_destination_dimension_0<
        T: redist::Element,
        const B: usize,
    >() -> ::core::primitive::usize {
        B
    }
    #[allow(arithmetic_overflow, unconditional_panic)]
    const fn __redist_size_of_block_1_of_destination_dimension_0<
        T: redist::Element,
        const B: usize,
    >() -> ::core::primitive::usize {
        1000 - B
    }
    const _: () = {
        use ::redist::exec::generated as __redist;
        impl<T: redist::Element, const B: usize> __redist::Constants<1>
        for Generics<T, B> {
            const PLAN: ::redist::Plan<1> = {
                let __extents = [1000];
                let __from = {
                    let __layout = ::redist::Layout::new(
                        [
                            ::redist::Dist::Cyclic(const {
                                __redist::check_size(
                                    __redist_block_size_of_source_dimension_0::<T, B>(),
                                    "B",
                                    "the block size of source dimension 0",
                                    1,
                                )
                            }),
                        ],
                        [3],
                    );
                    let __fault = __redist::fault(
                        ::redist::Side::Source,
                        __extents,
                        __layout,
                        ::core::option::Option::None,
                    );
                    __redist::report(__fault, __redist::Role::Layout, 0);
                    __layout
                };
                let __to = {
                    let __layout = ::redist::Layout::new(
                        [
                            ::redist::Dist::GenBlock(
                                &[
                                    const {
                                        __redist::check_size(
                                            __redist_size_of_block_0_of_destination_dimension_0::<
                                                T,
                                                B,
                                            >(),
                                            "B",
                                            "the size of block 0 of destination dimension 0",
                                            0,
                                        )
                                    },
                                    const {
                                        __redist::check_size(
                                            __redist_size_of_block_1_of_destination_dimension_0::<
                                                T,
                                                B,
                                            >(),
                                            "1000 - B",
                                            "the size of block 1 of destination dimension 0",
                                            0,
                                        )
                                    },
                                ],
                            ),
                        ],
                        [2],
                    );
                    let __fault = __redist::fault(
                        ::redist::Side::Destination,
                        __extents,
                        __layout,
                        ::core::option::Option::None,
                    );
                    __redist::report(__fault, __redist::Role::Block, 0);
                    __redist::report(__fault, __redist::Role::Layout, 0);
                    __layout
                };
                let __plan = ::redist::Plan::constant(__extents, __from, __to);
                __plan
            };
            const TABLES: ::core::primitive::usize = 16384;
        }
        #[allow(dead_code)]
        impl<T: redist::Element, const B: usize> Generics<T, B> {
            /// The redistribution, planned when this crate was compiled.
            #[must_use]
            pub const fn new() -> Self {
                let _ = <Self as __redist::Constants<1>>::PLAN;
                Self(::core::marker::PhantomData)
            }
        }
        impl<T: redist::Element, const B: usize> __redist::Compiled<1>
        for Generics<T, B> {}
        impl<T: redist::Element, const B: usize> ::redist::Redistribution<1>
        for Generics<T, B> {
            type Element = T;
            fn name(&self) -> &::core::primitive::str {
                "Generics"
            }
            fn tiers(&self) -> [(::redist::Tier, &'static ::core::primitive::str); 1] {
                [(::redist::Tier::Constant, "")]
            }
            fn plan(&self) -> ::redist::Plan<1> {
                <Self as __redist::Constants<1>>::PLAN
            }
            fn windows(&self) -> [__redist::WindowTable<'static>; 1] {
                [__redist::Table::<Self, 1, 0>::TABLE]
            }
        }
    };
};
