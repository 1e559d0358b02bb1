//! Accepted, so that all cases are built and not only checked: generics get their values where
//! their functions are compiled.

redist::redistribute! {
    pub struct G<const B: usize>: [f64; 1000] { from: cyclic(B) onto 3, to: cyclic(3 * B + 1) onto 3 }
}

fn main() {
    let _ = G::<4>::new();
}
