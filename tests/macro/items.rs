//! Sixty items: `explain()` of the plan and of each rank and the bytes that are copied tell the same
//! of their code.

use redist::exec::CopiedBytes;
use redist::transport::Route;
use redist::{Bound, Element, Error, Redistribution, Side, redistribute, threads};

/// Most ranks that are threads here; with more ranks, only packing and unpacking are compared.
const MOST_THREADS: usize = 16;

type Pair = [f64; 2];

/// Code for the blocks: of copies between arrays, of packing, and of unpacking.
type Works<T> = [T; 3];

const IN_BINARY: Works<&str> = ["copies between ranks' arrays", "packing", "unpacking"];

/// Facts of a rank: whether `explain` tells of code, by work, and the bytes copied.
struct Rank {
    tells: Works<bool>,
    copied: Works<CopiedBytes>,
}

fn tells<T: Element>(bound: &Bound<T, 1>, side: &str) -> bool {
    let text = bound.explain();
    let line = text.lines().find(|line| line.trim_start().starts_with(side));
    line.expect("a line of each side").contains("code for these blocks")
}

fn between(before: CopiedBytes, after: CopiedBytes) -> CopiedBytes {
    CopiedBytes { written: after.written - before.written, own: after.own - before.own }
}

fn moved<T: Element + PartialEq>(item: &(impl Redistribution<1, Element = T> + Sync)) -> Vec<Rank> {
    let moved = threads::run(item.plan().ranks(), |rank| {
        let mut lent = item.bind(rank)?;
        let mut packed = item.binder().route(Route::Messages).bind(rank)?;
        let source = vec![T::ZERO; lent.local_len(Side::Source)];
        let mut destination = vec![T::ZERO; lent.local_len(Side::Destination)];
        lent.run(&source, &mut destination)?;
        let ran = lent.copied_bytes();
        let started = packed.start(&source, &mut destination)?;
        let sent = started.copied_bytes();
        started.finish()?;
        let tells =
            [tells(&lent, "destination"), tells(&packed, "source"), tells(&packed, "destination")];
        Ok::<_, Error>(Rank { tells, copied: [ran, sent, between(sent, packed.copied_bytes())] })
    });
    moved.expect("no rank fails")
}

fn check<T: Element + PartialEq>(name: &str, item: &(impl Redistribution<1, Element = T> + Sync)) {
    let explained = item.explain();
    let in_binary = IN_BINARY.map(|work| {
        explained.contains(&format!("in the binary: code for these blocks, for {work}"))
    });
    let ranks = item.plan().ranks();
    if ranks > MOST_THREADS {
        for rank in 0..ranks {
            let kernels =
                [item.binder().packing(rank).kernel(), item.binder().unpacking(rank).kernel()];
            for (kernel, is_there) in kernels.iter().zip(&in_binary[1..]) {
                let runs = kernel.to_string().contains("code for these blocks");
                assert!(*is_there || !runs, "{name}, rank {rank}: {kernel}");
            }
        }
        return;
    }
    let all = moved(item);
    let bytes = item.plan().extents()[0] * size_of::<T>();
    for (work, is_there) in in_binary.into_iter().enumerate() {
        let what = format!("{name}, {}", IN_BINARY[work]);
        for (number, Rank { tells, copied }) in all.iter().enumerate() {
            assert_eq!(
                tells[work],
                copied[work].written > 0,
                "{what}, rank {number}: {:?}",
                copied[work]
            );
            assert!(is_there || !tells[work], "{what}, rank {number} runs code that is not there");
        }
        let copied: usize = all.iter().map(|rank| rank.copied[work].all()).sum();
        assert_eq!(copied, bytes, "{what}: each byte is copied once");
        if all.iter().all(|rank| rank.tells[work]) {
            // The library copies what is before the first and behind the last whole step.
            let own: usize = all.iter().map(|rank| rank.copied[work].own).sum();
            assert!(own <= bytes / LEAST_OWN, "{what}: {own} of {bytes} bytes by the library");
        }
    }
}

/// Periods of an array, and the part of it that heads and tails may be.
const PERIODS: usize = 200;
const LEAST_OWN: usize = 10;

macro_rules! items {
    ($($element:ident { $($from:literal to $to:literal on $ranks:literal of $kib:literal;)* })*) => {
        #[test]
        fn sixty_items_do_what_they_tell() {
            $($({
                redistribute! {
                    struct Item(n: usize): [$element; n] {
                        from: cyclic($from) onto $ranks,
                        to: cyclic($to) onto $ranks,
                    }
                }
                let name =
                    concat!(stringify!($element), " cyclic(", $from, ") → (", $to, ") on ", $ranks);
                let period = Item::new(1 << 24).expect("an extent").plan().axis(0).period();
                let extent = (PERIODS * period).min((2 << 20) / size_of::<$element>()) + $from + 1;
                check(name, &Item::new(extent).expect("an extent"));
            })*)*
        }
    };
}

redist_moves::each_item!(items);
