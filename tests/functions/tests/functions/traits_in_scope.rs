//! A method that two traits have is that of the one in scope, which an import names.

use vyre_semantics::everywhere;

#[vyre::device]
mod shapes {
    #[derive(Clone, Copy)]
    pub struct Square {
        pub side: u32,
    }

    pub(super) trait Area {
        fn size(&self) -> u32;
    }

    pub(super) trait Edge {
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

use shapes::{Area, Square};

#[vyre::kernel]
fn sizes(#[each] square: &Square, #[each] size: &mut u32) {
    *size = square.size();
}

#[test]
fn methods_of_the_trait_in_scope() {
    everywhere(|place| {
        let squares = place.device().upload(&[Square { side: 3 }, Square { side: 5 }])?;
        let mut found = place.device().zeros(2)?;
        place.over(sizes(&squares, &mut found), 2usize)?;
        assert_eq!(found.download()?, [9, 25], "on {}", place.name());
        Ok(())
    });
    let _ = shapes::Edge::size(&Square { side: 1 });
}
