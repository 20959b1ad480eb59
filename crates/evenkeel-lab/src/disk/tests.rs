//! Models against what their numbers mean, with a clock of its own; contents against power cuts.

use super::kinds::{KINDS, Kind, Named};
use super::model::{Done, Model, Nanos, Op, Request};
use super::platter::Platter;

const SIZE: u64 = 8 << 30;

fn kind(name: &str) -> &'static Kind {
    name.parse::<Named>().unwrap().0
}

/// One who asks and waits.
struct Clock {
    model: Model,
    now: Nanos,
    id: u64,
}

impl Clock {
    fn new(name: &str) -> Clock {
        Clock { model: Model::new(kind(name), SIZE), now: 0, id: 0 }
    }

    fn ask(&mut self, op: Op, at: u64, len: u64) -> u64 {
        self.id += 1;
        self.model.ask(self.now, Request { id: self.id, op, at, len });
        self.id
    }

    /// Time goes on until something is done.
    fn wait(&mut self) -> Vec<Done> {
        let mut done = Vec::new();
        while done.is_empty() {
            self.now = self.now.max(self.model.next().expect("something is under way"));
            self.model.advance(self.now, &mut done);
        }
        done
    }

    fn wait_for(&mut self, id: u64) {
        while !self.wait().iter().any(|d| d.id == id) {}
    }

    /// Asks, waits, gives milliseconds.
    fn one(&mut self, op: Op, at: u64, len: u64) -> f64 {
        let begin = self.now;
        let id = self.ask(op, at, len);
        self.wait_for(id);
        (self.now - begin) as f64 / 1e6
    }
}

#[test]
fn random_reads_take_a_seek_and_half_a_turn() {
    let mut clock = Clock::new("7200rpm");
    let mut random = fastrand::Rng::with_seed(1);
    let total: f64 = (0..2000).map(|_| clock.one(Op::Read, random.u64(0..SIZE / 8192) * 8192, 8192)).sum();
    let mean = total / 2000.0;
    assert!((13.0..13.7).contains(&mean), "9.0 ms of seek and 4.17 ms of turning: {mean}");
}

#[test]
fn a_queue_of_reads_is_served_in_a_better_order() {
    let mut clock = Clock::new("7200rpm");
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..32 {
        clock.ask(Op::Read, random.u64(0..SIZE / 8192) * 8192, 8192);
    }
    let mut served = 0;
    while served < 2000 {
        for _ in clock.wait() {
            served += 1;
            clock.ask(Op::Read, random.u64(0..SIZE / 8192) * 8192, 8192);
        }
    }
    let mean = clock.now as f64 / 1e6 / 2000.0;
    assert!((3.0..7.5).contains(&mean), "of 32 the nearest: {mean}");
}

#[test]
fn what_is_read_or_written_in_order_comes_at_the_sustained_rate() {
    for op in [Op::Read, Op::Write] {
        let mut clock = Clock::new("7200rpm");
        for n in 0..2000 {
            clock.one(op, n << 18, 1 << 18);
        }
        clock.one(Op::Flush, 0, 0);
        let rate = f64::from(2000 << 18) / 1e6 / (clock.now as f64 / 1e9);
        assert!((135.0..165.0).contains(&rate), "{op:?} {rate}");
    }
}

#[test]
fn durable_appends_take_a_turn_each() {
    let mut clock = Clock::new("7200rpm");
    let begin = clock.now;
    for n in 0..200 {
        clock.one(Op::Write, n * 8192, 8192);
        clock.one(Op::Flush, 0, 0);
    }
    let mean = (clock.now - begin) as f64 / 1e6 / 200.0;
    assert!((8.0..9.0).contains(&mean), "one turn is 8.33 ms: {mean}");
}

#[test]
fn a_flush_drains_the_cache_in_the_elevators_order_and_those_meanwhile_share_the_next() {
    let mut clock = Clock::new("7200rpm");
    let mut random = fastrand::Rng::with_seed(2);
    let writes: Vec<u64> = (0..256).map(|_| random.u64(0..SIZE / 8192) * 8192).collect();
    for at in writes {
        assert!(clock.one(Op::Write, at, 8192) < 0.2, "the cache has it");
    }
    let (begin, first) = (clock.now, clock.ask(Op::Flush, 0, 0));
    clock.ask(Op::Write, 0, 8192);
    let (second, third) = (clock.ask(Op::Flush, 0, 0), clock.ask(Op::Flush, 0, 0));
    clock.wait_for(first);
    let each = (clock.now - begin) as f64 / 1e6 / 256.0;
    assert!((1.5..6.0).contains(&each), "far less than 13 ms: {each}");
    let done = loop {
        let done = clock.wait();
        if done.iter().any(|d| d.id == second) {
            break done;
        }
    };
    assert!(done.iter().any(|d| d.id == third), "together");
    assert!(clock.one(Op::Flush, 0, 0) < 0.1, "nothing to do");
}

#[test]
fn a_full_cache_makes_writers_wait() {
    let mut clock = Clock::new("7200rpm");
    let mut random = fastrand::Rng::with_seed(3);
    let mut longest = 0.0_f64;
    for _ in 0..9000 {
        longest = longest.max(clock.one(Op::Write, random.u64(0..SIZE / 8192) * 8192, 8192));
    }
    assert!(longest > 1.0, "{longest}");
}

#[test]
fn chips_keep_their_latencies_and_budgets() {
    let mut ssd = Clock::new("ssd");
    assert!((0.1..0.12).contains(&ssd.one(Op::Read, 0, 4096)));
    assert!((0.02..0.04).contains(&ssd.one(Op::Write, 0, 4096)));
    assert!((1.0..1.01).contains(&ssd.one(Op::Flush, 0, 0)));
    assert!(ssd.one(Op::Flush, 0, 0) < 0.02, "nothing to do");
    let mut cloud = Clock::new("cloud");
    for n in 0..64 {
        cloud.ask(if n % 2 == 0 { Op::Read } else { Op::Write }, n * 8192, 8192);
    }
    let mut served = 0;
    while served < 3000 {
        for _ in cloud.wait() {
            served += 1;
            cloud.ask(Op::Read, 0, 8192);
        }
    }
    assert!((0.98..1.02).contains(&(cloud.now as f64 / 1e9)), "3000 a second: {}", cloud.now);
    let mut cloud = Clock::new("cloud");
    let last = (0..131).map(|n| cloud.ask(Op::Write, n * 1_000_000, 1_000_000)).last().unwrap();
    cloud.wait_for(last);
    assert!((0.95..1.05).contains(&(cloud.now as f64 / 1e9)), "131 MB a second: {}", cloud.now);
}

#[test]
fn the_same_requests_end_at_the_same_times() {
    let run = |name: &str| {
        let mut clock = Clock::new(name);
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..300 {
            let op = [Op::Read, Op::Write, Op::Flush][random.usize(0..3)];
            clock.ask(op, random.u64(0..SIZE / 8192) * 8192, 8192);
            clock.wait();
        }
        clock.now
    };
    for kind in &KINDS {
        assert_eq!(run(kind.name), run(kind.name));
    }
    assert!("floppy".parse::<Named>().unwrap_err().contains("7200rpm"));
}

fn platter(volatile: u64) -> Platter {
    let file = tempfile::tempfile().unwrap();
    file.set_len(1 << 20).unwrap();
    Platter::new(file, volatile).unwrap()
}

#[test]
fn a_cut_takes_only_what_was_not_flushed_and_whole_sectors_of_it() {
    let mut lost_of_all = 0;
    for seed in 0..50 {
        let mut disk = platter(1 << 20);
        disk.write(0, &[1; 8192]).unwrap();
        disk.flushed(disk.written());
        disk.write(4096, &[2; 8192]).unwrap();
        disk.write(4096, &[3; 1024]).unwrap();
        let cut = disk.cut(seed).unwrap();
        assert_eq!((cut.sectors, disk.cuts), (16, 1));
        lost_of_all += cut.lost;
        let data = disk.read(0, 16384).unwrap();
        assert!(data[..4096].iter().all(|b| *b == 1), "flushed");
        for (n, sector) in data[4096..12288].chunks(512).enumerate() {
            assert!(sector.iter().all(|b| *b == sector[0]), "whole");
            let old = if n < 8 { 1 } else { 0 };
            assert!(sector[0] == old || sector[0] == 2 || (n < 2 && sector[0] == 3), "{n} {}", sector[0]);
        }
        // The same again.
        let mut again = platter(1 << 20);
        again.write(0, &[1; 8192]).unwrap();
        again.flushed(again.written());
        again.write(4096, &[2; 8192]).unwrap();
        again.write(4096, &[3; 1024]).unwrap();
        assert_eq!(again.cut(seed).unwrap(), cut);
        assert_eq!(again.read(0, 16384).unwrap(), data);
    }
    assert!((200..600).contains(&lost_of_all), "of 800: {lost_of_all}");
}

#[test]
fn a_cut_takes_no_more_than_the_cache_held() {
    for seed in 0..20 {
        let mut disk = platter(8192);
        for n in 0..4 {
            disk.write(n * 4096, &[7; 4096]).unwrap();
        }
        assert_eq!(disk.cut(seed).unwrap().sectors, 16);
        assert!(disk.read(0, 8192).unwrap().iter().all(|b| *b == 7));
        let mut kept = platter(0);
        kept.write(0, &[7; 4096]).unwrap();
        assert_eq!(kept.cut(seed).unwrap().lost, 0);
        assert!(kept.read(0, 4096).unwrap().iter().all(|b| *b == 7));
        assert!(kept.write(1 << 20, &[0]).is_err() && kept.read(1 << 20, 9).unwrap().is_empty());
    }
}
