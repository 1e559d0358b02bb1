use redist::{Error, Redistribution, redistribute, threads};

redistribute! { struct Deal: [f64; 100] { from: block onto 4, to: cyclic onto 4 } }

fn main() -> Result<(), threads::Failure<Error>> {
    threads::run(4, |rank| Deal::new().bind(rank)?.run(&[0.0; 25], &mut [0.0; 24])).map(drop)
}
