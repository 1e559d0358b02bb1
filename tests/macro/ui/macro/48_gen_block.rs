redist::redistribute! {
    pub struct Count: [f64; 12] { from: gen_block([3, 4, 5]) onto 4, to: gen_block([12]) onto 3 }
    pub struct Sum: [f64; 12, 9] {
        from: (gen_block([3, 4, 4]), *) onto 3,
        to: (*, gen_block([3, 0, 7])) onto 3,
    }
    pub struct Stored: [f64; 12] { from: gen_block([6, 6]) onto 2 of 20, to: gen_block([0, 20]) onto 2 of 20 at 9 }
    pub struct Parameter(k: usize): [f64; 12] { from: gen_block([k, 12 - k]) onto 2, to: block onto 3 }
    pub struct Sizes: [f64; 12] { from: gen_block([]) onto 2, to: gen_block([-1, 12.5, 1 << 63]) onto 3 }
    pub struct Whole: [f64; 12] { from: gen_block(12) onto 1, to: gen_block onto 2 }
    pub struct Listed: [f64; 12] { from: block([6, 6]) onto 2, to: block onto 3 }
}

fn main() {}
