redist::redistribute! {
    pub struct A: [f64; 100, 100] {
        from: (cyclic(4), *) onto (2, 3),
        to: (cyclic(2), cyclic(2)) onto (4),
    }
    pub struct B: [f64; 100, 100] {
        from: (cyclic(4), cyclic(4)) onto (2, 3, 4),
        to: (*, *) onto 2,
    }
    pub struct C: [f64; 100] { from: * onto 3, to: * onto (1) }
}

fn main() {}
