//! Sections for what a kernel was chosen for.

use super::part::Setting;
use super::pattern::Pattern;
use super::raw::{Table, TableKernel, Uniform, UniformKernel, Work, table, uniform};
use super::section::Section;
use super::{Direction, Kernel, Vectors};
use crate::program::Deal;

/// Rounds of all peers that make a pattern of many rounds: runs of 4 bytes fill vectors.
const ROUNDS: usize = 16;

/// One section for a deal, `repeats` times over.
pub(super) fn uniform_section<D: Direction>(
    deal: &Deal,
    repeats: usize,
    kernel: Kernel,
    setting: Setting,
) -> Section<D> {
    let Setting { element, peers, vectors, .. } = setting;
    let len = deal.len * element;
    let runs = Uniform { len, peers, rounds: deal.count / peers, extra: deal.count % peers, repeats };
    let portable = uniform::kernel::<D>(len);
    let network = match kernel {
        Kernel::Network { .. } => network::<D>(len, peers, vectors),
        _ => None,
    };
    let kernel = network.map_or(portable, |all| UniformKernel { all, ..portable });
    Section::new(Work::Uniform(runs, kernel), deal.peer)
}

#[cfg(target_arch = "x86_64")]
fn network<D: Direction>(len: usize, peers: usize, vectors: Vectors) -> Option<super::raw::UniformAll> {
    use super::raw::network::{avx2, avx512, sse2};
    match vectors {
        Vectors::Portable => None,
        Vectors::Sse2 => sse2(D::PACKS, len, peers),
        Vectors::Avx2 => avx2(D::PACKS, len, peers),
        Vectors::Avx512 => avx512(D::PACKS, len, peers),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn network<D: Direction>(_: usize, _: usize, _: Vectors) -> Option<super::raw::UniformAll> {
    None
}

/// Many rounds of all peers as a pattern of a few rounds, and what is left of each block.
pub(super) fn permuted_rounds<D: Direction>(deal: &Deal, repeats: usize, setting: Setting) -> Option<Vec<Section<D>>> {
    let some = Deal { count: ROUNDS * setting.peers, ..*deal };
    let left = Deal { count: deal.count % some.count, ..*deal };
    let mut sections = tables(&[some], repeats * (deal.count / some.count), Kernel::Permute, setting)?;
    if left.count > 0 {
        sections.append(&mut tables(&[left], 1, Kernel::Table, setting)?);
    }
    Some(sections)
}

/// Bytes of a pattern from which its loop costs little.
const PERIOD: usize = 1024;

/// Bytes up to which a pattern is lengthened until it is made of whole vectors.
const ALIGNED: usize = 8192;

/// A pattern of some periods, again and again, and what is left.
pub(super) fn tables<D: Direction>(
    deals: &[Deal],
    repeats: usize,
    kernel: Kernel,
    setting: Setting,
) -> Option<Vec<Section<D>>> {
    let Setting { element, peers, .. } = setting;
    let bytes = deals.iter().map(|deal| deal.len * deal.count).sum::<usize>() * element;
    let enough = PERIOD.div_ceil(bytes.max(1));
    let whole = (enough..=ALIGNED / bytes.max(1)).find(|times| (times * bytes).is_multiple_of(64));
    let times = whole.unwrap_or(enough).clamp(1, repeats.max(1));
    let mut sections = Vec::new();
    for (times, repeats) in [(times, repeats / times), (repeats % times, 1)] {
        if times * repeats > 0 {
            // Vectors reach past a period: the only one has no next one.
            let kernel = if kernel == Kernel::Permute && repeats == 1 { Kernel::Table } else { kernel };
            let pattern = Pattern::new(deals, element, peers, times)?;
            sections.push(Section::new(table_work::<D>(pattern, repeats, kernel), 0));
        }
    }
    Some(sections)
}

fn table_work<D: Direction>(pattern: Pattern, repeats: usize, kernel: Kernel) -> Work {
    let kernel = match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Permute => match super::raw::permute::Permutation::new::<D>(pattern.clone(), repeats) {
            Some(permutation) => return Work::Permute(permutation),
            None => table::kernel::<D>(None),
        },
        kernel => table_kernel::<D>(&pattern, kernel),
    };
    Work::Table(Table::new(pattern, repeats), kernel)
}

fn table_kernel<D: Direction>(pattern: &Pattern, kernel: Kernel) -> TableKernel {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Masked => super::raw::masked::kernel::<D>(),
        _ => table::kernel::<D>(pattern.uniform()),
    }
}
