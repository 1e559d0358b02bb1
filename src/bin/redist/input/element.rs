//! Names and bytes of element types.

use quote::ToTokens;
use redist::layout::vocabulary::element_meant;
use redist_files::bytes_of_name;
use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, PathSegment, Type};

pub fn bytes(element: &Type) -> Option<usize> {
    match element {
        Type::Paren(inner) => bytes(&inner.elem),
        Type::Group(inner) => bytes(&inner.elem),
        Type::Array(array) => bytes(&array.elem)?.checked_mul(length(&array.len)?),
        Type::Path(path) => {
            let segment = path.path.segments.last()?;
            match segment.ident.to_string().as_str() {
                "Complex" => argument(segment)?.checked_mul(2),
                "Plain" => argument(segment),
                name => bytes_of_name(name),
            }
        }
        _ => None,
    }
}

/// Refuses the name that another language has for an element type, with that of Rust.
pub fn check_language(element: &Type) -> syn::Result<()> {
    let name = element.to_token_stream().to_string();
    let Some(mut ours) = element_meant(&name) else { return Ok(()) };
    if let Some(width) = ours.strip_prefix('c') {
        ours = if width == "64" { "Complex<f64>" } else { "Complex<f32>" };
    }
    let message = format!("`{name}` is no element type of Rust; did you mean `{ours}`?");
    Err(syn::Error::new_spanned(element, message))
}

fn argument(segment: &PathSegment) -> Option<usize> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(argument) => bytes(argument),
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
    use num_complex::{Complex, Complex32, Complex64};
    use redist::Plain;

    fn agrees<T: redist::Element>(text: &str) {
        assert_eq!(bytes(&syn::parse_str(text).expect("a type")), Some(size_of::<T>()), "{text}");
    }

    #[test]
    fn sizes_are_those_of_the_elements() {
        agrees::<u8>("u8");
        agrees::<i16>("i16");
        agrees::<f64>("f64");
        agrees::<u128>("u128");
        agrees::<usize>("usize");
        agrees::<bool>("bool");
        agrees::<char>("core::primitive::char");
        agrees::<[f32; 3]>("[f32; 3]");
        agrees::<[[u16; 5]; 2]>("[[u16; 5]; 2]");
        agrees::<Complex<f32>>("num_complex::Complex<f32>");
        agrees::<Complex32>("Complex32");
        agrees::<half::f16>("half::f16");
        agrees::<Complex64>("num_complex::Complex64");
        agrees::<[Complex<i8>; 3]>("[Complex<i8>; 3]");
        agrees::<Plain<[u8; 3]>>("redist::Plain<[u8; 3]>");
    }

    #[test]
    fn names_of_other_languages_are_refused() {
        let check = |text: &str| check_language(&syn::parse_str(text).expect("a type"));
        for (text, ours) in
            [("float64", "f64"), ("double", "f64"), ("complex128", "Complex<f64>"), ("int", "i32")]
        {
            let error = check(text).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("`{text}` is no element type of Rust; did you mean `{ours}`?")
            );
        }
        for text in ["f64", "Particle", "[f64; N]", "real::f64"] {
            assert!(check(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn other_types_are_not_guessed_at() {
        for text in ["Particle", "T", "[f64; N]", "Vec<f64>", "Complex", "Plain<Particle>", "&f64"]
        {
            assert_eq!(bytes(&syn::parse_str(text).expect("a type")), None, "{text}");
        }
    }
}
