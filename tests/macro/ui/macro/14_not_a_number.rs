redist::redistribute! {
    pub struct A: [f64; "1000"] { from: cyclic('4') onto 3, to: cyclic(true) onto b'3' }
}

fn main() {}
