//! The lists against the paper's algorithm written down plainly, and their departures from it.

use super::car::{Car, DIRTY_WINDOW, Found, Frames, Hindrance, List, SWEEP_MAX, Slot, Sweep};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};

/// CAR as in the paper's figure, over keys.
struct Textbook {
    c: usize,
    p: usize,
    t: [VecDeque<u64>; 2],
    b: [VecDeque<u64>; 2],
    referenced: HashMap<u64, bool>,
}

impl Textbook {
    fn new(c: usize) -> Textbook {
        Textbook { c, p: 0, t: Default::default(), b: Default::default(), referenced: HashMap::new() }
    }

    /// True for a hit.
    fn request(&mut self, x: u64) -> bool {
        if let Some(r) = self.referenced.get_mut(&x) {
            *r = true;
            return true;
        }
        let in_b = |s: &Self, i: usize| s.b[i].contains(&x);
        if self.t[0].len() + self.t[1].len() == self.c {
            self.replace();
            if !in_b(self, 0) && !in_b(self, 1) {
                if self.t[0].len() + self.b[0].len() == self.c {
                    self.b[0].pop_front();
                } else if self.t[0].len() + self.t[1].len() + self.b[0].len() + self.b[1].len() == 2 * self.c
                {
                    self.b[1].pop_front();
                }
            }
        }
        if in_b(self, 0) {
            self.p = (self.p + (self.b[1].len() / self.b[0].len()).max(1)).min(self.c);
            self.b[0].retain(|k| *k != x);
            self.t[1].push_back(x);
        } else if in_b(self, 1) {
            self.p = self.p.saturating_sub((self.b[0].len() / self.b[1].len()).max(1));
            self.b[1].retain(|k| *k != x);
            self.t[1].push_back(x);
        } else {
            self.t[0].push_back(x);
        }
        self.referenced.insert(x, false);
        false
    }

    fn replace(&mut self) {
        loop {
            let from = usize::from(self.t[0].len() < self.p.max(1));
            let x = self.t[from].pop_front().expect("the list whose turn it is has pages");
            if self.referenced[&x] {
                self.referenced.insert(x, false);
                self.t[1].push_back(x);
            } else {
                self.referenced.remove(&x);
                self.b[from].push_back(x);
                return;
            }
        }
    }
}

#[derive(Default)]
struct FakeFrame {
    referenced: Cell<bool>,
    hindrance: Cell<Option<Hindrance>>,
    key: Cell<u64>,
    slot: Cell<Option<Slot>>,
}

struct Fake(Vec<FakeFrame>);

impl Frames for Fake {
    fn referenced(&self, frame: u32) -> bool {
        self.0[frame as usize].referenced.get()
    }
    fn clear_reference(&self, frame: u32) {
        self.0[frame as usize].referenced.set(false);
    }
    fn hindrance(&self, frame: u32) -> Hindrance {
        self.0[frame as usize].hindrance.get().unwrap_or(Hindrance::None)
    }
    fn key(&self, frame: u32) -> u64 {
        self.0[frame as usize].key.get()
    }
    fn slot(&self, frame: u32) -> Option<Slot> {
        self.0[frame as usize].slot.get()
    }
    fn set_slot(&self, frame: u32, slot: Option<Slot>) {
        self.0[frame as usize].slot.set(slot);
    }
}

/// The lists with a page table: a whole cache.
struct Cache {
    car: Car,
    frames: Fake,
    table: RefCell<HashMap<u64, u32>>,
    unused: Vec<u32>,
}

impl Cache {
    fn new(c: usize) -> Cache {
        Cache {
            car: Car::new(c),
            frames: Fake((0..c).map(|_| FakeFrame::default()).collect()),
            table: RefCell::default(),
            unused: (0..c as u32).rev().collect(),
        }
    }

    fn frame(&self, key: u64) -> &FakeFrame {
        &self.frames.0[self.table.borrow()[&key] as usize]
    }

    fn victim(&mut self) -> Found {
        let mut sweep = Sweep::default();
        for _ in 0..1000 {
            match self.car.victim(&self.frames, &mut sweep) {
                Found::Again => {}
                found => return found,
            }
        }
        panic!("a search must end: {sweep:?}");
    }

    fn request(&mut self, key: u64) -> bool {
        if let Some(frame) = self.table.borrow().get(&key) {
            self.frames.0[*frame as usize].referenced.set(true);
            return true;
        }
        let frame = self.unused.pop().unwrap_or_else(|| match self.victim() {
            Found::Victim(frame, _) => {
                self.table.borrow_mut().remove(&self.frames.key(frame));
                frame
            }
            other => panic!("{other:?}"),
        });
        self.come_in(frame, key);
        false
    }

    fn come_in(&mut self, frame: u32, key: u64) {
        let f = &self.frames.0[frame as usize];
        f.key.set(key);
        f.referenced.set(false);
        self.table.borrow_mut().insert(key, frame);
        self.car.insert(&self.frames, frame, key);
    }

    fn keys(&self, list: List) -> Vec<u64> {
        (0..self.car.len(list)).map(|o| self.frames.key(self.car.at(list, o))).collect()
    }

    fn check(&self, context: &str) {
        let c = self.frames.0.len();
        for list in List::BOTH {
            for offset in 0..self.car.len(list) {
                let slot = self.frames.slot(self.car.at(list, offset)).expect("car invariant 1");
                assert_eq!(
                    (slot.list, self.car.offset(list, slot.index as usize)),
                    (list, offset),
                    "{context}"
                );
            }
        }
        let (t1, t2) = (self.car.len(List::T1), self.car.len(List::T2));
        let (b1, b2) = (self.car.ghosts(List::T1), self.car.ghosts(List::T2));
        assert!(t1 + t2 <= c && t1 + b1 <= c && t1 + t2 + b1 + b2 <= 2 * c, "car invariant 2: {context}");
    }
}

/// Requests with repeated keys, loops, scans and changes of the working set.
fn trace(rng: &mut fastrand::Rng, c: u64, length: usize) -> Vec<u64> {
    let mut out = Vec::new();
    while out.len() < length {
        let (kind, base) = (rng.u8(0..4), rng.u64(0..4) * c);
        for i in 0..rng.u64(1..4 * c) {
            out.push(match kind {
                0 => base + rng.u64(0..c),
                1 => base + (rng.f64().powi(3) * 3.0 * c as f64) as u64,
                2 => base + i % (c + c / 4 + 1),
                _ => 1_000_000 + rng.u64(0..1_000_000),
            });
        }
    }
    out
}

#[test]
fn hits_lists_ghosts_and_target_are_the_papers() {
    let seed = fastrand::u64(..);
    let mut rng = fastrand::Rng::with_seed(seed);
    for c in [1, 2, 3, 8, 50, 200] {
        let (mut cache, mut model) = (Cache::new(c), Textbook::new(c));
        for (i, key) in trace(&mut rng, c as u64, 20_000).into_iter().enumerate() {
            let context = format!("seed {seed}, {c} frames, request {i} of page {key}");
            assert_eq!(cache.request(key), model.request(key), "{context}");
            assert_eq!(cache.car.target(), model.p, "{context}");
            if i % 37 == 0 {
                for list in List::BOTH {
                    assert!(cache.keys(list).iter().eq(&model.t[list as usize]), "{list:?}, {context}");
                    assert!(
                        cache.car.ghost_keys(list).iter().eq(&model.b[list as usize]),
                        "{list:?}, {context}"
                    );
                }
                cache.check(&context);
            }
        }
    }
}

#[test]
fn a_scan_passes_through_t1_and_leaves_t2_alone() {
    let mut cache = Cache::new(100);
    for _ in 0..3 {
        (0..60).for_each(|k| _ = cache.request(k));
    }
    (1000..1100).for_each(|k| _ = cache.request(k)); // the hand reaches the used ones: they move to T2
    (2000..12_000).for_each(|k| _ = cache.request(k));
    assert!(
        (0..60).all(|k| cache.request(k)),
        "a scan of a hundred times the pool evicts nothing that was used again"
    );
}

#[test]
fn dirty_pages_near_the_hand_keep_their_place_and_clean_ones_behind_them_go() {
    let mut cache = Cache::new(200);
    (0..200).for_each(|k| _ = cache.request(k));
    for k in [0, 1, 3] {
        cache.frame(k).hindrance.set(Some(Hindrance::Dirty));
    }
    for k in 1000..1003 {
        cache.request(k);
    }
    assert_eq!(cache.keys(List::T1)[..5], [0, 1, 3, 6, 7], "2, 4 and 5 went");
    cache.check("after passing over dirty frames");
}

#[test]
fn a_window_full_of_dirty_pages_sends_the_search_to_the_other_list_and_then_to_the_disk() {
    let mut cache = Cache::new(200);
    (0..20).for_each(|k| _ = (cache.request(k), cache.request(k)));
    (20..200).for_each(|k| _ = cache.request(k));
    (1000..1100).for_each(|k| _ = cache.request(k)); // 0..20 are in T2 now
    assert_eq!(cache.keys(List::T2), (0..20).collect::<Vec<_>>());
    let heads = cache.keys(List::T1)[..DIRTY_WINDOW].to_vec();
    heads.iter().for_each(|k| cache.frame(*k).hindrance.set(Some(Hindrance::Dirty)));
    cache.request(2000);
    assert_eq!(cache.keys(List::T2), (1..20).collect::<Vec<_>>(), "T2 gave its oldest clean page");
    (1..20).for_each(|k| cache.frame(k).hindrance.set(Some(Hindrance::Dirty)));
    let first = cache.table.borrow()[&heads[0]];
    assert_eq!(cache.victim(), Found::Dirty(first));
    heads.iter().for_each(|k| cache.frame(*k).hindrance.set(Some(Hindrance::Writing)));
    assert!(matches!(cache.victim(), Found::Dirty(f) if f == cache.table.borrow()[&1]));
}

#[test]
fn a_round_that_writes_all_pages_near_the_hand_does_not_stop_the_search() {
    let mut cache = Cache::new(400);
    (0..400).for_each(|k| _ = cache.request(k));
    (0..128).for_each(|k| cache.frame(k).hindrance.set(Some(Hindrance::Writing)));
    let clean = cache.table.borrow()[&128];
    assert_eq!(cache.victim(), Found::Victim(clean, List::T1), "the first behind them, which nobody writes");
    cache.frames.0.iter().for_each(|f| f.hindrance.set(Some(Hindrance::Writing)));
    assert_eq!(cache.victim(), Found::InUse);
    cache.car.insert(&cache.frames, clean, 1000);
    cache.check("after a search over all frames");
}

#[test]
fn pinned_pages_are_never_given_up_and_never_stop_the_search() {
    let mut cache = Cache::new(300);
    (0..300).for_each(|k| _ = cache.request(k));
    (0..299).for_each(|k| cache.frame(k).hindrance.set(Some(Hindrance::Pinned)));
    cache.request(1000);
    assert!(!cache.table.borrow().contains_key(&299), "the only one that nobody uses");
    cache.frame(1000).hindrance.set(Some(Hindrance::Pinned));
    assert_eq!(cache.victim(), Found::InUse);
    cache.frame(7).hindrance.set(None);
    let free = cache.table.borrow()[&7];
    assert!(matches!(cache.victim(), Found::Victim(f, List::T1) if f == free));
}

#[test]
fn a_list_of_pinned_pages_sends_the_search_to_the_other_one() {
    let mut cache = Cache::new(300);
    (0..300).for_each(|k| _ = (cache.request(k), cache.request(k)));
    cache.request(1000); // all referenced: they moved to T2, and one of them went
    (1001..1200).for_each(|k| _ = cache.request(k));
    cache.keys(List::T1).iter().for_each(|k| cache.frame(*k).hindrance.set(Some(Hindrance::Pinned)));
    assert!(cache.car.len(List::T1) >= cache.car.target());
    assert!(matches!(cache.victim(), Found::Victim(_, List::T2)));
}

#[test]
fn a_search_spares_a_bounded_number_of_referenced_pages() {
    let c = 4 * SWEEP_MAX;
    let mut cache = Cache::new(c);
    (0..c as u64).for_each(|k| _ = (cache.request(k), cache.request(k)));
    let mut sweep = Sweep::default();
    while cache.car.victim(&cache.frames, &mut sweep) == Found::Again {}
    assert_eq!(sweep.spared, SWEEP_MAX);
}

#[test]
fn frames_leave_from_the_middle_and_victims_come_back() {
    let seed = fastrand::u64(..);
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut cache = Cache::new(64);
    for step in 0..30_000 {
        cache.request((rng.f64().powi(2) * 200.0) as u64);
        match rng.u8(0..20) {
            0 => {
                let keys: Vec<u64> = cache.table.borrow().keys().copied().collect();
                let frame = cache.table.borrow_mut().remove(&keys[rng.usize(..keys.len())]).unwrap();
                cache.car.remove(&cache.frames, frame);
                cache.unused.push(frame);
            }
            1 => {
                if let Found::Victim(frame, list) = cache.victim() {
                    let ghosts = cache.car.ghosts(list);
                    cache.car.give_back(&cache.frames, list, frame);
                    assert_eq!(cache.car.ghosts(list), ghosts - 1);
                }
            }
            _ => {}
        }
        if step % 11 == 0 {
            cache.check(&format!("seed {seed}, step {step}"));
            let listed = cache.car.len(List::T1) + cache.car.len(List::T2);
            assert_eq!(listed, cache.table.borrow().len(), "seed {seed}, step {step}");
        }
    }
}
