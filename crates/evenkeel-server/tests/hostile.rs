//! Hostile bytes: random and mutated messages. The server stays up, its memory bounded, other sessions unaffected.
//!
//! Seeds are fixed; `EVENKEEL_SEED=n` and `EVENKEEL_ROUNDS=n` choose others and more. A failure prints the seed of its round.

mod common;

use std::io::{Read, Write};
use std::net::Shutdown;

use common::*;

/// Growth of the process's resident memory that rounds may leave behind, bytes.
const GROWTH_BYTES_MAX: u64 = 96 << 20;

fn environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

/// Sends `bytes`, closes the sending side, and gives everything that comes back.
fn throw(f: &Fixture, bytes: &[u8]) -> Vec<u8> {
    let mut c = f.connect();
    // The server may hang up in the midst of it.
    let _ = c.stream.write_all(bytes);
    let _ = c.stream.shutdown(Shutdown::Write);
    let mut back = Vec::new();
    match c.stream.read_to_end(&mut back) {
        Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => panic!("the server hangs"),
        _ => back,
    }
}

/// Runs rounds of `make` against one server, watched by a session that must not notice.
fn rounds(count: u64, make: impl Fn(&mut fastrand::Rng) -> Vec<u8>) {
    let f = Fixture::new();
    let mut bystander = f.session();
    let first_seed = environment("EVENKEEL_SEED", 1);
    let mut before = 0;
    let count = environment("EVENKEEL_ROUNDS", count);
    for seed in first_seed..first_seed + count {
        let mut rng = fastrand::Rng::with_seed(seed);
        let back = throw(&f, &make(&mut rng));
        let text = String::from_utf8_lossy(&back);
        assert!(!text.contains("CXX000"), "seed {seed}: a session failed within: {text}");
        if seed % 16 == 0 {
            assert_eq!(bystander.ask(&[query("rows 2")]), "TDDCZi", "seed {seed}");
        }
        if seed == first_seed + count / 10 {
            before = resident_bytes();
        }
    }
    assert_eq!(bystander.ask(&[query("rows 2")]), "TDDCZi");
    let after = resident_bytes();
    assert!(after < before + GROWTH_BYTES_MAX, "memory went from {before} to {after} bytes");
}

fn random_bytes(rng: &mut fastrand::Rng, max: usize) -> Vec<u8> {
    (0..rng.usize(..max)).map(|_| rng.u8(..)).collect()
}

fn start() -> Vec<u8> {
    startup_packet(3 << 16, &[("user", "mallory"), ("database", "postgres"), ("options", "-c a=b")])
}

/// A conversation as a well-behaved client would have it.
fn conversation(rng: &mut fastrand::Rng) -> Vec<Vec<u8>> {
    let statements =
        ["rows 3", "affect 1", "", "notice", "set a b", "begin", "commit", "fail", "copy out 3", "echo"];
    let mut out = vec![start()];
    for _ in 0..rng.usize(1..6) {
        let sql = statements[rng.usize(..statements.len())];
        match rng.u8(..6) {
            0 => out.push(query(sql)),
            1 => out.push(query(&format!("{sql}; affect 2; {sql}"))),
            2 => out.extend([query("copy in"), frame(b'd', b"1\t2\n"), frame(b'c', b"")]),
            3 => out.extend([
                parse("s", "echo", &[23, 25]),
                bind("p", "s", &[0, 1], &[Some(b"5"), Some(b"text")], &[1, 0]),
                describe('P', "p"),
                describe('S', "s"),
                execute("p", 1),
                close('P', "p"),
                close('S', "s"),
                sync(),
            ]),
            4 => out.extend([
                parse("", sql, &[]),
                bind("", "", &[], &[], &[]),
                execute("", 1),
                flush(),
                sync(),
            ]),
            _ => out.extend([
                parse("", "copy in", &[]),
                bind("", "", &[], &[], &[]),
                execute("", 0),
                frame(b'd', b"x\n"),
                frame(b'f', b"no\0"),
                sync(),
            ]),
        }
    }
    out.push(frame(b'X', b""));
    out
}

#[test]
fn random_bytes_instead_of_a_session() {
    rounds(400, |rng| random_bytes(rng, 2000));
}

#[test]
fn random_packets_at_the_start() {
    rounds(400, |rng| {
        let body = random_bytes(rng, 300);
        let mut out = (body.len() as u32 + 8).to_be_bytes().to_vec();
        let codes = [3 << 16, 3 << 16 | 2, 80877102, 80877103, 80877104, rng.u32(..)];
        out.extend_from_slice(&codes[rng.usize(..codes.len())].to_be_bytes());
        out.extend_from_slice(&body);
        out
    });
}

#[test]
fn random_bodies_in_good_frames() {
    rounds(400, |rng| {
        let mut out = start();
        for _ in 0..rng.usize(1..20) {
            let kinds = b"QPBDECHSdcfFp";
            let body = random_bytes(rng, 80);
            out.extend(frame(kinds[rng.usize(..kinds.len())], &body));
        }
        out
    });
}

#[test]
fn lengths_that_lie() {
    rounds(400, |rng| {
        let mut out = start();
        let kinds = b"QPBDECHSdcfFX";
        out.push(kinds[rng.usize(..kinds.len())]);
        let lengths = [
            0,
            1,
            3,
            4,
            5,
            10_000,
            10_001,
            1 << 20,
            1 << 28,
            (1 << 28) + 1,
            u32::MAX >> 1,
            u32::MAX,
            rng.u32(..),
        ];
        out.extend_from_slice(&lengths[rng.usize(..lengths.len())].to_be_bytes());
        out.extend(random_bytes(rng, 500));
        out
    });
}

#[test]
fn mutated_conversations() {
    rounds(1500, |rng| {
        let mut messages = conversation(rng);
        for _ in 0..rng.usize(1..5) {
            let i = rng.usize(..messages.len());
            match rng.u8(..5) {
                // Order and number.
                0 => {
                    let j = rng.usize(..messages.len());
                    messages.swap(i, j);
                }
                1 => {
                    let m = messages[i].clone();
                    messages.insert(i, m);
                }
                // Content.
                2 => {
                    let m = &mut messages[i];
                    let at = rng.usize(..m.len());
                    m[at] = rng.u8(..);
                }
                3 => {
                    let m = &mut messages[i];
                    m.truncate(rng.usize(..m.len() + 1));
                    if m.is_empty() {
                        m.push(0);
                    }
                }
                // A count or length in the midst.
                _ => {
                    let m = &mut messages[i];
                    let at = rng.usize(..m.len());
                    let odd = [0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0x80];
                    for (k, b) in m[at..].iter_mut().take(rng.usize(1..5)).enumerate() {
                        *b = odd[(k + at) % odd.len()];
                    }
                }
            }
        }
        messages.concat()
    });
}
