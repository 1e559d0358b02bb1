redist::redistribute! { struct Deal: [f64; 100] { from: block(10) onto 4, to: cyclic onto 4 } }

fn main() {}
