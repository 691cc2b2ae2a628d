use vyre::prelude::*;

/// The share of a difference that flows between two cells in a step. More than a quarter would be unstable.
#[vyre::device]
pub const FLOW: f32 = 0.2;

/// The heat that flows into a cell from one beside it. None comes from beyond the border.
#[vyre::device]
fn flow(from: Option<f32>, to: f32) -> f32 {
    FLOW * (from.unwrap_or(to) - to)
}

/// One step of the heat equation.
#[vyre::kernel(block = [32, 8])]
pub fn step(now: Slice2<'_, f32>, mut next: SliceMut2<'_, f32>) {
    let (x, y) = thread::index_2d();
    if x < now.cols() && y < now.rows() {
        let own = now[[y, x]];
        let left = if x > 0 { Some(now[[y, x - 1]]) } else { None };
        let right = if x + 1 < now.cols() { Some(now[[y, x + 1]]) } else { None };
        let above = if y > 0 { Some(now[[y - 1, x]]) } else { None };
        let below = if y + 1 < now.rows() { Some(now[[y + 1, x]]) } else { None };
        next[[y, x]] = own + (flow(left, own) + flow(right, own)) + (flow(above, own) + flow(below, own));
    }
}
