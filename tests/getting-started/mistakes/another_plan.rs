use redist::{Error, Redistribution, TypedPlan, threads};

fn main() -> Result<(), threads::Failure<Error>> {
    threads::run(4, |rank| {
        let to = if rank.rank() == 2 { "cyclic onto 4" } else { "cyclic(2) onto 4" };
        let plan = TypedPlan::<f64, 1>::parse([100], "block onto 4", to).expect("both are right");
        plan.bind(rank).map(drop)
    })
    .map(drop)
}
