//! Finds programs that contain ScaLAPACK's routines, from an archive: preloading does not redirect
//! them. Loading the library then prints a line. Unsafe, because the loader calls this code.

use crate::fault::say;
use crate::statistics::said_by_launcher;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

const NAMES: &str = include_str!("../symbols.txt");

/// An ELF file of 64 bits, in this machine's byte order.
const MAGIC: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, if cfg!(target_endian = "big") { 2 } else { 1 }];

/// Symbols of the file, and for the loader.
const TABLES: [u32; 2] = [2, 11];

const SYMBOL: usize = 24;

// SAFETY: the loader calls each function in this section once, after loading the library and before
// the program begins. This one takes the loader's arguments. It does not unwind, because functions
// of C's abort then.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

extern "C" fn loaded() {
    // Only one process of a job prints it.
    if said_by_launcher().is_some_and(|rank| rank != "0") {
        return;
    }
    let own = File::open("/proc/self/exe").and_then(|mut file| defined(&mut file));
    if let Ok(Some(name)) = own {
        say(&format!(
            "redist-scalapack: this program has a {name} of its own, from an archive, so that its \
             calls are not served; link it with -lredist_scalapack before the archive"
        ));
    }
}

/// Returns one of the names that an ELF file defines.
fn defined(file: &mut (impl Read + Seek)) -> io::Result<Option<String>> {
    let head = read(file, 0, 64)?;
    if !head.starts_with(&MAGIC) {
        return Ok(None);
    }
    let (at, width, count) = (u64_at(&head, 40), u16_at(&head, 58), u16_at(&head, 60));
    let (width, count) = (usize::from(width), usize::from(count));
    let headers = read(file, at, width * count)?;
    let section = |number: usize| headers.get(number * width..).filter(|rest| rest.len() >= 64);
    let content =
        |file: &mut _, header: &[u8]| read(file, u64_at(header, 24), u64_at(header, 32) as usize);
    for header in (0..count).filter_map(section) {
        let names = section(u32_at(header, 40) as usize);
        if let (true, Some(names)) = (TABLES.contains(&u32_at(header, 4)), names) {
            let (symbols, names) = (content(file, header)?, content(file, names)?);
            if let Some(name) = served(&symbols, &names) {
                return Ok(Some(name));
            }
        }
    }
    Ok(None)
}

fn served(symbols: &[u8], names: &[u8]) -> Option<String> {
    let defined = symbols.chunks_exact(SYMBOL).filter(|symbol| u16_at(symbol, 6) != 0);
    let name = |symbol: &[u8]| {
        let rest = names.get(u32_at(symbol, 0) as usize..)?;
        let name = rest.split(|byte| *byte == 0).next()?;
        NAMES.lines().find(|known| known.as_bytes() == name)
    };
    defined.filter_map(name).next().map(str::to_owned)
}

fn read(file: &mut (impl Read + Seek), at: u64, bytes: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut content = Vec::new();
    file.take(bytes as u64).read_to_end(&mut content)?;
    if content.len() < bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(content) }
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let found = bytes.get(at..at + N).and_then(|found| found.try_into().ok());
    found.unwrap_or([0; N])
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes(bytes_at(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes_at(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes_at(bytes, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn symbol(name: u32, section: u16) -> [u8; SYMBOL] {
        let mut symbol = [0; SYMBOL];
        symbol[..4].copy_from_slice(&name.to_ne_bytes());
        symbol[6..8].copy_from_slice(&section.to_ne_bytes());
        symbol
    }

    #[test]
    fn only_what_is_defined_counts() {
        let names = b"\0main\0pdgemr2d_\0Cpdgemr2d\0pdgemr2d_of_mine\0";
        let table = |symbols: &[(u32, u16)]| {
            symbols.iter().flat_map(|(name, section)| symbol(*name, *section)).collect::<Vec<_>>()
        };
        let found = |symbols: &[(u32, u16)]| served(&table(symbols), names);
        assert_eq!(found(&[(1, 3), (6, 0), (16, 0)]), None);
        assert_eq!(found(&[(1, 3), (6, 5)]).as_deref(), Some("pdgemr2d_"));
        assert_eq!(found(&[(6, 0), (16, 1)]).as_deref(), Some("Cpdgemr2d"));
        assert_eq!(found(&[(26, 1), (1000, 1)]), None);
    }

    #[test]
    fn files_that_are_no_programs_define_nothing() {
        assert_eq!(defined(&mut Cursor::new(vec![b'#'; 100])).unwrap(), None);
        assert!(defined(&mut Cursor::new(MAGIC.to_vec())).is_err());
        let mut wild = vec![0xff; 4096];
        wild[..6].copy_from_slice(&MAGIC);
        assert!(defined(&mut Cursor::new(wild)).is_err());
    }

    /// This test's binary has the routine, unless the linker drops symbols.
    #[test]
    fn a_program_is_read() {
        let mut file = File::open(std::env::current_exe().unwrap()).unwrap();
        assert!(defined(&mut file).is_ok());
    }
}
