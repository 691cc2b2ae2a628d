pub fn half(x: f32) -> f32 {
    x * 0.5
}

#[derive(Clone, Copy)]
pub struct Point {
    pub x: f32,
}
