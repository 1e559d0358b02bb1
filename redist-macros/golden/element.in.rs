#[repr(C)]
pub struct Particle {
    /// Where it is.
    place: [f64; 3],
    pub mass: f32,
    r#type: u32,
}
