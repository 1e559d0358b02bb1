/// Empties a list and keeps its allocation for elements of another lifetime. `A` and `B` differ in
/// lifetimes only, so the standard library collects in place.
pub(super) fn recycle<A, B>(mut list: Vec<A>) -> Vec<B> {
    const { assert!(size_of::<A>() == size_of::<B>() && align_of::<A>() == align_of::<B>()) };
    list.clear();
    list.into_iter().map(|_| -> B { unreachable!("the list is empty") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_kept() {
        let list: Vec<&'static [u8]> = Vec::with_capacity(17);
        let address = list.as_ptr() as usize;
        let local = [1u8, 2];
        let mut borrowed: Vec<&[u8]> = recycle(list);
        borrowed.push(&local);
        assert_eq!((borrowed.as_ptr() as usize, borrowed.capacity()), (address, 17));
        let kept: Vec<&'static [u8]> = recycle(borrowed);
        assert_eq!((kept.as_ptr() as usize, kept.capacity()), (address, 17));
    }
}
