/// Short blocks of r→kr to long ones.
///
/// # Plan
///
/// | `[f64; 1003]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `cyclic(2) onto 3` | 0..3 | 335 |
/// | to | `cyclic(10) onto 3` | 0..3 | 340 |
///
/// | elements | local array | to 0 | to 1 | to 2 |
/// |---|---:|---:|---:|---:|
/// | from 0 | 335 | 136 | 133 | 66 |
/// | from 1 | 334 | 136 | 66 | 132 |
/// | from 2 | 334 | 68 | 134 | 132 |
/// | local array |  | 340 | 333 | 330 |
///
/// - dimension 0: r→kr, k = 5, r = 2; blocks of 2 on 3 → blocks of 10 on 3; window of 10 elements in 5 pieces, 502 in all
/// - code for these blocks is in the binary where it gains: `explain()` says for which work
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct Rk;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<1> {
        ::redist::Plan::constant(
            [1003],
            ::redist::Layout::new([::redist::Dist::Cyclic(2)], [3]),
            ::redist::Layout::new([::redist::Dist::Cyclic(10)], [3]),
        )
    }
    /// Dimension 0: r→kr, k = 5, r = 2; blocks of 2 on 3 → blocks of 10 on 3; window of 10 elements in 5 pieces, 502 in all.
    const __CLASS_0: __redist::Class = __redist::Class::RToKr {
        k: 5,
        r: 2,
    };
    /// Window table: the pieces of a window, for all ranks at once (ASPEN's walk finds one rank's), as [block, place in it, block and place there, elements].
    const __WINDOW_0: [::redist::Piece; 5] = __redist::window([
        [0, 0, 0, 0, 2],
        [1, 0, 0, 2, 2],
        [2, 0, 0, 4, 2],
        [3, 0, 0, 6, 2],
        [4, 0, 0, 8, 2],
    ]);
    #[allow(dead_code)]
    impl Rk {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        pub const fn new() -> Self {
            Self
        }
    }
    mod __loops {
        #[allow(unused_imports)]
        use ::redist::exec::generated::of_8::{
            copy, copy_two, elements, elements_mut, steps, steps_mut,
        };
        use ::redist::exec::generated::{self as __redist, Bytes};
        /// Packs steps of 10 elements of the local array. Message 0 goes to the receiver of a step's first element.
        fn pack(local: &Bytes, messages: &mut [&mut Bytes]) {
            let [message_0, message_1, message_2] = messages else {
                ::core::unreachable!()
            };
            let count = local.len() / 80;
            let local = steps::<10>(local, count);
            let message = steps_mut::<4>(message_0, count);
            for step in 0..count {
                let (local, message) = (&local[step], &mut message[step]);
                copy(local, 0, message, 0, 4);
            }
            let message = steps_mut::<4>(message_1, count);
            for step in 0..count {
                let (local, message) = (&local[step], &mut message[step]);
                copy(local, 4, message, 0, 4);
            }
            let message = steps_mut::<2>(message_2, count);
            for step in 0..count {
                let (local, message) = (&local[step], &mut message[step]);
                copy(local, 8, message, 0, 2);
            }
        }
        /// Unpacks steps of 10 elements of the local array. Message 0 comes from the sender of a step's first element.
        fn unpack(messages: &[&Bytes], local: &mut Bytes) {
            let [message_0, message_1, message_2] = messages else {
                ::core::unreachable!()
            };
            let count = local.len() / 80;
            let local = steps_mut::<10>(local, count);
            let message_0 = steps::<4>(message_0, count);
            let message_1 = steps::<4>(message_1, count);
            let message_2 = steps::<2>(message_2, count);
            for step in 0..count {
                let message_0 = &message_0[step];
                let message_1 = &message_1[step];
                let message_2 = &message_2[step];
                let local = &mut local[step];
                copy(message_0, 0, local, 0, 2);
                copy(message_1, 0, local, 2, 2);
                copy(message_2, 0, local, 4, 2);
                copy(message_0, 2, local, 6, 2);
                copy(message_1, 2, local, 8, 2);
            }
        }
        /// Copies steps of 30 elements between arrays. Array 0 of a side is of the rank with its first block.
        fn exchange(sources: &[&Bytes], destinations: &mut [&mut Bytes]) {
            let [source_0, source_1, source_2] = sources else { ::core::unreachable!() };
            let [destination_0, destination_1, destination_2] = destinations else {
                ::core::unreachable!()
            };
            {
                let count = destination_0.len() / 80;
                let destination = steps_mut::<10>(destination_0, count);
                let source_0 = steps::<10>(source_0, count);
                let source_1 = steps::<10>(source_1, count);
                let source_2 = steps::<10>(source_2, count);
                for step in 0..count {
                    let source_0 = &source_0[step];
                    let source_1 = &source_1[step];
                    let source_2 = &source_2[step];
                    let destination = &mut destination[step];
                    copy(source_0, 0, destination, 0, 2);
                    copy(source_1, 0, destination, 2, 2);
                    copy(source_2, 0, destination, 4, 2);
                    copy(source_0, 2, destination, 6, 2);
                    copy(source_1, 2, destination, 8, 2);
                }
            }
            {
                let count = destination_1.len() / 80;
                let destination = steps_mut::<10>(destination_1, count);
                let source_0 = steps::<10>(source_0, count);
                let source_1 = steps::<10>(source_1, count);
                let source_2 = steps::<10>(source_2, count);
                for step in 0..count {
                    let source_0 = &source_0[step];
                    let source_1 = &source_1[step];
                    let source_2 = &source_2[step];
                    let destination = &mut destination[step];
                    copy(source_2, 2, destination, 0, 2);
                    copy(source_0, 4, destination, 2, 2);
                    copy(source_1, 4, destination, 4, 2);
                    copy(source_2, 4, destination, 6, 2);
                    copy(source_0, 6, destination, 8, 2);
                }
            }
            {
                let count = destination_2.len() / 80;
                let destination = steps_mut::<10>(destination_2, count);
                let source_0 = steps::<10>(source_0, count);
                let source_1 = steps::<10>(source_1, count);
                let source_2 = steps::<10>(source_2, count);
                for step in 0..count {
                    let source_0 = &source_0[step];
                    let source_1 = &source_1[step];
                    let source_2 = &source_2[step];
                    let destination = &mut destination[step];
                    copy(source_1, 6, destination, 0, 2);
                    copy(source_2, 6, destination, 2, 2);
                    copy(source_0, 8, destination, 4, 2);
                    copy(source_1, 8, destination, 6, 2);
                    copy(source_2, 8, destination, 8, 2);
                }
            }
        }
        pub(super) static LOOPS: __redist::Loops = __redist::Loops::new(
            __redist::BlocksAndRanks::new((2, 3), (10, 3)),
            8,
            &[::core::option::Option::Some(pack)],
            &[::core::option::Option::Some(unpack)],
            ::core::option::Option::Some(exchange),
        );
    }
    impl __redist::Compiled<1> for Rk {
        const BLOCKS: ::core::option::Option<__redist::BlocksAndRanks> = ::core::option::Option::Some(
            __redist::BlocksAndRanks::new((2, 3), (10, 3)),
        );
        const TEXT: [::core::primitive::bool; 3] = [true, true, true];
        fn loops() -> ::core::option::Option<&'static __redist::Loops> {
            ::core::option::Option::Some(&__loops::LOOPS)
        }
    }
    impl ::redist::Redistribution<1> for Rk {
        type Element = f64;
        fn name(&self) -> &::core::primitive::str {
            "Rk"
        }
        fn plan(&self) -> ::redist::Plan<1> {
            const { __redist::checked::<Self, 1>(__plan(), [__CLASS_0], [&__WINDOW_0]) }
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
