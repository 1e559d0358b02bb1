redist::redistribute! {
    pub struct A(m: usize, n: usize): [f64; m, n] { from: (cyclic(4), *) onto m, to: (block, *) onto 3 }
    pub struct B<const N: usize>: [f64; N] { from: cyclic(4) onto 3, to: cyclic(N) onto 3 }
    pub struct C(m: f64): [f64; 10] { from: cyclic(4) onto 3, to: cyclic(2) onto 3 }
}
fn uses(m: usize) -> B<3> {
    let _ = A::new(m, m).unwrap();
    B::<3>::new()
}

fn main() {}
