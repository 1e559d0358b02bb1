fn ranks() -> usize {
    4
}

redist::redistribute! {
    pub struct A: [f64; 1000] { from: cyclic(4) onto ranks(), to: block onto 3 }
}

fn outer<const N: usize, T: redist::Element>() {
    redist::redistribute! {
        struct B: [T; 1000] { from: cyclic(N) onto 3, to: block onto 3 }
    }
}

fn main() {
    outer::<4, f64>();
}
