fn plan(nb: usize) {
    redist::redistribute! {
        struct A: [f64; 1000] { from: cyclic(nb) onto 3, to: block onto 3 }
    }
    let _ = A::new();
}

fn main() {
    plan(4);
}
