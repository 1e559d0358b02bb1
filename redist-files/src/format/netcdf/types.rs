//! Types of NetCDF's classic format.

/// Codes of types 1, 2, …: NumPy's, without the order of bytes.
const CODES: [&str; 11] = ["i1", "S1", "i2", "i4", "f4", "f8", "u1", "u2", "u4", "i8", "u8"];

/// The last type that versions 1 and 2 have.
pub const LAST_CLASSIC: u32 = 6;

/// Returns the number of a type; `None` if there is none for a code.
pub fn of(code: &str) -> Option<u32> {
    let plain = code.trim_start_matches(['<', '>', '|']);
    let at = CODES.iter().position(|known| *known == plain)?;
    Some(at as u32 + 1)
}

/// Returns `true` if a number stands for a type.
pub fn is_known(sort: u32) -> bool {
    (1..=CODES.len() as u32).contains(&sort)
}

/// Returns the code of a type that is known, of numbers in the order of this machine.
pub fn code(sort: u32) -> String {
    let plain = CODES[(sort - 1) as usize];
    match (plain.ends_with('1'), cfg!(target_endian = "little")) {
        (true, _) => format!("|{plain}"),
        (false, true) => format!("<{plain}"),
        (false, false) => format!(">{plain}"),
    }
}
