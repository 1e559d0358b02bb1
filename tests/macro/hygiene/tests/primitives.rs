//! The user's types have the names of primitive types, and values have the names of variables in
//! expansions.

#![allow(
    dead_code,
    unused_imports,
    non_camel_case_types,
    non_upper_case_globals,
    reason = "only the names matter"
)]
#![forbid(unsafe_code)]

use redist::{Redistribution, WithCopies};

mod taken {
    pub type str = ::core::primitive::u8;
    pub type usize = ::core::primitive::u8;
    pub type bool = ::core::primitive::u8;
    pub type u8 = ::core::primitive::i8;
    pub type u16 = ::core::primitive::i8;
    pub type u32 = ::core::primitive::i8;
    pub type u64 = ::core::primitive::i8;
    pub type f32 = ::core::primitive::u8;
    pub type f64 = ::core::primitive::u8;
    // A pattern of one of these names would be no variable.
    pub struct plan;
    pub struct extents;
    pub struct from;
    pub struct to;
    pub struct given;
    pub struct error;
    pub struct layout;
    pub struct fault;
    pub struct side;
    pub struct copies;
    pub const generics: ::core::primitive::i32 = 1;
}

use taken::*;

const NB: ::core::primitive::usize = 4;

#[derive(Clone, Copy, redist::Element)]
#[repr(C)]
struct Pair(::core::primitive::f64, ::core::primitive::u64);

redist::redistribute! {
    struct Literals: [::core::primitive::f64; 1003] { from: cyclic(10) onto 3, to: cyclic(4) onto 3 }
    struct Demanding: [::core::primitive::f32; 60, 48] {
        from: (block, *) onto 4, to: (*, cyclic(3)) onto 4 storage fortran, require: messages <= 16,
    }
    struct Constants: [Pair; 100] { from: cyclic(NB) onto 2, to: gen_block([30, 70]) onto 2 ranks [1, 0] }
    struct Generics<T: redist::Element, const B: ::core::primitive::usize>: [T; 100] {
        from: cyclic(B) onto 2, to: cyclic(NB) onto 3, require: stays >= 0%,
    }
    struct Parameters(m: usize, rank: usize): [::core::primitive::f64; m, 9] {
        from: (cyclic(NB), *) onto 2, to: (*, block) onto rank,
    }
    struct Half(peer: Layout<1>): [::core::primitive::f64; 100] { from: cyclic(NB) onto 2, to: peer }
    struct Copied(ranks: usize): [::core::primitive::f64; 40, 6] {
        from: (block, *) onto ranks, to: (*, *) copies ranks,
    }
}

#[test]
fn they_plan() {
    let peer = redist::Layout::new([redist::layout::Dist::Block], [2]);
    assert_eq!(Literals::new().plan().ranks(), 3);
    assert_eq!(Literals::new().inverse().plan().ranks(), 3);
    assert_eq!(Demanding::new().plan().ranks(), 4);
    assert_eq!(Constants::new().plan().ranks(), 2);
    assert_eq!(Generics::<Pair, 5>::new().plan().ranks(), 3);
    assert_eq!(Parameters::new(50, 4).expect("a plan").plan().ranks(), 4);
    assert_eq!(Half::new(peer).expect("a plan").plan().ranks(), 2);
    assert!(Copied::new(3).expect("a plan").explain().is_ok());
}
