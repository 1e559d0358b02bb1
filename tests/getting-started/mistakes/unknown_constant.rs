redist::redistribute! { struct Deal: [f64; 100] { from: block(NB) onto 4, to: cyclic onto 4 } }

fn main() {}
