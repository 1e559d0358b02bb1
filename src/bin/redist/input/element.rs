//! Bytes of the element types that are known.

use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, PathSegment, Type};

/// Bytes of an element of this type, where they are known; those of a machine of 64 bits.
pub fn bytes(element: &Type) -> Option<usize> {
    match element {
        Type::Paren(inner) => bytes(&inner.elem),
        Type::Group(inner) => bytes(&inner.elem),
        Type::Array(array) => bytes(&array.elem)?.checked_mul(length(&array.len)?),
        Type::Path(path) => named(path.path.segments.last()?),
        _ => None,
    }
}

fn named(segment: &PathSegment) -> Option<usize> {
    Some(match segment.ident.to_string().as_str() {
        "u8" | "i8" | "bool" => 1,
        "u16" | "i16" | "f16" | "bf16" => 2,
        "u32" | "i32" | "f32" | "char" => 4,
        "u64" | "i64" | "f64" | "usize" | "isize" | "Complex32" | "c32" => 8,
        "u128" | "i128" | "Complex64" | "c64" => 16,
        "Complex" => 2 * part(segment)?,
        _ => return None,
    })
}

/// The type of the parts of a `Complex<T>`.
fn part(segment: &PathSegment) -> Option<usize> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(part) => bytes(part),
        _ => None,
    }
}

fn length(expression: &Expr) -> Option<usize> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_types() {
        let of = |text: &str| bytes(&syn::parse_str(text).expect("a type"));
        for (text, size) in [
            ("f64", size_of::<f64>()),
            ("u8", 1),
            ("i16", 2),
            ("usize", size_of::<usize>()),
            ("u128", 16),
            ("[f32; 3]", size_of::<[f32; 3]>()),
            ("[[u16; 5]; 2]", size_of::<[[u16; 5]; 2]>()),
            ("num_complex::Complex<f32>", 8),
            ("Complex<f64>", 16),
            ("Complex64", 16),
            ("core::primitive::char", size_of::<char>()),
        ] {
            assert_eq!(of(text), Some(size), "{text}");
        }
        assert_eq!((of("Particle"), of("T"), of("[f64; N]"), of("Vec<f64>")), (None, None, None, None));
    }
}
