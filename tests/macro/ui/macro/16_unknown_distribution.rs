redist::redistribute! {
    pub struct A: [f64; 1000, 10] { from: (cylic(4), blok) onto (3, 2), to: (indirect(4), CYCLIC(2)) onto (3, 2) }
    pub struct B: [f64; 1000] { from: cyclc(4) onto 3, to: block onto 2 }
    pub struct C: [f64; 1000, 10] { from: scalapak(64, 64, 2, 2), to: scalapack(64, 64, 2, 2) }
}

fn main() {}
