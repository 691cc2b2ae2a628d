//! One error, at the field, and none of what is done with it.

use vyre::prelude::*;

#[vyre::device]
mod lists {
    #[derive(Clone, Copy)]
    pub struct List<T> {
        pub value: T,
        pub next: [List<[T; 2]>; 1],
    }

    #[derive(Clone, Copy)]
    #[repr(u32)]
    pub enum Tree {
        Leaf(f32),
        Node([Tree; 2]),
    }

    impl Tree {
        pub fn sum(self) -> f32 {
            match self {
                Tree::Leaf(value) => value,
                Tree::Node(nodes) => nodes[0].sum() + nodes[1].sum(),
            }
        }
    }
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Node {
    value: u32,
    next: [Self; 2],
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Linked {
    value: f32,
    next: Option<Linked>,
}

#[vyre::device]
#[derive(Clone, Copy)]
struct First {
    second: Second,
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Second {
    first: [First; 1],
}

#[vyre::device]
fn value(node: Node) -> u32 {
    node.next[1].value
}

#[vyre::kernel]
fn values(nodes: &[Node], #[each] y: &mut u32) {
    *y = nodes[thread::index()].next[0].value + value(nodes[0]);
}

fn run(device: &Device, y: &mut DeviceBuffer<u32>) -> vyre::Result<()> {
    let nodes = device.zeros::<Node>(2)?;
    values(&nodes, y).over(2).launch(device)
}

fn main() {}
