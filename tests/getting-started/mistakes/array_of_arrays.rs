redist::redistribute! {
    struct Turn: [[f64; 100]; 20] { from: (block, *) onto 4, to: (*, block) onto 4 }
}

fn main() {}
