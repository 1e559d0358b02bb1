//! Elements: plain data for the caller, bytes for everything behind the interface. Unsafe, because
//! elements are seen as bytes here, and bytes as elements.

mod signature;

use core::any::{TypeId, type_name};
use core::hash::{Hash, Hasher};
use core::slice;
use redist_plan::interned::Interner;
pub use signature::Signature;

/// Plain data that can be moved between ranks byte for byte.
///
/// Implemented for the primitive numbers, `bool`, `char` and arrays of elements. The feature
/// `num-complex` adds `num_complex::Complex` of elements. The feature `bytemuck` adds `Plain`,
/// which stands for any type that is `bytemuck::Pod`. `#[derive(Element)]` makes a struct an
/// element.
///
/// Elements move whole: an arriving element was a value on its sender.
///
/// # Comparison among ranks
/// When a plan is bound, all ranks must bring one element type. Threads compare the types
/// themselves. Processes may run different programs, and compare size, alignment and name
/// ([`type_name`]). For a struct with `#[derive(Element)]`, they compare the types of its fields,
/// each by value. So a value that arrives is valid. Types that agree in all of these are not told
/// apart: structs of one path in two releases of a crate, for one. Give such a type another name
/// when its fields change meaning.
///
/// # Safety
/// The type has no padding and holds no pointer or handle. Any value that one rank has is a valid
/// value on every other rank, because a transport may carry its bytes to another process. Types
/// that ranks take for the same, as above, have the same valid values.
///
/// Any mixture of the bytes of valid values is a valid value, too. So bytes of two elements that a
/// faulty peer mixes up make a wrong value, but a valid one. Of the types above, only `char` and
/// types that hold one are exempt. They rely on elements arriving whole, as agreed elements do.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be redistributed",
    label = "not an element",
    note = "elements are the primitive numbers, `bool`, `char` and arrays of elements, such as `[f64; 2]`; with the \
            features `num-complex` and `half` of `redist` also `Complex` of elements, `f16` and `bf16`",
    note = "a struct of your own that is `Copy` becomes one by `#[derive(redist::Element)]` and `#[repr(C)]`",
    note = "a type of another crate that is `bytemuck::Pod` is moved as `redist::Plain` of it, with the feature \
            `bytemuck` of `redist`"
)]
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// Any value: scratch memory holds it before its first use.
    const ZERO: Self;

    /// Its parts, if derived by `#[derive(Element)]`; any other type is known by its name.
    #[doc(hidden)]
    const SIGNATURE: Signature = Signature::Named(type_name::<Self>, size_of::<Self>());
}

macro_rules! elements {
    ($($zero:literal: $($element:ty)*;)*) => {$($(
        // SAFETY: primitive numbers, `bool` and `char` have no padding and no pointers, and every
        // value of theirs means the same in every process.
        unsafe impl Element for $element {
            const ZERO: Self = $zero;
        }
    )*)*};
}

elements! {
    0: u8 i8 u16 i16 u32 i32 u64 i64 u128 i128 usize isize;
    0.0: f32 f64;
    false: bool;
    '\0': char;
}

// SAFETY: an array has no padding between its elements, which are plain data themselves.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    const ZERO: Self = [T::ZERO; N];
    const SIGNATURE: Signature = Signature::Array(N, &T::SIGNATURE);
}

// SAFETY: a complex number is laid out as an array of its two parts, which are plain data
// themselves.
#[cfg(feature = "num-complex")]
unsafe impl<T: Element> Element for num_complex::Complex<T> {
    const ZERO: Self = Self::new(T::ZERO, T::ZERO);
    const SIGNATURE: Signature = Signature::Array(2, &T::SIGNATURE);
}

// SAFETY: it is laid out as the `u16` that it is made of (`repr(transparent)`).
#[cfg(feature = "half")]
unsafe impl Element for half::f16 {
    const ZERO: Self = Self::ZERO;
}

// SAFETY: it is laid out as the `u16` that it is made of (`repr(transparent)`).
#[cfg(feature = "half")]
unsafe impl Element for half::bf16 {
    const ZERO: Self = Self::ZERO;
}

/// The facts of an element type that a move needs. Everything behind the interface is compiled
/// once, for elements of any type.
#[derive(Clone, Copy, Debug)]
pub struct ElementType {
    /// Tells types of one program apart, even if they share a name. One entry, but for a
    /// [batch](ElementType::batch).
    ids: &'static [TypeId],
    name: &'static str,
    signature: Signature,
    /// Bytes of one element, at least 1.
    bytes: usize,
    /// Alignment in bytes; 1 for a batch, whose messages are bytes.
    alignment: usize,
}

impl PartialEq for ElementType {
    fn eq(&self, other: &Self) -> bool {
        let told_by = |element: &Self| (element.ids, element.name);
        told_by(self) == told_by(other)
    }
}

impl Eq for ElementType {}

impl Hash for ElementType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.ids, self.name).hash(state);
    }
}

/// Type ids of batches, kept for the life of the program, so that [`ElementType`] is `Copy`.
static IDS: Interner<[TypeId]> = Interner::new();
/// Names made at run time, kept for the life of the program.
static NAMES: Interner<str> = Interner::new();

impl ElementType {
    /// Returns the type of `T`. Does not compile for a `T` of no bytes.
    pub fn of<T: Element>() -> Self {
        const { assert!(size_of::<T>() > 0, "elements have at least one byte") };
        Self {
            ids: const { &[TypeId::of::<T>()] },
            name: type_name::<T>(),
            signature: T::SIGNATURE,
            bytes: size_of::<T>(),
            alignment: align_of::<T>(),
        }
    }

    /// Returns the type of a batch's messages: bytes, of elements of these types in turn.
    pub fn batch(elements: &[Self]) -> Self {
        let ids: Vec<TypeId> = elements.iter().flat_map(|element| element.ids).copied().collect();
        let names: Vec<String> = elements.iter().map(|element| element.identity()).collect();
        let (ids, name) = (IDS.get(&ids), NAMES.get(&names.join(", ")));
        Self { ids, name, signature: Signature::Named(|| "a batch", 1), bytes: 1, alignment: 1 }
    }

    /// Its name, for people.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Tells types of processes apart, besides bytes and alignment: by name and signature.
    pub fn identity(self) -> String {
        match self.signature.has_fields() {
            true => format!("{} of {}", self.name, self.signature),
            false => self.name.into(),
        }
    }

    /// Bytes of an element: at least 1.
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// Bytes that addresses of elements are multiples of.
    pub fn alignment(self) -> usize {
        self.alignment
    }
}

/// Between the bytes of a type and the words of another language.
const AS: &str = " as ";

/// An element type as a value, for programs that learn it at run time or are written in a different
/// language. Any bytes are elements of it.
///
/// Ranks compare it with the types of others as in [`Element`]: `f64` here is `f64` there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnyElement(ElementType);

impl AnyElement {
    /// Returns the type of this name: `i8` to `i128`, `u8` to `u128`, `isize`, `usize`, `f32`,
    /// `f64`. The feature `half` adds `f16` and `bf16`; `num-complex` adds `c32` and `c64`, which
    /// are `Complex<f32>` and `Complex<f64>`. `None` where there is no such type.
    pub fn named(name: &str) -> Option<Self> {
        Some(Self(match name {
            "u8" => ElementType::of::<u8>(),
            "u16" => ElementType::of::<u16>(),
            "u32" => ElementType::of::<u32>(),
            "u64" => ElementType::of::<u64>(),
            "u128" => ElementType::of::<u128>(),
            "usize" => ElementType::of::<usize>(),
            "i8" => ElementType::of::<i8>(),
            "i16" => ElementType::of::<i16>(),
            "i32" => ElementType::of::<i32>(),
            "i64" => ElementType::of::<i64>(),
            "i128" => ElementType::of::<i128>(),
            "isize" => ElementType::of::<isize>(),
            "f32" => ElementType::of::<f32>(),
            "f64" => ElementType::of::<f64>(),
            #[cfg(feature = "half")]
            "f16" => ElementType::of::<::half::f16>(),
            #[cfg(feature = "half")]
            "bf16" => ElementType::of::<::half::bf16>(),
            #[cfg(feature = "num-complex")]
            "c32" => ElementType::of::<num_complex::Complex<f32>>(),
            #[cfg(feature = "num-complex")]
            "c64" => ElementType::of::<num_complex::Complex<f64>>(),
            _ => return None,
        }))
    }

    /// The type `[u8; count]`; `None` for a count of 0.
    pub fn of_bytes(count: usize) -> Option<Self> {
        // Types of as many bytes have one name; the name tells others apart.
        let name = || NAMES.get(&format!("[u8; {count}]"));
        let ids = const { &[TypeId::of::<[u8; 0]>()] };
        let signature = Signature::Array(count, &u8::SIGNATURE);
        let of_name = |name| ElementType { ids, name, signature, bytes: count, alignment: 1 };
        (count > 0).then(|| Self(of_name(name())))
    }

    /// The type of `count` bytes that another language knows by these words. It is the same only as a type of as many
    /// bytes and the same words. `None` for a count of 0.
    #[doc(hidden)]
    pub fn of_bytes_in_words(count: usize, words: &str) -> Option<Self> {
        let Self(bytes) = Self::of_bytes(count)?;
        // No type of Rust's has such a name, so no rank takes these bytes for values of one.
        let name = NAMES.get(&format!("{}{AS}{words}", bytes.name));
        Some(Self(ElementType { name, ..bytes }))
    }

    /// Its name, for people.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the other language's words from a [name](Self::name), if it has any.
    #[doc(hidden)]
    pub fn words_of(name: &str) -> Option<&str> {
        name.strip_prefix("[u8; ")?.split_once(AS).map(|(_, words)| words)
    }

    /// Bytes of an element: at least 1.
    pub fn bytes(self) -> usize {
        self.0.bytes
    }

    /// Returns the type as Rust knows it.
    #[doc(hidden)]
    pub fn element_type(self) -> ElementType {
        self.0
    }
}

const fn check_padding<T: Element>() {
    let _ = T::SIGNATURE;
}

pub(crate) fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    const { check_padding::<T>() };
    // SAFETY: an `Element` has no padding, as its derivation checked, so all bytes are initialised.
    // Any address will do for bytes. They are borrowed as long as the elements.
    unsafe { slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// Returns the elements that bytes are, at any address: as many as are whole.
///
/// # Safety
/// The bytes are elements of this type.
pub(crate) unsafe fn elements_of<T: Element>(bytes: &[u8]) -> impl ExactSizeIterator<Item = T> {
    // SAFETY: each chunk has the bytes of one element, as the caller says, at any address.
    bytes
        .chunks_exact(size_of::<T>())
        .map(|element| unsafe { element.as_ptr().cast::<T>().read_unaligned() })
}

/// The bytes of elements, to be overwritten.
///
/// # Safety
/// Each element stays a valid value of its type, such as all bytes of another element.
pub(crate) unsafe fn bytes_of_mut<T: Element>(elements: &mut [T]) -> &mut [u8] {
    const { check_padding::<T>() };
    // SAFETY: an `Element` has no padding, as its derivation checked, so all bytes are initialised.
    // Any address will do for bytes. They are borrowed exclusively as long as the elements. The
    // caller writes only valid elements.
    unsafe { slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    /// A record of two fields.
    #[repr(C)]
    struct Pair<A, B>(A, B);

    #[test]
    fn bytes_in_other_words_are_other_types() {
        let bytes = AnyElement::of_bytes(8).unwrap();
        let [seconds, again, millis] = ["M8[s]", "M8[s]", "M8[ms]"]
            .map(|words| AnyElement::of_bytes_in_words(8, words).unwrap());
        assert_eq!(seconds, again);
        assert!(seconds != millis && seconds != bytes);
        assert_eq!((seconds.bytes(), seconds.name()), (8, "[u8; 8] as M8[s]"));
        assert_ne!(seconds.0.identity(), millis.0.identity());
        assert_eq!(AnyElement::words_of(seconds.name()), Some("M8[s]"));
        assert_eq!(AnyElement::words_of(bytes.name()), None);
        assert_eq!(AnyElement::of_bytes_in_words(0, "V0"), None);
        // Values of `bool` are not any byte.
        assert_ne!(AnyElement::of_bytes_in_words(1, "bool").unwrap().name(), "bool");
    }

    #[test]
    fn padding_of_a_generic_struct_is_told_for_each_instance() {
        let pair = Pair(1u8, 2.0f64);
        assert!(size_of_val(&pair) > size_of_val(&pair.0) + size_of_val(&pair.1));
        const BYTE: Signature = u8::SIGNATURE;
        const FLOAT: Signature = f64::SIGNATURE;
        assert!(catch_unwind(|| Signature::of::<Pair<u8, f64>>(&[BYTE, FLOAT])).is_err());
        assert!(catch_unwind(|| Signature::of::<Pair<f64, u8>>(&[FLOAT, BYTE])).is_err());
        assert!(catch_unwind(|| Signature::of::<Pair<f64, f64>>(&[FLOAT, FLOAT])).is_ok());
        assert!(catch_unwind(|| Signature::of::<Pair<u8, u8>>(&[BYTE, BYTE])).is_ok());
    }
}
