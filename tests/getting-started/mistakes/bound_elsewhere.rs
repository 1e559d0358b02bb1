use redist::{Redistribution, ok, redistribute, threads};

redistribute! {
    struct Deal: [f64; 100] { from: block onto 4, to: cyclic onto 4 }
}

fn main() {
    let moved = threads::run(4, |rank| {
        let mut bound = Deal::new().bind(rank)?;
        std::thread::scope(|scope| scope.spawn(|| bound.run(&[0.0; 25], &mut [0.0; 25])).join());
        ok(())
    });
    moved.unwrap();
}
