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
        mod __loops {
            #[allow(unused_imports)]
            use ::redist::exec::generated::of_4::{
                copy, copy_two, elements, elements_mut, steps, steps_mut,
            };
            use ::redist::exec::generated::{self as __redist, Bytes};
            /// Packs steps of 20 elements of the local array. Message 0 goes to the receiver of a step's first element.
            fn pack(local: &Bytes, messages: &mut [&mut Bytes]) {
                let [message_0, message_1, message_2] = messages else {
                    ::core::unreachable!()
                };
                let count = local.len() / 80;
                let local = steps::<20>(local, count);
                let message = steps_mut::<8>(message_0, count);
                for step in 0..count {
                    let (local, message) = (&local[step], &mut message[step]);
                    copy(local, 0, message, 0, 4);
                    copy(local, 16, message, 4, 4);
                }
                let message = steps_mut::<6>(message_1, count);
                for step in 0..count {
                    let (local, message) = (&local[step], &mut message[step]);
                    copy(local, 4, message, 0, 4);
                    copy(local, 10, message, 4, 2);
                }
                let message = steps_mut::<6>(message_2, count);
                for step in 0..count {
                    let (local, message) = (&local[step], &mut message[step]);
                    copy(local, 8, message, 0, 2);
                    copy(local, 12, message, 2, 4);
                }
            }
            /// Unpacks steps of 20 elements of the local array. Message 0 comes from the sender of a step's first element.
            fn unpack(messages: &[&Bytes], local: &mut Bytes) {
                let [message_0, message_1, message_2] = messages else {
                    ::core::unreachable!()
                };
                let count = local.len() / 80;
                let local = steps_mut::<20>(local, count);
                let message_0 = steps::<8>(message_0, count);
                let message_1 = steps::<6>(message_1, count);
                let message_2 = steps::<6>(message_2, count);
                for step in 0..count {
                    let message_0 = &message_0[step];
                    let message_1 = &message_1[step];
                    let message_2 = &message_2[step];
                    let local = &mut local[step];
                    copy(message_0, 0, local, 0, 4);
                    copy(message_1, 0, local, 4, 4);
                    copy(message_2, 0, local, 8, 4);
                    copy(message_0, 4, local, 12, 4);
                    copy_two((message_1, 4), (message_2, 4), local, 16, 2);
                }
            }
            /// Copies steps of 60 elements between arrays. Array 0 of a side is of the rank with its first block.
            fn exchange(sources: &[&Bytes], destinations: &mut [&mut Bytes]) {
                let [source_0, source_1, source_2] = sources else {
                    ::core::unreachable!()
                };
                let [destination_0, destination_1, destination_2] = destinations else {
                    ::core::unreachable!()
                };
                {
                    let count = destination_0.len() / 80;
                    let destination = steps_mut::<20>(destination_0, count);
                    let source_0 = steps::<20>(source_0, count);
                    let source_1 = steps::<20>(source_1, count);
                    let source_2 = steps::<20>(source_2, count);
                    for step in 0..count {
                        let source_0 = &source_0[step];
                        let source_1 = &source_1[step];
                        let source_2 = &source_2[step];
                        let destination = &mut destination[step];
                        copy(source_0, 0, destination, 0, 4);
                        copy(source_1, 2, destination, 4, 4);
                        copy(source_2, 4, destination, 8, 4);
                        copy(source_0, 16, destination, 12, 4);
                        copy_two((source_1, 18), (source_2, 10), destination, 16, 2);
                    }
                }
                {
                    let count = destination_1.len() / 80;
                    let destination = steps_mut::<20>(destination_1, count);
                    let source_0 = steps::<20>(source_0, count);
                    let source_1 = steps::<20>(source_1, count);
                    let source_2 = steps::<20>(source_2, count);
                    for step in 0..count {
                        let source_0 = &source_0[step];
                        let source_1 = &source_1[step];
                        let source_2 = &source_2[step];
                        let destination = &mut destination[step];
                        copy(source_0, 4, destination, 0, 4);
                        copy(source_1, 6, destination, 4, 4);
                        copy_two((source_2, 8), (source_0, 10), destination, 8, 2);
                        copy(source_1, 10, destination, 12, 4);
                        copy(source_2, 12, destination, 16, 4);
                    }
                }
                {
                    let count = destination_2.len() / 80;
                    let destination = steps_mut::<20>(destination_2, count);
                    let source_0 = steps::<20>(source_0, count);
                    let source_1 = steps::<20>(source_1, count);
                    let source_2 = steps::<20>(source_2, count);
                    for step in 0..count {
                        let source_0 = &source_0[step];
                        let source_1 = &source_1[step];
                        let source_2 = &source_2[step];
                        let destination = &mut destination[step];
                        copy_two((source_0, 8), (source_1, 0), destination, 0, 2);
                        copy(source_2, 0, destination, 4, 4);
                        copy(source_0, 12, destination, 8, 4);
                        copy(source_1, 14, destination, 12, 4);
                        copy(source_2, 16, destination, 16, 4);
                    }
                }
            }
            pub(super) static LOOPS: __redist::Loops = __redist::Loops::new(
                __redist::BlocksAndRanks::new((10, 3), (4, 3)),
                4,
                &[::core::option::Option::Some(pack)],
                &[::core::option::Option::Some(unpack)],
                ::core::option::Option::Some(exchange),
            );
        }
        impl __redist::Compiled<1> for Tens {
            const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
                __redist::BlocksAndRanks::new((10, 3), (4, 3)),
            );
            const TEXT: [::core::primitive::bool; 3] = [true, true, true];
            fn loops() -> ::core::option::Option<&'static __redist::Loops> {
                ::core::option::Option::Some(&__loops::LOOPS)
            }
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
