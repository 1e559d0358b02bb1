//! Vector instructions, detected at run time for the sake of default builds.

use core::fmt;

/// Vector instructions of kernels; each level includes all earlier levels that the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vectors {
    /// Plain copies as the compiler makes them, on any processor.
    Portable,
    /// NEON, which every AArch64 processor has.
    Neon,
    /// SSE2, which every x86-64 processor has.
    Sse2,
    /// AVX2.
    Avx2,
    /// AVX-512 F and BW, and VBMI where the processor has it.
    Avx512,
}

const ALL: [Vectors; 5] =
    [Vectors::Portable, Vectors::Neon, Vectors::Sse2, Vectors::Avx2, Vectors::Avx512];

impl Vectors {
    /// Returns the processor's highest level.
    pub fn detected() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let bw = is_x86_feature_detected!("avx512bw");
            Self::of(is_x86_feature_detected!("avx2"), bw && is_x86_feature_detected!("avx512f"))
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            Vectors::Neon
        } else {
            Vectors::Portable
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        Vectors::Portable
    }

    /// Returns the highest level whose earlier levels are all there; a hypervisor may hide some.
    #[cfg(any(target_arch = "x86_64", test))]
    fn of(avx2: bool, avx512: bool) -> Self {
        match (avx2, avx512) {
            (true, true) => Vectors::Avx512,
            (true, false) => Vectors::Avx2,
            (false, _) => Vectors::Sse2,
        }
    }

    /// Lists the levels that this processor runs.
    pub fn runnable() -> impl Iterator<Item = Self> {
        ALL.into_iter().filter(|level| level.runnable_at_most() == *level)
    }

    /// Returns the highest level that the processor runs, this level at most.
    pub(in crate::exec) fn runnable_at_most(self) -> Self {
        match self.min(Self::detected()) {
            Vectors::Neon if cfg!(not(target_arch = "aarch64")) => Vectors::Portable,
            level => level,
        }
    }
}

impl fmt::Display for Vectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Vectors::Portable => "portable",
            Vectors::Neon => "NEON",
            Vectors::Sse2 => "SSE2",
            Vectors::Avx2 => "AVX2",
            Vectors::Avx512 => "AVX-512",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_has_all_instructions_of_those_before_it() {
        let levels = [[false, false], [false, true], [true, false], [true, true]];
        let levels = levels.map(|[avx2, avx512]| Vectors::of(avx2, avx512));
        assert_eq!(levels, [Vectors::Sse2, Vectors::Sse2, Vectors::Avx2, Vectors::Avx512]);
    }
}
