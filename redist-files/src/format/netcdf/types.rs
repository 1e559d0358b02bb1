//! Types of NetCDF's classic format.

/// Codes of types 1, 2, …: NumPy's, in the order of bytes that the files have.
const CODES: [&str; 11] =
    ["|i1", "|S1", ">i2", ">i4", ">f4", ">f8", "|u1", ">u2", ">u4", ">i8", ">u8"];

/// The last type that versions 1 and 2 have.
pub const LAST_CLASSIC: u32 = 6;

/// Returns the number of a type; `None` if there is none for a code.
pub fn of(code: &str) -> Option<u32> {
    let at = CODES.iter().position(|known| *known == code)?;
    Some(at as u32 + 1)
}

/// Returns `true` if a number stands for a type.
pub fn is_known(sort: u32) -> bool {
    (1..=CODES.len() as u32).contains(&sort)
}

/// Returns the code of a type that is known.
pub fn code(sort: u32) -> String {
    CODES[(sort - 1) as usize].into()
}
