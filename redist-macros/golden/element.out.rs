#[automatically_derived]
unsafe impl ::redist::Element for Particle {
    const ZERO: Self = Self {
        place: <[f64; 3] as ::redist::Element>::ZERO,
        mass: <f32 as ::redist::Element>::ZERO,
        r#type: <u32 as ::redist::Element>::ZERO,
    };
    const SIGNATURE: ::redist::exec::generated::Signature = <::redist::exec::generated::Signature>::of::<
        Self,
    >(
        &[
            <[f64; 3] as ::redist::Element>::SIGNATURE,
            <f32 as ::redist::Element>::SIGNATURE,
            <u32 as ::redist::Element>::SIGNATURE,
        ],
    );
}
const _: () = {
    use ::redist::exec::generated as __generated;
    __generated::check_padding::<
        Particle,
    >(
        "Particle",
        &[
            __generated::Field::of::<
                [f64; 3],
            >("place", ::core::mem::offset_of!(Particle, place)),
            __generated::Field::of::<
                f32,
            >("mass", ::core::mem::offset_of!(Particle, mass)),
            __generated::Field::of::<
                u32,
            >("type", ::core::mem::offset_of!(Particle, r#type)),
        ],
    )
};
