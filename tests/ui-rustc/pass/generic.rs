//! Accepted: makes the other cases be built, not only checked, so that what generics come to is found out.

redist::redistribute! {
    pub struct G<const B: usize>: [f64; 1000] { from: cyclic(B) onto 3, to: cyclic(3 * B + 1) onto 3 }
}

fn main() {
    let _ = G::<4>::new();
}
