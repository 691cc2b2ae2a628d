#[vyre::device]
mod lists {
    #[derive(Clone, Copy)]
    pub struct List<T> {
        pub value: T,
        pub next: [List<[T; 2]>; 1],
    }
}

fn main() {}
