//! Element types, and operations on them. Unsafe, because the library writes by a type's name.

use crate::constant::Constant;

/// A type whose values the library sends, receives and reduces.
///
/// # Safety
/// The library's type of this constant has the same bytes, of which all are values.
pub unsafe trait Element: Copy + Sealed {
    #[doc(hidden)]
    const DATATYPE: Type;
}

/// The library's handle of an element type.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Type(pub(crate) Constant);

/// Keeps other crates from implementing the trait.
#[doc(hidden)]
pub trait Sealed {}

macro_rules! elements {
    ($($type:ty = $constant:ident;)*) => {$(
        impl Sealed for $type {}

        // SAFETY: the standard says that these have the same bits (MPI 3.1, 3.2.2), all of which
        // are numbers.
        unsafe impl Element for $type {
            const DATATYPE: Type = Type(Constant::$constant);
        }
    )*};
}

elements! {
    i8 = INT8_T;
    i16 = INT16_T;
    i32 = INT32_T;
    i64 = INT64_T;
    u8 = UINT8_T;
    u16 = UINT16_T;
    u32 = UINT32_T;
    u64 = UINT64_T;
    f32 = FLOAT;
    f64 = DOUBLE;
}

/// An operation that makes one value of two: `Max` takes the larger one, `Min` the smaller one.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Max,
    Min,
    Sum,
    Product,
    /// 1 if both are not zero.
    LogicalAnd,
    /// 1 if one of them is not zero.
    LogicalOr,
    /// The bits that both have.
    BitAnd,
    /// The bits that one of them has.
    BitOr,
    /// The bits that only one of them has.
    BitXor,
}

impl Operation {
    #[inline]
    pub(crate) const fn constant(self) -> Constant {
        match self {
            Self::Max => Constant::MAX,
            Self::Min => Constant::MIN,
            Self::Sum => Constant::SUM,
            Self::Product => Constant::PROD,
            Self::LogicalAnd => Constant::LAND,
            Self::LogicalOr => Constant::LOR,
            Self::BitAnd => Constant::BAND,
            Self::BitOr => Constant::BOR,
            Self::BitXor => Constant::BXOR,
        }
    }
}
