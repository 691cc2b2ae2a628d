use std::ptr;

use super::*;

#[test]
fn finds_each_device() {
    let cache = KernelCache::new();
    assert!(cache.get(1).is_none());
    for device in 1..4 {
        let handle = ptr::without_provenance_mut(device as usize * 16);
        assert_eq!(cache.insert(device, Box::new([handle])).device, device);
    }
    for device in 1..4 {
        assert_eq!(cache.get(device).unwrap().functions[0].addr(), device as usize * 16);
    }
    assert!(cache.get(0).is_none());
}
