//! The pool as a whole, over a simulated disk and without a log: contents under many threads, scans, dropped pages.

use super::{CleanerOptions, CleanerPolicy, Files, Pool, WriteReason};
use crate::base::{FileId, PAGE_BYTES, PageId, PartitionCount, Poison, Result};
use crate::io::{SimDisk, SimOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Where the tests keep their number, past the page's header.
const AT: usize = 4000;

/// A pool over one file of zero pages.
fn pool(frames: usize, pages: u32) -> (Pool, FileId) {
    let disk = Arc::new(SimDisk::new(SimOptions::default()));
    crate::io::Disk::create_dir(&*disk, "data").unwrap();
    let pool = Pool::new(
        frames,
        PartitionCount::new(4).unwrap(),
        Arc::new(Files::new(disk)),
        Arc::new(Poison::default()),
    );
    (add_file(pool, 17, pages), FileId(17))
}

fn add_file(pool: Pool, file: u64, pages: u32) -> Pool {
    let handle = pool.files().create(FileId(file)).unwrap().unwrap();
    handle.truncate(u64::from(pages) * PAGE_BYTES as u64).unwrap();
    pool
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[AT..AT + 8].try_into().unwrap())
}

fn add_one(pool: &Pool, id: PageId) -> Result<u64> {
    let mut page = pool.write(id)?;
    page.mark_dirty();
    let n = number(&page) + 1;
    let bytes = page.bytes_mut();
    bytes[4] = 2; // an overflow page: a kind without structure of its own
    bytes[AT..AT + 8].copy_from_slice(&n.to_le_bytes());
    Ok(n)
}

const CHAIN: CleanerOptions =
    CleanerOptions { policy: CleanerPolicy::DirtyChain, max_pages: 100, percent: 2 };

fn reads(pool: &Pool) -> u64 {
    pool.stats.reads.load(Ordering::Relaxed)
}

#[test]
fn threads_that_fight_for_frames_lose_no_change() {
    const PAGES: u32 = 400;
    let (pool, file) = pool(64, PAGES);
    let pool = add_file(pool, 18, PAGES);
    let model: Vec<AtomicU64> = (0..PAGES).map(|_| AtomicU64::new(0)).collect();
    let (done, seed) = (AtomicBool::new(false), fastrand::u64(..));
    std::thread::scope(|s| {
        let workers: Vec<_> = (0..6)
            .map(|n| {
                let (pool, model) = (&pool, &model);
                s.spawn(move || {
                    let mut rng = fastrand::Rng::with_seed(seed + n);
                    for _ in 0..4000 {
                        let block = (rng.f64().powi(2) * f64::from(PAGES)) as u32;
                        let id = PageId::new(file, block);
                        if rng.bool() {
                            add_one(pool, id).unwrap();
                            model[block as usize].fetch_add(1, Ordering::Relaxed);
                        } else {
                            let at_least = model[block as usize].load(Ordering::Relaxed);
                            let page = pool.read(id).unwrap();
                            assert!(
                                number(&page) >= at_least,
                                "seed {seed}: block {block} went back in time"
                            );
                        }
                    }
                })
            })
            .collect();
        s.spawn(|| {
            let mut rng = fastrand::Rng::with_seed(seed);
            while !done.load(Ordering::Relaxed) {
                let policy = CleanerPolicy::ALL[rng.usize(..6)];
                pool.clean(CleanerOptions { policy, max_pages: 20, percent: 10 }).unwrap();
                std::thread::yield_now();
            }
        });
        s.spawn(|| {
            // Another file's pages come in and are dropped all the time.
            let mut rng = fastrand::Rng::with_seed(seed);
            while !done.load(Ordering::Relaxed) {
                for _ in 0..10 {
                    add_one(&pool, PageId::new(FileId(18), rng.u32(..PAGES))).unwrap();
                }
                pool.discard(FileId(18), rng.u32(..PAGES));
                // And loads that fail.
                assert!(pool.read(PageId::new(file, PAGES + 1)).is_err());
            }
        });
        let ended: Vec<_> = workers.into_iter().map(|w| w.join()).collect();
        done.store(true, Ordering::Relaxed);
        ended.into_iter().for_each(|r| r.unwrap());
    });
    pool.discard(FileId(18), 0);
    for block in 0..PAGES {
        let page = pool.read(PageId::new(file, block)).unwrap();
        assert_eq!(
            number(&page),
            model[block as usize].load(Ordering::Relaxed),
            "seed {seed}: block {block}"
        );
    }
    assert_every_frame_has_its_place(&pool);
}

/// Order invariants 1 and 3, at rest.
fn assert_every_frame_has_its_place(pool: &Pool) {
    use super::car::List;
    let lists = pool.order.lock();
    let listed = List::BOTH.map(|l| lists.car.len(l)).iter().sum::<usize>();
    drop(lists);
    assert_eq!(listed + pool.order.unused(), pool.frame_count());
    let dirty = (0..4).map(|p| pool.dirty_frames(p)).sum::<u64>() as usize;
    let all = CleanerOptions { policy: CleanerPolicy::TwoSpeed, max_pages: 1 << 20, percent: 100 };
    let full = CleanerOptions { policy: CleanerPolicy::FullScan, ..all };
    if dirty > 0 {
        assert_eq!(pool.clean(full).unwrap().written, dirty, "every dirty frame is in a list");
    }
    assert_eq!((0..4).map(|p| pool.dirty_frames(p)).sum::<u64>(), 0);
}

#[test]
fn dropped_pages_leave_frames_that_are_used_first() {
    let (pool, file) = pool(128, 400);
    for block in 0..128 {
        add_one(&pool, PageId::new(file, block)).unwrap();
    }
    pool.discard(file, 100);
    assert_eq!(pool.order.unused(), 28);
    for block in 200..228 {
        pool.read(PageId::new(file, block)).unwrap();
    }
    assert_eq!(pool.stats.evictions.load(Ordering::Relaxed), 0);
    let before = reads(&pool);
    (0..100).for_each(|b| drop(pool.read(PageId::new(file, b)).unwrap()));
    assert_eq!(reads(&pool), before, "all of them are still there");
    assert_every_frame_has_its_place(&pool);
}

/// Few blocks are looked up one by one, of many all frames are looked through: the same goes, and nothing of another file.
#[test]
fn a_short_file_is_forgotten_like_a_long_one() {
    for (from, left) in [(0, 0), (1, 1), (4, 4), (5, 4)] {
        for frames in [64, 128, 1024] {
            let (pool, long) = pool(frames, 40);
            let (pool, short) = (add_file(pool, 18, 4), FileId(18));
            for block in 0..4 {
                add_one(&pool, PageId::new(short, block)).unwrap();
                add_one(&pool, PageId::new(long, block)).unwrap();
            }
            pool.discard(short, from);
            let there = |file| (0..4).filter(|b| pool.read_present(PageId::new(file, *b)).is_some()).count();
            assert_eq!((there(short), there(long)), (left, 4), "{frames} frames");
            assert_eq!(pool.order.unused(), frames - 4 - left);
            assert_every_frame_has_its_place(&pool);
        }
    }
}

#[test]
fn a_load_that_fails_gives_its_frame_back() {
    let (pool, file) = pool(64, 10);
    for _ in 0..200 {
        assert!(pool.read(PageId::new(file, 11)).is_err());
    }
    assert_eq!(pool.order.unused(), 64);
}

#[test]
fn when_every_page_is_pinned_the_error_says_so_and_later_all_is_well() {
    let (pool, file) = pool(64, 100);
    let held: Vec<_> = (0..64).map(|b| pool.read(PageId::new(file, b)).unwrap()).collect();
    let error = pool.read(PageId::new(file, 80)).err().unwrap().to_string();
    assert!(error.contains("shared_buffers"), "{error}");
    drop(held);
    pool.read(PageId::new(file, 80)).unwrap();
}

#[test]
fn several_touches_by_one_scan_are_one_use() {
    let (pool, file) = pool(256, 5000);
    let hot: Vec<PageId> = (0..100).map(|b| PageId::new(file, b)).collect();
    let scan = |from: u32, to: u32| {
        for block in from..to {
            // A leaf is taken in four bites.
            (0..4).for_each(|_| drop(pool.read(PageId::new(file, block)).unwrap()));
        }
    };
    hot.iter().for_each(|id| drop(pool.read(*id).unwrap()));
    scan(4000, 4100);
    hot.iter().for_each(|id| drop(pool.read(*id).unwrap())); // used again
    scan(1000, 4000);
    let before = reads(&pool);
    hot.iter().for_each(|id| drop(pool.read(*id).unwrap()));
    assert_eq!(reads(&pool), before, "a scan of twelve times the pool evicts nothing that was used twice");
}

#[test]
fn a_backend_that_finds_dirty_pages_near_the_hands_calls_the_cleaner() {
    let (pool, file) = pool(256, 1000);
    for block in 0..256 {
        add_one(&pool, PageId::new(file, block)).unwrap();
    }
    pool.read(PageId::new(file, 500)).unwrap();
    assert_eq!(pool.stats.cleaner.calls.load(Ordering::Relaxed), 1);
    assert_eq!(pool.stats.written_backend.load(Ordering::Relaxed), 1, "nothing clean was near");
    assert!(pool.wait_for_call(None), "it was called already");
    assert!(pool.clean(CHAIN).unwrap().written >= 64);
    for block in 500..530 {
        pool.read(PageId::new(file, block)).unwrap();
    }
    assert_eq!(pool.stats.written_backend.load(Ordering::Relaxed), 1, "what is near is clean now");
}

#[test]
fn cleaners_side_by_side_share_the_work_and_write_each_page_once() {
    let (pool, file) = pool(256, 1000);
    for block in 0..256 {
        add_one(&pool, PageId::new(file, block)).unwrap();
    }
    let all = CleanerOptions { policy: CleanerPolicy::LruPages, max_pages: 1000, percent: 100 };
    let written: usize = std::thread::scope(|s| {
        let cleaners: Vec<_> = (0..4).map(|_| s.spawn(|| pool.clean(all).unwrap().written)).collect();
        cleaners.into_iter().map(|c| c.join().unwrap()).sum()
    });
    assert_eq!(written, 256);
    assert_eq!(pool.stats.written_cleaner.load(Ordering::Relaxed), 256);
}

#[test]
fn a_round_keeps_no_page_from_others_while_it_waits_for_one_in_use() {
    let (pool, file) = pool(64, 200);
    let pages: Vec<PageId> = (0..64).map(|b| PageId::new(file, b)).collect();
    pages.iter().for_each(|id| _ = add_one(&pool, *id).unwrap());
    let in_use = pool.write(pages[63]).unwrap();
    std::thread::scope(|s| {
        let round = s.spawn(|| pool.write_batch(&pages, WriteReason::Round));
        // The round has come to the page in use.
        while (0..4).map(|p| pool.dirty_frames(p)).sum::<u64>() > 1 {
            std::thread::yield_now();
        }
        // Who holds that page needs a frame for another (a merge, an overflow chain, a map page do).
        pool.read(PageId::new(file, 100)).map(drop).expect("a frame");
        drop(in_use);
        assert_eq!(round.join().unwrap().unwrap(), 64);
    });
}

/// Half of a change may be among them.
#[test]
fn no_page_of_a_poisoned_engine_goes_home() {
    let (pool, file) = pool(64, 20);
    let ids: Vec<PageId> = (0..5).map(|block| PageId::new(file, block)).collect();
    ids.iter().for_each(|id| _ = add_one(&pool, *id).unwrap());
    assert!(pool.write_back(ids[0], WriteReason::Round).unwrap());
    pool.poison.set("a page is half changed".into());
    let calls = || pool.stats.write_calls.load(Ordering::Relaxed);
    let before = calls();
    assert!(pool.write_back(ids[1], WriteReason::Round).is_err());
    assert!(pool.write_batch(&ids[2..4], WriteReason::Round).is_err());
    assert_eq!(calls(), before);
}
