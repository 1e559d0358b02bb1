redist::redistribute! {
    pub struct A: [f64; 9_223_372_036_854_775_808] {
        from: cyclic(99999999999999999999) onto 3,
        to: block(1 << 64) onto (1 << 40) * (1 << 40),
    }
    pub struct B: [f64; 100] { from: cyclic(18_446_744_073_709_551_615) onto 3, to: block(1 << 63) onto 3 }
}

fn main() {}
