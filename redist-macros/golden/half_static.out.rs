/// # Plan
///
/// | `[f64; 60, 60]` | layout |
/// |---|---|
/// | from | `(cyclic(6), cyclic(NB)) onto (2, 2)` |
/// | to | `peer` |
///
/// - dimension 0: `cyclic(6)` → `peer`; planned by `new`: `to` is the parameter `peer`
/// - dimension 1: `cyclic(NB)` → `peer`; planned by `new`: `to` is the parameter `peer`
/// - see `explain()` for what was decided
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct HalfStatic {
    plan: ::redist::Plan<2>,
}
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
#[allow(unused_variables, unused_parens, unused_braces, dead_code)]
const _: () = {
    const fn __redist_block_size_of_source_dimension_1() -> ::core::primitive::usize {
        NB
    }
    fn __redist_destination(peer: ::redist::Layout<2>) -> ::redist::Layout<2> {
        peer
    }
    const _: () = {
        use ::redist::exec::generated as __redist;
        const BLOCK_SIZE_OF_SOURCE_DIMENSION_1: ::core::primitive::usize = __redist::check_size(
            __redist_block_size_of_source_dimension_1(),
            "NB",
            "the block size of source dimension 1",
            1,
        );
        #[allow(dead_code)]
        impl HalfStatic {
            /// Plans the redistribution.
            ///
            /// # Errors
            /// Layouts that do not meet, naming the values and the expressions at fault.
            pub fn new(
                peer: ::redist::Layout<2>,
            ) -> ::core::result::Result<Self, ::redist::Error> {
                let (extents, from, to) = (
                    [60, 60],
                    (
                        ::redist::Layout::new(
                            [
                                ::redist::Dist::Cyclic(6),
                                ::redist::Dist::Cyclic(BLOCK_SIZE_OF_SOURCE_DIMENSION_1),
                            ],
                            [2, 2],
                        ),
                        ::core::option::Option::None,
                    ),
                    (__redist_destination(peer), ::core::option::Option::None),
                );
                let given: &[__redist::Given] = &[
                    __redist::Given::new(
                        ::redist::Side::Source,
                        1,
                        __redist::Role::Block,
                        "NB",
                    ),
                    __redist::Given::new(
                        ::redist::Side::Destination,
                        0,
                        __redist::Role::Layout,
                        "peer",
                    ),
                ];
                match __redist::planned("HalfStatic", extents, from, to, given) {
                    ::core::result::Result::Ok(plan) => {
                        ::core::result::Result::Ok(Self { plan: plan })
                    }
                    ::core::result::Result::Err(error) => {
                        ::core::result::Result::Err(error)
                    }
                }
            }
        }
        impl __redist::Compiled<2> for HalfStatic {}
        impl ::redist::Redistribution<2> for HalfStatic {
            type Element = f64;
            fn name(&self) -> &str {
                "HalfStatic"
            }
            fn tiers(&self) -> [(::redist::Tier, &'static str); 2] {
                [
                    (::redist::Tier::RunTime, "`to` is the parameter `peer`"),
                    (::redist::Tier::RunTime, "`to` is the parameter `peer`"),
                ]
            }
            fn plan(&self) -> ::redist::Plan<2> {
                self.plan
            }
            fn windows(&self) -> [&'static [::redist::Piece]; 2] {
                [&[], &[]]
            }
            #[inline]
            fn inverse(&self) -> ::redist::Inverse<Self::Element, 2> {
                __redist::inverse(self)
            }
        }
    };
};
