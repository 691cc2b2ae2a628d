//! The values of constants that the host has set on a device.

use std::ffi::c_void;
use std::sync::Arc;

use crate::load::kernel::HostConstant;
use crate::sync::Mutex;

/// The values by the keys of their constants.
#[derive(Debug, Default)]
pub(crate) struct Constants(Mutex<Vec<(u64, Value)>>);

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
        let mut bytes = Vec::with_capacity(8 * self.words.len());
        for word in &*self.words {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.truncate(self.size);
        bytes
    }

    pub(crate) fn pointer(&self) -> *const c_void {
        self.words.as_ptr().cast()
    }
}

impl Constants {
    pub(crate) fn set(&self, key: u64, bytes: &[u8]) {
        let mut values = self.0.lock();
        let value = Value::new(bytes);
        match values.iter_mut().find(|(known, _)| *known == key) {
            Some(known) => known.1 = value,
            None => values.push((key, value)),
        }
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

fn find(values: &[(u64, Value)], key: u64, size: usize) -> Option<Value> {
    let (_, value) = values.iter().find(|(known, _)| *known == key)?;
    (value.size == size).then(|| value.clone())
}
