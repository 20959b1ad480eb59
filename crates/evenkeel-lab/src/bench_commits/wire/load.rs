//! Drives all connections from one thread.
//!
//! Why so: the server's share of the processors is what counts, and on a small machine the clients' share is taken from it. Every message is encoded
//! once, and only the row's number changes; a commit costs one write, one read and a share of one epoll_wait(2). Measured on 2 processors: 13 µs of
//! processor time a commit with 8 clients and 10 with 64, nearly all of it the kernel's; pgbench with one thread takes 15 and 12. The thread's own share of a
//! processor is reported, so that clients which limit the server are seen.
//!
//! Invariants
//! 1. A connection has at most one commit under way.
//! 2. Every commit that was due within the counted time is sent and awaited, unless the user stops or patience ends.
//!
//! It must not know which server it is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use rustix::event::{Timespec, epoll};
use rustix::time::{ClockId, clock_gettime};

use crate::bench_commits::schedule::Schedule;
use crate::bench_commits::window::{Tally, Window};
use crate::bench_commits::{Error, Load, Sample};
use evenkeel_client::{Connection, Message, WireError, server_error};

/// How long the thread sleeps at most: it looks whether the user wants to stop.
const SLEEP_MAX: Duration = Duration::from_millis(100);
const EVENTS_MAX: usize = 256;
const INT8_OID: i32 = 20;
const TEXT_OID: i32 = 25;

/// One client: a connection with a prepared insert into its own table.
pub struct Client {
    pub connection: Connection,
    /// Bind, Execute and Sync, encoded.
    insert: Vec<u8>,
    /// Where the row's number stands in it.
    number_at: usize,
    number: u64,
}

impl Client {
    /// Prepares the statement. Blocks.
    pub fn prepare(
        mut connection: Connection,
        table: &str,
        bytes: u32,
        number: u64,
    ) -> Result<Client, WireError> {
        let mut parse = Message::new(b'P');
        parse.text("i")?.text(&format!("INSERT INTO {table} VALUES ($1, $2)"))?;
        parse.i16(2).i32(INT8_OID).i32(TEXT_OID);
        let mut all = parse.end();
        all.extend(Message::new(b'S').end());
        connection.write(&all)?;
        connection.until_ready()?;
        let mut bind = Message::new(b'B');
        // The unnamed portal; the first parameter in binary, the second as text.
        bind.text("")?.text("i")?.i16(2).i16(1).i16(0).i16(2).i32(8);
        let number_at = bind.position();
        bind.bytes(&[0; 8]).i32(bytes as i32).bytes(&super::filler(bytes)).i16(0);
        let mut execute = Message::new(b'E');
        execute.text("")?.i32(0);
        let mut insert = bind.end();
        insert.extend(execute.end());
        insert.extend(Message::new(b'S').end());
        Ok(Client { connection, insert, number_at, number })
    }

    /// The number of the next row.
    pub fn number(&self) -> u64 {
        self.number
    }

    fn send(&mut self) -> std::io::Result<()> {
        self.insert[self.number_at..self.number_at + 8].copy_from_slice(&self.number.to_be_bytes());
        self.number += 1;
        self.connection.write(&self.insert)
    }

    /// Reads what has arrived; true when the commit is confirmed.
    fn confirmed(&mut self) -> Result<bool, WireError> {
        if !self.connection.fill()? {
            return Ok(false);
        }
        while let Some((kind, body)) = self.connection.message()? {
            match kind {
                b'E' => return Err(server_error(body)),
                b'Z' => return Ok(true),
                _ => {}
            }
        }
        Ok(false)
    }
}

/// What one client is about.
#[derive(Clone, Copy)]
enum State {
    /// Its next commit is in the list of those due.
    Waits,
    /// Since when its commit counts.
    UnderWay(u64),
    Finished,
}

struct Driver<'a> {
    clients: &'a mut [Client],
    states: Vec<State>,
    schedules: Vec<Schedule>,
    due: BinaryHeap<Reverse<(u64, usize)>>,
    begin: Instant,
    under_way: usize,
    tally: Tally,
}

/// Runs the load over the clients. `name` is the server's, for errors.
pub fn run(clients: &mut [Client], load: &Load<'_>, name: &str) -> Result<Sample, Error> {
    let wrong = |e: WireError| Error::Server { name: name.into(), source: e };
    let wrong_io = |e: std::io::Error| wrong(e.into());
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|e| wrong_io(e.into()))?;
    for (n, client) in clients.iter().enumerate() {
        client.connection.set_blocking(false).map_err(wrong_io)?;
        epoll::add(&poll, &client.connection, epoll::EventData::new_u64(n as u64), epoll::EventFlags::IN)
            .map_err(|e| wrong_io(e.into()))?;
    }
    let count = clients.len();
    let mut driver = Driver {
        states: vec![State::Waits; count],
        schedules: (0..count).map(|n| Schedule::new(load, n as u32)).collect(),
        due: BinaryHeap::new(),
        clients,
        begin: Instant::now(),
        under_way: 0,
        tally: Tally::new(Window::of(load)),
    };
    let processor = clock_gettime(ClockId::ThreadCPUTime);
    for n in 0..count {
        driver.schedule(n, 0).map_err(wrong_io)?;
    }
    let mut events = Vec::with_capacity(EVENTS_MAX);
    while driver.under_way > 0 || !driver.due.is_empty() {
        if load.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        driver.start_due().map_err(wrong_io)?;
        if driver.tally.window.is_given_up_at(driver.now_ns()) {
            driver.give_up();
            break;
        }
        events.clear();
        let timeout = driver.sleep();
        match epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(wrong_io(e.into())),
        }
        for event in &events {
            driver.arrived(event.data.u64() as usize).map_err(wrong)?;
        }
    }
    let used = seconds_of(clock_gettime(ClockId::ThreadCPUTime)) - seconds_of(processor);
    let wall = driver.begin.elapsed().as_secs_f64();
    Ok(Sample {
        commits: driver.tally.commits,
        elapsed_ns: driver.tally.window.ns(),
        latencies: driver.tally.latencies,
        unfinished: driver.tally.unfinished,
        own: None,
        all_commits: driver.tally.all_commits,
        flushes: None,
        log_bytes: None,
        generator_share: Some(used / wall),
    })
}

fn seconds_of(t: Timespec) -> f64 {
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

impl Driver<'_> {
    fn now_ns(&self) -> u64 {
        self.begin.elapsed().as_nanos() as u64
    }

    /// The client's next commit: now, later, or never, as the window is over.
    fn schedule(&mut self, n: usize, now_ns: u64) -> std::io::Result<()> {
        let at = self.schedules[n].next_ns(now_ns);
        if self.tally.window.is_over_at(at) {
            self.states[n] = State::Finished;
            return Ok(());
        }
        if at > now_ns {
            self.states[n] = State::Waits;
            self.due.push(Reverse((at, n)));
            return Ok(());
        }
        self.start(n, at)
    }

    fn start(&mut self, n: usize, since_ns: u64) -> std::io::Result<()> {
        self.clients[n].send()?;
        self.states[n] = State::UnderWay(since_ns);
        self.under_way += 1;
        Ok(())
    }

    fn start_due(&mut self) -> std::io::Result<()> {
        while let Some(&Reverse((at, n))) = self.due.peek()
            && at <= self.now_ns()
        {
            self.due.pop();
            self.start(n, at)?;
        }
        Ok(())
    }

    /// Counts what is under way, and what came due behind it.
    fn give_up(&mut self) {
        let now = self.now_ns();
        for n in 0..self.clients.len() {
            let State::UnderWay(since_ns) = self.states[n] else { continue };
            let mut due = since_ns;
            while !self.tally.window.is_over_at(due) {
                self.tally.given_up(due, now);
                due = self.schedules[n].next_ns(now);
            }
        }
    }

    /// Until the next commit is due.
    fn sleep(&self) -> Timespec {
        let next = self.due.peek().map(|Reverse((at, _))| at.saturating_sub(self.now_ns()));
        let sleep = next.map_or(SLEEP_MAX, |ns| Duration::from_nanos(ns).min(SLEEP_MAX));
        Timespec { tv_sec: sleep.as_secs() as i64, tv_nsec: i64::from(sleep.subsec_nanos()) }
    }

    fn arrived(&mut self, n: usize) -> Result<(), WireError> {
        if !self.clients[n].confirmed()? {
            return Ok(());
        }
        let State::UnderWay(since_ns) = self.states[n] else {
            return Err(WireError::Protocol("the server confirmed what was not asked".into()));
        };
        let now = self.now_ns();
        self.under_way -= 1;
        self.tally.ended(since_ns, since_ns, now);
        Ok(self.schedule(n, now)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::atomic::AtomicBool;

    /// Counted milliseconds; the server says nothing for longer than they and the warm-up last.
    const COUNTED_MS: u64 = 50;
    const PAUSE_MS: u64 = 200;

    /// Confirms everything at once, but for a pause before its first answer to an insert.
    fn paused(listener: TcpListener) {
        let (mut stream, _) = listener.accept().unwrap();
        let mut length = [0; 4];
        stream.read_exact(&mut length).unwrap();
        std::io::copy(
            &mut (&mut stream).take(u64::from(u32::from_be_bytes(length)) - 4),
            &mut std::io::sink(),
        )
        .unwrap();
        let ready = b"Z\0\0\0\x05I";
        stream.write_all(&[&b"R\0\0\0\x08\0\0\0\0"[..], ready].concat()).unwrap();
        let mut syncs = 0;
        let mut head = [0; 5];
        while stream.read_exact(&mut head).is_ok() {
            let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
            let mut body = (&mut stream).take(u64::from(length) - 4);
            std::io::copy(&mut body, &mut std::io::sink()).unwrap();
            if head[0] == b'S' {
                syncs += 1;
                // The first is of the statement that is prepared.
                std::thread::sleep(Duration::from_millis(if syncs == 2 { PAUSE_MS } else { 0 }));
                if stream.write_all(ready).is_err() {
                    break;
                }
            }
        }
    }

    fn sample(per_s: Option<f64>) -> Sample {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || paused(listener));
        let to = format!("host=127.0.0.1 port={port} user=u dbname=d sslmode=disable").parse().unwrap();
        let connection = Connection::open(&to, "test").unwrap();
        let mut clients = vec![Client::prepare(connection, "t", 10, 0).unwrap()];
        let stop = AtomicBool::new(false);
        let seconds = COUNTED_MS as f64 / 1e3;
        let load = Load { clients: 1, seconds, per_s, bytes: 10, seed: 7, stop: &stop };
        let sample = run(&mut clients, &load, "test").unwrap();
        drop(clients);
        server.join().unwrap();
        sample
    }

    #[test]
    fn a_commit_that_a_pause_holds_over_the_end_is_waited_for_and_counts() {
        let sample = sample(None);
        assert_eq!((sample.commits, sample.all_commits, sample.latencies.count()), (0, 1, 1));
        assert!(sample.latencies.at_us(1.0) >= PAUSE_MS as f64 * 1e3);
    }

    #[test]
    fn what_came_due_behind_it_counts_too() {
        let per_s = 1000.0;
        let sample = sample(Some(per_s));
        // All arrivals of the whole, which the seed decides: none of them ended before the pause did.
        let stop = AtomicBool::new(false);
        let seconds = COUNTED_MS as f64 / 1e3;
        let load = Load { clients: 1, seconds, per_s: Some(per_s), bytes: 10, seed: 7, stop: &stop };
        let (mut schedule, window) = (Schedule::new(&load, 0), Window::of(&load));
        let due =
            std::iter::from_fn(|| Some(schedule.next_ns(0)).filter(|at| !window.is_over_at(*at))).count();
        assert!(due > 20, "{due}");
        assert_eq!((sample.commits, sample.latencies.count()), (0, due as u64));
        assert_eq!((sample.all_commits, sample.unfinished), (due as u64, 0));
    }
}
