redist::redistribute! {
    pub struct A<const B: usize>(B: usize): [f64; 100] { from: cyclic(B) onto 2, to: block onto 2 }
    pub struct C<T: redist::Element>(T: usize, m: usize, m: usize): [T; m] { from: cyclic(T) onto 2, to: block onto 2 }
}

fn main() {
    let _ = A::<4>::new(4).unwrap();
    let _ = C::<f64>::new(4, 5).unwrap();
}
