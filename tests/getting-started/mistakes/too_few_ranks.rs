use redist::{Error, Redistribution, redistribute, threads};

redistribute! { struct Deal: [f64; 100] { from: block onto 4, to: cyclic onto 4 } }

fn main() -> Result<(), threads::Failure<Error>> {
    threads::run(3, |rank| Deal::new().bind(rank).map(drop)).map(drop)
}
