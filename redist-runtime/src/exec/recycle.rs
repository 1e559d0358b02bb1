/// Empties a list and keeps its allocation for elements of another lifetime. `A` and `B` differ in
/// lifetimes only, so the standard library collects in place.
pub(super) fn recycle<A, B>(mut list: Vec<A>) -> Vec<B> {
    const { assert!(size_of::<A>() == size_of::<B>() && align_of::<A>() == align_of::<B>()) };
    list.clear();
    list.into_iter().map(|_| -> B { unreachable!("the list is empty") }).collect()
}
