//! One call of a routine, with its parameters.

use redist::plan::{Diag, Uplo};

/// A descriptor: DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_.
pub(crate) type Desc = [i32; 9];

/// One call of a routine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub routine: &'static str,
    /// Bytes of an element.
    pub width: usize,
    /// Of `p?trmr2d`.
    pub part: Option<(Uplo, Diag)>,
    /// M and N.
    pub extents: [i32; 2],
    pub sides: [Section; 2],
    /// `None`: all processes, for routines that end in `o`.
    pub context: Option<i32>,
}

/// IA, JA: from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    /// IA and JA, from 1.
    pub first: [i32; 2],
    pub desc: Desc,
}

impl Section {
    pub fn context(&self) -> i32 {
        self.desc[1]
    }

    /// Returns `true` if the descriptor is that of a program whose INTEGER has 8 bytes: the upper
    /// halves of its numbers stand for CTXT_, N_, NB_ and CSRC_. A block of no columns is none.
    pub fn is_wide(&self) -> bool {
        let [dtype, ctxt, m, n, _, nb, _, csrc, _] = self.desc;
        // CTXT_ of 8 bytes may be -1, and stands in M_ and N_.
        dtype == 1 && ctxt == 0 && n == m >> 31 && nb == 0 && csrc == 0
    }
}

/// Reads UPLO and DIAG as ScaLAPACK: anything but `U` is lower; DIAG depends on UPLO.
pub(crate) fn part(uplo: u8, diag: u8) -> (Uplo, Diag) {
    let (uplo, diag) = (uplo.to_ascii_uppercase(), diag.to_ascii_uppercase());
    let (uplo, is_unit) =
        if uplo == b'U' { (Uplo::Upper, diag != b'N') } else { (Uplo::Lower, diag == b'U') };
    (uplo, if is_unit { Diag::Unit } else { Diag::NonUnit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_of_wide_integers_are_known() {
        let wide = |numbers: [i64; 9]| {
            let halves = numbers.iter().flat_map(|number| [*number as i32, (*number >> 32) as i32]);
            let mut desc = [0; 9];
            desc.iter_mut().zip(halves).for_each(|(place, half)| *place = half);
            Section { first: [1; 2], desc }.is_wide()
        };
        assert!(wide([1, 0, 8, 9, 2, 3, 0, 0, 4]) && wide([1, -1, 8, 9, 2, 3, 0, 0, 4]));
        let narrow = |desc| Section { first: [1; 2], desc }.is_wide();
        assert!(!narrow([1, 0, 8, 9, 2, 3, 0, 0, 4]) && !narrow([1, 0, 0, 0, 2, 3, 0, 0, 4]));
    }

    #[test]
    fn characters_are_read_as_scalapack_reads_them() {
        assert_eq!(part(b'u', b'n'), (Uplo::Upper, Diag::NonUnit));
        assert_eq!(part(b'U', b'U'), (Uplo::Upper, Diag::Unit));
        assert_eq!(part(b'L', b'u'), (Uplo::Lower, Diag::Unit));
        assert_eq!(part(b'l', b'N'), (Uplo::Lower, Diag::NonUnit));
        // Neither is a word of theirs; upper and lower read it differently.
        assert_eq!(part(b'U', b'?'), (Uplo::Upper, Diag::Unit));
        assert_eq!(part(b'?', b'?'), (Uplo::Lower, Diag::NonUnit));
    }
}
