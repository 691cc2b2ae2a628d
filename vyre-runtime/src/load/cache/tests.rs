use std::ptr;

use super::*;

/// A kernel on a device, with something that ends with it.
fn loaded(device: u32, module: &Arc<()>) -> Arc<Loaded> {
    Arc::new(Loaded {
        device,
        number: 7,
        functions: Box::new([Function {
            handle: ptr::without_provenance_mut(device as usize * 16),
            shared_bytes: 0,
        }]),
        _module: Box::new(module.clone()),
    })
}

#[test]
fn finds_each_device() {
    let (cache, module) = (KernelCache::new(), Arc::new(()));
    assert!(cache.get(1).is_none());
    for device in 1..4 {
        cache.insert(loaded(device, &module));
    }
    for device in 1..4 {
        let found = cache.get(device).unwrap();
        assert_eq!(
            (found.device, found.functions[0].handle.addr()),
            (device, device as usize * 16)
        );
    }
    assert!(cache.get(0).is_none());
}

/// The first one stays, and all end with the last user.
#[test]
fn modules_end_with_their_users() {
    let (cache, modules) = (KernelCache::new(), [(); 3].map(Arc::new));
    cache.insert(loaded(1, &modules[0]));
    cache.insert(loaded(2, &modules[1]));
    cache.insert(loaded(1, &modules[2]));
    let users = || [0, 1, 2].map(|at: usize| Arc::strong_count(&modules[at]) - 1);
    assert_eq!(users(), [1, 1, 0]);
    let kept = cache.get(2).unwrap().clone();
    drop(cache);
    assert_eq!(users(), [0, 1, 0]);
    drop(kept);
    assert_eq!(users(), [0, 0, 0]);
}
