//! What stays in place when destination rank q is source rank q. Better names for the ranks are not
//! planned yet.

use redist_testing::vectors::VECTORS;

#[test]
fn elements_that_keep_their_rank() {
    for vector in &VECTORS.relabellings {
        let axis = vector.parameters.axis();
        let kept: usize = (0..vector.parameters.source_ranks()).map(|p| axis.count(p, p)).sum();
        assert_eq!(kept, vector.keep, "{:?}", vector.parameters);
    }
}
