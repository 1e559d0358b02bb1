//! Names of element types, as C and Fortran write them.

use crate::status::Refusal;
use redist::AnyElement;
use redist::exec::{ShortName, WrongArgument};
use redist::layout::vocabulary::element_meant;

pub fn named(name: &str) -> Result<AnyElement, Refusal> {
    let bytes = || {
        let count = name.strip_prefix("[u8;")?.strip_suffix(']')?;
        AnyElement::of_bytes(count.trim().parse().ok()?)
    };
    AnyElement::named(name).or_else(bytes).ok_or_else(|| {
        let types = match element_meant(name) {
            Some(ours) => format!("did you mean `{ours}`? Types"),
            None => "types".into(),
        };
        Refusal::argument(format!(
            "`{name}` is no element type; {types} are f32, f64, c32, c64, f16, bf16, i8 to i128, u8 \
             to u128, and [u8; 24] for 24 bytes"
        ))
    })
}

pub fn name_of(element: AnyElement) -> &'static str {
    let name = element.name();
    match name.rsplit("::").next() {
        Some("Complex<f32>") => "c32",
        Some("Complex<f64>") => "c64",
        last => last.unwrap_or(name),
    }
}

/// Refuses arrays that a plan bound for this type cannot move. Integers of one size fit with a sign
/// or without, as in Fortran. Any type fits bytes of its size.
pub fn check(bound: AnyElement, brought: AnyElement) -> Result<(), WrongArgument> {
    if bound == brought {
        return Ok(());
    }
    let [wanted, found] = [bound, brought].map(name_of);
    let are_integers = [wanted, found].iter().all(|name| name.starts_with(['i', 'u']));
    let are_alike = are_integers || [wanted, found].iter().any(|name| name.starts_with('['));
    if wanted == found || (are_alike && bound.bytes() == brought.bytes()) {
        return Ok(());
    }
    let [brought, bound] = [found, wanted].map(ShortName::of);
    Err(WrongArgument::Element { brought, bound })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;

    #[test]
    fn elements_have_names_or_bytes() {
        for (name, bytes) in [("f64", 8), ("[u8; 24]", 24), ("[u8;3]", 3)] {
            assert_eq!(named(name).unwrap().bytes(), bytes, "{name}");
        }
        for wrong in ["", "f65", "[u8; 0]", "[u8; -1]", "[u8; 24"] {
            assert_eq!(named(wrong).unwrap_err().status, Status::RedistArgument, "{wrong}");
        }
        let refused = |name: &str, types: &str| {
            let message = named(name).unwrap_err().message;
            let expected = format!("`{name}` is no element type; {types} are f32, ");
            assert!(message.starts_with(&expected), "{message}");
        };
        refused("f65", "types");
        for names in
            ["double f64", "MPI_DOUBLE f64", "real64 f64", "complex(8) c64", "MPI_FLOAT f32"]
        {
            let (elsewhere, ours) = names.split_once(' ').unwrap();
            refused(elsewhere, &format!("did you mean `{ours}`? Types"));
        }
        for names in ["float64 f64", "complex64 c32", "int i32", "long i64"] {
            let (elsewhere, ours) = names.split_once(' ').unwrap();
            assert_eq!(element_meant(elsewhere), Some(ours));
        }
    }

    #[test]
    fn names_are_those_that_were_given() {
        for name in ["f32", "f64", "c32", "c64", "f16", "bf16", "i8", "u128", "[u8; 24]"] {
            assert_eq!(name_of(named(name).unwrap()), name);
        }
    }

    #[test]
    fn numbers_are_not_other_numbers() {
        let fits = |bound, brought| check(named(bound).unwrap(), named(brought).unwrap());
        for (bound, brought) in [("c64", "f64"), ("f64", "i64"), ("c32", "f64"), ("[u8; 4]", "f64")]
        {
            let refused = fits(bound, brought).unwrap_err().to_string();
            assert!(refused.contains(&format!("type {brought}, ")), "{refused}");
            assert!(refused.contains(&format!("bound for {bound};")), "{refused}");
        }
        for (bound, brought) in
            [("c64", "c64"), ("u32", "i32"), ("[u8; 8]", "f64"), ("c64", "[u8; 16]")]
        {
            assert_eq!(fits(bound, brought), Ok(()), "{bound} {brought}");
        }
    }
}
