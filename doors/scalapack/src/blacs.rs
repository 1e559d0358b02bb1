//! The program's own BLACS, found on first need: `LD_PRELOAD` may load the library into programs
//! without it.

use crate::fault::Fault;
use redist_mpi::CommunicatorRef;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

/// `blacs_get`'s number for a context's communicator.
const COMMUNICATOR: c_int = 10;

type Get = unsafe extern "C" fn(*const c_int, *const c_int, *mut c_int);
type GridInfo = unsafe extern "C" fn(*const c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int);

/// Fortran's: `Cblacs_get` would put each communicator into a list that is never cleared.
struct Routines {
    get: Get,
    grid_info: GridInfo,
}

/// A process grid and this process's place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// NPROW and NPCOL.
    pub grid: [i32; 2],
    /// MYROW and MYCOL.
    pub at: [i32; 2],
}

/// Returns this process's place in a context's grid; `None` without one.
pub(crate) fn place(context: i32) -> Result<Option<Place>, Fault> {
    let (mut grid, mut at) = ([-1; 2], [-1; 2]);
    let ([rows, columns], [row, column]) = (&mut grid, &mut at);
    // SAFETY: `routines` found the function by its name, which means the same in all
    // implementations. It reads the first number, any number. It writes all further numbers, which
    // are distinct and live.
    unsafe { (routines()?.grid_info)(&context, rows, columns, row, column) };
    let inside = [0, 1].iter().all(|&d| 0 <= at[d] && at[d] < grid[d]);
    Ok(inside.then_some(Place { grid, at }))
}

/// Returns the communicator of a context with a [`place`]; BLACS reads invalid memory for others.
pub(crate) fn communicator(context: i32) -> Result<CommunicatorRef<'static>, Fault> {
    let mut handle = 0;
    // SAFETY: `routines` found the function by its name, which means the same in all
    // implementations. It reads two numbers and writes a third for this question, all live.
    unsafe { (routines()?.get)(&context, &COMMUNICATOR, &mut handle) };
    // SAFETY: BLACS has made the communicator for this context, and frees it when the program exits
    // the grid. The program does not do that while a routine that uses the context runs. BLACS
    // calls the library of the program, which the process has loaded.
    Ok(unsafe { CommunicatorRef::from_fortran(handle) }?)
}

fn routines() -> Result<&'static Routines, Fault> {
    static ROUTINES: OnceLock<Option<Routines>> = OnceLock::new();
    let found = ROUTINES.get_or_init(|| {
        let (get, grid_info) = (address(c"blacs_get_")?, address(c"blacs_gridinfo_")?);
        // SAFETY: functions of these names have always had these types in BLACS. Both addresses are
        // addresses of functions in libraries that are not unloaded, because the calling program
        // uses them.
        unsafe {
            Some(Routines {
                get: std::mem::transmute::<*mut c_void, Get>(get),
                grid_info: std::mem::transmute::<*mut c_void, GridInfo>(grid_info),
            })
        }
    });
    found.as_ref().ok_or_else(|| {
        Fault::from(
            "the program shows no BLACS: link it with ScaLAPACK's shared library or, where that is \
             an archive, with `-rdynamic -Wl,-u,blacs_get_ -Wl,-u,blacs_gridinfo_` before it"
                .to_owned(),
        )
    })
}

/// Returns a function's address: among the whole program's names, or in a library that an
/// interpreter has loaded for itself.
pub(crate) fn address(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a C string; the handle stands for all names that the program sees.
    let mut found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if found.is_null() {
        let mut search = Search { name: name.as_ptr(), found };
        // SAFETY: the function is called before this returns, with this pointer, to a value that
        // nothing else uses during the call.
        unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
        found = search.found;
    }
    (!found.is_null()).then_some(found)
}

/// The search for a function in all loaded libraries.
struct Search {
    name: *const c_char,
    found: *mut c_void,
}

/// Searches one loaded library; not 0 ends the search.
unsafe extern "C" fn look(
    library: *mut libc::dl_phdr_info,
    _: libc::size_t,
    search: *mut c_void,
) -> c_int {
    // SAFETY: `address` passes its own `Search`, which nothing else uses during the call. The
    // loader passes a library that it knows, whose name is a C string or missing.
    let (search, library) = unsafe { (&mut *search.cast::<Search>(), (*library).dlpi_name) };
    // SAFETY: the loader's name is a C string, as is ours. Nothing is loaded that is not loaded
    // already. The handle is not closed, so the address stays valid.
    unsafe {
        if !library.is_null() && *library != 0 {
            let handle = libc::dlopen(library, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if !handle.is_null() {
                search.found = libc::dlsym(handle, search.name);
            }
        }
    }
    c_int::from(!search.found.is_null())
}
