//! The library's routines. A trailing underscore: all arguments are pointers. Lower-case names are
//! Fortran's INTEGER, 32 bits as Debian builds it.

use std::ffi::{c_char, c_double, c_float, c_int};

/// A descriptor: DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_.
pub type Desc = [c_int; 9];

/// Routines that redistribute; for trapezoids, letters come first.
macro_rules! redistributions {
    ($($name:ident($($letter:ident),*) $element:ty,)*) => {
        unsafe extern "C" {$(
            pub fn $name(
                $($letter: *const c_char,)*
                m: *const c_int,
                n: *const c_int,
                a: *const $element,
                ia: *const c_int,
                ja: *const c_int,
                desca: *const c_int,
                b: *mut $element,
                ib: *const c_int,
                jb: *const c_int,
                descb: *const c_int,
                ictxt: *const c_int,
            );
        )*}
    };
}

redistributions! {
    pdgemr2d_() c_double,
    psgemr2d_() c_float,
    pigemr2d_() c_int,
    pdtrmr2d_(uplo, diag) c_double,
    pstrmr2d_(uplo, diag) c_float,
    pitrmr2d_(uplo, diag) c_int,
}

unsafe extern "C" {
    pub fn Cblacs_get(context: c_int, what: c_int, value: *mut c_int);
    pub fn Cblacs_gridinit(context: *mut c_int, order: *const c_char, nprow: c_int, npcol: c_int);
    pub fn Cblacs_gridinfo(
        context: c_int,
        nprow: *mut c_int,
        npcol: *mut c_int,
        myrow: *mut c_int,
        mycol: *mut c_int,
    );
    pub fn Cblacs_gridexit(context: c_int);

    pub fn numroc_(
        n: *const c_int,
        nb: *const c_int,
        iproc: *const c_int,
        isrcproc: *const c_int,
        nprocs: *const c_int,
    ) -> c_int;
    pub fn descinit_(
        desc: *mut c_int,
        m: *const c_int,
        n: *const c_int,
        mb: *const c_int,
        nb: *const c_int,
        irsrc: *const c_int,
        icsrc: *const c_int,
        ictxt: *const c_int,
        lld: *const c_int,
        info: *mut c_int,
    );

    pub fn pdgesv_(
        n: *const c_int,
        nrhs: *const c_int,
        a: *mut c_double,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        ipiv: *mut c_int,
        b: *mut c_double,
        ib: *const c_int,
        jb: *const c_int,
        descb: *const c_int,
        info: *mut c_int,
    );
}

unsafe extern "C" {
    pub fn pdtran_(
        m: *const c_int,
        n: *const c_int,
        alpha: *const c_double,
        a: *const c_double,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        beta: *const c_double,
        c: *mut c_double,
        ic: *const c_int,
        jc: *const c_int,
        descc: *const c_int,
    );
    pub fn pdgeadd_(
        trans: *const c_char,
        m: *const c_int,
        n: *const c_int,
        alpha: *const c_double,
        a: *const c_double,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        beta: *const c_double,
        c: *mut c_double,
        ic: *const c_int,
        jc: *const c_int,
        descc: *const c_int,
    );
}
