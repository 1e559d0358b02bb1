pub(crate) struct General: [u16; 1000] { from: cyclic(4) onto 3, to: cyclic(6) onto 5 }
