pub struct Parameters<T>(m: usize, nb: usize, p: usize): [T; m, 100] where T: redist::Element {
    from: (cyclic(NB), cyclic(nb)) onto (2, p),
    to: (cyclic(16), cyclic(2 * nb)) onto (p, 2) of (2 * m, 120) at (0, 20),
}
