//! Ghost lists: keys of pages that left the pool not long ago, without their bytes. Two lists in order of leaving (B1, B2) over one bounded
//! array; a key is found by hash.
//!
//! Invariants
//! 1. A key is in at most one list, once.
//! 2. At most `capacity` keys are kept; one more drops the oldest of the longer list.
//!
//! Must not know: frames, pages, what a key stands for. A key is a well-mixed 64-bit hash; two pages with one key would only make a ghost
//! hit too many.

use super::car::List;

const NONE: u32 = u32::MAX;

struct Node {
    key: u64,
    /// Towards the oldest; also links the unused nodes.
    older: u32,
    /// Towards the newest.
    newer: u32,
    /// Next in the hash bucket.
    chain: u32,
    list: List,
}

#[derive(Clone, Copy)]
struct Ends {
    oldest: u32,
    newest: u32,
    len: usize,
}

/// Both ghost lists.
pub struct Ghosts {
    nodes: Vec<Node>,
    unused: u32,
    buckets: Vec<u32>,
    ends: [Ends; 2],
    capacity: usize,
}

impl Ghosts {
    /// Empty lists for at most `capacity` keys; memory for them is reserved, and touched as they come.
    pub fn new(capacity: usize) -> Ghosts {
        assert!(capacity > 0 && capacity < NONE as usize);
        Ghosts {
            nodes: Vec::with_capacity(capacity),
            unused: NONE,
            buckets: vec![NONE; capacity.next_power_of_two()],
            ends: [Ends { oldest: NONE, newest: NONE, len: 0 }; 2],
            capacity,
        }
    }

    /// Keys in a list.
    pub fn len(&self, list: List) -> usize {
        self.ends[list as usize].len
    }

    /// The list that holds a key.
    pub fn find(&self, key: u64) -> Option<List> {
        match self.lookup(key) {
            NONE => None,
            n => Some(self.nodes[n as usize].list),
        }
    }

    /// Adds a key at the young end of a list.
    pub fn push(&mut self, list: List, key: u64) {
        self.remove(key);
        if self.len(List::T1) + self.len(List::T2) == self.capacity {
            let longer = if self.len(List::T1) >= self.len(List::T2) { List::T1 } else { List::T2 };
            self.drop_oldest(longer);
        }
        let older = self.ends[list as usize].newest;
        let bucket = self.bucket(key);
        let node = Node { key, older, newer: NONE, chain: self.buckets[bucket], list };
        let n = if self.unused == NONE {
            self.nodes.push(node);
            (self.nodes.len() - 1) as u32
        } else {
            let n = self.unused;
            self.unused = self.nodes[n as usize].older;
            self.nodes[n as usize] = node;
            n
        };
        self.buckets[bucket] = n;
        match older {
            NONE => self.ends[list as usize].oldest = n,
            o => self.nodes[o as usize].newer = n,
        }
        self.ends[list as usize].newest = n;
        self.ends[list as usize].len += 1;
    }

    /// Forgets a key; says which list held it.
    pub fn remove(&mut self, key: u64) -> Option<List> {
        let n = self.lookup(key);
        (n != NONE).then(|| self.unlink(n))
    }

    /// Forgets the oldest key of a list; false if the list is empty.
    pub fn drop_oldest(&mut self, list: List) -> bool {
        let n = self.ends[list as usize].oldest;
        if n != NONE {
            self.unlink(n);
        }
        n != NONE
    }

    /// A list's keys, oldest first.
    #[cfg(test)]
    pub fn keys(&self, list: List) -> Vec<u64> {
        let mut out = Vec::new();
        let mut n = self.ends[list as usize].oldest;
        while n != NONE {
            out.push(self.nodes[n as usize].key);
            n = self.nodes[n as usize].newer;
        }
        out
    }

    fn bucket(&self, key: u64) -> usize {
        // The page table's shards take the upper bits.
        key as usize & (self.buckets.len() - 1)
    }

    fn lookup(&self, key: u64) -> u32 {
        let mut n = self.buckets[self.bucket(key)];
        while n != NONE && self.nodes[n as usize].key != key {
            n = self.nodes[n as usize].chain;
        }
        n
    }

    fn unlink(&mut self, n: u32) -> List {
        let Node { key, older, newer, chain, list } = self.nodes[n as usize];
        let bucket = self.bucket(key);
        let mut at = self.buckets[bucket];
        if at == n {
            self.buckets[bucket] = chain;
        } else {
            while self.nodes[at as usize].chain != n {
                at = self.nodes[at as usize].chain;
            }
            self.nodes[at as usize].chain = chain;
        }
        let ends = &mut self.ends[list as usize];
        match older {
            NONE => ends.oldest = newer,
            o => self.nodes[o as usize].newer = newer,
        }
        match newer {
            NONE => ends.newest = older,
            w => self.nodes[w as usize].older = older,
        }
        ends.len -= 1;
        self.nodes[n as usize].older = self.unused;
        self.unused = n;
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn neighbouring_keys_lie_in_buckets_of_their_own() {
        let ghosts = Ghosts::new(64);
        let mut buckets: Vec<usize> = (1000..1064).map(|key| ghosts.bucket(key)).collect();
        buckets.sort_unstable();
        buckets.dedup();
        assert_eq!(buckets.len(), 64, "looking up a key is a step or two");
    }

    #[test]
    fn the_lists_behave_as_two_queues_under_random_use() {
        let seed = fastrand::u64(..);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut ghosts = Ghosts::new(20);
        let mut model = [VecDeque::new(), VecDeque::new()];
        for step in 0..20_000 {
            let (list, key) = (if rng.bool() { List::T1 } else { List::T2 }, rng.u64(0..40));
            match rng.u8(0..4) {
                0 | 1 => {
                    for m in &mut model {
                        m.retain(|k| *k != key);
                    }
                    if model[0].len() + model[1].len() == 20 {
                        let longer = usize::from(model[0].len() < model[1].len());
                        model[longer].pop_front();
                    }
                    ghosts.push(list, key);
                    model[list as usize].push_back(key);
                }
                2 => {
                    let held = [List::T1, List::T2].into_iter().find(|l| model[*l as usize].contains(&key));
                    assert_eq!(ghosts.find(key), held, "seed {seed}, step {step}");
                    assert_eq!(ghosts.remove(key), held, "seed {seed}, step {step}");
                    for m in &mut model {
                        m.retain(|k| *k != key);
                    }
                }
                _ => {
                    let was = model[list as usize].pop_front().is_some();
                    assert_eq!(ghosts.drop_oldest(list), was, "seed {seed}, step {step}");
                }
            }
            for list in [List::T1, List::T2] {
                assert_eq!(ghosts.len(list), model[list as usize].len(), "seed {seed}, step {step}");
                assert!(ghosts.keys(list).iter().eq(&model[list as usize]), "seed {seed}, step {step}");
            }
        }
    }
}
