/// A factor.
#[vyre::device]
#[derive(Clone, Copy)]
pub struct Scale {
    /// Its value.
    pub by: f32,
}

/// y := by * y
#[vyre::kernel]
pub fn scaled(scale: Scale, #[each] y: &mut f32) {
    *y *= scale.by + vyre::thread::idx().x as f32 * 0.0;
}
