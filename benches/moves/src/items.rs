//! Sixty items of kr→r, r→kr and general redistributions. Elements have 1 to 16 bytes, runs 1 byte
//! to 4 KiB; 2 to 64 ranks have 2 KiB to 32 MiB each.

/// Passes all items to a macro: by element, both blocks, the ranks, and the KiB of a rank.
#[macro_export]
macro_rules! each_item {
    ($with:ident) => {
        $with! {
            u8 {
                5 to 1 on 2 of 2;
                100 to 1 on 4 of 1024;
                64 to 8 on 16 of 32;
                16384 to 4096 on 4 of 8192;
                1 to 5 on 4 of 32;
                1 to 100 on 9 of 256;
                8 to 64 on 2 of 32768;
                2 to 50 on 64 of 32;
                10 to 4 on 2 of 32;
                30 to 64 on 4 of 1024;
                6 to 4 on 9 of 2;
                4096 to 1536 on 4 of 8192;
            }
            u16 {
                5 to 1 on 4 of 32;
                10 to 2 on 9 of 32;
                100 to 1 on 2 of 8192;
                50 to 1 on 64 of 256;
                1 to 5 on 2 of 1024;
                1 to 100 on 4 of 2;
                2 to 200 on 16 of 32;
                512 to 2048 on 4 of 1024;
                10 to 4 on 4 of 32768;
                4 to 10 on 2 of 2;
                64 to 30 on 16 of 256;
                6 to 4 on 64 of 32;
            }
            f32 {
                5 to 1 on 4 of 2;
                10 to 2 on 2 of 20480;
                100 to 1 on 16 of 32;
                200 to 2 on 64 of 128;
                2 to 10 on 4 of 20480;
                1 to 5 on 9 of 1024;
                1 to 100 on 2 of 32;
                2 to 200 on 64 of 32;
                10 to 4 on 2 of 2048;
                4 to 10 on 4 of 32;
                64 to 30 on 4 of 1024;
                1024 to 654 on 16 of 256;
            }
            f64 {
                10 to 2 on 2 of 32;
                5 to 1 on 4 of 1024;
                64 to 32 on 2 of 256;
                200 to 2 on 9 of 32;
                2 to 10 on 2 of 256;
                1 to 5 on 16 of 32;
                32 to 64 on 4 of 32768;
                2 to 200 on 4 of 2;
                10 to 4 on 4 of 1024;
                4 to 10 on 2 of 2;
                30 to 50 on 64 of 32;
                512 to 320 on 4 of 32768;
            }
            Pair {
                10 to 2 on 4 of 256;
                5 to 1 on 2 of 2;
                100 to 1 on 9 of 32;
                256 to 64 on 2 of 8192;
                2 to 10 on 2 of 1024;
                1 to 5 on 64 of 32;
                1 to 100 on 4 of 32;
                64 to 256 on 16 of 256;
                10 to 4 on 2 of 32;
                4 to 10 on 4 of 8192;
                3 to 2 on 9 of 2;
                64 to 30 on 4 of 256;
            }
        }
    };
}
