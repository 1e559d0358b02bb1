/// # Plan
///
/// | `[T; N]` | layout |
/// |---|---|
/// | from | `cyclic(10) onto 3` |
/// | to | `cyclic(4) onto 3` |
///
/// - dimension 0: `cyclic(10)` → `cyclic(4)`; planned when this crate is compiled
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - see `explain()` for what was decided
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Bounded<T: redist::Element>(::core::marker::PhantomData<fn() -> (T,)>);
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
#[allow(long_running_const_eval)]
#[allow(unused_variables, unused_parens, unused_braces, dead_code)]
const _: () = {
    const fn __redist_extent_of_dimension_0() -> ::core::primitive::usize {
        N
    }
    const _: () = {
        use ::redist::exec::generated as __redist;
        const EXTENT_OF_DIMENSION_0: ::core::primitive::usize = __redist::check_size(
            __redist_extent_of_dimension_0(),
            "N",
            "the extent of dimension 0",
            0,
        );
        const __EXTENTS: [::core::primitive::usize; 1] = [EXTENT_OF_DIMENSION_0];
        const __FROM: ::redist::Layout<1> = {
            let layout = ::redist::Layout::new([::redist::Dist::Cyclic(10)], [3]);
            let fault = __redist::fault(
                ::redist::Side::Source,
                __EXTENTS,
                layout,
                ::core::option::Option::None,
            );
            __redist::report(fault, __redist::Role::Extent, 0);
            __redist::report(fault, __redist::Role::Layout, 0);
            layout
        };
        const __TO: ::redist::Layout<1> = {
            let layout = ::redist::Layout::new([::redist::Dist::Cyclic(4)], [3]);
            let fault = __redist::fault(
                ::redist::Side::Destination,
                __EXTENTS,
                layout,
                ::core::option::Option::None,
            );
            __redist::report(fault, __redist::Role::Layout, 0);
            layout
        };
        const __PLAN: ::redist::Plan<1> = ::redist::Plan::constant(
            __EXTENTS,
            __FROM,
            __TO,
        );
        const _: () = __redist::check_tables(
            __PLAN.axis(0),
            0,
            "`require: tables`",
            16384,
        );
        const __WINDOW_0_LEN: ::core::primitive::usize = __PLAN.axis(0).table_len(16384);
        static __WINDOW_0: [::redist::Piece; __WINDOW_0_LEN] = __PLAN
            .axis(0)
            .window_table();
        #[allow(dead_code)]
        impl<T: redist::Element> Bounded<T> {
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
        impl<T: redist::Element> __redist::Compiled<1> for Bounded<T> {
            const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = __redist::blocks(
                __PLAN.axis(0),
            );
        }
        impl<T: redist::Element> ::redist::Redistribution<1> for Bounded<T> {
            type Element = T;
            fn name(&self) -> &str {
                "Bounded"
            }
            fn tiers(&self) -> [(::redist::Tier, &'static str); 1] {
                [(::redist::Tier::Literal, "")]
            }
            fn plan(&self) -> ::redist::Plan<1> {
                __PLAN
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
        const _: () = __redist::check_demand(__PLAN, __redist::Demand::Messages(2), 0);
        const _: () = __redist::check_demand(__PLAN, __redist::Demand::Stays(33), 0);
    };
};
