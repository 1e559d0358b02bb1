//! Items for the bench of kernels.

use crate::asked::Asked;
use redist::exec::{Packing, Unpacking};
use redist::{Element, Redistribution, redistribute};

/// The work of an item, whose blocks the compiler knows.
pub struct Static<T> {
    pub packing: Packing<T>,
    pub unpacking: Unpacking<T>,
}

impl<T: Element> Static<T> {
    pub fn of(item: &impl Redistribution<1, Element = T>, asked: &Asked) -> Self {
        Self { packing: asked.binder(item).packing(1), unpacking: asked.binder(item).unpacking(1) }
    }
}

/// Maps (source block, destination block, ranks) and the extent to the item, for each type.
macro_rules! items {
    ($($function:ident $element:ident: [$(($from:tt, $to:tt, $ranks:tt))*];)*) => {$(
        pub fn $function(
            (from, to): (usize, usize),
            ranks: usize,
            extent: usize,
            asked: &Asked,
        ) -> Option<Static<$element>> {
            match (from, to, ranks) {
                $(($from, $to, $ranks) => {
                    redistribute! {
                        struct Item(n: usize): [$element; n] {
                            from: cyclic($from) onto $ranks,
                            to: cyclic($to) onto $ranks,
                        }
                    }
                    Some(Static::of(&Item::new(extent).expect("a valid extent"), asked))
                })*
                _ => None,
            }
        }
    )*};
}

items! {
    of_u8 u8: [
        (5, 1, 3) (5, 1, 4) (5, 1, 8) (100, 1, 3) (100, 1, 4) (100, 1, 8)
        (1, 5, 3) (1, 5, 4) (1, 5, 8) (1, 100, 3) (1, 100, 4) (1, 100, 8)
    ];
    of_u16 u16: [
        (5, 1, 3) (5, 1, 4) (5, 1, 8) (100, 1, 3) (100, 1, 4) (100, 1, 8)
        (1, 5, 3) (1, 5, 4) (1, 5, 8) (1, 100, 3) (1, 100, 4) (1, 100, 8)
    ];
    of_f32 f32: [
        (5, 1, 3) (5, 1, 4) (5, 1, 8) (100, 1, 3) (100, 1, 4) (100, 1, 8)
        (10, 2, 3) (10, 2, 4) (10, 2, 8) (200, 2, 3) (200, 2, 4) (200, 2, 8)
        (20, 4, 3) (20, 4, 4) (20, 4, 8) (400, 4, 3) (400, 4, 4) (400, 4, 8)
        (40, 8, 4) (800, 8, 4) (320, 64, 4)
        (1, 5, 3) (1, 5, 4) (1, 5, 8) (1, 100, 3) (1, 100, 4) (1, 100, 8)
        (2, 10, 3) (2, 10, 4) (2, 10, 8) (2, 200, 3) (2, 200, 4) (2, 200, 8)
        (4, 20, 3) (4, 20, 4) (4, 20, 8) (4, 400, 3) (4, 400, 4) (4, 400, 8)
        (8, 40, 4) (8, 800, 4) (64, 320, 4)
        (10, 4, 4) (4, 10, 4) (64, 30, 4) (30, 64, 4) (10, 4, 3) (4, 10, 3) (64, 30, 3) (30, 64, 3)
    ];
    of_f64 f64: [
        (5, 1, 3) (5, 1, 4) (5, 1, 8) (100, 1, 3) (100, 1, 4) (100, 1, 8)
        (10, 2, 3) (10, 2, 4) (10, 2, 8) (200, 2, 3) (200, 2, 4) (200, 2, 8)
        (20, 4, 4) (400, 4, 4) (40, 8, 4) (800, 8, 4) (320, 64, 4)
        (1, 5, 3) (1, 5, 4) (1, 5, 8) (1, 100, 3) (1, 100, 4) (1, 100, 8)
        (2, 10, 3) (2, 10, 4) (2, 10, 8) (2, 200, 3) (2, 200, 4) (2, 200, 8)
        (4, 20, 4) (4, 400, 4) (8, 40, 4) (8, 800, 4) (64, 320, 4)
        (10, 4, 4) (4, 10, 4) (64, 30, 4) (30, 64, 4) (10, 4, 3) (4, 10, 3)
    ];
}
