redist::redistribute! {
    pub struct A: [f64; 1000usize] { from: cyclic(64u8) onto 3, to: cyclic(2) onto 3i32 }
}

fn main() {}
