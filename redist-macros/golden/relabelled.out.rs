/// # Plan
///
/// | `[u8; 12]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `gen_block([3, 4, 5]) onto 3` | 0..3 | 5 |
/// | to | `cyclic(2) onto 3 ranks [0, 2, 1]` | 3 listed | 4 |
///
/// | elements | local array | to 0 | to 2 | to 1 |
/// |---|---:|---:|---:|---:|
/// | from 0 | 3 | 2 | 1 | 0 |
/// | from 1 | 4 | 1 | 1 | 2 |
/// | from 2 | 5 | 1 | 2 | 2 |
/// | local array |  | 4 | 4 | 4 |
///
/// - dimension 0: general; given blocks of up to 5 on 3 → blocks of 2 on 3; window of 12 elements in 8 pieces, 8 in all
/// - the ranks of `to` have the cells that let most stay: 6 of 12 elements, 5 before
/// - packing and unpacking copy runs by the library's code
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub(crate) struct Relabelled;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<1> {
        ::redist::Plan::constant(
            [12],
            ::redist::Layout::new([::redist::Dist::GenBlock(&[3, 4, 5])], [3]),
            ::redist::Layout::new([::redist::Dist::Cyclic(2)], [3])
                .ranks(::redist::Ranks::Map(&[0, 2, 1])),
        )
    }
    /// Dimension 0: general; given blocks of up to 5 on 3 → blocks of 2 on 3; window of 12 elements in 8 pieces, 8 in all.
    const __CLASS_0: __redist::Class = __redist::Class::General;
    #[allow(dead_code)]
    impl Relabelled {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        pub(crate) const fn new() -> Self {
            Self
        }
    }
    impl __redist::Compiled<1> for Relabelled {}
    impl ::redist::Redistribution<1> for Relabelled {
        type Element = u8;
        fn name(&self) -> &::core::primitive::str {
            "Relabelled"
        }
        fn plan(&self) -> ::redist::Plan<1> {
            const { __redist::checked::<Self, 1>(__plan(), [__CLASS_0], [&[]]) }
        }
    }
};
