//! Sections for what a kernel was chosen for.

use super::part::Setting;
use super::pattern::Pattern;
use super::raw::memory::{Access, Cached, LINE, Nontemporal, Prefetched};
use super::raw::{Table, TableKernel, Uniform, UniformKernel, Work, table, uniform};
use super::section::Section;
use super::{Direction, Kernel, Memory, Recipe, Vectors};
use crate::program::Deal;

/// A function of a way to reach memory, called with the type for a value.
macro_rules! reaching {
    ($memory:expr, $function:ident::<$direction:ident>($($argument:expr),*)) => {
        match $memory {
            Memory::Cached => $function::<$direction, Cached>($($argument),*),
            Memory::Prefetched => $function::<$direction, Prefetched>($($argument),*),
            Memory::Nontemporal => $function::<$direction, Nontemporal>($($argument),*),
        }
    };
}

/// One section for a deal, `repeats` times over.
pub(super) fn uniform_section<D: Direction>(
    deal: &Deal,
    repeats: usize,
    recipe: Recipe,
    setting: Setting,
) -> Section<D> {
    let Setting { element, peers, .. } = setting;
    let len = deal.len * element;
    let runs = Uniform { len, peers, rounds: deal.count / peers, extra: deal.count % peers, repeats };
    let kernel = reaching!(recipe.memory, uniform_kernel::<D>(len, recipe.kernel, setting));
    Section::new(Work::Uniform(runs, kernel), deal.peer)
}

fn uniform_kernel<D: Direction, A: Access>(len: usize, kernel: Kernel, setting: Setting) -> UniformKernel {
    let plain = plain::<D, A>(len, setting.vectors);
    let network = match kernel {
        Kernel::Network { .. } => network::<D, A>(len, setting.peers, setting.vectors),
        _ => None,
    };
    network.map_or(plain, |all| UniformKernel { all, ..plain })
}

/// Copies of one constant length.
fn plain<D: Direction, A: Access>(len: usize, vectors: Vectors) -> UniformKernel {
    #[cfg(target_arch = "x86_64")]
    if vectors >= Vectors::Avx2
        && !(A::NONTEMPORAL && len >= LINE)
        && let Some(kernel) = super::raw::wide::kernel::<D, A>(len)
    {
        return kernel;
    }
    let _ = vectors;
    uniform::kernel::<D, A>(len)
}

#[cfg(target_arch = "x86_64")]
fn network<D: Direction, A: Access>(len: usize, peers: usize, vectors: Vectors) -> Option<super::raw::UniformAll> {
    use super::raw::network::{avx2, avx512, sse2};
    match vectors {
        Vectors::Portable => None,
        Vectors::Sse2 => sse2::<A>(D::PACKS, len, peers),
        Vectors::Avx2 => avx2::<A>(D::PACKS, len, peers),
        Vectors::Avx512 => avx512::<A>(D::PACKS, len, peers),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn network<D: Direction, A: Access>(_: usize, _: usize, _: Vectors) -> Option<super::raw::UniformAll> {
    None
}

/// Many rounds of all peers as a pattern of one or a few, and what is left of each block.
pub(super) fn permuted_rounds<D: Direction>(
    deal: &Deal,
    repeats: usize,
    recipe: Recipe,
    setting: Setting,
) -> Option<Vec<Section<D>>> {
    let round = Deal { count: setting.peers, ..*deal };
    let left = Deal { count: deal.count % setting.peers, ..*deal };
    let mut sections = tables(&[round], repeats * (deal.count / round.count), recipe, setting)?;
    if left.count > 0 {
        sections.append(&mut tables(&[left], 1, recipe, setting)?);
    }
    Some(sections)
}

/// Bytes of a pattern from which its loop costs little.
const PERIOD: usize = 1024;

/// Bytes up to which a pattern is lengthened until it is made of whole vectors.
const ALIGNED: usize = 8192;

/// Runs of a pattern up to which permutations are worth finding for one use a row.
const ONCE: usize = 512;

/// A pattern of some periods, again and again, and what is left.
pub(super) fn tables<D: Direction>(
    deals: &[Deal],
    repeats: usize,
    recipe: Recipe,
    setting: Setting,
) -> Option<Vec<Section<D>>> {
    let Setting { element, peers, .. } = setting;
    let bytes = deals.iter().map(|deal| deal.len * deal.count).sum::<usize>() * element;
    let times = match recipe.kernel {
        Kernel::Permute => whole_vectors::<D>(deals, setting, repeats),
        _ => {
            let enough = PERIOD.div_ceil(bytes.max(1));
            let whole = (enough..=ALIGNED / bytes.max(1)).find(|times| (times * bytes).is_multiple_of(64));
            whole.unwrap_or(enough)
        }
    };
    let times = times.clamp(1, repeats.max(1));
    let mut sections = Vec::new();
    for (times, repeats) in [(times, repeats / times), (repeats % times, 1)] {
        if times * repeats > 0 {
            let pattern = Pattern::new(deals, element, peers, times)?;
            // So many permutations take longer to find than they save where they are used once.
            let rare = repeats == 1 && pattern.runs().len() > ONCE;
            let permuted = recipe.kernel == Kernel::Permute && !rare;
            let work = match permuted {
                true => permuted_work::<D>(pattern, repeats, recipe, setting.vectors),
                false => table_work::<D>(pattern, repeats, recipe),
            };
            sections.push(Section::new(work, 0));
        }
    }
    Some(sections)
}

/// Bytes of a pattern up to which it is lengthened until what is written is made of whole vectors, or nearly.
const LENGTHENED: usize = 2048;

/// The number of periods, up to `repeats`, whose vectors waste least.
fn whole_vectors<D: Direction>(deals: &[Deal], setting: Setting, repeats: usize) -> usize {
    let Setting { element, peers, vectors, .. } = setting;
    let vector = if vectors == Vectors::Avx512 { 64 } else { 32 };
    let Some(pattern) = Pattern::new(deals, element, peers, 1) else { return 1 };
    let span = pattern.span().max(1);
    let written = if D::PACKS { pattern.shares() } else { &[span][..] };
    // Vectors that are not full, in hundredths of those that are.
    let waste = |times: &usize| {
        let vectors: usize = written.iter().map(|bytes| (bytes * times).div_ceil(vector)).sum();
        (vectors * vector * 100).div_ceil(span * times)
    };
    let most = (LENGTHENED / span).clamp(1, repeats.max(1));
    (1..=most).find(|times| waste(times) <= 115).or_else(|| (1..=most).min_by_key(waste)).unwrap_or(1)
}

#[cfg(target_arch = "x86_64")]
fn permuted_work<D: Direction>(pattern: Pattern, repeats: usize, recipe: Recipe, vectors: Vectors) -> Work {
    use super::raw::permute::Permutation;
    match Permutation::new::<D>(pattern.clone(), repeats, vectors, recipe.memory) {
        Some(permutation) => Work::Permute(permutation),
        None => table_work::<D>(pattern, repeats, recipe),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn permuted_work<D: Direction>(pattern: Pattern, repeats: usize, recipe: Recipe, _: Vectors) -> Work {
    table_work::<D>(pattern, repeats, recipe)
}

fn table_work<D: Direction>(pattern: Pattern, repeats: usize, recipe: Recipe) -> Work {
    let kernel = reaching!(recipe.memory, table_kernel::<D>(&pattern, recipe.kernel));
    Work::Table(Table::new(pattern, repeats), kernel)
}

fn table_kernel<D: Direction, A: Access>(pattern: &Pattern, kernel: Kernel) -> TableKernel {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Masked => super::raw::masked::kernel::<D, A>(),
        Kernel::Permute => table::kernel::<D, Cached>(None),
        _ => table::kernel::<D, A>(pattern.uniform()),
    }
}
