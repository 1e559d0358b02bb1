//! The library of this process: its functions and the values of its names, found once. Unsafe,
//! because functions are called by what their names say.

use crate::constant::{Constant, ErrorClass, Value};
use crate::error::{CallError, Error, Failure, LibraryError};
use crate::find::{self, Loaded};
use crate::flavour::Flavour;
use crate::functions::Functions;
use crate::handle::{Comm, Handle};
use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

/// The MPI library of this process.
#[derive(Debug)]
pub struct Library {
    name: String,
    version: String,
    flavour: Flavour,
    pub(crate) functions: Functions,
    /// The values of all names.
    words: [usize; Constant::ALL.len()],
    /// `true` if handles are numbers of C, as MPICH's are; otherwise they are as long as pointers.
    pub(crate) is_narrow: bool,
    conversions: Option<Conversions>,
}

type FromFortran = unsafe extern "C" fn(c_int) -> usize;
type ToFortran = unsafe extern "C" fn(usize) -> c_int;

/// Functions between handles of C and of Fortran, in libraries where these differ.
#[derive(Clone, Copy, Debug)]
struct Conversions {
    from_fortran: FromFortran,
    to_fortran: ToFortran,
}

impl Library {
    /// Returns the library. The first call finds it; it stays loaded.
    ///
    /// # Errors
    /// There is none, there are two, or it is none that is known.
    pub fn get() -> Result<&'static Self, Error> {
        static FOUND: OnceLock<Result<Library, LibraryError>> = OnceLock::new();
        FOUND.get_or_init(|| Self::of(find::find()?)).as_ref().map_err(|error| error.clone().into())
    }

    fn of(loaded: Loaded) -> Result<Self, LibraryError> {
        let version = version(&loaded)?;
        let flavour = Flavour::of(
            &version,
            is_standard(&loaded),
            loaded.address(VARIABLE_OF_OPEN_MPI).is_some(),
        );
        let flavour = flavour.ok_or_else(|| {
            let version = version.lines().next().unwrap_or_default().trim().into();
            LibraryError::Unknown { library: loaded.name.clone(), version }
        })?;
        let is_narrow = flavour == Flavour::Mpich;
        let address = |name| missing(&loaded, name, loaded.address(name));
        let mut words = [0; Constant::ALL.len()];
        for &constant in Constant::ALL {
            words[constant as usize] = match constant.value(flavour) {
                Value::Number(number) => number as usize,
                Value::Address(name) => address(name)? as usize,
            };
        }
        // SAFETY: the library has these functions by their names, as `mpi.h` declares them. It
        // stays loaded (`stay`), and its flavour gives the width of its handles.
        let functions = unsafe { Functions::new(is_narrow, address) }?;
        let conversions = conversions(&loaded, flavour)?;
        let name = loaded.stay();
        Ok(Self { name, version, flavour, functions, words, is_narrow, conversions })
    }

    /// Returns the name by which it was found, such as `libmpi.so.40`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text of `MPI_Get_library_version`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns its interface.
    pub fn flavour(&self) -> Flavour {
        self.flavour
    }

    /// Returns the bytes of a handle in the library's own C.
    pub fn bytes_of_handle(&self) -> usize {
        self.word(Constant::BYTES_OF_HANDLE)
    }

    #[inline]
    pub(crate) fn word(&self, constant: Constant) -> usize {
        self.words[constant as usize]
    }

    #[inline]
    pub(crate) fn handle<K>(&self, constant: Constant) -> Handle<K> {
        Handle::new(self.word(constant))
    }

    /// Returns the handle that a call writes in place of that of nothing.
    #[inline]
    pub(crate) fn written<K>(
        &self,
        nothing: Constant,
        call: impl FnOnce(*mut c_void) -> Result<(), Failure>,
    ) -> Result<Handle<K>, Failure> {
        let (result, handle) = self.handle(nothing).in_memory(self.is_narrow, call);
        result.map(|()| handle)
    }

    /// Returns a number, which fits in the library's.
    #[inline]
    pub(crate) fn number(&self, constant: Constant) -> c_int {
        self.word(constant) as c_int
    }

    #[inline]
    pub(crate) fn no_status(&self) -> *mut c_void {
        self.word(Constant::STATUS_IGNORE) as *mut c_void
    }

    pub(crate) fn explain(&self, Failure { call, code }: Failure) -> CallError {
        let (mut class_number, mut len) = (code, 0);
        let mut text = vec![0_u8; self.word(Constant::MAX_ERROR_STRING) + 1];
        // SAFETY: the code came from the library, and places outlive the calls. If a call fails,
        // the code remains, and the text is empty.
        unsafe {
            let _ = self.functions.MPI_Error_class(code, &mut class_number);
            let _ = self.functions.MPI_Error_string(code, text.as_mut_ptr().cast(), &mut len);
        }
        text.truncate(usize::try_from(len).unwrap_or(0));
        let text = String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned();
        let class = ErrorClass::of(class_number, |constant| self.number(constant));
        CallError { call, code, class_number, class, text }
    }

    pub(crate) fn handle_of_fortran(&self, handle: c_int) -> Handle<Comm> {
        match self.conversions {
            None => Handle::from_narrow(handle),
            // SAFETY: the function looks up any number, and returns a handle.
            Some(functions) => Handle::new(unsafe { (functions.from_fortran)(handle) }),
        }
    }

    /// # Safety
    /// The communicator is alive.
    pub(crate) unsafe fn fortran_of(&self, handle: Handle<Comm>) -> c_int {
        match self.conversions {
            None => handle.narrow(),
            // SAFETY: the handle is alive, as the caller promises.
            Some(functions) => unsafe { (functions.to_fortran)(handle.word()) },
        }
    }
}

/// Identifies libraries with the interface of Open MPI.
const VARIABLE_OF_OPEN_MPI: &str = "ompi_mpi_comm_world";

fn missing<T>(loaded: &Loaded, name: &'static str, found: Option<T>) -> Result<T, LibraryError> {
    found.ok_or_else(|| LibraryError::Lacks { library: loaded.name.clone(), name })
}

/// Returns the library's version text. It may be asked at any time.
fn version(loaded: &Loaded) -> Result<String, LibraryError> {
    /// More than any library asks for: 8192 bytes in MPICH.
    const ROOM: usize = 16 << 10;
    type Version = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
    let name = "MPI_Get_library_version";
    let address = missing(loaded, name, loaded.address(name))?;
    let (mut text, mut len) = (vec![0_u8; ROOM], 0);
    // SAFETY: the function of this name has these arguments in every library. There is room for the
    // longest text, and both places outlive the call.
    let code = unsafe {
        let version: Version = std::mem::transmute(address);
        version(text.as_mut_ptr().cast(), &mut len)
    };
    text.truncate(if code == 0 { usize::try_from(len).unwrap_or(0) } else { 0 });
    Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').trim().to_owned())
}

/// Returns `true` if the library has the standard's interface; with any other interface, its
/// version is -1.
fn is_standard(loaded: &Loaded) -> bool {
    type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    let Some(address) = loaded.address("MPI_Abi_get_version") else { return false };
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: the function of this name has these arguments (MPI 5.0, 20.3). It may be called at
    // any time, and writes to places that outlive the call.
    let code = unsafe {
        let version: Version = std::mem::transmute(address);
        version(&mut major, &mut minor)
    };
    code == 0 && major == 1
}

/// Returns the functions for Fortran's handles, which are C's in MPICH.
fn conversions(loaded: &Loaded, flavour: Flavour) -> Result<Option<Conversions>, LibraryError> {
    let [from, to] = match flavour {
        Flavour::Mpich => return Ok(None),
        Flavour::OpenMpi => ["MPI_Comm_f2c", "MPI_Comm_c2f"],
        Flavour::Standard | Flavour::Draft => ["MPI_Comm_fromint", "MPI_Comm_toint"],
    };
    let address = |name| missing(loaded, name, loaded.address(name));
    let (from, to) = (address(from)?, address(to)?);
    // SAFETY: in libraries of these flavours, the functions of these names convert a number of C to
    // a pointer, or back (MPI 3.1, 17.2.4, and MPI 5.0, 20.4).
    unsafe {
        Ok(Some(Conversions {
            from_fortran: std::mem::transmute::<*const c_void, FromFortran>(from),
            to_fortran: std::mem::transmute::<*const c_void, ToFortran>(to),
        }))
    }
}

impl From<Failure> for Error {
    #[cold]
    fn from(failure: Failure) -> Self {
        match Library::get() {
            Ok(library) => Self::Call(Box::new(library.explain(failure))),
            Err(error) => error,
        }
    }
}
