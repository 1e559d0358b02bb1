pub struct Panel<T: redist::Element>: [T; 50, 20, 8] where T: Copy {
    from: (cyclic(16), BLOCK, *) onto (2, 2) first (1, 0) ranks 4..8 order col of [128, 64, 8] at [37, 5, 0],
    to: (*, cyclic(7), block(30)) onto (3, 2) storage fortran axes (1, 2, 0),
    require: tables,
}
