//! The called functions: a table of pointers, looked up once. Unsafe, because a pointer of the
//! library becomes a function only by its name.

use crate::error::Failure;
use crate::handle::{Comm, Datatype, Errhandler, Group, Handle, Info, Op};
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;

/// An argument of C, in libraries whose handles are numbers, and in libraries whose handles are
/// pointers.
pub(crate) trait Argument {
    type Narrow;
    type Wide;
    fn narrow(self) -> Self::Narrow;
    fn wide(self) -> Self::Wide;
}

impl<K> Argument for Handle<K> {
    type Narrow = c_int;
    type Wide = usize;

    #[inline]
    fn narrow(self) -> c_int {
        Handle::narrow(self)
    }

    #[inline]
    fn wide(self) -> usize {
        self.word()
    }
}

macro_rules! alike {
    ($([$($generic:ident)?] $type:ty;)*) => {$(
        impl$(<$generic>)? Argument for $type {
            type Narrow = Self;
            type Wide = Self;

            #[inline]
            fn narrow(self) -> Self {
                self
            }

            #[inline]
            fn wide(self) -> Self {
                self
            }
        }
    )*};
}

alike! {
    [] c_int;
    [] isize;
    [T] *const T;
    [T] *mut T;
}

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// Pointers to all functions that this crate calls.
        #[derive(Debug)]
        #[allow(non_snake_case)]
        pub(crate) struct Functions {
            /// `true` if handles are numbers of C; otherwise they are as long as pointers.
            is_narrow: bool,
            $($name: unsafe extern "C" fn(),)*
        }

        /// Calls as C makes them. A code that is not `MPI_SUCCESS` is a `Failure`.
        ///
        /// # Safety
        /// Arguments are as the standard demands. Handles are alive, and of the function's kind.
        /// Buffers have the stated length until the call or its request is complete. The library is
        /// in a state in which the function may be called.
        #[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]
        impl Functions {
            /// Finds the functions by `address`; `is_narrow` if handles are numbers of C.
            ///
            /// # Safety
            /// Each address is that of the named function, in a library of MPI 3.1 or later. It
            /// stays loaded, and has handles of that width.
            pub unsafe fn new<E>(
                is_narrow: bool,
                mut address: impl FnMut(&'static str) -> Result<*const c_void, E>,
            ) -> Result<Self, E> {
                $(
                    let found = address(stringify!($name))?;
                    // SAFETY: it is the address of a function, as the caller promises.
                    let $name = unsafe { transmute::<*const c_void, unsafe extern "C" fn()>(found) };
                )*
                Ok(Self { is_narrow, $($name,)* })
            }

            $(
                #[inline]
                pub unsafe fn $name(&self, $($argument: $type),*) -> Result<(), Failure> {
                    let code = match self.is_narrow {
                        true => functions!(@call self.$name, Narrow narrow $($argument: $type),*),
                        false => functions!(@call self.$name, Wide wide $($argument: $type),*),
                    };
                    // `MPI_SUCCESS` is zero in the standard, and so in all interfaces.
                    if code == 0 { Ok(()) } else { Err(Failure { call: stringify!($name), code }) }
                }
            )*
        }
    };
    (@call $found:expr, $width:ident $passed:ident $($argument:ident: $type:ty),*) => {{
        type Function = unsafe extern "C" fn($(<$type as Argument>::$width),*) -> c_int;
        // SAFETY: `new`'s caller promises that this is the function of this name. It has these
        // arguments in libraries with handles of this width.
        let call = unsafe { transmute::<unsafe extern "C" fn(), Function>($found) };
        // SAFETY: the arguments are as the standard demands, as the caller promises.
        unsafe { call($($argument.$passed()),*) }
    }};
}

// As MPI 3.1 declares them. Places of handles, statuses and MPI_Aint are `void *` here, because
// their sizes differ.
functions! {
    MPI_Abort(comm: Handle<Comm>, code: c_int);
    MPI_Allreduce(
        from: *const c_void, to: *mut c_void, count: c_int, datatype: Handle<Datatype>,
        op: Handle<Op>, comm: Handle<Comm>
    );
    MPI_Barrier(comm: Handle<Comm>);
    MPI_Bcast(
        buffer: *mut c_void, count: c_int, datatype: Handle<Datatype>, root: c_int,
        comm: Handle<Comm>
    );
    MPI_Cancel(request: *mut c_void);
    MPI_Close_port(name: *const c_char);
    MPI_Comm_accept(
        port: *const c_char, info: Handle<Info>, root: c_int, comm: Handle<Comm>, new: *mut c_void
    );
    MPI_Comm_compare(one: Handle<Comm>, other: Handle<Comm>, result: *mut c_int);
    MPI_Comm_connect(
        port: *const c_char, info: Handle<Info>, root: c_int, comm: Handle<Comm>, new: *mut c_void
    );
    MPI_Comm_create_keyval(
        copy: *const c_void, delete: *const c_void, key: *mut c_int, extra: *mut c_void
    );
    MPI_Comm_dup(comm: Handle<Comm>, new: *mut c_void);
    MPI_Comm_free(comm: *mut c_void);
    MPI_Comm_get_attr(comm: Handle<Comm>, key: c_int, value: *mut c_void, found: *mut c_int);
    MPI_Comm_get_errhandler(comm: Handle<Comm>, handler: *mut c_void);
    MPI_Comm_group(comm: Handle<Comm>, group: *mut c_void);
    MPI_Comm_rank(comm: Handle<Comm>, rank: *mut c_int);
    MPI_Comm_set_attr(comm: Handle<Comm>, key: c_int, value: *mut c_void);
    MPI_Comm_set_errhandler(comm: Handle<Comm>, handler: Handle<Errhandler>);
    MPI_Comm_size(comm: Handle<Comm>, size: *mut c_int);
    MPI_Comm_split(comm: Handle<Comm>, color: c_int, key: c_int, new: *mut c_void);
    MPI_Comm_split_type(
        comm: Handle<Comm>, kind: c_int, key: c_int, info: Handle<Info>, new: *mut c_void
    );
    MPI_Comm_test_inter(comm: Handle<Comm>, inter: *mut c_int);
    MPI_Errhandler_free(handler: *mut c_void);
    MPI_Error_class(code: c_int, class: *mut c_int);
    MPI_Error_string(code: c_int, text: *mut c_char, len: *mut c_int);
    MPI_Finalize();
    MPI_Finalized(flag: *mut c_int);
    MPI_Get_count(status: *const c_void, datatype: Handle<Datatype>, count: *mut c_int);
    MPI_Group_free(group: *mut c_void);
    MPI_Group_translate_ranks(
        one: Handle<Group>, count: c_int, ranks: *const c_int, other: Handle<Group>, to: *mut c_int
    );
    MPI_Iallreduce(
        from: *const c_void, to: *mut c_void, count: c_int, datatype: Handle<Datatype>,
        op: Handle<Op>, comm: Handle<Comm>, request: *mut c_void
    );
    MPI_Improbe(
        from: c_int, tag: c_int, comm: Handle<Comm>, found: *mut c_int, message: *mut c_void,
        status: *mut c_void
    );
    MPI_Init_thread(
        argc: *mut c_int, argv: *mut c_void, required: c_int, provided: *mut c_int
    );
    MPI_Initialized(flag: *mut c_int);
    MPI_Intercomm_create(
        comm: Handle<Comm>, leader: c_int, peers: Handle<Comm>, remote: c_int, tag: c_int,
        new: *mut c_void
    );
    MPI_Intercomm_merge(inter: Handle<Comm>, high: c_int, new: *mut c_void);
    MPI_Iprobe(
        from: c_int, tag: c_int, comm: Handle<Comm>, found: *mut c_int, status: *mut c_void
    );
    MPI_Irecv(
        buffer: *mut c_void, count: c_int, datatype: Handle<Datatype>, from: c_int, tag: c_int,
        comm: Handle<Comm>, request: *mut c_void
    );
    MPI_Is_thread_main(flag: *mut c_int);
    MPI_Isend(
        buffer: *const c_void, count: c_int, datatype: Handle<Datatype>, to: c_int, tag: c_int,
        comm: Handle<Comm>, request: *mut c_void
    );
    MPI_Issend(
        buffer: *const c_void, count: c_int, datatype: Handle<Datatype>, to: c_int, tag: c_int,
        comm: Handle<Comm>, request: *mut c_void
    );
    MPI_Mrecv(
        buffer: *mut c_void, count: c_int, datatype: Handle<Datatype>, message: *mut c_void,
        status: *mut c_void
    );
    MPI_Open_port(info: Handle<Info>, name: *mut c_char);
    MPI_Query_thread(level: *mut c_int);
    MPI_Recv(
        buffer: *mut c_void, count: c_int, datatype: Handle<Datatype>, from: c_int, tag: c_int,
        comm: Handle<Comm>, status: *mut c_void
    );
    MPI_Send(
        buffer: *const c_void, count: c_int, datatype: Handle<Datatype>, to: c_int, tag: c_int,
        comm: Handle<Comm>
    );
    MPI_Test(request: *mut c_void, done: *mut c_int, status: *mut c_void);
    MPI_Test_cancelled(status: *const c_void, flag: *mut c_int);
    MPI_Testsome(
        count: c_int, requests: *mut c_void, done: *mut c_int, indices: *mut c_int,
        statuses: *mut c_void
    );
    MPI_Wait(request: *mut c_void, status: *mut c_void);
    MPI_Waitsome(
        count: c_int, requests: *mut c_void, done: *mut c_int, indices: *mut c_int,
        statuses: *mut c_void
    );
}
