//! The macro's plans against run-time plans of the same layouts.

use redist::exec::{Kernel, Tier, Vectors};
use redist::threads::{self, Rank};
use redist::{Element, Error, Redistribution, redistribute};
use redist_testing::tiers::{Counted, same_at_run_time};

redistribute! {
    struct Kr: [f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
    struct KrFew: [u8; 999] { from: cyclic(12) onto 2 first 1, to: cyclic(3) onto 5 first 4 }
    struct KrWide: [u16; 5000] { from: cyclic(10) onto 4, to: cyclic(2) onto 64 }
    struct Rk: [f32; 1001] { from: cyclic(2) onto 3, to: cyclic(10) onto 2 ranks 1.. }
    struct RkNarrow: [f32; 1001] { from: cyclic(2) onto 7, to: cyclic(6) onto 3 }
    struct Cyclic: [u64; 777] { from: cyclic onto 3, to: cyclic onto 5 }
    struct Deal: [u64; 777] { from: block onto 3, to: cyclic onto 5 }
    struct Gather: [u64; 777] { from: cyclic onto 5, to: block onto 3 }
    struct General: [i32; 1000] { from: cyclic(4) onto 3, to: cyclic(6) onto 5 }
    struct Coprime: [i32; 20_000] { from: cyclic(6) onto 3, to: cyclic(7) onto 4, unroll: 12 }
    struct Long: [i32; 20_000] { from: cyclic(63) onto 3, to: cyclic(64) onto 4 }
    struct Tables: [i32; 300_000] { from: cyclic(301) onto 2, to: cyclic(300) onto 3 }
    struct Streamed: [i32; 3000] { from: cyclic(301) onto 2, to: cyclic(30) onto 3, unroll: 0 }
    struct Clipped: [i16; 50] { from: cyclic(30) onto 3, to: cyclic(21) onto 2 }
    struct Empty: [i16; 0] { from: cyclic(30) onto 3, to: cyclic(21) onto 2 }
    struct Stay: [i64; 100] { from: cyclic(7) onto 4, to: cyclic(7) onto 4 }
    struct Section: [i64; 100] { from: cyclic(7) onto 4 of [140] at [33], to: cyclic(5) onto 3 of 101 at 1 }
    struct Panels: [f64; 100, 90] {
        from: (cyclic(16), cyclic(16)) onto (2, 3) first (1, 2),
        to:   (cyclic(8), cyclic(12)) onto (3, 2),
    }
    struct Scalapack: [f64; 100, 90] {
        from: scalapack(16, 8, 2, 3, 1, 2),
        to:   scalapack(4, 5, 3, 2) order col,
    }
    struct SimToViz: [f32; 20, 30, 7] {
        from: (block, cyclic(2), *) onto (3, 2) ranks 0..6,
        to:   (*, block, *) onto (4) ranks 6..10,
    }
    struct Transposed: [f64; 40, 25] {
        from: (cyclic(4), cyclic(3)) onto (2, 3),
        to:   (cyclic(5), cyclic(2)) onto (3, 2) transposed,
    }
    struct Axes: [u8; 6, 9, 14] {
        from: (cyclic(2), *, block) onto (2, 2) storage fortran order col,
        to:   (*, cyclic(5), cyclic(2)) onto (2, 2) first (1, 0) axes (2, 0, 1),
    }
    struct Sections<T: Element>: [T; 50, 20] {
        from: (cyclic(16), cyclic(16)) onto (2, 2) of [128, 64] at [37, 5],
        to:   (cyclic(7), cyclic(4)) onto (2, 3) first (1, 2) of [60, 20] at [3, 0] storage fortran,
    }
    struct Pairs: [[f32; 2]; 64] { from: cyclic(8) onto 2, to: cyclic(2) onto 4 }
}

#[track_caller]
fn check<const D: usize, R>(plan: &R, from: &str, to: &str)
where
    R: Redistribution<D, Element: Counted> + Sync,
{
    same_at_run_time(plan, Tier::Literal, from, to);
}

// feature: planned while the program is compiled = `redistribute!`
#[test]
fn one_dimension() {
    check(&Kr::new(), "cyclic(10) onto 3", "cyclic(2) onto 3");
    check(&KrFew::new(), "cyclic(12) onto 2 first 1", "cyclic(3) onto 5 first 4");
    check(&KrWide::new(), "cyclic(10) onto 4", "cyclic(2) onto 64");
    check(&Rk::new(), "cyclic(2) onto 3", "cyclic(10) onto 2 ranks 1..3");
    check(&RkNarrow::new(), "cyclic(2) onto 7", "cyclic(6) onto 3");
    check(&Cyclic::new(), "cyclic onto 3", "cyclic onto 5");
    check(&Deal::new(), "block onto 3", "cyclic onto 5");
    check(&Gather::new(), "cyclic onto 5", "block onto 3");
    check(&General::new(), "cyclic(4) onto 3", "cyclic(6) onto 5");
    check(&Coprime::new(), "cyclic(6) onto 3", "cyclic(7) onto 4");
    check(&Long::new(), "cyclic(63) onto 3", "cyclic(64) onto 4");
    check(&Tables::new(), "cyclic(301) onto 2", "cyclic(300) onto 3");
    check(&Streamed::new(), "cyclic(301) onto 2", "cyclic(30) onto 3");
    check(&Clipped::new(), "cyclic(30) onto 3", "cyclic(21) onto 2");
    check(&Empty::new(), "cyclic(30) onto 3", "cyclic(21) onto 2");
    check(&Stay::new(), "cyclic(7) onto 4", "cyclic(7) onto 4");
    check(&Section::new(), "cyclic(7) onto 4 of 140 at 33", "cyclic(5) onto 3 of 101 at 1");
    check(&Pairs::new(), "cyclic(8) onto 2", "cyclic(2) onto 4");
}

// feature: layouts = texts; `Layout`; clauses of `redistribute!`
#[test]
fn several_dimensions() {
    check(
        &Panels::new(),
        "(cyclic(16), cyclic(16)) onto (2, 3) first (1, 2)",
        "(cyclic(8), cyclic(12)) onto (3, 2)",
    );
    check(&Scalapack::new(), "scalapack(16, 8, 2, 3, 1, 2)", "scalapack(4, 5, 3, 2) order col");
    check(
        &SimToViz::new(),
        "(block, cyclic(2), *) onto (3, 2)",
        "(*, block, *) onto 4 ranks 6..10",
    );
    check(
        &Transposed::new(),
        "(cyclic(4), cyclic(3)) onto (2, 3)",
        "(cyclic(5), cyclic(2)) onto (3, 2) transposed",
    );
    check(
        &Axes::new(),
        "(cyclic(2), *, block) onto (2, 2) storage fortran order col",
        "(*, cyclic(5), cyclic(2)) onto (2, 2) first (1, 0) axes (2, 0, 1)",
    );
    check(
        &Sections::<u8>::new(),
        "(cyclic(16), cyclic(16)) onto (2, 2) of [128, 64] at [37, 5]",
        "(cyclic(7), cyclic(4)) onto (2, 3) first (1, 2) of [60, 20] at [3, 0] storage fortran",
    );
}

const NB: usize = 5;
const P: usize = 3;

redistribute! {
    struct OfLiterals: [f32; 30_000] { from: cyclic(5) onto 3, to: cyclic(1) onto 3 }
    struct OfConstants: [f32; 30_000] { from: cyclic(NB) onto P, to: cyclic(NB / 5) onto P }
    struct OfGenerics<const B: usize, const R: usize>: [f32; 30_000] {
        from: cyclic(B) onto R,
        to: cyclic(1) onto R,
    }
    struct OfParameters(n: usize): [f32; n] { from: cyclic(NB) onto P, to: cyclic(1) onto P }
}

fn chosen<const D: usize>(plan: &impl Redistribution<D>, most: Vectors) -> [Kernel; 4] {
    let back = plan.inverse();
    let choices = [
        plan.binder().max_vectors(most).packing(1).kernel(),
        plan.binder().max_vectors(most).unpacking(1).kernel(),
        back.binder().max_vectors(most).packing(1).kernel(),
        back.binder().max_vectors(most).unpacking(1).kernel(),
    ];
    choices.map(|choice| choice.kernel)
}

/// Returns the code's instructions for these blocks; SSE2 has no vectors of its own there.
fn by(vectors: Vectors) -> Vectors {
    if vectors == Vectors::Sse2 { Vectors::Portable } else { vectors }
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn what_is_written_out_is_chosen() {
    for vectors in Vectors::runnable().filter(|level| *level > Vectors::Portable) {
        // Unpacked elements lie in longer runs, from 3 ranks in turn, so moves are as good.
        let expected = chosen(&OfLiterals::new(), vectors);
        assert_eq!(expected[0], Kernel::Compiled { vectors: by(vectors) });
        assert_eq!(expected[3], Kernel::Compiled { vectors: by(vectors) });
        assert_eq!(chosen(&OfConstants::new(), vectors), expected);
        assert_eq!(chosen(&OfGenerics::<5, 3>::new(), vectors), expected);
        assert_eq!(chosen(&OfParameters::new(30_000).unwrap(), vectors), expected);
    }
}

/// Long vectors lose more at the ends of a short array than they gain.
#[test]
#[cfg(target_arch = "x86_64")]
fn short_arrays_are_left_to_shorter_vectors() {
    for vectors in Vectors::runnable().filter(|level| *level > Vectors::Portable) {
        let packing = chosen(&OfParameters::new(3_000).unwrap(), vectors)[0];
        assert_eq!(packing, Kernel::Compiled { vectors: by(vectors).min(Vectors::Avx2) });
    }
}

redistribute! {
    struct Large: [f32; 8_000_003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
}

/// No cache holds the array, so its lines are fetched ahead.
#[test]
fn large_arrays_are_copied_by_statements() {
    check(&Large::new(), "cyclic(10) onto 3", "cyclic(2) onto 3");
    for most in Vectors::runnable() {
        let [packing, .., unpacking] = chosen(&Large::new(), most);
        let written = Kernel::Compiled { vectors: Vectors::Portable };
        assert_eq!((packing, unpacking), (written, written));
    }
}

redistribute! {
    struct Short: [f32; 19] { from: cyclic(10) onto 2, to: cyclic(4) onto 2 }
    struct Enough: [f32; 4000] { from: cyclic(10) onto 2, to: cyclic(4) onto 2 }
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn an_array_without_a_whole_step_is_copied_by_the_library() {
    let by_code = |plan: &(dyn Fn(&Rank) -> Result<String, Error> + Sync)| {
        let words = threads::run(2, |rank| plan(rank)).unwrap();
        words.iter().all(|words| words.contains("code for these blocks"))
    };
    assert!(!by_code(&|rank| Ok(Short::new().bind(rank)?.explain())));
    assert!(by_code(&|rank| Ok(Enough::new().bind(rank)?.explain())));
}

#[test]
fn what_is_written_out_and_tabulated() {
    fn found<const D: usize>(plan: &impl Redistribution<D>) -> ([bool; 2], usize) {
        (plan.kernels().exist(), plan.windows().iter().map(|table| table.pieces().len()).sum())
    }
    assert_eq!(found(&Kr::new()), ([true, true], 0));
    assert_eq!(found(&KrWide::new()), ([false, true], 0), "more peers than there is code for");
    assert_eq!(found(&Rk::new()), ([true, true], 0));
    assert_eq!(found(&General::new()), ([true, true], 4));
    assert_eq!(found(&Coprime::new()), ([true, true], 12));
    assert_eq!(found(&Long::new()), ([false, true], 126), "a long period");
    assert_eq!(found(&Tables::new()), ([true, true], 600));
    assert_eq!(found(&Streamed::new()), ([false, false], 109), "`unroll: 0`");
    assert_eq!(found(&Deal::new()), ([true, true], 0));
    assert_eq!(found(&Transposed::new()), ([true, false], 7));
    assert_eq!(found(&Section::new()), ([false, false], 0), "a section");
}
