//! Only names from a crate's root are in scope.

#![no_implicit_prelude]
#![forbid(unsafe_code)]

use ::redist::Redistribution;

const NB: usize = 3;

#[derive(::core::clone::Clone, ::core::marker::Copy, ::redist::Element)]
#[repr(C)]
struct Particle {
    mass: f64,
    charge: u64,
}

#[derive(::core::clone::Clone, ::core::marker::Copy, ::redist::Element)]
#[repr(C)]
struct Pair<T>(T, T);

::redist::redistribute! {
    struct Structs: [Particle; 100] { from: cyclic(4) onto 2, to: cyclic(6) onto 3 }
    struct Pairs: [Pair<f32>; 100] { from: cyclic(4) onto 2, to: cyclic(6) onto 3 }
    struct Literals: [f64; 100] { from: cyclic(4) onto 2, to: cyclic(6) onto 3 }
    struct Constants: [f64; 100, 20] { from: (cyclic(NB), *) onto 2, to: (*, block(NB * 12)) onto 3 transposed }
    struct Generics<T: ::redist::Element, const B: usize>: [T; 100] { from: cyclic(B) onto 2, to: cyclic(4) onto 3 }
    struct Parameters(n: usize, p: usize): [f64; n] { from: cyclic(NB) onto p, to: block onto 3 }
    struct Half(peer: ::redist::Layout<1>): [f64; 100] { from: cyclic(NB) onto 2, to: peer, unroll: 0 }
}

#[::core::prelude::v1::test]
fn they_plan() {
    let peer = ::redist::Layout::new([::redist::Dist::Block], [2]);
    ::std::assert_eq!(Structs::new().plan().ranks(), 3);
    ::std::assert_eq!(Pairs::new().plan().ranks(), 3);
    ::std::assert_eq!(Literals::new().plan().ranks(), 3);
    ::std::assert_eq!(Constants::new().plan().ranks(), 3);
    ::std::assert_eq!(Generics::<u8, 5>::new().plan().ranks(), 3);
    ::std::assert_eq!(::core::result::Result::unwrap(Parameters::new(50, 4)).plan().ranks(), 4);
    ::std::assert_eq!(::core::result::Result::unwrap(Half::new(peer)).plan().ranks(), 2);
}
