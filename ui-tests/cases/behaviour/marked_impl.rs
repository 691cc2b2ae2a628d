#[vyre::device]
#[derive(Clone, Copy)]
struct Value {
    x: f32,
}

#[vyre::device]
impl Value {
    fn twice(self) -> f32 {
        self.x * 2.0
    }
}

fn main() {}
