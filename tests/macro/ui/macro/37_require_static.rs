redist::redistribute! {
    pub struct Extent(m: usize): [f64; 100, m] { from: (cyclic(4), *) onto 3, to: (cyclic(2), *) onto 3, require: static }
    pub struct Grid(p: usize): [f64; 100] { from: cyclic(4) onto 3, to: cyclic(2) onto p, require: static }
    pub struct First(f: usize): [f64; 100] { from: cyclic(4) onto 3 first f, to: cyclic(2) onto 3, require: static }
    pub struct Ranks(r: usize): [f64; 100] { from: cyclic(4) onto 3, to: cyclic(2) onto 3 ranks r.., require: static }
    pub struct End(r: usize): [f64; 100] { from: cyclic(4) onto 3 ranks 0..r, to: cyclic(2) onto 3, require: static }
    pub struct Section(i: usize): [f64; 100] {
        from: cyclic(4) onto 3 of 200 at i,
        to: cyclic(2) onto 3,
        require: static,
    }
    pub struct Block(nb: usize): [f64; 100] { from: cyclic(nb) onto 3, to: cyclic(2) onto 3, require: static }
}

fn main() {}
