struct InTurn: [f32; 1280] { from: block onto 4, to: cyclic onto 4 }
