//! Padding is found whatever stands where the crate is said to be.

use redist::{Element, Redistribution, TypedPlan};

mod forged {
    pub use redist::Element;

    pub mod exec {
        pub mod generated {
            pub use redist::exec::generated::Signature;

            pub struct Field;

            impl Field {
                pub const fn of<T>(_: &str, _: usize) -> Self {
                    Field
                }
            }

            pub const fn check_padding<T>(_: &str, _: &[Field]) {}
        }
    }
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
#[redist(crate = forged)]
struct Loose(u8, f64);

fn moves<T: Element>(elements: &[T]) {
    let plan = TypedPlan::<T, 1>::parse([2], "block onto 1", "cyclic onto 1").unwrap();
    plan.binder().packing(0).pack(elements, &mut []);
}

fn main() {
    moves(&[Loose(1, 2.0); 2]);
}
