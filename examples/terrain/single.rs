//! The same computation on one rank, without the library: what the distributed one is checked against.

use crate::creep::Creep;
use crate::dem::transposed;

/// The elevations after all steps.
pub fn diffuse(elevation: &[f64], creep: &Creep, step_done: &(dyn Fn() + Sync)) -> Vec<f64> {
    let extents = [creep.columns.line_len(), creep.rows.line_len()];
    let mut rows = elevation.to_vec();
    for _ in 0..creep.steps {
        creep.rows.explicit(&mut rows);
        let mut columns = transposed(&rows, extents);
        creep.columns.implicit(&mut columns);
        creep.columns.explicit(&mut columns);
        rows = transposed(&columns, [extents[1], extents[0]]);
        creep.rows.implicit(&mut rows);
        step_done();
    }
    rows
}
