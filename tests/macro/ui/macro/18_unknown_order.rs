redist::redistribute! {
    pub struct A: [f64; 1000] { from: cyclic(4) onto 3 order column, to: cyclic(2) onto 3 order major }
    pub struct B: [f64; 1000] { from: cyclic(4) onto 3 storage f, to: cyclic(2) onto 3 storage col }
}

fn main() {}
