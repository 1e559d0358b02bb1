redist::redistribute! {
    pub struct A: [f64; -5, 2.0] {
        form: (cyclic(4), *) onto (2) first 2,
        to: (cyclic(0), cyclik(2)) onto (2, 0),
        require: statik,
        unroll: 1000,
    }
}

fn main() {}
