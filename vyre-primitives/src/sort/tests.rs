use super::*;
use vyre::Device;

/// The launches of a pass go on where the one before has ended.
#[test]
fn portions_join() {
    let device = Device::cpu();
    let stream = device.default_stream();
    let queue = Queue::on(&device, &stream);
    let mut keys: Vec<i64> = (0..6 * TILE_OF_64 as i64 + 11)
        .map(|i| (i * 7919) % 10_007 - 5000)
        .collect();
    let mut values: Vec<u32> = (0..keys.len() as u32).collect();
    let (mut sorted, mut moved) = (device.upload(&keys).unwrap(), device.upload(&values).unwrap());
    sort_in_portions(&queue, sorted.as_view_mut(), moved.as_view_mut(), false, 2).unwrap();
    values.sort_by_key(|&i| keys[i as usize]);
    keys.sort();
    assert!(sorted.download().unwrap() == keys);
    assert!(moved.download().unwrap() == values);
}
