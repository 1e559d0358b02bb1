//! Layouts of literals, an item of each class on four ranks: its class, its window, what the binary has for it, and what runs.
//! Each moves the elements of a plan that is made at run time, bit by bit.

use redist::threads::{self, Failure, Rank};
use redist::{Element, Error, Redistribution, Side, TypedPlan, redistribute};

redistribute! {
    /// Long blocks to short ones.
    struct KrToR: [f64; 4000] { from: cyclic(10) onto 4, to: cyclic(2) onto 4 }
    /// And back.
    struct RToKr: [f64; 4000] { from: cyclic(2) onto 4, to: cyclic(10) onto 4 }
    /// Blocks of 10 and of 4, where neither divides the other size: their window is a table in the
    /// binary.
    struct General: [f32; 4000] { from: cyclic(10) onto 4, to: cyclic(4) onto 4 }
    /// A block for each rank, whose 2000 runs are too many to write out: a rolled loop packs them.
    struct Rolled: [f64; 64000] { from: block onto 4, to: cyclic(8) onto 4 }
    /// Nothing leaves its rank.
    struct Identity: [f64; 4000] { from: block onto 4, to: block onto 4 }
    /// A solver's tiles to the columns of a transform.
    struct Tiles: [f64; 120, 80] { from: (cyclic(8), cyclic(8)) onto (2, 2), to: (*, cyclic(5)) onto 4 }
}

fn main() -> Result<(), Failure<Error>> {
    let (double, single) =
        (|number: usize| number as f64 / 3.0, |number: usize| number as f32 / 3.0);
    show(&KrToR::new(), double, f64::to_bits)?;
    show(&RToKr::new(), double, f64::to_bits)?;
    show(&General::new(), single, f32::to_bits)?;
    show(&Rolled::new(), double, f64::to_bits)?;
    show(&Identity::new(), double, f64::to_bits)?;
    show(&Tiles::new(), double, f64::to_bits)
}

/// Prints an item's plan, and moves an array by it and by a plan that is made at run time.
fn show<T: Element, B: PartialEq + Sync, const D: usize>(
    item: &(impl Redistribution<D, Element = T> + Sync),
    number: impl Fn(usize) -> T + Sync,
    bits: impl Fn(T) -> B + Sync,
) -> Result<(), Failure<Error>> {
    println!("{}", item.explain());
    for (dimension, table) in item.windows().into_iter().enumerate() {
        for piece in table.pieces() {
            println!("  dimension {dimension}: {piece:?}");
        }
    }
    let at_run_time = TypedPlan::<T, D>::from(item.plan());
    let ways = threads::run(4, |rank| {
        let (fixed, way) = moved(item, rank, &number)?;
        let (other, _) = moved(&at_run_time, rank, &number)?;
        let is_same = fixed.len() == other.len()
            && fixed.iter().zip(&other).all(|(one, two)| bits(*one) == bits(*two));
        assert!(is_same, "rank {}: the plans move other elements", rank.rank());
        Ok::<_, Error>(way)
    })?;
    println!("{}\n", ways[0]);
    Ok(())
}

/// Moves an array whose elements tell their places. Returns this rank's part, and how it went.
fn moved<T: Element, const D: usize>(
    plan: &impl Redistribution<D, Element = T>,
    rank: &Rank,
    number: &impl Fn(usize) -> T,
) -> Result<(Vec<T>, String), Error> {
    let extents = plan.plan().extents();
    let place = |index: [usize; D]| {
        index.iter().zip(extents).fold(0, |place, (along, extent)| place * extent + along)
    };
    let mut bound = plan.bind(rank)?;
    let source: Vec<T> =
        bound.global_indices(Side::Source).map(|index| number(place(index))).collect();
    let mut destination = vec![T::ZERO; bound.local_len(Side::Destination)];
    bound.run(&source, &mut destination)?;
    Ok((destination, bound.explain()))
}
