use redist::Redistribution;

redist::redistribute! {
    /// Documented, derived and generic: the stub is all of that.
    #[derive(Clone, Debug)]
    pub struct A<T: redist::Element>: [T; 100] where T: Clone { from: cyclic(0) onto 3, to: cyclic(2) onto 3 }
    pub(crate) struct B: [f64; 100, 100] { from: cyclic(4) onto 3, to: (*, *) }
    struct C { from: cyclic(4) onto 3, to: cyclic(2) onto 3 }
}

/// Adds no errors.
pub const PLAN: A<f64> = A::new();

fn uses(a: &A<f64>, _: B, _: C) -> redist::Plan<2> {
    println!("{:?}", a.clone());
    let _ = A::<f32>::new().plan();
    let _ = C::new();
    B::new().plan()
}

fn main() {}
