use redist::{Layout, Redistribution, threads};

const NB: usize = 4;

redist::redistribute! {
    /// Four parameters, generic, and one mistake.
    #[derive(Debug)]
    pub struct A<T: redist::Element, const B: usize>(m: usize, n: usize, peer: Layout<2>, nb: usize): [T; m, n] {
        from: peer,
        to: (cyclic(B * nb), cyclik(NB)) onto (2, 2),
    }
}

/// Uses of the item add no errors.
fn solve(m: usize, peer: Layout<2>) -> Result<usize, Box<dyn std::error::Error>> {
    let plan = A::<f32, 4>::new(m, 2 * m, peer, NB)?;
    let ranks = plan.plan().ranks();
    println!("{} {:?}", plan.explain(), plan);
    threads::run(ranks, |rank| {
        let mut bound = plan.bind(rank)?;
        bound.run(&[0.0; 4], &mut [0.0; 4])
    })?;
    Ok(ranks)
}

fn main() {
    solve(4, "(block, *) onto 2".parse().unwrap()).unwrap();
}
