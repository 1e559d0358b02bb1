redist::redistribute! {
    pub struct A: [f64; 1000, 1000] {
        from: (cyclic(4), cyclic(4)) onto (65536, 65536),
        to: (cyclic(2), *) onto 2 ranks 2_147_483_646..,
    }
}

fn main() {}
