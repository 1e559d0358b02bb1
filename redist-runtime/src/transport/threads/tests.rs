//! Arrays that ranks read while their owner unwinds. Models show what happens in other orders.

use super::{Failure, Rank, run};
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::transport::{
    Arrays, Joining, Lent, Options, Partners, Proposal, RankGroup, Shape, Source, Target,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Shares this rank's arrays in a move, and lets `copy` read those of all.
fn lend(rank: &Rank, source: &[u8], copy: impl FnOnce(&Lent<'_>)) -> Result<(), Error> {
    let (element, options) = (ElementType::of::<u8>(), &Options::default());
    let mut channel = rank.open(Ok(Proposal {
        element,
        numbers: &[],
        description: format_args!(""),
        method: Method::AllAtOnce,
        arrays: &Default::default(),
        partners: &|| Partners::each_other(rank.rank(), rank.size()),
        options,
        joining: Joining::NEVER,
    }))?;
    let mut arrays = Arrays { source: Source::Own(source), target: Target::Own(&mut []) };
    // SAFETY: the shape is dropped before this returns or unwinds.
    let Shape::Lent(lent) = unsafe { channel.meet(Ok(()), &mut arrays) }? else {
        panic!("all ranks share")
    };
    copy(&lent);
    lent.end()
}

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
        })
    });
    // The failure names this rank, though the others ended before it did.
    assert_eq!(result, Err(Failure::Panic { rank: 1, message: "rank 1 has had enough".into() }));
    assert_eq!(read.into_inner(), 2);
}
