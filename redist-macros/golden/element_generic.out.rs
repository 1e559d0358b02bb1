#[automatically_derived]
unsafe impl<T: PartialEq, const D: usize> inner::redist::Element for Weighted<T, D>
where
    T: Default,
    T: inner::redist::Element,
{
    const ZERO: Self = Self {
        0: <[[T; D]; 2] as inner::redist::Element>::ZERO,
        1: <T as inner::redist::Element>::ZERO,
    };
    const SIGNATURE: inner::redist::exec::generated::Signature = <inner::redist::exec::generated::Signature>::of::<
        Self,
    >(
        &[
            <[[T; D]; 2] as inner::redist::Element>::SIGNATURE,
            <T as inner::redist::Element>::SIGNATURE,
        ],
    );
}
