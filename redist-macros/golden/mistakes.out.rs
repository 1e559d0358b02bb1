pub struct Mistakes;
const _: () = {
    #[allow(dead_code, unused_variables, unused_parens, unused_braces, clippy::all)]
    fn __redist_sizes() {
        let _: ::core::primitive::usize = NB;
    }
};
#[allow(dead_code, unused_variables, clippy::all)]
impl Mistakes {
    /// The item has errors.
    pub const fn new() -> Self {
        Self
    }
}
#[allow(clippy::all)]
impl ::redist::Redistribution<1usize> for Mistakes {
    type Element = f64;
    fn name(&self) -> &::core::primitive::str {
        ::core::unreachable!()
    }
    fn plan(&self) -> ::redist::Plan<1usize> {
        ::core::unreachable!()
    }
}
::core::compile_error! {
    "unknown distribution `cylic`; did you mean `cyclic`?"
}
::core::compile_error! {
    "the block size of source dimension 0 must be at least 1, found 0"
}
