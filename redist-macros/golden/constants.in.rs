/// Columns to rows.
pub struct Constants<T: redist::Element>: [T; N, 90] {
    from: (*, cyclic(NB)) onto P first P - 1,
    to: (block(2 * Qr::NB), *) onto 2 ranks P..P + 2 storage fortran,
    require: tables, messages <= 2, stays >= 33%, memory <= 64 MiB,
    unroll: 16,
    tables: 64,
}
