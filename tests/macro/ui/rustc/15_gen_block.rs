const ROWS: usize = 5;
const RANKS: usize = 3;
const HUGE: usize = 1 << 63;

redist::redistribute! {
    pub struct Sum: [f64; 12] { from: gen_block([ROWS, ROWS + 1]) onto 2, to: cyclic(2) onto 3 }
    pub struct Count: [f64; 10, 12] { from: (*, block) onto 3, to: (gen_block([ROWS, ROWS]), *) onto RANKS }
    pub struct Large: [f64; 12] { from: gen_block([HUGE, 3]) onto 2, to: cyclic(2) onto 3 }
    pub struct Below: [f64; 12] { from: gen_block([ROWS - 6, 3]) onto 2, to: cyclic(2) onto 3 }
    pub struct Type(m: usize): [f64; m] { from: gen_block([3, RANKS as u8]) onto 2, to: cyclic(2) onto 3 }
}

fn main() {}
