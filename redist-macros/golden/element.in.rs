#[repr(C)]
pub struct Particle {
    /// The place.
    place: [f64; 3],
    pub mass: f32,
    r#type: u32,
}
