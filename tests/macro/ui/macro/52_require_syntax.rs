redist::redistribute! {
    pub struct A: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: messages < 6 }
    pub struct B: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: static, steps }
    pub struct C: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: stays <= 25% }
    pub struct D: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: stays >= 25 }
    pub struct E: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: stays >= 12.5% }
    pub struct F: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: stays >= 101% }
    pub struct G: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: memory <= 64 MB }
    pub struct H: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: memory <= 20_000_000_000GiB }
    pub struct I: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: messages <= N }
    pub struct J: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: mesages <= 2, steps <= 3, steps <= 4 }
    pub struct K: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: messages <= 6usize }
    pub struct L: [f64; 9] { from: cyclic onto 3, require: messages <= 6, to block onto 3 }
    pub struct M: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: tables, require: messages <= 6 }
    pub struct N: [f64; 9] { from: cyclic onto 3, to: block onto 3, require: tables static }
}

fn main() {}
