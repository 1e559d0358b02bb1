//! Relabelled ranks beside the reference.

use redist_testing::vectors::VECTORS;

#[test]
fn elements_that_keep_their_rank() {
    for vector in &VECTORS.relabellings {
        let axis = vector.parameters.axis();
        let kept: usize = (0..vector.parameters.source_ranks()).map(|p| axis.count(p, p)).sum();
        assert_eq!(kept, vector.keep, "{:?}", vector.parameters);
    }
}

// feature: ranks in other cells, with their table = `relabel`, `Plan::relabelling`
#[test]
fn elements_that_keep_their_rank_in_the_best_order() {
    for vector in &VECTORS.relabellings {
        let best = vector.parameters.plan().relabelling().unwrap();
        assert_eq!(
            (best.stayed, best.stays),
            (vector.keep, vector.best),
            "{:?}",
            vector.parameters
        );
        assert_eq!(best.plan.stays().value, vector.best, "{:?}", vector.parameters);
    }
}
