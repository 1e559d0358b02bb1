const NB: usize = 0;
const RANKS: usize = 0;

struct Qr;

impl Qr {
    const NB: usize = NB;
}

redist::redistribute! {
    pub struct A: [f64; 1000, 10] { from: (cyclic(NB), *) onto 3, to: (*, cyclic(2 * Qr::NB)) onto RANKS }
}

fn main() {
    const NONE: usize = 0;
    redist::redistribute! {
        struct B: [f64; 1000] { from: cyclic(NONE) onto 3, to: cyclic(2) onto 3 }
    }
    let _ = B::new();
}
