redist::redistribute! {
    pub struct Product: [f64; 24] { from: split([6, 5], block, *) onto 4, to: split([4, 3], block(2), *) onto 2 }
    pub struct Ranks: [f64; 24] {
        from: split([6, 4], block onto 2, cyclic onto 3) onto 4,
        to: split([6, 4], block, cyclic) onto 6,
    }
    pub struct Whole: [f64; 24] { from: split([6, 4], * onto 2, block) onto 4, to: split([6, 4], block(1), *) onto 3 }
    pub struct Lists: [f64; 24] { from: split([6, 4], gen_block([3, 3]), *) onto 2, to: split(24, block) onto 2 }
    pub struct Fewer: [f64; 24] { from: split([6, 4], block) onto 2, to: split([24], *, block) onto 2 }
    pub struct Words: [f64; 24] { from: splt([6, 4], blok, *) onto 2, to: split([6, 4], block balancd, cyclic(0)) onto 2 }
    pub struct Parameter(k: usize): [f64; 24] { from: split([k, 24 / k], block, *) onto 2, to: block onto 3 }
    pub struct Section: [f64; 12] { from: split([6, 4], block, *) onto 3 of [6, 4] at [1, 2], to: block onto 2 }
}

fn main() {}
