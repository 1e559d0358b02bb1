redist::redistribute! { struct Deal: [f64; 100] { from: block onto 4, to: cyclic onto 4 } }

fn main() {
    let _ = redist::threads::run(4, |rank| Deal::new().bind(rank).map(drop));
}
