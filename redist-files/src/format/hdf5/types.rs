//! Types of numbers, and their codes.

use crate::element::bytes_of_code;
use half::f16;
use hdf5_metno::types::{FloatSize, IntSize, TypeDescriptor};
use hdf5_metno::{Dataset, Datatype, Hyperslab};
use ndarray::IxDyn;
use num_complex::Complex;

/// A type of elements that is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    Bool,
    Complex32,
    Complex64,
}

use Kind::{Bool, Complex32, Complex64, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// Types, with their codes without a byte order.
const CODES: [(Kind, &str); 14] = [
    (I8, "i1"),
    (I16, "i2"),
    (I32, "i4"),
    (I64, "i8"),
    (U8, "u1"),
    (U16, "u2"),
    (U32, "u4"),
    (U64, "u8"),
    (F16, "f2"),
    (F32, "f4"),
    (F64, "f8"),
    (Bool, "b1"),
    (Complex32, "c8"),
    (Complex64, "c16"),
];

/// Calls a function of a type for the type of a kind. Numbers of `bool` are read as bytes, because a file may
/// have any.
macro_rules! typed {
    ($kind:expr, |$t:ident| $with:expr) => {
        match $kind {
            I8 | Bool => {
                type $t = i8;
                $with
            }
            I16 => {
                type $t = i16;
                $with
            }
            I32 => {
                type $t = i32;
                $with
            }
            I64 => {
                type $t = i64;
                $with
            }
            U8 => {
                type $t = u8;
                $with
            }
            U16 => {
                type $t = u16;
                $with
            }
            U32 => {
                type $t = u32;
                $with
            }
            U64 => {
                type $t = u64;
                $with
            }
            F16 => {
                type $t = f16;
                $with
            }
            F32 => {
                type $t = f32;
                $with
            }
            F64 => {
                type $t = f64;
                $with
            }
            Complex32 => {
                type $t = Complex<f32>;
                $with
            }
            Complex64 => {
                type $t = Complex<f64>;
                $with
            }
        }
    };
}

/// Returns the kind of a code of this machine's byte order.
pub fn of_code(code: &str) -> Option<Kind> {
    let foreign = if cfg!(target_endian = "little") { '>' } else { '<' };
    let plain = code.trim_start_matches(['<', '>', '|']);
    let found = CODES.iter().find(|(_, known)| *known == plain);
    found.filter(|_| !code.starts_with(foreign)).map(|(kind, _)| *kind)
}

impl Kind {
    /// Returns NumPy's code of numbers in the order of this machine.
    pub fn code(self) -> String {
        let plain = CODES.iter().find(|(kind, _)| *kind == self).map_or("u1", |(_, code)| *code);
        match (plain.ends_with('1'), cfg!(target_endian = "little")) {
            (true, _) => format!("|{plain}"),
            (false, true) => format!("<{plain}"),
            (false, false) => format!(">{plain}"),
        }
    }

    pub fn bytes(self) -> usize {
        bytes_of_code(&self.code()).unwrap_or(1)
    }

    /// Returns `true` if NetCDF 4 has the type without a definition of the user's.
    pub fn is_netcdf(self) -> bool {
        !matches!(self, F16 | Bool | Complex32 | Complex64)
    }

    /// Returns the type in a file.
    pub fn stored(self) -> Result<Datatype, hdf5_metno::Error> {
        match self {
            Bool => Datatype::from_type::<bool>(),
            _ => typed!(self, |T| Datatype::from_type::<T>()),
        }
    }

    /// Returns `true` if elements of a type are as they are in memory.
    fn is_stored_as(self, stored: &Datatype) -> bool {
        match self {
            Bool => stored.is::<bool>(),
            _ => typed!(self, |T| stored.is::<T>()),
        }
    }

    /// Reads a box, and gives its bytes to a function.
    pub fn read(
        self,
        dataset: &Dataset,
        slab: Hyperslab,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), hdf5_metno::Error> {
        typed!(self, |T| {
            let array = dataset.read_slice::<T, _, IxDyn>(slab)?;
            take(bytemuck::cast_slice::<T, u8>(array.as_slice().unwrap_or_default()));
            Ok(())
        })
    }
}

/// Finds the type of a dataset: the kind, and `true` if its bytes are those in memory. Fails in the words
/// that stand for a code.
pub fn found(stored: &Datatype) -> Result<(Kind, bool), String> {
    if let Some((kind, _)) = CODES.iter().find(|(kind, _)| kind.is_stored_as(stored)) {
        return Ok((*kind, true));
    }
    // The library writes members of enumerations into 8 bytes.
    if stored.size() > 8 {
        return Err("no number of HDF5".into());
    }
    let described = stored.to_descriptor().map_err(|error| super::library::words(&error))?;
    let kind = match described {
        TypeDescriptor::Integer(IntSize::U1) => I8,
        TypeDescriptor::Integer(IntSize::U2) => I16,
        TypeDescriptor::Integer(IntSize::U4) => I32,
        TypeDescriptor::Integer(IntSize::U8) => I64,
        TypeDescriptor::Unsigned(IntSize::U1) => U8,
        TypeDescriptor::Unsigned(IntSize::U2) => U16,
        TypeDescriptor::Unsigned(IntSize::U4) => U32,
        TypeDescriptor::Unsigned(IntSize::U8) => U64,
        TypeDescriptor::Float(FloatSize::U4) => F32,
        TypeDescriptor::Float(FloatSize::U8) => F64,
        TypeDescriptor::Boolean => Bool,
        other => return Err(format!("no number of HDF5: {other}")),
    };
    Ok((kind, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_kinds_are_of_the_same_types() {
        for (kind, _) in CODES {
            assert_eq!(of_code(&kind.code()), Some(kind));
            assert_eq!(kind.stored().expect("a type").size(), kind.bytes(), "{kind:?}");
            assert_eq!(found(&kind.stored().expect("a type")), Ok((kind, true)));
        }
        assert_eq!([of_code("bf16"), of_code("|V4"), of_code(">f8")], [None; 3]);
    }
}
