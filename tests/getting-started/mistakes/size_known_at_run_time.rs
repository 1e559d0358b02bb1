fn main() {
    let n = 100;
    redist::redistribute! { struct Deal: [f64; n] { from: block onto 4, to: cyclic onto 4 } }
}
