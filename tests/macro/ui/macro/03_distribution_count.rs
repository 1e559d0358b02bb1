redist::redistribute! {
    pub struct A: [f64; 1000] { from: (cyclic(4), cyclic(4)) onto (2, 3), to: cyclic(2) onto 3 }
    pub struct B: [f64; 10, 20, 30] { from: (cyclic(4), block, *) onto (2, 3), to: (cyclic(2), *) onto 3 }
    pub struct C: [[f64; 100]; 20] { from: (block, *) onto 2, to: (*, block) onto 2 }
}

fn main() {}
