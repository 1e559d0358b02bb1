//! Arrays that ranks read while their owner unwinds. Models show what happens in other orders.

use super::{Failure, run};
use crate::transport::tests::lend;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Notes that it was dropped.
struct Tells<'a>(&'a AtomicBool);

impl Drop for Tells<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_panic_while_copying_keeps_the_source_until_no_rank_reads_it() {
    let (gone, read) = (AtomicBool::new(false), AtomicUsize::new(0));
    let result = run(3, |rank| {
        let here = rank.rank();
        let _tells = (here == 1).then(|| Tells(&gone));
        let source = vec![here as u8 + 7; 1000];
        lend(rank, &source, |lent| {
            assert!(here != 1, "rank 1 has had enough");
            thread::sleep(Duration::from_millis(50));
            assert!(!gone.load(Ordering::SeqCst), "the source of rank 1 must still be there");
            assert!(lent.sources[1].iter().all(|&value| value == 8));
            read.fetch_add(1, Ordering::SeqCst);
            lent.end()
        })
    });
    // The failure names this rank, though all other ranks ended before it did.
    assert_eq!(result, Err(Failure::Panic { rank: 1, message: "rank 1 has had enough".into() }));
    assert_eq!(read.into_inner(), 2);
}
