//! Functions of modules of the user's that have the names of vyre's.

mod unmarked {
    use vyre::prelude::*;

    pub mod grid {
        pub fn mine() -> usize {
            3
        }
    }

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[grid::mine()] = 1.0;
    }
}

mod marked {
    use vyre::prelude::*;

    pub mod thread {
        #[vyre::device]
        pub fn mine() -> usize {
            3
        }
    }

    #[vyre::device]
    fn twice() -> usize {
        2 * thread::mine()
    }

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[thread::mine() + twice()] = 1.0;
    }
}

mod elsewhere {
    use vyre::prelude::*;

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[grid::mine()] = 1.0;
    }
}

mod misspelt {
    use vyre::prelude::*;

    pub mod warp {
        #[vyre::device]
        pub fn mine() -> usize {
            3
        }
    }

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[warp::mime()] = 1.0;
    }
}

mod imported {
    use super::marked::thread;
    use super::unmarked::grid;

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[thread::mine()] = 1.0;
    }

    #[vyre::kernel]
    pub fn unmarked(y: &mut [f32]) {
        y[grid::mine()] = 1.0;
    }
}

fn main() {}
