#[repr(C)]
#[redist(crate = inner::redist)]
struct Weighted<T: PartialEq, const D: usize = 3>([[T; D]; 2], T)
where
    T: Default;
