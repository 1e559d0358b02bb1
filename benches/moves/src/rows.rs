//! The table's cases: items of the macro's, with layouts for the run-time plan and the peers.

use redist::{Redistribution, redistribute};

/// Work on a case of any type.
pub trait Visitor {
    fn visit<R: Redistribution<D>, const D: usize>(&mut self, name: &str, planned: R)
    where
        R::Element: crate::arrays::Scalar;
}

macro_rules! rows {
    ($($ranks:literal $name:ident $label:literal [$element:ident; $($extent:tt),*] ($($from:tt)*) ($($to:tt)*);)*) => {
        $(redistribute! {
            struct $name: [$element; $($extent),*] { from: $($from)*, to: $($to)* }
        })*

        pub fn visit(ranks: usize, name: &str, visitor: &mut impl Visitor) -> usize {
            let mut found = 0;
            $(if ranks == $ranks && $label == name {
                visitor.visit($label, $name::new());
                found += 1;
            })*
            found
        }

        pub fn names(ranks: usize) -> Vec<&'static str> {
            let rows = [$(($ranks, $label)),*];
            rows.into_iter().filter(|(on, _)| *on == ranks).map(|(_, name)| name).collect()
        }
    };
}

rows! {
    4 Halve4 "64² → 32²" [f64; 4096, 4096] (scalapack(64, 64, 2, 2)) (scalapack(32, 32, 2, 2));
    4 Double4 "32² → 64²" [f64; 4096, 4096] (scalapack(32, 32, 2, 2)) (scalapack(64, 64, 2, 2));
    4 Odd4 "64² → 30×50" [f64; 4096, 4096] (scalapack(64, 64, 2, 2)) (scalapack(30, 50, 2, 2));
    4 Even4 "30×50 → 64²" [f64; 4096, 4096] (scalapack(30, 50, 2, 2)) (scalapack(64, 64, 2, 2));
    4 Column4 "2×2 → 4×1, 64²" [f64; 4096, 4096] (scalapack(64, 64, 2, 2)) (scalapack(64, 64, 4, 1));
    4 Square4 "4×1 → 2×2, 64²" [f64; 4096, 4096] (scalapack(64, 64, 4, 1)) (scalapack(64, 64, 2, 2));
    4 Rows4 "1×4 → 4×1, 256²" [f64; 4096, 4096] (scalapack(256, 256, 1, 4)) (scalapack(256, 256, 4, 1));
    4 Columns4 "4×1 → 1×4, 256²" [f64; 4096, 4096] (scalapack(256, 256, 4, 1)) (scalapack(256, 256, 1, 4));
    4 Tiles4 "BLOCK → 8²" [f64; 4096, 4096]
        ((block, block) onto (2, 2) storage fortran) (scalapack(8, 8, 2, 2));
    4 Whole4 "8² → BLOCK" [f64; 4096, 4096]
        (scalapack(8, 8, 2, 2)) ((block, block) onto (2, 2) storage fortran);
    4 Ten4 "1-D cyclic(10) → (2)" [f32; 5120000] (cyclic(10) onto 4) (cyclic(2) onto 4);
    4 Two4 "1-D cyclic(2) → (10)" [f32; 5120000] (cyclic(2) onto 4) (cyclic(10) onto 4);
    4 Hundreds4 "1-D cyclic(200) → (2)" [f32; 5120000] (cyclic(200) onto 4) (cyclic(2) onto 4);
    4 Pairs4 "1-D cyclic(2) → (200)" [f32; 5120000] (cyclic(2) onto 4) (cyclic(200) onto 4);
    4 Deal4 "1-D BLOCK → CYCLIC" [f32; 5120000] (block onto 4) (cyclic onto 4);
    4 Gather4 "1-D CYCLIC → BLOCK" [f32; 5120000] (cyclic onto 4) (block onto 4);
    4 Ten2Kib4 "2 KiB, 1-D cyclic(10) → (2)" [f32; 512] (cyclic(10) onto 4) (cyclic(2) onto 4);
    4 Ten8Kib4 "8 KiB, 1-D cyclic(10) → (2)" [f32; 2048] (cyclic(10) onto 4) (cyclic(2) onto 4);
    4 Ten32Kib4 "32 KiB, 1-D cyclic(10) → (2)" [f32; 8192] (cyclic(10) onto 4) (cyclic(2) onto 4);
    4 Ten128Kib4 "128 KiB, 1-D cyclic(10) → (2)" [f32; 32768] (cyclic(10) onto 4) (cyclic(2) onto 4);
    4 Ten512Kib4 "512 KiB, 1-D cyclic(10) → (2)" [f32; 131072] (cyclic(10) onto 4) (cyclic(2) onto 4);
    4 Tiles2Kib4 "2 KiB, 8² → 4²" [f64; 16, 16] (scalapack(8, 8, 2, 2)) (scalapack(4, 4, 2, 2));
    4 Tiles32Kib4 "32 KiB, 8² → 4²" [f64; 64, 64] (scalapack(8, 8, 2, 2)) (scalapack(4, 4, 2, 2));
    4 Tiles512Kib4 "512 KiB, 8² → 4²" [f64; 256, 256] (scalapack(8, 8, 2, 2)) (scalapack(4, 4, 2, 2));

    8 Halve8 "64² → 32²" [f64; 4096, 4096] (scalapack(64, 64, 4, 2)) (scalapack(32, 32, 4, 2));
    8 Odd8 "64² → 30×50" [f64; 4096, 4096] (scalapack(64, 64, 4, 2)) (scalapack(30, 50, 4, 2));
    8 Column8 "2×4 → 8×1, 64²" [f64; 4096, 4096] (scalapack(64, 64, 2, 4)) (scalapack(64, 64, 8, 1));
    8 Whole8 "8² → BLOCK" [f64; 4096, 4096]
        (scalapack(8, 8, 4, 2)) ((block, block) onto (4, 2) storage fortran);
    8 Ten8 "1-D cyclic(10) → (2)" [f32; 5120000] (cyclic(10) onto 8) (cyclic(2) onto 8);
    8 Gather8 "1-D CYCLIC → BLOCK" [f32; 5120000] (cyclic onto 8) (block onto 8);
    8 Tiles32Kib8 "32 KiB, 8² → 4²" [f64; 64, 64] (scalapack(8, 8, 4, 2)) (scalapack(4, 4, 4, 2));
    8 Tiles512Kib8 "512 KiB, 8² → 4²" [f64; 256, 256] (scalapack(8, 8, 4, 2)) (scalapack(4, 4, 4, 2));

    2 Halve2 "64² → 32²" [f64; 4096, 4096] (scalapack(64, 64, 2, 1)) (scalapack(32, 32, 2, 1));
    2 Double2 "32² → 64²" [f64; 4096, 4096] (scalapack(32, 32, 2, 1)) (scalapack(64, 64, 2, 1));
    2 Odd2 "64² → 30×50" [f64; 4096, 4096] (scalapack(64, 64, 2, 1)) (scalapack(30, 50, 2, 1));
    2 Even2 "30×50 → 64²" [f64; 4096, 4096] (scalapack(30, 50, 2, 1)) (scalapack(64, 64, 2, 1));
    2 Column2 "1×2 → 2×1, 64²" [f64; 4096, 4096] (scalapack(64, 64, 1, 2)) (scalapack(64, 64, 2, 1));
    2 Square2 "2×1 → 1×2, 64²" [f64; 4096, 4096] (scalapack(64, 64, 2, 1)) (scalapack(64, 64, 1, 2));
    2 Rows2 "1×2 → 2×1, 256²" [f64; 4096, 4096] (scalapack(256, 256, 1, 2)) (scalapack(256, 256, 2, 1));
    2 Columns2 "2×1 → 1×2, 256²" [f64; 4096, 4096] (scalapack(256, 256, 2, 1)) (scalapack(256, 256, 1, 2));
    2 Tiles2 "BLOCK → 8²" [f64; 4096, 4096]
        ((block, block) onto (2, 1) storage fortran) (scalapack(8, 8, 2, 1));
    2 Whole2 "8² → BLOCK" [f64; 4096, 4096]
        (scalapack(8, 8, 2, 1)) ((block, block) onto (2, 1) storage fortran);
    2 Ten2 "1-D cyclic(10) → (2)" [f32; 5120000] (cyclic(10) onto 2) (cyclic(2) onto 2);
    2 Two2 "1-D cyclic(2) → (10)" [f32; 5120000] (cyclic(2) onto 2) (cyclic(10) onto 2);
    2 Hundreds2 "1-D cyclic(200) → (2)" [f32; 5120000] (cyclic(200) onto 2) (cyclic(2) onto 2);
    2 Pairs2 "1-D cyclic(2) → (200)" [f32; 5120000] (cyclic(2) onto 2) (cyclic(200) onto 2);
    2 Deal2 "1-D BLOCK → CYCLIC" [f32; 5120000] (block onto 2) (cyclic onto 2);
    2 Gather2 "1-D CYCLIC → BLOCK" [f32; 5120000] (cyclic onto 2) (block onto 2);
    2 Ten2Kib2 "2 KiB, 1-D cyclic(10) → (2)" [f32; 512] (cyclic(10) onto 2) (cyclic(2) onto 2);
    2 Ten8Kib2 "8 KiB, 1-D cyclic(10) → (2)" [f32; 2048] (cyclic(10) onto 2) (cyclic(2) onto 2);
    2 Ten32Kib2 "32 KiB, 1-D cyclic(10) → (2)" [f32; 8192] (cyclic(10) onto 2) (cyclic(2) onto 2);
    2 Ten128Kib2 "128 KiB, 1-D cyclic(10) → (2)" [f32; 32768] (cyclic(10) onto 2) (cyclic(2) onto 2);
    2 Ten512Kib2 "512 KiB, 1-D cyclic(10) → (2)" [f32; 131072] (cyclic(10) onto 2) (cyclic(2) onto 2);
    2 Tiles2Kib2 "2 KiB, 8² → 4²" [f64; 16, 16] (scalapack(8, 8, 2, 1)) (scalapack(4, 4, 2, 1));
    2 Tiles32Kib2 "32 KiB, 8² → 4²" [f64; 64, 64] (scalapack(8, 8, 2, 1)) (scalapack(4, 4, 2, 1));
    2 Tiles512Kib2 "512 KiB, 8² → 4²" [f64; 256, 256] (scalapack(8, 8, 2, 1)) (scalapack(4, 4, 2, 1));
}
