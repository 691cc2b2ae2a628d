//! Typed 32-bit handles and the arenas that they index.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The index of a `T` in its [`Arena`].
///
/// Four bytes, `Copy`, comparable; handles of different element types are distinct types.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent, bound = ""))]
pub struct Handle<T> {
    index: u32,
    #[cfg_attr(feature = "serde", serde(skip))]
    marker: PhantomData<fn() -> T>,
}

impl<T> Handle<T> {
    /// The handle of element `index`.
    ///
    /// # Panics
    /// If `index` does not fit in 32 bits.
    pub fn new(index: usize) -> Self {
        let index = u32::try_from(index).expect("an arena holds fewer than 2^32 elements");
        Handle {
            index,
            marker: PhantomData,
        }
    }

    /// The index in the arena.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Handle<T> {}
impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}
impl<T> Eq for Handle<T> {}
impl<T> PartialOrd for Handle<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Handle<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.index.cmp(&other.index)
    }
}
impl<T> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}
impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// A growing list whose elements are identified by [`Handle`]s.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Arena<T> {
    items: Vec<T>,
}

impl<T> Arena<T> {
    /// An empty arena.
    pub const fn new() -> Self {
        Arena { items: Vec::new() }
    }

    /// Appends `item` and returns its handle.
    pub fn push(&mut self, item: T) -> Handle<T> {
        let handle = Handle::new(self.items.len());
        self.items.push(item);
        handle
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if there is no element.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The element of `handle`, or `None` if the handle is not of this arena.
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        self.items.get(handle.index())
    }

    /// All elements with their handles, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Handle<T>, &T)> + ExactSizeIterator {
        self.items
            .iter()
            .enumerate()
            .map(|(index, item)| (Handle::new(index), item))
    }

    /// All handles, in order.
    pub fn handles(&self) -> impl DoubleEndedIterator<Item = Handle<T>> + ExactSizeIterator + use<T> {
        (0..self.items.len()).map(Handle::new)
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena::new()
    }
}
impl<T> Index<Handle<T>> for Arena<T> {
    type Output = T;
    // The compiler does these most of all: the attribute has an effect in unoptimised builds, as in
    // most macros, and indexing a slice is then much cheaper than indexing a `Vec`.
    #[inline(always)]
    fn index(&self, handle: Handle<T>) -> &T {
        &self.items.as_slice()[handle.index()]
    }
}
impl<T> IndexMut<Handle<T>> for Arena<T> {
    #[inline(always)]
    fn index_mut(&mut self, handle: Handle<T>) -> &mut T {
        &mut self.items.as_mut_slice()[handle.index()]
    }
}
impl<T> FromIterator<T> for Arena<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Arena {
            items: items.into_iter().collect(),
        }
    }
}
impl<T: fmt::Debug> fmt::Debug for Arena<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}
