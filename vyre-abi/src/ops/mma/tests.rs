use super::*;

#[test]
fn every_element_has_one_place() {
    for product in Product::ALL {
        let shape = product.shape();
        for role in [Role::A, Role::B, Role::C] {
            let (rows, columns) = shape.extent(role);
            let mut held = vec![0; (rows * columns) as usize];
            for lane in 0..WARP_SIZE {
                for element in 0..shape.elements(role) {
                    let (row, column) = shape.place(role, lane, element);
                    held[(row * columns + column) as usize] += 1;
                }
            }
            assert!(held.iter().all(|&times| times == 1), "{} {role:?}", product.name());
        }
    }
}
