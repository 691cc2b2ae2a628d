//! The values of constants that the host has set on a device.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

use crate::load::kernel::HostConstant;
use crate::sync::Mutex;

/// The values by the keys of their constants.
#[derive(Debug, Default)]
pub(crate) struct Constants(Mutex<HashMap<u64, Value>>);

/// A value in words, so that it is aligned as any element is. Launches share it.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    words: Arc<[u64]>,
    size: usize,
}

impl Value {
    fn new(bytes: &[u8]) -> Value {
        let word = |chunk: &[u8]| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        };
        Value {
            words: bytes.chunks(8).map(word).collect(),
            size: bytes.len(),
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(self.size).collect()
    }

    pub(crate) fn pointer(&self) -> *const c_void {
        self.words.as_ptr().cast()
    }
}

impl Constants {
    pub(crate) fn set(&self, key: u64, bytes: &[u8]) {
        self.0.lock().insert(key, Value::new(bytes));
    }

    /// The value of this key and size: should keys of two constants meet, none is read past its end.
    pub(crate) fn get(&self, key: u64, size: usize) -> Option<Value> {
        find(&self.0.lock(), key, size)
    }

    /// The values that these constants have, all at one time. Nothing is done for kernels without constants.
    #[inline]
    pub(crate) fn of(&self, constants: &[HostConstant<'_>]) -> Vec<Option<Value>> {
        match constants {
            [] => Vec::new(),
            some => self.of_some(some),
        }
    }

    fn of_some(&self, constants: &[HostConstant<'_>]) -> Vec<Option<Value>> {
        let values = self.0.lock();
        let find = |constant: &HostConstant<'_>| find(&values, constant.key, constant.initial.len());
        constants.iter().map(find).collect()
    }
}

fn find(values: &HashMap<u64, Value>, key: u64, size: usize) -> Option<Value> {
    values.get(&key).filter(|value| value.size == size).cloned()
}
