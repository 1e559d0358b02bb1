//! Names of items, generics and parameters.

use redist::{Element, Redistribution, TypedPlan};

const FROM: usize = 3;
const TO: usize = 4;
const PLAN: usize = 2;
const PACK: usize = 2;
const EXTENTS: usize = 5;

redist::redistribute! {
    struct A: [[f64; FROM]; 100] { from: cyclic(4) onto 2, to: cyclic(3) onto 2 }
    struct B: [[f64; PLAN]; TO * 30] { from: cyclic(TO) onto 2, to: cyclic(FROM) onto 2 }
    struct C<T: Element>: [[T; PACK]; TO * 30] { from: cyclic(EXTENTS) onto 2, to: cyclic(FROM) onto 2 }
    struct D<const NB: usize>(m: usize): [[f64; EXTENTS]; m] { from: cyclic(NB) onto 2, to: cyclic(FROM) onto 2 }
    struct E<const PLAN: usize>: [[f64; EXTENTS]; 100] { from: cyclic(PLAN) onto 2, to: cyclic(FROM) onto 2 }
    struct G<const NB: usize>: [f64; 1000] { from: cyclic(NB) onto 3, to: cyclic(3 * NB + 1) onto 3 }
}

redist::redistribute! {
    struct Brackets: [f64; 64, 32] { from: (block, cyclic(4)) onto [2, 3], to: (*, block) onto [6] }
}

#[test]
fn lists_stand_in_parentheses_or_in_brackets() {
    let [from, to] = ["(block, cyclic(4)) onto (2, 3)", "(*, block) onto 6"];
    let plan = TypedPlan::<f64, 2>::parse([64, 32], from, to).unwrap();
    assert_eq!(Brackets::new().plan(), plan.plan());
}

fn same(plan: &impl Redistribution<1>, from: &str, to: &str) {
    let other = TypedPlan::<u8, 1>::parse(plan.plan().extents(), from, to).unwrap();
    assert_eq!(plan.plan(), other.plan(), "{}", plan.name());
}

#[test]
fn any_name_will_do() {
    same(&A::new(), "cyclic(4) onto 2", "cyclic(3) onto 2");
    same(&B::new(), "cyclic(4) onto 2", "cyclic(3) onto 2");
    same(&C::<u16>::new(), "cyclic(5) onto 2", "cyclic(3) onto 2");
    same(&D::<7>::new(50).unwrap(), "cyclic(7) onto 2", "cyclic(3) onto 2");
    // The item's own constant, not the module's.
    same(&E::<6>::new(), "cyclic(6) onto 2", "cyclic(3) onto 2");
}

#[test]
fn generics_get_their_values() {
    same(&G::<4>::new(), "cyclic(4) onto 3", "cyclic(13) onto 3");
    same(&G::<5>::new(), "cyclic(5) onto 3", "cyclic(16) onto 3");
}
