//! Two traits that an import names both, and two that none names: rustc cannot tell them apart either.

#[vyre::device]
mod shapes {
    #[derive(Clone, Copy)]
    pub struct Square {
        pub side: u32,
    }

    pub trait Area {
        fn size(&self) -> u32;
    }

    pub trait Edge {
        fn size(&self) -> u32;
    }

    impl Area for Square {
        fn size(&self) -> u32 {
            self.side * self.side
        }
    }

    impl Edge for Square {
        fn size(&self) -> u32 {
            self.side
        }
    }
}

use shapes::*;

#[vyre::kernel]
fn sizes(square: Square, y: &mut [u32]) {
    y[0] = square.size();
}

fn main() {}
