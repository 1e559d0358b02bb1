//! Messages beside the reference.

use redist::Plan;
use redist_testing::message::Message;
use redist_testing::movement::{ByPair, Stretch};
use redist_testing::vectors::VECTORS;
use redist_testing::vectors::hash_of_pairs;

#[test]
fn a_message_is_the_runs_of_its_pair() {
    for line in &VECTORS.lines {
        let runs = runs(&line.parameters.plan(), line.parameters.pairs());
        let expected = (line.n_runs, line.h_runs.clone());
        assert_eq!(hash_of_pairs(&line.parameters, &runs), expected, "vector {}", line.id);
    }
}

fn runs(plan: &Plan<1>, pairs: impl Iterator<Item = (usize, usize)>) -> ByPair {
    let mut runs = ByPair::new();
    for (p, q) in pairs {
        for run in Message::new(plan, p, q).runs() {
            assert_eq!(
                (run.source_stride, run.destination_stride),
                (1, 1),
                "one dimension is contiguous"
            );
            let stretch = Stretch {
                source: run.source_offset,
                destination: run.destination_offset,
                len: run.len,
            };
            runs.entry((p, q)).or_default().push(stretch);
        }
    }
    runs
}
