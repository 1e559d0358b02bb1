//! The computation on one rank, without the library.

use crate::creep::Creep;
use crate::transpose::transpose;

pub fn diffuse(elevation: &[f64], creep: &Creep) -> Vec<f64> {
    let [m, n] = [creep.columns.line_len(), creep.rows.line_len()];
    let (mut rows, mut columns) = (elevation.to_vec(), vec![0.0; elevation.len()]);
    for _ in 0..creep.steps {
        creep.rows.explicit(&mut rows);
        transpose(&rows, [m, n], &mut columns);
        creep.columns.implicit(&mut columns);
        creep.columns.explicit(&mut columns);
        transpose(&columns, [n, m], &mut rows);
        creep.rows.implicit(&mut rows);
    }
    rows
}
