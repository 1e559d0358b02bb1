pub struct Parameters<T>(m: usize, nb: usize): [T; m, 100] where T: redist::Element {
    from: (cyclic(NB), cyclic(nb)) onto (2, 3),
    to: (cyclic(16), *) onto nb of (2 * m, 120) at (0, 20) copies nb,
}
