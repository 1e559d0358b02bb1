pub struct Bounded<T: redist::Element>: [T; N] {
    from: cyclic(10) onto 3,
    to: cyclic(4) onto 3,
    require: tables, messages <= 2, stays >= 33%, memory <= 64 MiB,
}
