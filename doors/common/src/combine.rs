//! Addends that become one, of numbers at any address.

use crate::scaled::{Complex, Number, OfRuns, Wrapping};
use redist::AnyElement;
use redist::exec::{max, min};

/// The function of two elements that addends are combined by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    Sum,
    Min,
    Max,
}

impl Combine {
    pub const NAMED: [(&str, Self); 3] =
        [("sum", Self::Sum), ("min", Self::Min), ("max", Self::Max)];
}

/// Returns a function that combines what arrives with what is kept, element by element. `None` for
/// elements that are no such numbers; complex ones have no order.
pub fn combined(element: AnyElement, how: Combine) -> Option<OfRuns> {
    Some(match (element.name().rsplit("::").next()?, how) {
        ("f32", _) => ordered::<f32>(how),
        ("f64", _) => ordered::<f64>(how),
        ("i32", _) => ordered::<Wrapping<i32>>(how),
        ("i64", _) => ordered::<Wrapping<i64>>(how),
        ("Complex<f32>", Combine::Sum) => of::<Complex<f32>>(add),
        ("Complex<f64>", Combine::Sum) => of::<Complex<f64>>(add),
        _ => return None,
    })
}

fn ordered<T: Number + PartialOrd>(how: Combine) -> OfRuns {
    match how {
        Combine::Sum => of::<T>(add),
        Combine::Min => of::<T>(min),
        Combine::Max => of::<T>(max),
    }
}

fn add<T: Number>(moved: T, kept: &mut T) {
    *kept = *kept + moved;
}

fn of<T: Number>(combine: fn(T, &mut T)) -> OfRuns {
    Box::new(move |arrived, kept| {
        let pairs = arrived.chunks_exact(T::BYTES).zip(kept.chunks_exact_mut(T::BYTES));
        for (arrived, kept) in pairs {
            let mut number = T::read(kept);
            combine(T::read(arrived), &mut number);
            number.write(kept);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_combined_and_complex_ones_only_added() {
        let named = |name| AnyElement::named(name).unwrap();
        for (how, expected) in [(Combine::Sum, -3), (Combine::Min, -5), (Combine::Max, 2)] {
            let mut kept = 2_i64.to_ne_bytes();
            combined(named("i64"), how).unwrap()(&(-5_i64).to_ne_bytes(), &mut kept);
            assert_eq!(i64::from_ne_bytes(kept), expected, "{how:?}");
        }
        assert!(combined(named("c64"), Combine::Sum).is_some());
        assert!(combined(named("c64"), Combine::Min).is_none());
        assert!(combined(named("u8"), Combine::Sum).is_none());
    }
}
