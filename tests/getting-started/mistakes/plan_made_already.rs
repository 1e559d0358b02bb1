use redist::{Plan, TypedPlan};

fn main() {
    let plan = Plan::<1>::parse([100], "block onto 4", "cyclic onto 4").expect("both are right");
    let _ = TypedPlan::<f64, 1>::new(plan);
}
