/// Columns to rows.
pub struct Constants: [f64; N, 90] {
    from: (*, cyclic(NB)) onto P first P - 1,
    to: (block(2 * Qr::NB), *) onto 2 ranks P..P + 2 storage fortran,
    unroll: 16,
    tables: 64,
}
