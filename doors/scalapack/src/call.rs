use redist::plan::{Diag, Uplo};

/// A descriptor: DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_.
pub(crate) type Desc = [i32; 9];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub routine: &'static str,
    pub width: usize,
    /// Of `p?trmr2d`.
    pub part: Option<(Uplo, Diag)>,
    pub extents: [i32; 2],
    pub sides: [Section; 2],
    /// `None`: all processes, for routines that end in `o`.
    pub context: Option<i32>,
}

/// IA, JA: from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    pub first: [i32; 2],
    pub desc: Desc,
}

impl Section {
    pub fn context(&self) -> i32 {
        self.desc[1]
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
