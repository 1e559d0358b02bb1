//! Moves by lists of indices: what a permutation costs.

use redist::exec::{IndexList, IndexMove};
use redist::{Error, threads};
use std::time::{Duration, Instant};

const EXTENT: usize = 1 << 20;

/// Most times as long as a loop; code that is not optimised has calls where the loop has none.
const MOST: u32 = if cfg!(debug_assertions) { 12 } else { 3 };

/// Returns the numbers below [`EXTENT`] in an order without runs.
fn pivots() -> Vec<usize> {
    let mut drawn = 1_u64;
    let mut all: Vec<usize> = (0..EXTENT).collect();
    for place in (1..EXTENT).rev() {
        drawn = drawn.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        all.swap(place, (drawn >> 33) as usize % (place + 1));
    }
    all
}

fn seconds(least: &mut Duration, work: impl FnOnce()) {
    let began = Instant::now();
    work();
    *least = began.elapsed().min(*least);
}

/// Both take turns, and the least times count, so that other programs change little.
// feature: moves by lists of indices = `IndexMove`
#[test]
fn a_permutation_costs_what_a_gather_costs() {
    let pivots = pivots();
    threads::run(1, |rank| {
        let lists = [IndexList::from_fn(EXTENT, |place| place), IndexList::new(&pivots)];
        let mut bound = IndexMove::<f64>::new(EXTENT, lists).bind(rank)?;
        let source: Vec<f64> = (0..EXTENT).map(|index| index as f64).collect();
        let (mut gathered, mut moved) = (vec![0.0; EXTENT], vec![0.0; EXTENT]);
        let [mut gather, mut move_] = [Duration::MAX; 2];
        for _ in 0..9 {
            seconds(&mut gather, || {
                for (place, index) in gathered.iter_mut().zip(&pivots) {
                    *place = source[*index];
                }
            });
            seconds(&mut move_, || bound.run(&source, &mut moved).expect("lists without mistakes"));
        }
        assert!(moved == gathered);
        assert!(move_ < MOST * gather, "{move_:?}, and a loop takes {gather:?}");
        Ok::<_, Error>(())
    })
    .unwrap();
}
