//! Names that lead nowhere are rustc's to report, once: neither an import nor a copy of vyre's repeats it.

#[vyre::kernel]
fn constant_of_std(#[each] r: &f32, #[each] area: &mut f32) {
    *area = std::f32::consts::Pi * *r * *r;
}

#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct V {
        pub x: f32,
        pub y: f32,
    }

    impl V {
        pub fn dot(self, other: V) -> f32 {
            self.x * other.x + self.y * other.y
        }

        pub fn norm(self) -> f32 {
            dot(self, self).sqrt()
        }
    }
}

#[vyre::device]
fn lifetime(x: &'a [f32]) -> f32 {
    x[0]
}

fn main() {}
