/// # Plan
///
/// | `[u8; 12]` | layout | ranks | largest local array |
/// |---|---|---|---|
/// | from | `gen_block([3, 4, 5]) onto 3` | 0..3 | 5 |
/// | to | `cyclic(2) onto 2` | 0..2 | 6 |
///
/// | elements | local array | to 0 | to 1 |
/// |---|---:|---:|---:|
/// | from 0 | 3 | 2 | 1 |
/// | from 1 | 4 | 2 | 2 |
/// | from 2 | 5 | 2 | 3 |
/// | local array |  | 6 | 6 |
///
/// - dimension 0: general; given blocks of up to 5 on 3 → blocks of 2 on 2; window of 12 elements in 8 pieces, 8 in all
/// - packing and unpacking copy runs by the library's code
/// - planned by the macro; nothing is left to run time
#[allow(missing_debug_implementations, missing_copy_implementations)]
pub struct GenBlock;
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
const _: () = {
    use ::redist::exec::generated as __redist;
    #[inline]
    const fn __plan() -> ::redist::Plan<1> {
        ::redist::Plan::constant(
            [12],
            ::redist::Layout::new([::redist::Dist::GenBlock(&[3, 4, 5])], [3]),
            ::redist::Layout::new([::redist::Dist::Cyclic(2)], [2]),
        )
    }
    /// Dimension 0: general; given blocks of up to 5 on 3 → blocks of 2 on 2; window of 12 elements in 8 pieces, 8 in all.
    const __CLASS_0: __redist::Class = __redist::Class::General;
    #[allow(dead_code)]
    impl GenBlock {
        /// The redistribution, planned when this crate was compiled.
        #[must_use]
        pub const fn new() -> Self {
            Self
        }
    }
    impl __redist::Compiled<1> for GenBlock {}
    impl ::redist::Redistribution<1> for GenBlock {
        type Element = u8;
        fn name(&self) -> &str {
            "GenBlock"
        }
        fn plan(&self) -> ::redist::Plan<1> {
            const { __redist::checked(__plan(), [__CLASS_0]) }
        }
    }
};
