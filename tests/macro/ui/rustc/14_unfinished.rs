struct Tile {
    rows: usize,
}

// Methods of our own: what rustc shows of the standard library's depends on whether its source is installed.
impl Tile {
    const fn times(&self, count: usize) -> usize {
        self.rows * count
    }
}

const TILE: Tile = Tile { rows: 4 };

redist::redistribute! {
    pub struct A(m: usize): [f64; TILE.times()] { from: cyclic(TILE.times(
    )) onto 2, to: }
    pub struct B(m: usize): [f64; m] { from: cyclic(TILE.row) onto 2 }
}

fn main() {}
