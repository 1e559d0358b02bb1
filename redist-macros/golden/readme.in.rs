struct ToColumns: [f64; 600, 1200] {
    from: scalapack(64, 64, 2, 3), to: (*, block) onto 6 storage fortran,
}
