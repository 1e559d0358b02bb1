use redist::Element;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Between {
    id: u8,
    mass: f64,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct After(f64, u16, u8);

#[derive(Clone, Copy, Element)]
#[repr(C, align(16))]
struct Wide([f32; 3]);

#[derive(Element)]
#[repr(C)]
struct NoCopy(f64);

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Name {
    text: &'static str,
    length: usize,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair<T>(T, T);

// No error: a generic element is one where what it is made of is.
fn needs<T: Element>() {}

fn main() {
    needs::<Pair<f64>>();
    needs::<Pair<&str>>();
    needs::<String>();
}
