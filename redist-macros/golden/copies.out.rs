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
