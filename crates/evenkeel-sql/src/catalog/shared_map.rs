//! Maps whose versions share what they have in common.
//!
//! Duty: a copy with one change, at a cost that hardly depends on how much there is: a database may have tens of thousands of tables, and each definition
//! change makes a new version of the catalog.
//!
//! Must not know: what is in them.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::Arc;

/// Object ids in a row that lie in one part.
const PART_BITS: u32 = 7;
/// Parts of a [`NameMap`].
const NAME_PARTS: usize = 256;

/// By object id, in order.
#[derive(Clone)]
pub struct OidMap<V>(BTreeMap<u32, Arc<BTreeMap<u32, V>>>);

impl<V> Default for OidMap<V> {
    fn default() -> OidMap<V> {
        OidMap(BTreeMap::new())
    }
}

impl<V: Clone> OidMap<V> {
    /// The value of an id.
    pub fn get(&self, oid: u32) -> Option<&V> {
        self.0.get(&(oid >> PART_BITS))?.get(&oid)
    }

    /// The value of an id, to be changed.
    pub fn entry(&mut self, oid: u32, default: impl FnOnce() -> V) -> &mut V {
        Arc::make_mut(self.0.entry(oid >> PART_BITS).or_default()).entry(oid).or_insert_with(default)
    }

    /// Puts a value, and gives the one before.
    pub fn insert(&mut self, oid: u32, value: V) -> Option<V> {
        Arc::make_mut(self.0.entry(oid >> PART_BITS).or_default()).insert(oid, value)
    }

    /// Takes a value out.
    pub fn remove(&mut self, oid: u32) -> Option<V> {
        let part = self.0.get_mut(&(oid >> PART_BITS)).filter(|part| part.contains_key(&oid))?;
        let value = Arc::make_mut(part).remove(&oid);
        if part.is_empty() {
            self.0.remove(&(oid >> PART_BITS));
        }
        value
    }

    /// The values in the order of their ids.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.values().flat_map(|part| part.values())
    }
}

/// By name, in no order.
#[derive(Clone)]
pub struct NameMap<K, V> {
    parts: Vec<Arc<HashMap<K, V>>>,
    hasher: RandomState,
}

impl<K, V> Default for NameMap<K, V> {
    fn default() -> NameMap<K, V> {
        NameMap { parts: (0..NAME_PARTS).map(|_| Arc::default()).collect(), hasher: RandomState::new() }
    }
}

impl<K: Hash + Eq + Clone, V: Clone> NameMap<K, V> {
    fn part(&self, key: &K) -> usize {
        self.hasher.hash_one(key) as usize % NAME_PARTS
    }

    /// The value of a name.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.parts[self.part(key)].get(key)
    }

    /// Puts a value.
    pub fn insert(&mut self, key: K, value: V) {
        let part = self.part(&key);
        Arc::make_mut(&mut self.parts[part]).insert(key, value);
    }

    /// Takes a value out if it is the one meant.
    pub fn remove_if(&mut self, key: &K, meant: impl FnOnce(&V) -> bool) {
        let part = self.part(key);
        if self.parts[part].get(key).is_some_and(meant) {
            Arc::make_mut(&mut self.parts[part]).remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_changes_alone() {
        let mut a = OidMap::default();
        (0..1000u32).rev().for_each(|i| _ = a.insert(i, i));
        let mut b = a.clone();
        assert_eq!((b.insert(500, 1), b.remove(7), b.remove(5000)), (Some(500), Some(7), None));
        *b.entry(7, || 70) += 1;
        assert!(a.values().copied().eq(0..1000), "in order, and as it was");
        assert_eq!((b.get(500), b.get(7), b.get(8)), (Some(&1), Some(&71), Some(&8)));

        let mut a = NameMap::default();
        (0..1000u32).for_each(|i| a.insert(i.to_string(), i));
        let mut b = a.clone();
        b.insert("5".into(), 50);
        b.remove_if(&"6".into(), |v| *v == 6);
        b.remove_if(&"8".into(), |v| *v == 7);
        assert_eq!(["5", "6", "8"].map(|k| a.get(&k.to_owned()).copied()), [Some(5), Some(6), Some(8)]);
        assert_eq!(["5", "6", "8"].map(|k| b.get(&k.to_owned()).copied()), [Some(50), None, Some(8)]);
    }

    #[test]
    fn a_part_that_is_empty_goes() {
        let mut map = OidMap::default();
        map.insert(1, ());
        map.remove(1);
        assert!(map.0.is_empty());
    }
}
