//! Which pages each policy takes, in which order, and at what cost.

use super::cleaner::{CleanerOptions, CleanerPolicy};
use super::testing::{List, Metadata};
use crate::base::{FileId, PageId};

fn page(n: u32) -> PageId {
    PageId::new(FileId(17), n)
}

fn with(policy: CleanerPolicy, max_pages: usize, percent: usize) -> CleanerOptions {
    CleanerOptions { policy, max_pages, percent }
}

/// A full pool whose frames 0..hot are in T2 and the rest in T1, after a step that has seen them come.
fn full(frames: u32, hot: u32) -> Metadata {
    let mut pool = Metadata::new(frames as usize);
    for n in 0..frames {
        let frame = pool.come_in(page(n));
        if n < hot {
            pool.touch(frame);
        }
    }
    for n in frames..2 * frames - hot {
        pool.come_in(page(n)); // the hand comes by: used ones move to T2
    }
    assert_eq!(pool.list(List::T2).len(), hot as usize);
    for _ in 0..200 {
        pool.choose(with(CleanerPolicy::DirtyChain, 0, 0)); // the hands come to rest
    }
    pool
}

#[test]
fn a_clean_pool_costs_no_look_at_any_frame() {
    let mut pool = full(4096, 1000);
    let (chosen, scanned) = pool.choose(with(CleanerPolicy::DirtyChain, 100, 2));
    assert_eq!((chosen.len(), scanned), (0, 0));
}

#[test]
fn a_pool_with_unused_frames_gives_nothing_up_and_is_left_alone() {
    let mut pool = Metadata::new(4096);
    for n in 0..2000 {
        let frame = pool.come_in(page(n));
        pool.change(frame);
    }
    pool.choose(with(CleanerPolicy::DirtyChain, 100, 2));
    for n in 2000..2010 {
        pool.come_in(page(n));
    }
    for _ in 0..200 {
        pool.choose(with(CleanerPolicy::DirtyChain, 0, 2));
    }
    assert_eq!(pool.choose(with(CleanerPolicy::DirtyChain, 100, 2)).0, [] as [u32; 0]);
}

#[test]
fn the_chain_takes_dirty_frames_nearest_to_the_hands_first_and_within_the_lead_only() {
    let mut pool = full(4096, 1000);
    let (t1, t2) = (pool.list(List::T1), pool.list(List::T2));
    // The lead of hands at rest is 4096 / 32 = 128 frames.
    for frame in [t1[5], t1[90], t1[127], t1[128], t1[3000], t2[0], t2[100], t2[128], t2[999]] {
        pool.change(frame);
    }
    let (chosen, scanned) = pool.choose(with(CleanerPolicy::DirtyChain, 100, 2));
    assert_eq!(chosen, [t2[0], t1[5], t1[90], t2[100], t1[127]]);
    assert_eq!(scanned, 5, "clean frames cost nothing");
}

#[test]
fn the_chain_leaves_referenced_frames_which_the_hands_will_spare() {
    let mut pool = full(4096, 1000);
    let t1 = pool.list(List::T1);
    for frame in [t1[1], t1[2]] {
        pool.change(frame);
    }
    pool.touch(t1[1]);
    assert_eq!(pool.choose(with(CleanerPolicy::DirtyChain, 100, 2)).0, [t1[2]]);
}

#[test]
fn the_lead_grows_with_the_speed_of_the_hands_and_shrinks_slowly() {
    let mut pool = full(4096, 0);
    let mut next = 10_000;
    let mut take = |pool: &mut Metadata, n: u32| {
        (0..n).for_each(|_| {
            pool.come_in(page(next));
            next += 1;
        });
        let all = pool.list(List::T1);
        all.iter().for_each(|f| _ = pool.change(*f));
        let chosen = pool.choose(with(CleanerPolicy::DirtyChain, 1 << 20, 2)).0;
        assert_eq!(chosen, all[..chosen.len()], "in eviction order");
        all.iter().for_each(|f| pool.clean(*f));
        chosen.len()
    };
    assert_eq!(take(&mut pool, 10), 128, "at rest");
    assert_eq!(take(&mut pool, 300), 4 * 300);
    let later = take(&mut pool, 0);
    assert!((1000..1200).contains(&later), "{later}");
}

#[test]
fn a_frame_that_moves_while_dirty_is_found_at_its_new_place() {
    let mut pool = full(4096, 0);
    let t1 = pool.list(List::T1);
    pool.change(t1[0]);
    pool.touch(t1[0]);
    pool.come_in(page(50_000)); // moves it to T2
    assert_eq!(pool.list(List::T2), [t1[0]]);
    assert_eq!(pool.choose(with(CleanerPolicy::T2Only, 100, 2)).0, [t1[0]]);
}

#[test]
fn t2_only_leaves_t1_alone() {
    let mut pool = full(4096, 1000);
    let (t1, t2) = (pool.list(List::T1), pool.list(List::T2));
    for frame in [t1[0], t1[1], t2[3]] {
        pool.change(frame);
    }
    assert_eq!(pool.choose(with(CleanerPolicy::T2Only, 100, 2)).0, [t2[3]]);
}

#[test]
fn full_scan_looks_at_every_frame_and_takes_a_share_of_the_dirty_ones() {
    let mut pool = full(4096, 1000);
    let t1 = pool.list(List::T1);
    t1[1000..1100].iter().for_each(|f| _ = pool.change(*f));
    let (chosen, scanned) = pool.choose(with(CleanerPolicy::FullScan, 100, 10));
    assert_eq!((chosen, scanned), (t1[1000..1010].to_vec(), 4096));
    let (chosen, _) = pool.choose(with(CleanerPolicy::FullScan, 3, 10));
    assert_eq!(chosen, t1[1000..1003], "bounded by the number of pages");
}

#[test]
fn lru_percent_looks_at_a_share_of_the_pool_both_lists_alike() {
    let mut pool = full(4096, 1000);
    let (t1, t2) = (pool.list(List::T1), pool.list(List::T2));
    for frame in [t1[40], t1[41], t2[39], t2[40], t2[41]] {
        pool.change(frame);
    }
    let (chosen, scanned) = pool.choose(with(CleanerPolicy::LruPercent, 100, 2));
    assert_eq!(scanned, 82, "2 percent of 4096, rounded up");
    assert_eq!(chosen, [t2[39], t1[40], t2[40]]);
}

#[test]
fn lru_pages_goes_on_until_it_has_its_number() {
    let mut pool = full(4096, 1000);
    let t1 = pool.list(List::T1);
    t1[2000..2100].iter().for_each(|f| _ = pool.change(*f));
    let (chosen, scanned) = pool.choose(with(CleanerPolicy::LruPages, 30, 2));
    assert_eq!(chosen, t1[2000..2030]);
    assert!(scanned > 2000, "{scanned}");
}

#[test]
fn two_speed_now_and_then_takes_a_share_of_all_dirty_ones_hot_ones_included() {
    let mut pool = full(4096, 1000);
    let (t1, t2) = (pool.list(List::T1), pool.list(List::T2));
    let far = [&t1[2000..2060], &t2[800..840]].concat();
    far.iter().for_each(|f| {
        pool.change(*f);
        pool.touch(*f);
    });
    let mut chosen = Vec::new();
    for _ in 0..50 {
        let (now, _) = pool.choose(with(CleanerPolicy::TwoSpeed, 6, 20));
        assert!(now.len() <= 6);
        chosen.extend(now);
    }
    for _ in 0..10 {
        // A mini-checkpoint takes as many steps as it needs.
        chosen.extend(pool.choose(with(CleanerPolicy::TwoSpeed, 6, 20)).0);
    }
    chosen.sort_unstable();
    chosen.dedup();
    assert_eq!(chosen.len(), 20, "20 percent of 100, each once");
    assert!(chosen.iter().all(|f| far.contains(f)));
}

#[test]
fn no_pages_means_no_work() {
    let mut pool = full(4096, 1000);
    for f in pool.list(List::T1) {
        pool.change(f);
    }
    for policy in CleanerPolicy::ALL {
        assert_eq!(pool.choose(with(policy, 0, 100)), (Vec::new(), 0), "{policy:?}");
    }
}
