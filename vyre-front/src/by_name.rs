//! Values by name.
//!
//! A sorted list: each type of values in a hash map of the library compiles 10 kB of machine code, in every build of a
//! user's crate, and macros run without optimisation, where hashing a name costs more than a search.

/// A value for each of some names, in the order of the names.
#[derive(Clone, Debug)]
pub(crate) struct ByName<V>(Vec<(String, V)>);

impl<V> ByName<V> {
    pub(crate) const fn new() -> Self {
        ByName(Vec::new())
    }

    /// The position of a name, or where it is to be inserted.
    fn position(&self, name: &str) -> Result<usize, usize> {
        let (mut start, mut end) = (0, self.0.len());
        while start < end {
            let middle = (start + end) / 2;
            match name.cmp(&self.0[middle].0) {
                std::cmp::Ordering::Less => end = middle,
                std::cmp::Ordering::Equal => return Ok(middle),
                std::cmp::Ordering::Greater => start = middle + 1,
            }
        }
        Err(start)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        match self.position(name) {
            Ok(at) => Some(&self.0[at].1),
            Err(_) => None,
        }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.position(name).is_ok()
    }

    /// Sets the value of a name. True if the name is new.
    pub(crate) fn insert(&mut self, name: String, value: V) -> bool {
        match self.position(&name) {
            Ok(at) => {
                self.0[at].1 = value;
                false
            }
            Err(at) => {
                self.0.insert(at, (name, value));
                true
            }
        }
    }

    /// The value of a name, which is the default one at first.
    pub(crate) fn entry(&mut self, name: &str) -> &mut V
    where
        V: Default,
    {
        let at = match self.position(name) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (name.to_owned(), V::default()));
                at
            }
        };
        &mut self.0[at].1
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (String, V)> {
        self.0.iter()
    }
}

impl<V> Default for ByName<V> {
    fn default() -> Self {
        ByName::new()
    }
}

#[cfg(test)]
mod tests {
    use super::ByName;

    #[test]
    fn names_are_found_in_any_order_of_insertion() {
        let mut values = ByName::new();
        for number in 0..50u32 {
            assert!(values.insert((number * 37 % 50).to_string(), number));
        }
        assert!(!values.insert("7".to_owned(), 100));
        *values.entry("7") += 1;
        *values.entry("new") += 1;
        for number in 0..50u32 {
            let expected = if number * 37 % 50 == 7 { 101 } else { number };
            assert_eq!(values.get(&(number * 37 % 50).to_string()), Some(&expected));
        }
        assert_eq!(values.get("new"), Some(&1));
        assert!(!values.contains("50") && values.get("").is_none());
        assert!(values.iter().is_sorted_by_key(|(name, _)| name));
    }
}
