redist::redistribute! {
    pub struct A: [f64; 9_223_372_036_854_775_808] {
        from: cyclic(99999999999999999999) onto 3,
        to: block(1 << 64) onto (1 << 40) * (1 << 40),
    }
}

fn main() {}
