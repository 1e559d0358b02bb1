redist::redistribute! {
    pub struct G<const B: usize>: [f64; 1000] { from: cyclic(B) onto 3, to: cyclic(3 * B + 1) onto 3 }
}

/// Evaluated where it stands.
const CONSTANT: G<0> = G::<0>::new();

fn main() {}
