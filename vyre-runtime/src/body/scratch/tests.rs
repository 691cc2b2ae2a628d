use super::*;

#[test]
fn a_region_grows_and_keeps_its_alignment() {
    let region = Region::new();
    let small = region.get(Layout::from_size_align(8, 8).expect("a layout"));
    assert_eq!(small, region.get(Layout::from_size_align(4, 4).expect("a layout")));
    for (size, align) in [(1, 64), (4096, 1), (10, 128)] {
        let pointer = region.get(Layout::from_size_align(size, align).expect("a layout"));
        assert_eq!(pointer.as_ptr() as usize % align, 0);
        // SAFETY: the region holds at least `size` bytes, initialised.
        assert!((0..size).all(|i| unsafe { pointer.add(i).read() } == 0));
    }
}
