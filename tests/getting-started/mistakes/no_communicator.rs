use redist::{Redistribution, redistribute};

redistribute! {
    struct Deal: [f64; 100] { from: block onto 4, to: cyclic onto 4 }
}

fn main() {
    let _ = Deal::new().bind(&1);
}
