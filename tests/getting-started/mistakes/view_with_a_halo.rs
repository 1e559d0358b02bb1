use ndarray::{Array2, s};
use redist::{Error, Redistribution, Side, redistribute, threads};

redistribute! { struct Turn: [f64; 6, 4] { from: (block, *) onto 2, to: (*, block) onto 2 } }

fn main() -> Result<(), threads::Failure<Error>> {
    threads::run(2, |rank| {
        let mut bound = Turn::new().bind(rank)?;
        let with_halo = Array2::<f64>::zeros((5, 6));
        let mut columns = bound.array(Side::Destination, 0.0)?;
        bound.run_arrays(&with_halo.slice(s![1..4, 1..5]), &mut columns)
    })
    .map(drop)
}
