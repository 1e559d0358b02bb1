"""As `mpi4py.MPI`: communicators whose handles are as long as pointers, with the numbers of MPI 5.0."""

import atexit
import ctypes

_library = ctypes.CDLL("libmpi_abi.so.1")
_NULL, _WORLD = 0x100, 0x101


class Comm:
    def __init__(self, handle):
        self._handle = ctypes.c_void_p(handle)

    def _asked(self, call):
        number = ctypes.c_int()
        getattr(_library, call)(self._handle, ctypes.byref(number))
        return number.value

    @property
    def rank(self):
        return self._asked("MPI_Comm_rank")

    @property
    def size(self):
        return self._asked("MPI_Comm_size")

    def __bool__(self):
        return self._handle.value != _NULL

    def Is_inter(self):
        return bool(self._asked("MPI_Comm_test_inter"))

    def Dup(self):
        new = Comm(_NULL)
        _library.MPI_Comm_dup(self._handle, ctypes.byref(new._handle))
        return new

    def Barrier(self):
        _library.MPI_Barrier(self._handle)


def _flag(call):
    flag = ctypes.c_int()
    getattr(_library, call)(ctypes.byref(flag))
    return bool(flag.value)


def Is_initialized():
    return _flag("MPI_Initialized")


def Is_finalized():
    return _flag("MPI_Finalized")


def Get_library_version():
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    _library.MPI_Get_library_version(text, ctypes.byref(length))
    return text.value.decode()


def _sizeof(_):
    return ctypes.sizeof(ctypes.c_void_p)


def _addressof(comm):
    return ctypes.addressof(comm._handle)


COMM_WORLD = Comm(_WORLD)
_library.MPI_Init(None, None)
atexit.register(_library.MPI_Finalize)
