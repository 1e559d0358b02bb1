//! The names of MPI whose values differ between interfaces: a row for each name, a column for each
//! interface. In Open MPI, given handles are pointers to variables that the library exports.

use crate::flavour::Flavour;
use std::ffi::c_int;

/// Bytes of an address.
const WORD: i64 = size_of::<usize>() as i64;

/// The value of a name in one interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A number that the interface fixes.
    Number(i64),
    /// The address of a variable that the library exports.
    Address(&'static str),
}

macro_rules! constants {
    (
        handles { $($handle:ident: $h_mpich:expr, $h_open_mpi:expr, $h_standard:expr;)* }
        classes {
            $(
                $(#[$doc:meta])*
                $code:ident $class:ident: $c_mpich:expr, $c_open_mpi:expr, $c_standard:expr;
            )*
        }
        numbers {
            $($name:ident $(= $text:literal)?: $mpich:expr, $open_mpi:expr, $standard:expr;)*
        }
    ) => {
        /// A name of `mpi.h`, without its `MPI_`; or a size or place in bytes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        pub(crate) enum Constant { $($handle,)* $($code,)* $($name,)* }

        impl Constant {
            pub const ALL: &[Self] = &[$(Self::$handle,)* $(Self::$code,)* $(Self::$name,)*];

            /// Returns the expression that a C program writes for it.
            #[cfg(test)]
            pub fn expression(self) -> &'static str {
                match self {
                    $(Self::$handle => constants!(@ $handle),)*
                    $(Self::$code => constants!(@ $code),)*
                    $(Self::$name => constants!(@ $name $($text)?),)*
                }
            }

            /// Returns the values of MPICH, Open MPI and the standard.
            const fn values(self) -> [Value; 3] {
                use Value::{Address, Number};
                match self {
                    $(Self::$handle => {
                        [Number($h_mpich), Address($h_open_mpi), Number($h_standard)]
                    })*
                    $(Self::$code => {
                        [Number($c_mpich), Number($c_open_mpi), Number($c_standard)]
                    })*
                    $(Self::$name => [Number($mpich), Number($open_mpi), Number($standard)],)*
                }
            }
        }

        /// A class of errors, named by its subject. [`name`](Self::name) returns MPI's name for it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum ErrorClass {
            $($(#[$doc])* $class,)*
            /// A class that is none of these.
            Unlisted,
        }

        impl ErrorClass {
            pub(crate) fn of(number: c_int, value: impl Fn(Constant) -> c_int) -> Self {
                $(if value(Constant::$code) == number {
                    return Self::$class;
                })*
                Self::Unlisted
            }

            /// Returns its name in the standard.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$class => constants!(@ $code),)*
                    Self::Unlisted => "an error of another class",
                }
            }
        }
    };
    (@ $name:ident) => { concat!("MPI_", stringify!($name)) };
    (@ $name:ident $text:literal) => { $text };
}

constants! {
    // MPICH, Open MPI, the standard.
    handles {
        COMM_WORLD: 0x4400_0000, "ompi_mpi_comm_world", 0x101;
        COMM_SELF: 0x4400_0001, "ompi_mpi_comm_self", 0x102;
        COMM_NULL: 0x400_0000, "ompi_mpi_comm_null", 0x100;
        GROUP_NULL: 0x800_0000, "ompi_mpi_group_null", 0x108;
        INFO_NULL: 0x1c00_0000, "ompi_mpi_info_null", 0x130;
        REQUEST_NULL: 0x2c00_0000, "ompi_request_null", 0x180;
        MESSAGE_NULL: 0x2c00_0000, "ompi_message_null", 0x128;
        ERRHANDLER_NULL: 0x1400_0000, "ompi_mpi_errhandler_null", 0x140;
        ERRORS_RETURN: 0x5400_0001, "ompi_mpi_errors_return", 0x143;
        BYTE: 0x4c00_010d, "ompi_mpi_byte", 0x247;
        INT8_T: 0x4c00_0137, "ompi_mpi_int8_t", 0x240;
        INT16_T: 0x4c00_0238, "ompi_mpi_int16_t", 0x248;
        INT32_T: 0x4c00_0439, "ompi_mpi_int32_t", 0x250;
        INT64_T: 0x4c00_083a, "ompi_mpi_int64_t", 0x258;
        UINT8_T: 0x4c00_013b, "ompi_mpi_uint8_t", 0x241;
        UINT16_T: 0x4c00_023c, "ompi_mpi_uint16_t", 0x249;
        UINT32_T: 0x4c00_043d, "ompi_mpi_uint32_t", 0x251;
        UINT64_T: 0x4c00_083e, "ompi_mpi_uint64_t", 0x259;
        FLOAT: 0x4c00_040a, "ompi_mpi_float", 0x210;
        DOUBLE: 0x4c00_080b, "ompi_mpi_double", 0x214;
        MAX: 0x5800_0001, "ompi_mpi_op_max", 0x23;
        MIN: 0x5800_0002, "ompi_mpi_op_min", 0x22;
        SUM: 0x5800_0003, "ompi_mpi_op_sum", 0x21;
        PROD: 0x5800_0004, "ompi_mpi_op_prod", 0x24;
        LAND: 0x5800_0005, "ompi_mpi_op_land", 0x30;
        LOR: 0x5800_0007, "ompi_mpi_op_lor", 0x31;
        BAND: 0x5800_0006, "ompi_mpi_op_band", 0x28;
        BOR: 0x5800_0008, "ompi_mpi_op_bor", 0x29;
        BXOR: 0x5800_000a, "ompi_mpi_op_bxor", 0x2a;
    }
    classes {
        ERR_BUFFER Buffer: 1, 1, 1;
        ERR_COUNT Count: 2, 2, 2;
        ERR_TYPE Type: 3, 3, 3;
        ERR_TAG Tag: 4, 4, 4;
        ERR_COMM Communicator: 5, 5, 5;
        ERR_RANK Rank: 6, 6, 6;
        ERR_REQUEST Request: 19, 7, 7;
        ERR_ROOT Root: 7, 8, 8;
        ERR_GROUP Group: 8, 9, 9;
        ERR_OP Operation: 9, 10, 10;
        ERR_ARG Argument: 12, 13, 13;
        /// An error that has no class.
        ERR_UNKNOWN Unknown: 13, 14, 14;
        /// The message is longer than the buffer that receives it.
        ERR_TRUNCATE Truncated: 14, 15, 15;
        /// An error that the text describes.
        ERR_OTHER Other: 15, 16, 16;
        ERR_INTERN Internal: 16, 17, 17;
        /// The error is in a status.
        ERR_IN_STATUS InStatus: 17, 18, 19;
        ERR_PENDING Pending: 18, 19, 18;
        ERR_KEYVAL Key: 48, 36, 36;
        ERR_NO_MEM Memory: 34, 39, 39;
        ERR_INFO Info: 28, 34, 34;
        ERR_PORT Port: 38, 43, 43;
        ERR_SERVICE Service: 41, 48, 51;
        /// The name of a service.
        ERR_NAME Name: 33, 38, 38;
        /// Processes could not be spawned.
        ERR_SPAWN Spawn: 42, 50, 53;
        ERR_WIN Window: 45, 53, 56;
        ERR_SIZE Size: 51, 49, 52;
        ERR_DISP Displacement: 52, 26, 26;
        ERR_LOCKTYPE Lock: 47, 37, 37;
        ERR_ASSERT Assertion: 53, 22, 22;
        /// Calls on a window in a wrong order.
        ERR_RMA_SYNC WindowOrder: 50, 47, 50;
        /// Calls on a window that conflict.
        ERR_RMA_CONFLICT WindowConflict: 49, 46, 47;
        ERR_RMA_SHARED NotShared: 57, 71, 49;
        ERR_RMA_FLAVOR WindowKind: 58, 70, 57;
        /// The library cannot do this.
        ERR_UNSUPPORTED_OPERATION Unsupported: 44, 52, 55;
    }
    numbers {
        STATUS_IGNORE: 1, 0, 0;
        ANY_SOURCE: -2, -1, -1;
        ANY_TAG: -1, -1, -2;
        UNDEFINED: -32766, -32766, -32766;
        KEYVAL_INVALID: 0x2400_0000, -1, 0;
        TAG_UB: 0x6440_0001, 0, 501;
        APPNUM: 0x6440_000d, 4, 505;
        IDENT: 0, 0, 201;
        CONGRUENT: 1, 1, 202;
        COMM_TYPE_SHARED: 1, 0, 221;
        THREAD_SINGLE: 0, 0, 0;
        THREAD_FUNNELED: 1, 1, 1024;
        THREAD_SERIALIZED: 2, 2, 2048;
        THREAD_MULTIPLE: 3, 3, 4096;
        MAX_ERROR_STRING: 512, 256, 512;
        MAX_PORT_NAME: 256, 1024, 1024;
        SUCCESS: 0, 0, 0;
        // Sizes and places, in bytes.
        BYTES_OF_HANDLE = "sizeof(MPI_Comm)": 4, WORD, WORD;
        BYTES_OF_STATUS = "sizeof(MPI_Status)": 20, 16 + WORD, 32;
        SOURCE_IN_STATUS = "offsetof(MPI_Status, MPI_SOURCE)": 8, 0, 0;
        TAG_IN_STATUS = "offsetof(MPI_Status, MPI_TAG)": 12, 4, 4;
    }
}

impl Constant {
    pub const fn value(self, flavour: Flavour) -> Value {
        let [mpich, open_mpi, standard] = self.values();
        match (flavour, self) {
            (Flavour::Mpich, _) => mpich,
            (Flavour::OpenMpi, _) => open_mpi,
            (Flavour::Draft, Self::ERRORS_RETURN) => Value::Number(0x142),
            (Flavour::Draft, Self::APPNUM) => Value::Number(506),
            (Flavour::Standard | Flavour::Draft, _) => standard,
        }
    }
}
