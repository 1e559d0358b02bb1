const ROWS: usize = 100;

struct Tile {
    rows: usize,
}

const TILE: Tile = Tile { rows: 4 };

redist::redistribute! {
    pub struct A(m: usize): [f64; ROWS.min()] { from: cyclic(m.max(
    )) onto 2, to: }
    pub struct B(m: usize): [f64; m] { from: cyclic(TILE.row) onto 2 }
}

fn main() {}
