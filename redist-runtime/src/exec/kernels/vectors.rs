//! Which vector instructions kernels may use: found at run time, so that default builds use what
//! the processor has.

use core::fmt;

/// Vector instructions that kernels are written for, each level including those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vectors {
    /// Whatever the compiler makes of plain copies, on any processor.
    Portable,
    /// SSE2, which every x86-64 processor has.
    Sse2,
    /// AVX2.
    Avx2,
    /// AVX-512 F and BW.
    Avx512,
}

#[cfg(test)]
const ALL: [Vectors; 4] = [Vectors::Portable, Vectors::Sse2, Vectors::Avx2, Vectors::Avx512];

impl Vectors {
    /// What the processor has.
    pub fn detected() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx2 = is_x86_feature_detected!("avx2");
            let has_avx512 =
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
            if has_avx2 && has_avx512 {
                Vectors::Avx512
            } else if has_avx2 {
                Vectors::Avx2
            } else {
                Vectors::Sse2
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Vectors::Portable
    }

    /// Every level that this processor can run.
    #[cfg(test)]
    pub(in crate::exec) fn runnable() -> impl Iterator<Item = Self> {
        ALL.into_iter().filter(|level| *level <= Self::detected())
    }
}

impl fmt::Display for Vectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Vectors::Portable => "portable",
            Vectors::Sse2 => "SSE2",
            Vectors::Avx2 => "AVX2",
            Vectors::Avx512 => "AVX-512",
        })
    }
}
