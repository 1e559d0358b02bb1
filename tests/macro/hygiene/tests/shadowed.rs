//! The user has taken all good names: of the prelude, of the library, and of expansions.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    non_camel_case_types,
    reason = "only the names matter"
)]
#![forbid(unsafe_code)]

use redist::Redistribution;

mod taken {
    #![allow(clippy::upper_case_acronyms)]

    pub struct Option;
    pub struct Result;
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Plan;
    pub struct Piece;
    pub struct Dist;
    pub struct Axis;
    pub struct Tier;
    pub struct Kernels;
    pub struct Error;
    pub struct PhantomData;
    pub struct Copy;
    pub struct Default;
    pub struct Send;
    pub struct Clone;
    pub mod core {}
    pub mod std {}
}

use taken::*;

const PLAN: usize = 2;
const FROM: usize = 4;
const TO: usize = 6;
const WINDOW_0: usize = 3;
const WINDOWS: usize = 3;
const EXTENTS: usize = 100;
const S0: usize = 5;
const SIZE_0: usize = 5;
const D: usize = 1;
const T: usize = 7;
const N: usize = 11;

fn check_size() {}
fn planned() {}
fn pack() {}
fn unpack() {}

macro_rules! panic {
    ($($any:tt)*) => {
        compile_error!("not the user's")
    };
}
macro_rules! assert {
    ($($any:tt)*) => {
        compile_error!("not the user's")
    };
}

#[derive(Clone, Copy, redist::Element)]
#[repr(C)]
struct Fields {
    r#type: u32,
    name: [u32; T],
    size: [f32; N],
}

#[derive(Clone, Copy, redist::Element)]
#[repr(transparent)]
struct r#struct<Self_, const D: usize>([Self_; D]);

redist::redistribute! {
    struct OfFields: [Fields; EXTENTS] { from: cyclic(FROM) onto PLAN, to: cyclic(TO) onto WINDOW_0 }
    struct OfStructs: [r#struct<u8, 5>; EXTENTS] { from: cyclic(FROM) onto PLAN, to: cyclic(TO) onto WINDOW_0 }
    struct Constants: [f64; EXTENTS] { from: cyclic(FROM) onto PLAN, to: cyclic(TO) onto WINDOW_0 }
    struct More: [f64; T, N] { from: (cyclic(S0), *) onto D, to: (*, cyclic(SIZE_0)) onto WINDOWS }
    struct Generics<const PLAN: usize, const FROM: usize, const D: usize>: [f64; EXTENTS] {
        from: cyclic(FROM) onto PLAN,
        to: cyclic(D) onto WINDOW_0,
    }
    struct Elements<E: redist::Element, const T: usize>: [E; 50] { from: cyclic(T) onto 2, to: cyclic(TO) onto 3 }
    struct Parameters(plan: usize, from: usize, to: usize, extents: usize, rank: usize): [f64; extents] {
        from: cyclic(from) onto plan,
        to: cyclic(to) onto rank ranks 0..rank,
    }
    struct Layouts(layout: redist::Layout<1>, name: redist::Layout<1>): [f64; EXTENTS] { from: layout, to: name }
    struct r#type: [f64; 20] { from: block onto 2, to: cyclic(r#FROM) onto 2 }
}

#[test]
fn they_plan() {
    let layout = |block| redist::Layout::new([redist::layout::Dist::Cyclic(block)], [3]);
    assert_plan(&OfFields::new(), "cyclic(4) onto 2", "cyclic(6) onto 3");
    assert_plan(&OfStructs::new(), "cyclic(4) onto 2", "cyclic(6) onto 3");
    assert_plan(&Constants::new(), "cyclic(4) onto 2", "cyclic(6) onto 3");
    assert_plan(&More::new(), "(cyclic(5), *) onto 1", "(*, cyclic(5)) onto 3");
    assert_plan(&Generics::<3, 5, 7>::new(), "cyclic(5) onto 3", "cyclic(7) onto 3");
    assert_plan(&Elements::<u8, 4>::new(), "cyclic(4) onto 2", "cyclic(6) onto 3");
    assert_plan(&Parameters::new(3, 4, 5, 60, 2).unwrap(), "cyclic(4) onto 3", "cyclic(5) onto 2");
    assert_plan(
        &Layouts::new(layout(4), layout(5)).unwrap(),
        "cyclic(4) onto 3",
        "cyclic(5) onto 3",
    );
    assert_plan(&r#type::new(), "block onto 2", "cyclic(4) onto 2");
}

fn assert_plan<const D: usize>(plan: &impl Redistribution<D>, from: &str, to: &str) {
    let other = redist::TypedPlan::<u8, D>::parse(plan.plan().extents(), from, to).unwrap();
    assert_eq!(plan.plan(), other.plan(), "{}", plan.name());
}
