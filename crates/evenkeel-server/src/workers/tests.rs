//! Workers that serve what the test makes of a session.

use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use evenkeel::base::blocking;

/// A session whose steps the test takes: it hears of each, and says how it ends.
struct Puppet {
    heard: Sender<Heard>,
    told: Receiver<Box<dyn FnOnce() -> Step + Send>>,
}

#[derive(Debug, PartialEq, Eq)]
enum Heard {
    Step(News),
    LogFailed,
    End,
}

impl Puppet {
    fn play(&mut self, heard: Heard) -> Step {
        let _ = self.heard.send(heard);
        self.told.recv().map_or(Step::End(End::Terminated), |step| step())
    }
}

impl Turns for Puppet {
    fn step(&mut self, news: News) -> Step {
        self.play(Heard::Step(news))
    }

    fn step_after_failure(&mut self) -> Step {
        self.play(Heard::LogFailed)
    }

    fn end(self: Box<Self>, _end: End) {
        let _ = self.heard.send(Heard::End);
    }
}

/// The test's end of a session.
struct Hand {
    id: u64,
    client: UnixStream,
    _server: UnixStream,
    heard: Receiver<Heard>,
    tell: Sender<Box<dyn FnOnce() -> Step + Send>>,
}

impl Hand {
    fn heard(&self) -> Heard {
        self.heard.recv_timeout(Duration::from_secs(60)).expect("the session is stepped")
    }

    fn tell(&self, step: Step) {
        self.tell_to(move || step);
    }

    fn tell_to(&self, step: impl FnOnce() -> Step + Send + 'static) {
        self.tell.send(Box::new(step)).unwrap();
    }

    fn nothing_heard(&self) -> bool {
        self.heard.try_recv().is_err()
    }
}

const INPUT: Heard = Heard::Step(News { input: true, hangup: false });
const NUDGE: Heard = Heard::Step(News { input: false, hangup: false });

/// A log that is durable as far as the test says.
#[derive(Default)]
struct TestLog {
    state: Mutex<(u64, bool)>,
    changed: Condvar,
    depth: AtomicUsize,
    /// What was waited for.
    waiting: Mutex<Vec<Lsn>>,
}

impl TestLog {
    fn set(&self, durable: u64, broken: bool) {
        *self.state.lock() = (durable, broken);
        self.changed.notify_all();
    }
}

impl Log for Arc<TestLog> {
    fn fail(&self, why: String) {
        panic!("{why}");
    }

    fn durable_lsn(&self) -> Lsn {
        Lsn(self.state.lock().0)
    }

    fn flush_depth(&self) -> usize {
        self.depth.load(Ordering::Relaxed)
    }

    fn wait_durable(&self, lsn: Lsn) -> bool {
        self.waiting.lock().push(lsn);
        let _waiting = blocking::wait(blocking::Wait::Sleep);
        let mut state = self.state.lock();
        while state.0 < lsn.0 && !state.1 {
            self.changed.wait(&mut state);
        }
        state.0 >= lsn.0
    }
}

struct Stage {
    workers: Arc<Workers>,
    log: Arc<TestLog>,
}

impl Stage {
    fn new(limit: usize) -> Stage {
        Stage::with_poll(limit, Duration::from_micros(50))
    }

    fn with_poll(limit: usize, poll: Duration) -> Stage {
        let log = Arc::new(TestLog::default());
        let workers = Workers::start(Box::new(log.clone()), limit, poll).unwrap();
        Stage { workers, log }
    }

    /// A session that has been stepped once.
    fn session(&self) -> Hand {
        let (client, stream) = UnixStream::pair().unwrap();
        let ((heard_to, heard), (tell, told)) = (channel(), channel());
        let id = self.workers.reserve();
        let puppet = Puppet { heard: heard_to, told };
        self.workers.add(id, stream.as_fd(), Box::new(puppet)).unwrap();
        let hand = Hand { id, client, _server: stream, heard, tell };
        assert_eq!(hand.heard(), INPUT);
        hand
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.workers.stop();
    }
}

#[test]
fn input_is_heard_of() {
    let stage = Stage::new(2);
    let mut one = stage.session();
    one.tell(Step::Input);
    one.client.write_all(b"x").unwrap();
    assert_eq!(one.heard(), INPUT);
    one.tell(Step::Input);
    drop(one.client);
    let heard = one.heard.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(heard, Heard::Step(News { input: true, hangup: true }));
    one.tell.send(Box::new(|| Step::End(End::Terminated))).unwrap();
    assert_eq!(one.heard.recv_timeout(Duration::from_secs(60)).unwrap(), Heard::End);
}

#[test]
fn what_happens_during_a_step_is_not_lost() {
    let stage = Stage::new(1);
    let mut one = stage.session();
    stage.workers.nudge(one.id);
    one.tell(Step::Nudge);
    assert_eq!(one.heard(), NUDGE);
    // The socket's news are found only after the step: nobody watches meanwhile.
    one.client.write_all(b"x").unwrap();
    one.tell(Step::Input);
    assert_eq!(one.heard(), INPUT);
    one.tell(Step::Again);
    assert_eq!(one.heard(), NUDGE);
    one.tell(Step::End(End::Terminated));
    assert_eq!(one.heard(), Heard::End);
}

#[test]
fn who_waits_holds_up_nobody() {
    let stage = Stage::new(1);
    let (release, released) = channel::<()>();
    let waiting = stage.session();
    waiting.tell_to(move || {
        let _waiting = blocking::wait(blocking::Wait::Sleep);
        let _ = released.recv();
        Step::Input
    });
    let other = stage.session();
    other.tell(Step::Again);
    assert_eq!(other.heard(), NUDGE);
    other.tell(Step::Input);
    release.send(()).unwrap();
    stage.workers.nudge(waiting.id);
    assert_eq!(waiting.heard(), NUDGE);
    waiting.tell(Step::End(End::Terminated));
    other.tell(Step::End(End::Terminated));
}

#[test]
fn a_long_step_holds_up_nobody() {
    let stage = Stage::new(1);
    let (release, released) = channel::<()>();
    let long = stage.session();
    long.tell_to(move || {
        let _ = released.recv(); // without a word
        Step::End(End::Terminated)
    });
    let other = stage.session();
    other.tell(Step::End(End::Terminated));
    assert_eq!(other.heard(), Heard::End);
    release.send(()).unwrap();
    assert_eq!(long.heard(), Heard::End);
}

#[test]
fn a_reply_waits_for_the_log_and_for_no_more() {
    let stage = Stage::new(2);
    let (first, second) = (stage.session(), stage.session());
    first.tell(Step::Durable(Lsn(10)));
    second.tell(Step::Durable(Lsn(20)));
    let third = stage.session();
    third.tell(Step::Input);
    assert!(first.nothing_heard() && second.nothing_heard());
    stage.log.set(10, false);
    assert_eq!(first.heard(), NUDGE);
    assert!(second.nothing_heard());
    stage.log.set(30, false);
    assert_eq!(second.heard(), NUDGE);
    for hand in [first, second] {
        hand.tell(Step::End(End::Terminated));
        assert_eq!(hand.heard(), Heard::End);
    }
}

#[test]
fn a_log_that_fails_is_told_to_all_who_wait_for_it() {
    let stage = Stage::new(1);
    let hands = [stage.session(), stage.session()];
    hands[0].tell(Step::Durable(Lsn(10)));
    hands[1].tell(Step::Durable(Lsn(20)));
    stage.log.set(5, true);
    for hand in hands {
        assert_eq!(hand.heard(), Heard::LogFailed);
        hand.tell(Step::End(End::Terminated));
        assert_eq!(hand.heard(), Heard::End);
    }
}

#[test]
fn many_that_block_are_released_by_the_last() {
    const SESSIONS: usize = 40;
    let stage = Stage::new(1);
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let waiting: Vec<Hand> = (0..SESSIONS)
        .map(|_| {
            let (hand, gate) = (stage.session(), gate.clone());
            hand.tell_to(move || {
                let _waiting = blocking::wait(blocking::Wait::Sleep);
                let mut open = gate.0.lock();
                while !*open {
                    gate.1.wait(&mut open);
                }
                Step::End(End::Terminated)
            });
            hand
        })
        .collect();
    let last = stage.session();
    last.tell_to(move || {
        *gate.0.lock() = true;
        gate.1.notify_all();
        Step::End(End::Terminated)
    });
    for hand in waiting.iter().chain([&last]) {
        assert_eq!(hand.heard(), Heard::End);
    }
}

#[test]
fn as_many_wait_for_the_log_as_it_takes_writes() {
    for (depth, expected) in [(1, vec![Lsn(10)]), (2, vec![Lsn(10), Lsn(20)])] {
        let stage = Stage::new(2);
        stage.log.depth.store(depth, Ordering::Relaxed);
        let mut hands = Vec::new();
        for lsn in [10, 20, 30] {
            let hand = stage.session();
            hand.tell(Step::Durable(Lsn(lsn)));
            // The session after it is stepped once somebody waits for this one, or nobody will.
            let next = stage.session();
            next.tell(Step::End(End::Terminated));
            assert_eq!(next.heard(), Heard::End);
            while stage.log.waiting.lock().len() < expected.len().min(hands.len() + 1) {
                std::thread::yield_now();
            }
            hands.push(hand);
        }
        assert_eq!(*stage.log.waiting.lock(), expected);
        stage.log.set(30, false);
        for hand in hands {
            assert_eq!(hand.heard(), NUDGE);
            hand.tell(Step::End(End::Terminated));
        }
    }
}

#[test]
fn who_watches_sleeps_at_once_while_another_is_at_work() {
    let stage = Stage::with_poll(1, Duration::from_secs(3600));
    let one = stage.session();
    one.tell(Step::Durable(Lsn(10)));
    let start = std::time::Instant::now();
    while !stage.workers.state.lock().poller_sleeps {
        assert!(start.elapsed() < Duration::from_secs(60), "it polls while the log is waited for");
        std::thread::sleep(Duration::from_millis(1));
    }
    stage.log.set(10, false);
    assert_eq!(one.heard(), NUDGE);
    one.tell(Step::End(End::Terminated));
    assert_eq!(one.heard(), Heard::End);
}
