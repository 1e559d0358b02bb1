//! The 40 routines, as ScaLAPACK declares them: Fortran's arguments are pointers, C's numbers are
//! values, INTEGER is 32 bits.

use crate::call::{Call, Desc, Section, part};
use crate::fault::end;
use crate::serve::serve;
use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::abort;

/// IA, JA, DESCA, or IB, JB, DESCB.
type Place = (c_int, c_int, *const Desc);

/// Does the common work of all routines; UPLO and DIAG are pointers to characters.
///
/// # Safety
/// The pointers are as ScaLAPACK's documentation of `p?gemr2d` and `p?trmr2d` demands.
unsafe fn called(
    (routine, width): (&'static str, usize),
    characters: Option<[*const c_char; 2]>,
    extents: [c_int; 2],
    (a, b): (*const u8, *mut u8),
    places: [Place; 2],
    context: Option<c_int>,
) {
    let answer = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: both are characters, as the caller promises.
        let part = characters.map(|[uplo, diag]| unsafe { part(*uplo as u8, *diag as u8) });
        let sides = places.map(|(i, j, desc)| {
            // SAFETY: a descriptor has nine integers, also on processes outside of its grid, as the
            // caller promises. Such processes may only use CTXT_, so the other eight may have no
            // value when they are read. Any bits are an integer.
            Section { first: [i, j], desc: unsafe { desc.read() } }
        });
        let call = Call { routine, width, part, extents, sides, context };
        // SAFETY: the arrays are as their descriptors, as the caller promises.
        unsafe { serve(&call, a, b) }.unwrap_or_else(|fault| end(&call, &fault));
    }));
    // The panic has been printed; it must not unwind into another language.
    if answer.is_err() {
        abort();
    }
}

/// For each type: four routines of Fortran, four of C.
macro_rules! routines {
    ($($bytes:literal: $gemr2d:ident $gemr2do:ident $trmr2d:ident $trmr2do:ident
        $c_gemr2d:ident $c_gemr2do:ident $c_trmr2d:ident $c_trmr2do:ident;)*) => {$(
        routines! { fortran $bytes $gemr2d() context }
        routines! { fortran $bytes $gemr2do() }
        routines! { fortran $bytes $trmr2d(uplo, diag) context }
        routines! { fortran $bytes $trmr2do(uplo, diag) }
        routines! { c $bytes $c_gemr2d() context }
        routines! { c $bytes $c_gemr2do() }
        routines! { c $bytes $c_trmr2d(uplo, diag) context }
        routines! { c $bytes $c_trmr2do(uplo, diag) }
    )*};
    ($language:ident $bytes:literal $name:ident($($letter:ident),*) $($context:ident)?) => {
        /// # Safety
        /// The arguments are as ScaLAPACK's documentation of the routine demands.
        // SAFETY: the name is ScaLAPACK's, for a function with the same arguments and effect.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($letter: *const c_char,)*
            m: routines!(@integer $language),
            n: routines!(@integer $language),
            a: *const u8,
            ia: routines!(@integer $language),
            ja: routines!(@integer $language),
            desca: *const Desc,
            b: *mut u8,
            ib: routines!(@integer $language),
            jb: routines!(@integer $language),
            descb: *const Desc,
            $($context: routines!(@integer $language),)?
        ) {
            let routine = (stringify!($name).trim_end_matches('_'), $bytes);
            let characters = routines!(@option [$($letter),*]);
            // SAFETY: Fortran's numbers are pointers to integers, as the caller promises. The rest
            // is passed on.
            unsafe {
                let read = |one: routines!(@integer $language)| routines!(@value $language one);
                let [m, n, ia, ja, ib, jb] = [m, n, ia, ja, ib, jb].map(read);
                let context = routines!(@option $(routines!(@value $language $context))?);
                let places = [(ia, ja, desca), (ib, jb, descb)];
                called(routine, characters, [m, n], (a, b), places, context);
            }
        }
    };
    (@integer fortran) => { *const c_int };
    (@integer c) => { c_int };
    (@value fortran $pointer:expr) => { *$pointer };
    (@value c $number:expr) => { $number };
    (@option) => { None };
    (@option []) => { None };
    (@option $value:expr) => { Some($value) };
}

routines! {
    4: psgemr2d_ psgemr2do_ pstrmr2d_ pstrmr2do_ Cpsgemr2d Cpsgemr2do Cpstrmr2d Cpstrmr2do;
    8: pdgemr2d_ pdgemr2do_ pdtrmr2d_ pdtrmr2do_ Cpdgemr2d Cpdgemr2do Cpdtrmr2d Cpdtrmr2do;
    8: pcgemr2d_ pcgemr2do_ pctrmr2d_ pctrmr2do_ Cpcgemr2d Cpcgemr2do Cpctrmr2d Cpctrmr2do;
    16: pzgemr2d_ pzgemr2do_ pztrmr2d_ pztrmr2do_ Cpzgemr2d Cpzgemr2do Cpztrmr2d Cpztrmr2do;
    4: pigemr2d_ pigemr2do_ pitrmr2d_ pitrmr2do_ Cpigemr2d Cpigemr2do Cpitrmr2d Cpitrmr2do;
}
