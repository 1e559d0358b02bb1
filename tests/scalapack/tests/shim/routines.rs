//! The routines of both libraries, loaded side by side.

use libloading::{Library, os::unix};
use std::env;
use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

pub fn scalapack() -> &'static Library {
    static LINKED: OnceLock<Library> = OnceLock::new();
    LINKED.get_or_init(|| unix::Library::this().into())
}

pub fn shim() -> &'static Library {
    static LOADED: OnceLock<Library> = OnceLock::new();
    LOADED.get_or_init(|| {
        let path = env::var_os("REDIST_SCALAPACK_LIBRARY").map_or_else(beside, PathBuf::from);
        // SAFETY: loading it runs only Rust's own initialisation.
        unsafe { Library::new(&path) }
            .unwrap_or_else(|error| panic!("{error}; cargo build --package redist-scalapack-door"))
    })
}

/// Returns the library's path in this profile.
fn beside() -> PathBuf {
    let program = env::current_exe().expect("a program has a path");
    program.ancestors().nth(2).expect("it is in deps/").join("libredist_scalapack.so")
}

#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub letter: char,
    /// `Cp…`, not `p…_`.
    pub from_c: bool,
    /// With an `o` at the end: without ICTXT.
    pub is_old: bool,
    /// UPLO, DIAG: `p?trmr2d`.
    pub part: Option<[u8; 2]>,
    pub extents: [c_int; 2],
    /// IA, JA; IB, JB.
    pub first: [[c_int; 2]; 2],
    pub desc: [[c_int; 9]; 2],
    pub context: c_int,
}

type Int = *const c_int;
type Char = *const c_char;
type Array = *mut c_void;
type FortranRectangle =
    unsafe extern "C" fn(Int, Int, Array, Int, Int, Int, Array, Int, Int, Int, Int);
type FortranTrapezoid =
    unsafe extern "C" fn(Char, Char, Int, Int, Array, Int, Int, Int, Array, Int, Int, Int, Int);
type CRectangle =
    unsafe extern "C" fn(c_int, c_int, Array, c_int, c_int, Int, Array, c_int, c_int, Int, c_int);
type CTrapezoid = unsafe extern "C" fn(
    Char,
    Char,
    c_int,
    c_int,
    Array,
    c_int,
    c_int,
    Int,
    Array,
    c_int,
    c_int,
    Int,
    c_int,
);

impl Call {
    pub fn name(&self) -> String {
        let matrix = if self.part.is_some() { "tr" } else { "ge" };
        let (c, fortran) = if self.from_c { ("C", "") } else { ("", "_") };
        let old = if self.is_old { "o" } else { "" };
        format!("{c}p{}{matrix}mr2d{old}{fortran}", self.letter)
    }

    /// Calls the routine of a library, with an extra argument for routines that end in `o`.
    ///
    /// # Safety
    /// The arrays are as the descriptors say.
    pub unsafe fn run(&self, library: &Library, a: *const u8, b: *mut u8) {
        let (a, b) = (a.cast_mut().cast(), b.cast());
        let ([m, n], [[ia, ja], [ib, jb]], ictxt) = (self.extents, self.first, self.context);
        let [desca, descb] = self.desc.each_ref().map(|desc| desc.as_ptr());
        let name = self.name();
        let characters = self.part.unwrap_or_default();
        let [uplo, diag] = characters.each_ref().map(|letter| (letter as *const u8).cast());
        // SAFETY: functions of these names have these types in both libraries. The arrays are as
        // the caller promises; all else is live.
        unsafe {
            let symbol = name.as_bytes();
            match (self.from_c, self.part.is_some()) {
                (false, false) => library.get::<FortranRectangle>(symbol).expect("it is there")(
                    &m, &n, a, &ia, &ja, desca, b, &ib, &jb, descb, &ictxt,
                ),
                (false, true) => library.get::<FortranTrapezoid>(symbol).expect("it is there")(
                    uplo, diag, &m, &n, a, &ia, &ja, desca, b, &ib, &jb, descb, &ictxt,
                ),
                (true, false) => library.get::<CRectangle>(symbol).expect("it is there")(
                    m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt,
                ),
                (true, true) => library.get::<CTrapezoid>(symbol).expect("it is there")(
                    uplo, diag, m, n, a, ia, ja, desca, b, ib, jb, descb, ictxt,
                ),
            }
        }
    }
}
