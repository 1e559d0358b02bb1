/// # Plan
///
/// | `[f32; n]` | layout |
/// |---|---|
/// | from | `cyclic(10) onto 3` |
/// | to | `cyclic(4) onto 3` |
///
/// - dimension 0: `cyclic(10)` → `cyclic(4)`; planned when this crate is compiled: the extent is the parameter `n`, on which no table depends
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - see `explain()` for what was decided
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Tens {
    plan: ::redist::Plan<1>,
}
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
#[allow(unused_variables, unused_parens, unused_braces, dead_code)]
const _: () = {
    fn __redist_extent_of_dimension_0(
        n: ::core::primitive::usize,
    ) -> ::core::primitive::usize {
        n
    }
    const _: () = {
        use ::redist::exec::generated as __redist;
        const __WINDOW_0_LEN: ::core::primitive::usize = ::redist::Axis::of_blocks(10, 4)
            .table_len(16384);
        static __WINDOW_0: __redist::WindowPieces<__WINDOW_0_LEN> = __redist::WindowPieces::of(
            ::redist::Axis::of_blocks(10, 4),
        );
        #[allow(dead_code)]
        impl Tens {
            /// Plans the redistribution.
            ///
            /// # Errors
            /// Layouts that do not meet, naming the values and the expressions at fault.
            pub fn new(
                n: ::core::primitive::usize,
            ) -> ::core::result::Result<Self, ::redist::Error> {
                let (__extents, __from, __to) = (
                    [__redist_extent_of_dimension_0(n)],
                    (
                        ::redist::Layout::new([::redist::Dist::Cyclic(10)], [3]),
                        ::core::option::Option::None,
                    ),
                    (
                        ::redist::Layout::new([::redist::Dist::Cyclic(4)], [3]),
                        ::core::option::Option::None,
                    ),
                );
                let __given: &[__redist::Given] = &[
                    __redist::Given::new(
                        ::redist::Side::Source,
                        0,
                        __redist::Role::Extent,
                        "n",
                    ),
                ];
                match __redist::planned("Tens", __extents, __from, __to, __given) {
                    ::core::result::Result::Ok(__plan) => {
                        ::core::result::Result::Ok(Self { plan: __plan })
                    }
                    ::core::result::Result::Err(__error) => {
                        ::core::result::Result::Err(__error)
                    }
                }
            }
        }
        impl __redist::Compiled<1> for Tens {
            const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
                __redist::BlocksAndRanks::new((10, 3), (4, 3)),
            );
            /// Packs a step of 20 elements: its runs, as [array 0, place in it, message, place in it, elements].
            /// Message 0 goes to the receiver of the step's first element. Each run is compiled to one load and one store, or to several beyond a register.
            const PACK: &'static [__redist::Statements] = &[
                &[
                    [0, 0, 0, 0, 4],
                    [0, 16, 0, 4, 4],
                    [0, 4, 1, 0, 4],
                    [0, 10, 1, 4, 2],
                    [0, 8, 2, 0, 2],
                    [0, 12, 2, 2, 4],
                ],
            ];
            /// Unpacks a step of 20 elements: its runs, as [message, place in it, array 0, place in it, elements].
            /// Message 0 comes from the sender of the step's first element. Each run is compiled to one load and one store, or to several beyond a register.
            const UNPACK: &'static [__redist::Statements] = &[
                &[
                    [0, 0, 0, 0, 4],
                    [1, 0, 0, 4, 4],
                    [2, 0, 0, 8, 4],
                    [0, 4, 0, 12, 4],
                    [1, 4, 0, 16, 2],
                    [2, 4, 0, 18, 2],
                ],
            ];
            /// Copies between arrays, a step of 60 elements: its runs, as [source, place in it, destination, place in it, elements].
            /// Array 0 of a side is of the rank with its first block. Each run is compiled to one load and one store, or to several beyond a register.
            const EXCHANGE: __redist::Statements = &[
                [0, 0, 0, 0, 4],
                [1, 2, 0, 4, 4],
                [2, 4, 0, 8, 4],
                [0, 16, 0, 12, 4],
                [1, 18, 0, 16, 2],
                [2, 10, 0, 18, 2],
                [0, 4, 1, 0, 4],
                [1, 6, 1, 4, 4],
                [2, 8, 1, 8, 2],
                [0, 10, 1, 10, 2],
                [1, 10, 1, 12, 4],
                [2, 12, 1, 16, 4],
                [0, 8, 2, 0, 2],
                [1, 0, 2, 2, 2],
                [2, 0, 2, 4, 4],
                [0, 12, 2, 8, 4],
                [1, 14, 2, 12, 4],
                [2, 16, 2, 16, 4],
            ];
        }
        impl ::redist::Redistribution<1> for Tens {
            type Element = f32;
            fn name(&self) -> &::core::primitive::str {
                "Tens"
            }
            fn tiers(&self) -> [(::redist::Tier, &'static ::core::primitive::str); 1] {
                [
                    (
                        ::redist::Tier::Literal,
                        "the extent is the parameter `n`, on which no table depends",
                    ),
                ]
            }
            fn plan(&self) -> ::redist::Plan<1> {
                self.plan
            }
            fn windows(&self) -> [__redist::WindowTable<'static>; 1] {
                [__WINDOW_0.table()]
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
};
