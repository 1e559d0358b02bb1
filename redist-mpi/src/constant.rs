//! The names of MPI whose values differ between interfaces.

use std::ffi::c_int;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(i64),
    /// The address of a variable that the library exports.
    Address(&'static str),
}

macro_rules! constants {
    ($($name:ident $(= $expression:literal)?,)*) => {
        /// A name of `mpi.h`, without its `MPI_`; or a size or place in bytes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        pub(crate) enum Constant { $($name,)* }

        impl Constant {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the expression that a C program writes for it.
            #[cfg(test)]
            pub fn expression(self) -> &'static str {
                match self { $(Self::$name => constants!(@ $name $($expression)?),)* }
            }
        }
    };
    (@ $name:ident) => { concat!("MPI_", stringify!($name)) };
    (@ $name:ident $expression:literal) => { $expression };
}

constants! {
    // Handles.
    COMM_WORLD,
    COMM_SELF,
    COMM_NULL,
    GROUP_NULL,
    INFO_NULL,
    REQUEST_NULL,
    MESSAGE_NULL,
    WIN_NULL,
    ERRHANDLER_NULL,
    ERRORS_RETURN,
    BYTE,
    INT8_T,
    INT16_T,
    INT32_T,
    INT64_T,
    UINT8_T,
    UINT16_T,
    UINT32_T,
    UINT64_T,
    FLOAT,
    DOUBLE,
    MAX,
    MIN,
    SUM,
    PROD,
    LAND,
    LOR,
    BAND,
    BOR,
    BXOR,
    // Addresses.
    STATUS_IGNORE,
    // Numbers.
    ANY_SOURCE,
    ANY_TAG,
    PROC_NULL,
    UNDEFINED,
    KEYVAL_INVALID,
    TAG_UB,
    APPNUM,
    WIN_MODEL,
    WIN_SEPARATE,
    MODE_NOCHECK,
    IDENT,
    CONGRUENT,
    SIMILAR,
    COMM_TYPE_SHARED,
    THREAD_SINGLE,
    THREAD_FUNNELED,
    THREAD_SERIALIZED,
    THREAD_MULTIPLE,
    MAX_ERROR_STRING,
    MAX_PORT_NAME,
    MAX_LIBRARY_VERSION_STRING,
    // Classes of errors.
    SUCCESS,
    ERR_BUFFER,
    ERR_COUNT,
    ERR_TYPE,
    ERR_TAG,
    ERR_COMM,
    ERR_RANK,
    ERR_REQUEST,
    ERR_ROOT,
    ERR_GROUP,
    ERR_OP,
    ERR_ARG,
    ERR_UNKNOWN,
    ERR_TRUNCATE,
    ERR_OTHER,
    ERR_INTERN,
    ERR_IN_STATUS,
    ERR_PENDING,
    ERR_KEYVAL,
    ERR_NO_MEM,
    ERR_INFO,
    ERR_PORT,
    ERR_SERVICE,
    ERR_NAME,
    ERR_SPAWN,
    ERR_WIN,
    ERR_SIZE,
    ERR_DISP,
    ERR_LOCKTYPE,
    ERR_ASSERT,
    ERR_RMA_SYNC,
    ERR_RMA_CONFLICT,
    ERR_RMA_SHARED,
    ERR_RMA_FLAVOR,
    ERR_UNSUPPORTED_OPERATION,
    // Sizes and places, in bytes.
    BYTES_OF_HANDLE = "sizeof(MPI_Comm)",
    BYTES_OF_REQUEST = "sizeof(MPI_Request)",
    BYTES_OF_DATATYPE = "sizeof(MPI_Datatype)",
    BYTES_OF_ADDRESS = "sizeof(MPI_Aint)",
    BYTES_OF_STATUS = "sizeof(MPI_Status)",
    SOURCE_IN_STATUS = "offsetof(MPI_Status, MPI_SOURCE)",
    TAG_IN_STATUS = "offsetof(MPI_Status, MPI_TAG)",
}

/// The values of all names in a library, as words.
#[derive(Debug)]
pub(crate) struct Words([usize; Constant::ALL.len()]);

impl Words {
    /// Makes the table; `address` finds the addresses of variables.
    pub fn new<E>(
        value: impl Fn(Constant) -> Value,
        mut address: impl FnMut(&'static str) -> Result<usize, E>,
    ) -> Result<Self, E> {
        let mut words = [0; Constant::ALL.len()];
        for &constant in Constant::ALL {
            words[constant as usize] = match value(constant) {
                Value::Number(number) => number as usize,
                Value::Address(name) => address(name)?,
            };
        }
        Ok(Self(words))
    }

    #[inline]
    pub fn word(&self, constant: Constant) -> usize {
        self.0[constant as usize]
    }

    /// Returns a number, which fits in the library's.
    #[inline]
    pub fn number(&self, constant: Constant) -> c_int {
        self.0[constant as usize] as c_int
    }
}
