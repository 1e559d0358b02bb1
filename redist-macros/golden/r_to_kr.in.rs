struct Rk: [f32; 5000] { from: cyclic(2) onto 8, to: cyclic(6) onto 3 ranks 8.. }
