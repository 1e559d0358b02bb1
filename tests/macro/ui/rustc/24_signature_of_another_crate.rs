//! An element's signature is ours, wherever the crate is said to be.

use redist::Element;

mod forged {
    pub use redist::Element;

    pub mod exec {
        pub mod generated {
            pub struct Field;

            impl Field {
                pub const fn of<T>(_: &str, _: usize) -> Self {
                    Field
                }
            }

            pub const fn check_padding<T>(_: &str, _: &[Field]) {}

            pub struct Signature;

            impl Signature {
                pub const fn of<T>(_: &[redist::exec::generated::Signature]) -> Self {
                    Signature
                }
            }
        }
    }
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
#[redist(crate = forged)]
struct Loose(u8, f64);

fn main() {}
