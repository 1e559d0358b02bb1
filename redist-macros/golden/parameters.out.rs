/// # Plan
///
/// | `[T; m, 100]` | layout |
/// |---|---|
/// | from | `(cyclic(NB), cyclic(nb)) onto (2, 3)` |
/// | to | `(cyclic(16), *) onto nb of [2 * m, 120] at [0, 20] copies nb` |
///
/// - dimension 0: `cyclic(NB)` → `cyclic(16)`; planned when this crate is compiled: the extent is the parameter `m`, on which no table depends
/// - dimension 1: `cyclic(nb)` → `*`; planned by `new`: the block of `from` is the parameter `nb`
/// - each copy of `to` is read from one of `from`; `bind` plans all of them
/// - see `explain()` for what was decided
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Parameters<T>
where
    T: redist::Element,
{
    plan: ::redist::Plan<2>,
    copies: [::core::primitive::usize; 2],
    generics: ::core::marker::PhantomData<fn() -> (T,)>,
}
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
#[allow(unused_variables, unused_parens, unused_braces, dead_code)]
const _: () = {
    fn __redist_extent_of_dimension_0<T>(
        m: ::core::primitive::usize,
        nb: ::core::primitive::usize,
    ) -> ::core::primitive::usize
    where
        T: redist::Element,
    {
        m
    }
    const fn __redist_block_size_of_source_dimension_0() -> ::core::primitive::usize {
        NB
    }
    fn __redist_block_size_of_source_dimension_1<T>(
        m: ::core::primitive::usize,
        nb: ::core::primitive::usize,
    ) -> ::core::primitive::usize
    where
        T: redist::Element,
    {
        nb
    }
    fn __redist_grid_extent_of_destination_dimension_0<T>(
        m: ::core::primitive::usize,
        nb: ::core::primitive::usize,
    ) -> ::core::primitive::usize
    where
        T: redist::Element,
    {
        nb
    }
    fn __redist_stored_extent_of_destination_dimension_0<T>(
        m: ::core::primitive::usize,
        nb: ::core::primitive::usize,
    ) -> ::core::primitive::usize
    where
        T: redist::Element,
    {
        2 * m
    }
    fn __redist_number_of_copies_of_the_destination<T>(
        m: ::core::primitive::usize,
        nb: ::core::primitive::usize,
    ) -> ::core::primitive::usize
    where
        T: redist::Element,
    {
        nb
    }
    const _: () = {
        use ::redist::exec::generated as __redist;
        const BLOCK_SIZE_OF_SOURCE_DIMENSION_0: ::core::primitive::usize = __redist::check_size(
            __redist_block_size_of_source_dimension_0(),
            "NB",
            "the block size of source dimension 0",
            1,
        );
        #[allow(dead_code)]
        impl<T> Parameters<T>
        where
            T: redist::Element,
        {
            /// Plans the redistribution.
            ///
            /// # Errors
            /// Layouts that do not meet, naming the values and the expressions at fault.
            pub fn new(
                m: ::core::primitive::usize,
                nb: ::core::primitive::usize,
            ) -> ::core::result::Result<Self, ::redist::Error> {
                let __copies = [
                    1,
                    __redist_number_of_copies_of_the_destination::<T>(m, nb),
                ];
                let (__extents, __from, __to) = (
                    [__redist_extent_of_dimension_0::<T>(m, nb), 100],
                    (
                        ::redist::Layout::new(
                            [
                                ::redist::Dist::Cyclic(BLOCK_SIZE_OF_SOURCE_DIMENSION_0),
                                ::redist::Dist::Cyclic(
                                    __redist_block_size_of_source_dimension_1::<T>(m, nb),
                                ),
                            ],
                            [2, 3],
                        ),
                        ::core::option::Option::None,
                    ),
                    (
                        ::redist::Layout::new(
                                [::redist::Dist::Cyclic(16), ::redist::Dist::Collapsed],
                                [
                                    __redist_grid_extent_of_destination_dimension_0::<T>(m, nb),
                                    1,
                                ],
                            )
                            .of([
                                __redist_stored_extent_of_destination_dimension_0::<
                                    T,
                                >(m, nb),
                                120,
                            ])
                            .at([0, 20]),
                        ::core::option::Option::None,
                    ),
                );
                let __given: &[__redist::Given] = &[
                    __redist::Given::new(
                        ::redist::Side::Source,
                        0,
                        __redist::Role::Extent,
                        "m",
                    ),
                    __redist::Given::new(
                        ::redist::Side::Source,
                        0,
                        __redist::Role::Block,
                        "NB",
                    ),
                    __redist::Given::new(
                        ::redist::Side::Source,
                        1,
                        __redist::Role::Block,
                        "nb",
                    ),
                    __redist::Given::new(
                        ::redist::Side::Destination,
                        0,
                        __redist::Role::Grid,
                        "nb",
                    ),
                    __redist::Given::new(
                        ::redist::Side::Destination,
                        0,
                        __redist::Role::Stored,
                        "2 * m",
                    ),
                ];
                match __redist::planned("Parameters", __extents, __from, __to, __given)
                    .and_then(|__plan| __redist::copied(
                        __plan,
                        __copies,
                        [::core::option::Option::None, ::core::option::Option::None],
                    ))
                {
                    ::core::result::Result::Ok(__plan) => {
                        ::core::result::Result::Ok(Self {
                            plan: __plan,
                            copies: __copies,
                            generics: ::core::marker::PhantomData,
                        })
                    }
                    ::core::result::Result::Err(__error) => {
                        ::core::result::Result::Err(__error)
                    }
                }
            }
        }
        impl<T> ::redist::WithCopies<2> for Parameters<T>
        where
            T: redist::Element,
        {
            type Element = T;
            fn name(&self) -> &::core::primitive::str {
                "Parameters"
            }
            fn first(&self) -> ::redist::Plan<2> {
                self.plan
            }
            fn copies(&self, __side: ::redist::Side) -> ::core::primitive::usize {
                let [__from, __to] = self.copies;
                match __side {
                    ::redist::Side::Source => __from,
                    ::redist::Side::Destination => __to,
                }
            }
        }
    };
};
