/// # Plan
///
/// | `[f64; 40, 6]` | layout |
/// |---|---|
/// | from | `(block, *) onto 4` |
/// | to | `(*, *) copies 4` |
///
/// - dimension 0: `block` → `*`; planned when this crate is compiled
/// - dimension 1: `*` → `*`; planned when this crate is compiled
/// - each copy of `to` is read from one of `from`; `bind` plans all of them
/// - see `explain()` for what was decided
#[allow(missing_debug_implementations, missing_copy_implementations)]
struct AllGather;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
#[allow(unused_variables, unused_parens, unused_braces, dead_code)]
const _: () = {
    const _: () = {
        use ::redist::exec::generated as __redist;
        const __EXTENTS: [::core::primitive::usize; 2] = [40, 6];
        const __FROM: ::redist::Layout<2> = ::redist::Layout::new(
            [::redist::Dist::Block, ::redist::Dist::Collapsed],
            [4, 1],
        );
        const __TO: ::redist::Layout<2> = ::redist::Layout::new(
            [::redist::Dist::Collapsed, ::redist::Dist::Collapsed],
            [1, 1],
        );
        const __PLAN: ::redist::Plan<2> = ::redist::Plan::constant(
            __EXTENTS,
            __FROM,
            __TO,
        );
        #[allow(dead_code)]
        impl AllGather {
            /// The redistribution, planned when this crate was compiled.
            #[must_use]
            const fn new() -> Self {
                Self
            }
        }
        impl ::redist::Replication<2> for AllGather {
            type Element = f64;
            fn name(&self) -> &str {
                "AllGather"
            }
            fn first(&self) -> ::redist::Plan<2> {
                __PLAN
            }
            fn copies(&self, side: ::redist::Side) -> ::core::primitive::usize {
                let [from, to] = [1, 4];
                match side {
                    ::redist::Side::Source => from,
                    ::redist::Side::Destination => to,
                }
            }
        }
    };
};
/// # Plan
///
/// | `[f64; 40, 6]` | layout |
/// |---|---|
/// | from | `(block, *) onto ranks copies K` |
/// | to | `(*, *) copies ranks` |
///
/// - dimension 0: `block` → `*`; planned by `new`: the grid of `from` is the parameter `ranks`
/// - dimension 1: `*` → `*`; planned when this crate is compiled
/// - each copy of `to` is read from one of `from`; `bind` plans all of them
/// - see `explain()` for what was decided
#[allow(missing_debug_implementations, missing_copy_implementations)]
struct Late<const K: usize> {
    plan: ::redist::Plan<2>,
    copies: [::core::primitive::usize; 2],
}
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
#[allow(unused_variables, unused_parens, unused_braces, dead_code)]
const _: () = {
    fn __redist_grid_extent_of_source_dimension_0<const K: usize>(
        ranks: ::core::primitive::usize,
    ) -> ::core::primitive::usize {
        ranks
    }
    const fn __redist_number_of_copies_of_the_source<const K: usize>() -> ::core::primitive::usize {
        K
    }
    fn __redist_number_of_copies_of_the_destination<const K: usize>(
        ranks: ::core::primitive::usize,
    ) -> ::core::primitive::usize {
        ranks
    }
    const _: () = {
        use ::redist::exec::generated as __redist;
        #[allow(dead_code)]
        impl<const K: usize> Late<K> {
            /// Plans the redistribution.
            ///
            /// # Errors
            /// Layouts that do not meet, naming the values and the expressions at fault.
            fn new(
                ranks: ::core::primitive::usize,
            ) -> ::core::result::Result<Self, ::redist::Error> {
                let __copies = [
                    const {
                        __redist::check_size(
                            __redist_number_of_copies_of_the_source::<K>(),
                            "K",
                            "the number of copies of the source",
                            1,
                        )
                    },
                    __redist_number_of_copies_of_the_destination::<K>(ranks),
                ];
                let (extents, from, to) = (
                    [40, 6],
                    (
                        ::redist::Layout::new(
                            [::redist::Dist::Block, ::redist::Dist::Collapsed],
                            [__redist_grid_extent_of_source_dimension_0::<K>(ranks), 1],
                        ),
                        ::core::option::Option::None,
                    ),
                    (
                        ::redist::Layout::new(
                            [::redist::Dist::Collapsed, ::redist::Dist::Collapsed],
                            [1, 1],
                        ),
                        ::core::option::Option::None,
                    ),
                );
                let given: &[__redist::Given] = &[
                    __redist::Given::new(
                        ::redist::Side::Source,
                        0,
                        __redist::Role::Grid,
                        "ranks",
                    ),
                ];
                match __redist::planned("Late", extents, from, to, given)
                    .and_then(|plan| __redist::copied(plan, __copies))
                {
                    ::core::result::Result::Ok(plan) => {
                        ::core::result::Result::Ok(Self {
                            plan: plan,
                            copies: __copies,
                        })
                    }
                    ::core::result::Result::Err(error) => {
                        ::core::result::Result::Err(error)
                    }
                }
            }
        }
        impl<const K: usize> ::redist::Replication<2> for Late<K> {
            type Element = f64;
            fn name(&self) -> &str {
                "Late"
            }
            fn first(&self) -> ::redist::Plan<2> {
                self.plan
            }
            fn copies(&self, side: ::redist::Side) -> ::core::primitive::usize {
                let [from, to] = self.copies;
                match side {
                    ::redist::Side::Source => from,
                    ::redist::Side::Destination => to,
                }
            }
        }
    };
};
