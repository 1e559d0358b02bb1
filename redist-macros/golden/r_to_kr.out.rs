/// # Plan
///
/// - dimension 0: r→kr, k = 3, r = 2; blocks of 2 on 8 → blocks of 6 on 3; window of 6 elements in 3 pieces, 2500 in all
/// - packing and unpacking are unrolled
/// - planned by the macro; nothing is left to run time
struct Rk;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    const __FROM: ::redist::Layout<1> = ::redist::Layout::new(
        [::redist::Dist::Cyclic(2)],
        [8],
    );
    const __TO: ::redist::Layout<1> = ::redist::Layout::new(
            [::redist::Dist::Cyclic(6)],
            [3],
        )
        .ranks_from(8);
    const __PLAN: ::redist::Plan<1> = ::redist::Plan::constant([5000], __FROM, __TO);
    fn pack<T: ::redist::Element>(
        row: ::redist::exec::generated::unrolled::PackRow<'_, '_>,
    ) {
        row.blocks::<
                T,
                2,
            >(|_, blocks, messages| {
            messages
                .put(
                    0,
                    blocks,
                    |block, share: &mut [_; 2]| {
                        share[0..2].copy_from_slice(&block[0..2]);
                    },
                );
        });
    }
    fn unpack<T: ::redist::Element>(
        row: ::redist::exec::generated::unrolled::UnpackRow<'_, '_>,
    ) {
        row.blocks::<
                T,
                6,
            >(|_, blocks, messages| {
            messages
                .take(
                    0,
                    blocks,
                    |block, share: &[_; 2]| {
                        block[0..2].copy_from_slice(&share[0..2]);
                    },
                );
            messages
                .take(
                    1,
                    blocks,
                    |block, share: &[_; 2]| {
                        block[2..4].copy_from_slice(&share[0..2]);
                    },
                );
            messages
                .take(
                    2,
                    blocks,
                    |block, share: &[_; 2]| {
                        block[4..6].copy_from_slice(&share[0..2]);
                    },
                );
        });
    }
    #[allow(dead_code)]
    impl Rk {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        const fn new() -> Self {
            Self
        }
    }
    impl ::redist::Redistribution<1> for Rk {
        type Element = f32;
        fn name(&self) -> &str {
            "Rk"
        }
        fn tiers(&self) -> [(::redist::Tier, &'static str); 1] {
            [(::redist::Tier::Literal, ""); 1]
        }
        fn plan(&self) -> ::redist::Plan<1> {
            __PLAN
        }
        fn windows(&self) -> [&'static [::redist::Piece]; 1] {
            [&[]]
        }
        fn kernels(&self) -> ::redist::Kernels {
            ::redist::Kernels {
                pack: ::core::option::Option::Some(pack::<Self::Element>),
                unpack: ::core::option::Option::Some(unpack::<Self::Element>),
            }
        }
    }
};
