//! `render`: the picture in the tree is the rendered one.

#[path = "../../examples/render/main.rs"]
mod example;

use crate::edges::example::picture;

#[test]
fn the_still_life_is_rendered() {
    let picture = picture::Picture::read("examples/data/still-life.png".as_ref()).unwrap();
    assert_eq!((picture.width, picture.height), (example::WIDTH, example::HEIGHT));
    // Through the candle; through ball, vase and cone.
    for y in [110, 300] {
        let expected = &picture.rgb[3 * y * picture.width..][..3 * picture.width];
        assert!(example::row(y) == expected, "row {y} differs");
    }
}
