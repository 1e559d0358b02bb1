use ndarray::{Array2, s};
use redist::{Error, Redistribution, Side, redistribute, threads};

redistribute! { struct Turn: [f64; 6, 4] { from: (block, *) onto 2, to: (*, block) onto 2 } }

fn main() -> Result<(), threads::Failure<Error>> {
    threads::run(2, |rank| {
        let mut bound = Turn::new().bind(rank)?;
        let rows = bound.array(Side::Source, 0.0)?;
        let mut with_halo = Array2::<f64>::zeros((8, 4));
        bound.run_arrays(&rows, &mut with_halo.slice_mut(s![1..7, 1..3]))
    })
    .map(drop)
}
