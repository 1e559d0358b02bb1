fn local(n: usize) {
    redist::redistribute! {
        struct A: [f64; n] { from: block onto 4, to: cyclic(3) onto 4 }
        struct B(rows: usize): [f64; rows, columns] { from: (block, *) onto ranks, to: (*, block) onto 4 }
        struct C(ranks: usize, nb: usize): [f64; 100] { from: cyclic(nb) onto rank, to: cyclic(3) onto ranks }
    }
}

redist::redistribute! {
    pub struct D: f64[100] { from: block onto 4, to: cyclic(3) onto 4 }
}

fn main() {
    local(100);
}
