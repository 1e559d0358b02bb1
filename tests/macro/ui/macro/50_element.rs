use redist::Element;
use std::marker::PhantomData;

#[derive(Clone, Copy, Element)]
#[repr(u8)]
enum Kind {
    Ion,
    Electron,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
union Bits {
    number: f32,
    bits: u32,
}

#[derive(Clone, Copy, Element)]
struct NoRepr {
    mass: f64,
}

#[derive(Clone, Copy, Element)]
#[repr(align(16))]
struct OnlyAligned(f64);

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Nothing;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Borrows<'a> {
    name: &'a str,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Mixed<T, const D: usize> {
    place: [T; D],
    id: u32,
}

#[derive(Clone, Copy, Element)]
#[repr(transparent)]
struct Metres<U> {
    value: f64,
    unit: PhantomData<U>,
}

#[derive(Clone, Copy, Element)]
#[repr(C, align(64))]
struct Aligned<T>([T; 3]);

#[derive(Clone, Copy, Element)]
#[repr(C)]
#[redist(krate = redist)]
struct Elsewhere(f64);

#[derive(Clone, Copy, Element)]
#[redist(crate)]
struct Twice<'a>(&'a f64);

// An error that has been reported is none where the type is used.
redist::redistribute! {
    struct Kinds: [Kind; 10] { from: block onto 2, to: cyclic onto 2 }
    struct Masses: [NoRepr; 10] { from: block onto 2, to: cyclic onto 2 }
}

fn main() {}
