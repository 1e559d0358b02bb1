pub struct RowsToColumns: [f64; 344, 403] { from: (block, *) onto 4, to: (*, block) onto 4 storage fortran }
