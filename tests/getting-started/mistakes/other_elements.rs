use redist::{Redistribution, ok, redistribute, threads};

redistribute! {
    struct Deal: [f64; 100] { from: block onto 4, to: cyclic onto 4 }
}

fn main() {
    let moved = threads::run(4, |rank| {
        let (from, mut to) = (vec![0_f32; 25], vec![0_f64; 25]);
        Deal::new().bind(rank)?.run(&from, &mut to)?;
        ok(())
    });
    moved.unwrap();
}
