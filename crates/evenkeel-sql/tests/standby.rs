//! A standby's readers while indexes come and go concurrently on the primary, what is left of those when it takes over or crashes, and transaction ids there.

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use support::Client;
use support::pair::Pair;
use support::started::{seed, start, until_phase};

const TABLE: &str = "create table t (id int primary key, u int, a int, s text, tags text[]); \
     insert into t select g, g, 0, 'x' || g % 7, array['a' || g % 5, 'b' || g % 3] from generate_series(1, 1500) g";

/// Transactions that leave the number of the first rows and the sum of `a` as they were; returns how many it made.
fn write(mut c: Client, (seed, n): (u64, u64), stop: &AtomicBool) -> u64 {
    let mut rng = fastrand::Rng::with_seed(seed ^ n << 32);
    let (mut made, mut more) = (0, n * 100_000);
    while !stop.load(Ordering::Relaxed) {
        let (one, other, x) = (rng.u32(1..1500), rng.u32(1..1500), rng.i32(-50..50));
        let sql = match rng.u8(0..6) {
            0 | 1 => format!(
                "begin; update t set a = a + {x} where id = {one}; update t set a = a - {x} where id = {other}; commit"
            ),
            2 => format!(
                "begin; update t set id = id + 10000, s = 'x3' where id = {one}; update t set id = id - 10000 where id = {one} + 10000; commit"
            ),
            5 => {
                more += 5;
                format!(
                    "insert into t select g, g, 0, 'x' || {}, array['a1'] from generate_series({more}, {more} + 4) g; \
                     delete from t where id between {} and {}",
                    x.abs() % 7,
                    more - 40,
                    more - 30
                )
            }
            3 => format!("update t set u = -u, tags = array['a{x}', 'c'] where id in ({one}, {other})"),
            _ => format!(
                "begin; update t set a = a + 7, u = u + 1000000 where id = {one}; delete from t where id = {other}; rollback"
            ),
        };
        match c.simple(&sql, "") {
            Ok(_) => made += 1,
            Err(e) if ["40P01", "23505"].contains(&e.code.as_str()) => _ = c.simple("rollback", ""),
            Err(e) => panic!("seed {seed}: {sql}: {e:?}"),
        }
    }
    made
}

/// What readers of a standby did.
#[derive(Default)]
struct Counts {
    /// Answers that were compared.
    compared: AtomicU64,
    /// Plans that read an index which comes and goes.
    by_index: AtomicU64,
    /// Snapshots that the standby had to give up.
    expired: AtomicU64,
}

/// The same question, for an index and for none.
fn questions(rng: &mut fastrand::Rng) -> (String, String) {
    let (low, x) = (rng.i32(-200..100), rng.u8(0..5));
    let what = "select count(*), coalesce(sum(id), 0), coalesce(sum(u), 0) from t where";
    match rng.u8(0..4) {
        0 => (
            format!("{what} a between {low} and {}", low + 60),
            format!("{what} a + 0 between {low} and {}", low + 60),
        ),
        1 => (
            format!("{what} u > 0 and u < {}", 100 + low.abs()),
            format!("{what} u + 0 > 0 and u + 0 < {}", 100 + low.abs()),
        ),
        2 => (format!("{what} tags @> array['a{x}']"), format!("{what} 'a{x}' = any (tags)")),
        _ => (format!("{what} s = 'x{x}'"), format!("{what} s || '' = 'x{x}'")),
    }
}

fn asked(c: &mut Client, sql: &str, counts: &Counts) -> Option<String> {
    match c.simple(sql, "") {
        Ok(mut out) => {
            let out = out.pop().expect("a result");
            Some(out.rows.iter().map(|r| c.texts(r, &out.columns).join("|")).collect::<Vec<_>>().join(" "))
        }
        Err(e) if e.code.as_str() == "72000" => {
            counts.expired.fetch_add(1, Ordering::Relaxed);
            let _ = c.simple("rollback", "");
            None
        }
        Err(e) => panic!("{sql}: {e:?}"),
    }
}

fn note_plan(c: &mut Client, sql: &str, counts: &Counts) {
    let plan = asked(c, &format!("explain (costs off) {sql}"), counts).unwrap_or_default();
    if plan.contains(" i ") || plan.contains(" i\n") || plan.ends_with(" i") || plan.contains("on i") {
        counts.by_index.fetch_add(1, Ordering::Relaxed);
    }
}

const WHOLE: &str = "select count(*), sum(a) from t where id <= 1500";

/// In one snapshot all answers agree, and stay what they are.
fn read_repeatable(mut c: Client, seed: u64, stop: &AtomicBool, counts: &Counts) {
    let mut rng = fastrand::Rng::with_seed(seed);
    while !stop.load(Ordering::Relaxed) {
        c.ok("begin isolation level repeatable read");
        let mut known: Vec<(String, String, String)> = Vec::new();
        let goes_on = |c: &mut Client, known: &mut Vec<(String, String, String)>, rng: &mut fastrand::Rng| {
            let (by_index, without) = questions(rng);
            note_plan(c, &by_index, counts);
            let answer = asked(c, &by_index, counts)?;
            assert_eq!(answer, asked(c, &without, counts)?, "seed {seed}: {by_index}");
            known.push((by_index, without, answer));
            let (by_index, without, answer) = &known[rng.usize(..known.len())];
            assert_eq!(answer, &asked(c, by_index, counts)?, "seed {seed}: {by_index}, later");
            assert_eq!(answer, &asked(c, without, counts)?, "seed {seed}: {without}, later");
            assert_eq!(asked(c, WHOLE, counts)?, "1500|0", "seed {seed}");
            counts.compared.fetch_add(4, Ordering::Relaxed);
            Some(())
        };
        for _ in 0..rng.u8(1..40) {
            if goes_on(&mut c, &mut known, &mut rng).is_none() {
                break;
            }
            thread::yield_now();
        }
        let _ = c.simple("rollback", "");
    }
}

/// Each statement has a snapshot of its own, and answers the question in both ways.
fn read_committed(mut c: Client, seed: u64, stop: &AtomicBool, counts: &Counts) {
    let mut rng = fastrand::Rng::with_seed(seed);
    while !stop.load(Ordering::Relaxed) {
        let in_block = rng.bool();
        if in_block {
            c.ok("begin");
        }
        for _ in 0..rng.u8(1..10) {
            let (by_index, without) = questions(&mut rng);
            let row = |sql: &str| format!("select x::text from ({sql}) x");
            let both = format!(
                "select ({}), ({}), (select x::text from ({WHOLE}) x)",
                row(&by_index),
                row(&without)
            );
            note_plan(&mut c, &by_index, counts);
            let Some(answer) = asked(&mut c, &both, counts) else { continue };
            let parts: Vec<&str> = answer.split('|').collect();
            assert!(parts[0] == parts[1] && parts[2] == "(1500,0)", "seed {seed}: {both}: {answer}");
            counts.compared.fetch_add(2, Ordering::Relaxed);
        }
        let _ = c.simple("rollback", "");
    }
}

const INDEXES: [&str; 6] = [
    "index concurrently i on t (a)",
    "index concurrently i on t (a desc, s) include (u)",
    "unique index concurrently i on t (u)",
    "index concurrently i on t using gin (tags)",
    "index concurrently i on t using hash (s)",
    "index concurrently i on t (u) where u > 0",
];

type Thread = JoinHandle<()>;

/// Two who write the primary.
fn writers(pair: &Pair, seed: u64, stop: &Arc<AtomicBool>, made: &Arc<AtomicU64>) -> Vec<Thread> {
    let one = |n: u64| {
        let (c, stop, made) = (pair.session(), stop.clone(), made.clone());
        thread::spawn(move || _ = made.fetch_add(write(c, (seed, n), &stop), Ordering::Relaxed))
    };
    (1..3).map(one).collect()
}

fn end(stop: &AtomicBool, threads: Vec<Thread>) {
    stop.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|t| t.join().expect("it goes on to the end"));
}

/// Makes, fills anew and drops an index concurrently.
fn index_comes_and_goes(c: &mut Client, rng: &mut fastrand::Rng) {
    let index = INDEXES[rng.usize(..INDEXES.len())];
    match c.simple(&format!("create {index}"), "") {
        Ok(_) => {}
        Err(e) if e.code.as_str() == "23505" => {} // numbers that are there twice for a while
        Err(e) => panic!("{index}: {e:?}"),
    }
    for _ in 0..rng.u8(..3) {
        let again = ["reindex index concurrently t_pkey", "reindex table concurrently t"][rng.usize(..2)];
        c.ok(again);
    }
    c.ok("drop index concurrently i");
}

#[test]
fn readers_of_a_standby_get_the_same_answers_while_indexes_come_and_go() {
    let seed = seed();
    let mut pair = Pair::new(TABLE);
    let (stop, made, counts) =
        (Arc::new(AtomicBool::new(false)), Arc::default(), Arc::new(Counts::default()));
    let mut threads = writers(&pair, seed, &stop, &made);
    for n in 0..3 {
        let (c, stop, counts) = (pair.reader(), stop.clone(), counts.clone());
        threads.push(thread::spawn(move || match n {
            0 => read_committed(c, seed, &stop, &counts),
            n => read_repeatable(c, seed ^ n, &stop, &counts),
        }));
    }
    let mut c = pair.session();
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..rounds() {
        index_comes_and_goes(&mut c, &mut rng);
    }
    c.ok("create index concurrently i on t (a)");
    pair.catch_up();
    thread::sleep(std::time::Duration::from_millis(200));
    end(&stop, threads);
    pair.catch_up();
    let all = "select * from t order by id";
    assert_eq!(c.rows(all), pair.reader().rows(all), "seed {seed}");
    Pair::check(&pair.promote());
    let of = |n: &AtomicU64| n.load(Ordering::Relaxed);
    let (compared, by_index, expired) = (of(&counts.compared), of(&counts.by_index), of(&counts.expired));
    println!("{} transactions, {compared} answers, {by_index} by the index, {expired} expired", of(&made));
    assert!(compared > 100 && by_index > 3 && expired * 10 < compared, "seed {seed}");
}

/// How often indexes come and go: more with `EVENKEEL_ROUNDS`.
fn rounds() -> u32 {
    std::env::var("EVENKEEL_ROUNDS").map_or(12, |n| n.parse().expect("a number"))
}

#[test]
fn a_standby_that_crashes_while_indexes_come_and_go_is_right_again() {
    let seed = seed();
    let mut pair = Pair::new(TABLE);
    let (stop, made) = (Arc::new(AtomicBool::new(false)), Arc::default());
    let mut threads = writers(&pair, seed, &stop, &made);
    let (mut c, stopped) = (pair.session(), stop.clone());
    threads.push(thread::spawn(move || {
        let mut rng = fastrand::Rng::with_seed(seed);
        while !stopped.load(Ordering::Relaxed) {
            index_comes_and_goes(&mut c, &mut rng);
        }
    }));
    let mut rng = fastrand::Rng::with_seed(seed ^ 7);
    let counts = Counts::default();
    let mut invalid = 0;
    for _ in 0..6 {
        thread::sleep(std::time::Duration::from_millis(rng.u64(20..150)));
        pair.crash_standby();
        let mut r = pair.reader();
        for _ in 0..10 {
            let (by_index, without) = questions(&mut rng);
            r.ok("begin isolation level repeatable read");
            let both = [&by_index, &without].map(|sql| asked(&mut r, sql, &counts));
            invalid += u32::from(
                asked(&mut r, "select count(*) from pg_index where not indisvalid", &counts)
                    .is_some_and(|n| n != "0"),
            );
            if let [Some(a), Some(b)] = both {
                assert_eq!(a, b, "seed {seed}: {by_index}");
                assert_eq!(asked(&mut r, WHOLE, &counts).unwrap_or("1500|0".into()), "1500|0", "seed {seed}");
            }
            let _ = r.simple("rollback", "");
        }
    }
    end(&stop, threads);
    pair.catch_up();
    let all = "select * from t order by id";
    assert_eq!(pair.session().rows(all), pair.reader().rows(all), "seed {seed}");
    Pair::check(&pair.promote());
    println!("{} transactions, {invalid} looks at an index that was not valid", made.load(Ordering::Relaxed));
}

/// Where a command is when the standby takes over.
#[derive(Clone, Copy, PartialEq, Debug)]
enum When {
    /// The index takes no entries yet.
    First,
    /// It takes entries, and those of rows that were there before come.
    Filling,
    /// REINDEX has exchanged the two, and waits for readers of the old one.
    Exchanged,
}

const STATES: &str = "select c.relname, indisvalid, indisready from pg_index join pg_class c on c.oid = indexrelid where indrelid = 't'::regclass order by 1";

#[test]
fn a_standby_that_takes_over_while_an_index_comes_has_one_that_constrains_nobody() {
    let cases = [
        ("create unique index concurrently i on t (u)", When::First, vec!["i|f|f", "t_pkey|t|t"]),
        ("create unique index concurrently i on t (u)", When::Filling, vec!["i|f|f", "t_pkey|t|t"]),
        ("reindex index concurrently t_pkey", When::First, vec!["t_pkey|t|t", "t_pkey_ccnew|f|f"]),
        ("reindex index concurrently t_pkey", When::Filling, vec!["t_pkey|t|t", "t_pkey_ccnew|f|f"]),
        ("reindex index concurrently t_pkey", When::Exchanged, vec!["t_pkey|t|t", "t_pkey_ccold|f|f"]),
    ];
    for (sql, when, expected) in cases {
        let mut pair = Pair::new(TABLE);
        let mut c = pair.session();
        let (mut first, mut second, mut reader) = (pair.session(), pair.session(), pair.session());
        if when == When::Exchanged {
            reader.ok("begin; select count(*) from t");
        } else {
            first.ok("begin; update t set s = s where id = 1");
        }
        let command = start(pair.session(), sql);
        if when == When::Exchanged {
            until_phase(&mut c, "waiting for readers before marking dead");
        } else {
            until_phase(&mut c, "waiting for writers before build");
        }
        if when == When::Filling {
            second.ok("begin; update t set s = s where id = 2");
            first.ok("commit");
            let is_ready = "select count(*) from pg_index where indisready and not indisvalid";
            while c.value(is_ready) != "1" {
                thread::yield_now();
            }
            // These have entries in it.
            c.ok("insert into t select g, g, 0, 'new', null from generate_series(2000, 2100) g");
        }
        pair.catch_up();
        let mut r = pair.reader();
        // As it is on the primary.
        assert_eq!(r.rows(STATES), c.rows(STATES), "{sql}, {when:?}");
        let db = pair.promote();
        assert_eq!(r.rows(STATES), expected, "{sql}, {when:?}");
        Pair::check(&db);
        // It constrains nobody; what does goes on doing so.
        let rows = r.value("select count(*) from t").parse::<u32>().unwrap();
        if sql.starts_with("create") {
            r.ok("insert into t values (5001, 1), (5002, 2050), (5003, 2050)");
            r.ok("update t set u = 3 where id in (4, 5); delete from t where id = 6");
            assert_eq!(r.err("insert into t values (7001, 1) on conflict (u) do nothing"), "42P10");
            Pair::check(&db);
            assert_eq!(r.err("reindex index concurrently i"), "23505");
            r.ok("drop index concurrently i_ccnew");
            r.ok("delete from t where id > 5000 or id in (4, 5)");
            r.ok("reindex index concurrently i");
            assert_eq!(r.rows(STATES), ["i|t|t", "t_pkey|t|t"]);
            assert_eq!(r.err("insert into t values (7001, 1)"), "23505");
        } else {
            assert_eq!(r.err("insert into t values (7, 1)"), "23505");
            r.ok("insert into t values (7, 1) on conflict (id) do update set a = 5");
            r.ok("update t set id = 5007 where id = 7; insert into t values (7, 1); delete from t where id in (9, 5007)");
            assert_eq!(r.value("select count(*) from t").parse::<u32>().unwrap(), rows - 1);
            Pair::check(&db);
            let left = expected.iter().find(|e| e.contains("_cc")).unwrap().split('|').next().unwrap();
            r.ok(&format!("drop index concurrently {left}"));
            r.ok("reindex index concurrently t_pkey");
            assert_eq!(r.rows(STATES), ["t_pkey|t|t"]);
        }
        Pair::check(&db);
        reader.ok("rollback");
        first.ok("rollback");
        second.ok("rollback");
        assert!(command.recv().unwrap().1.is_ok(), "{sql}, {when:?}: on the primary it goes on");
    }
}

#[test]
fn transaction_ids_on_a_standby_are_those_of_the_primary() {
    let seed = seed();
    let pair = Pair::new("create table w (id int primary key, xact xid8 default pg_current_xact_id())");
    let (mut c, mut r) = (pair.session(), pair.reader());
    c.ok("insert into w values (0)");
    c.ok("checkpoint");
    c.ok("insert into w values (5)");
    pair.catch_up();
    for sql in ["select pg_current_xact_id()", "select txid_current()"] {
        let refused = r.simple(sql, "").err().expect("refused");
        assert_eq!(
            (refused.code.as_str(), &*refused.message),
            ("25006", "cannot execute pg_current_xact_id() during recovery")
        );
        r.ok("rollback");
    }
    let none = "select pg_current_xact_id_if_assigned() is null, txid_current_if_assigned() is null";
    assert_eq!(r.rows(none), ["t|t"]);
    let (mut open, mut idle, mut back) = (pair.session(), pair.session(), pair.session());
    let idle_id = idle.rows("begin; select pg_current_xact_id()").remove(0);
    open.ok("begin; insert into w values (1)");
    let open_id = open.value("select pg_current_xact_id()");
    back.ok("begin; insert into w values (2)");
    let back_id = back.value("select pg_current_xact_id()");
    back.ok("rollback");
    c.ok("insert into w values (3)");
    let done_id = c.value("select xact from w where id = 3");
    let status = |c: &mut Client, id: &str| c.value(&format!("select pg_xact_status('{id}')"));
    pair.catch_up();
    while status(&mut r, &back_id) == "in progress" {
        thread::yield_now(); // rollbacks go on beside their sessions
    }
    assert_eq!(
        [&open_id, &idle_id, &back_id, &done_id].map(|id| status(&mut r, id)),
        ["in progress", "in progress", "aborted", "committed"]
    );
    assert_eq!(r.err("select pg_xact_status('999999999')"), "22023");
    r.ok("rollback");
    let sees = |c: &mut Client, snapshot: &str, id: &str| {
        c.value(&format!("select pg_visible_in_snapshot('{id}', '{snapshot}')"))
    };
    let before = r.value("select pg_current_snapshot()");
    assert_eq!(before, r.value("select txid_current_snapshot()"));
    assert_eq!(
        [&open_id, &idle_id, &done_id].map(|id| sees(&mut r, &before, id)),
        ["f", "f", "t"],
        "{before}"
    );
    // One that had an id for long comes late.
    idle.ok("insert into w values (4)");
    open.ok("commit");
    r.ok("begin isolation level repeatable read");
    let kept = r.value("select pg_current_snapshot()");
    idle.ok("commit");
    pair.catch_up();
    assert_eq!(sees(&mut r, &kept, &idle_id), "f");
    r.ok("commit");
    let after = r.value("select pg_current_snapshot()");
    assert_eq!([&open_id, &idle_id].map(|id| sees(&mut r, &after, id)), ["t", "t"], "{after}");
    assert_eq!(sees(&mut r, &before, &open_id), "f", "it stays as it was");
    assert_eq!([&open_id, &idle_id].map(|id| status(&mut r, id)), ["committed", "committed"]);
    // An outbox that is read here misses nothing, and tells nothing twice.
    let ids = |rows: Vec<String>| rows.into_iter().map(|id| id.parse::<u64>().unwrap()).collect::<Vec<_>>();
    let mut by_snapshot: BTreeSet<u64> = ids(r.rows("select id from w")).into_iter().collect();
    let (stop, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(10)));
    let writers: Vec<Thread> = (0..3u64)
        .map(|n| {
            let (mut c, stop, written) = (pair.session(), stop.clone(), written.clone());
            thread::spawn(move || {
                let mut rng = fastrand::Rng::with_seed(seed ^ n);
                while !stop.load(Ordering::Relaxed) {
                    let id = written.fetch_add(1, Ordering::Relaxed);
                    c.ok("begin");
                    if rng.bool() {
                        c.value("select pg_current_xact_id()");
                        thread::yield_now();
                    }
                    if rng.u8(..5) > 0 {
                        c.ok(&format!("insert into w values ({id})"));
                    }
                    c.ok(["commit", "commit", "rollback"][rng.usize(..3)]);
                    if rng.u8(..100) == 0 {
                        c.ok("checkpoint");
                    }
                }
            })
        })
        .collect();
    let (mut at, mut told, mut seen) = ("0".to_owned(), Vec::new(), after);
    for round in 0..120 {
        r.ok("begin isolation level repeatable read");
        let now = r.value("select pg_current_snapshot()");
        let hidden = format!("select count(*) from w where not pg_visible_in_snapshot(xact, '{now}')");
        assert_eq!(r.value(&hidden), "0", "seed {seed}, round {round}: what is there is seen by {now}");
        let new = format!("select id from w where not pg_visible_in_snapshot(xact, '{seen}')");
        for id in ids(r.rows(&new)) {
            assert!(by_snapshot.insert(id), "seed {seed}: {id} is told twice by snapshots");
        }
        let next = r.value("select pg_snapshot_xmin(pg_current_snapshot())");
        told.extend(ids(r.rows(&format!("select id from w where xact >= '{at}' and xact < '{next}'"))));
        r.ok("commit");
        (at, seen) = (next, now);
        thread::sleep(std::time::Duration::from_millis(2));
    }
    end(&stop, writers);
    c.ok("checkpoint");
    c.ok("insert into w values (1000000)");
    c.ok("insert into w values (1000001)");
    pair.catch_up();
    let next = r.value("select pg_snapshot_xmin(pg_current_snapshot())");
    told.extend(ids(r.rows(&format!("select id from w where xact >= '{at}' and xact < '{next}'"))));
    let all = ids(c.rows("select id from w order by id"));
    let read: BTreeSet<u64> = told.iter().copied().collect();
    assert_eq!(read.len(), told.len(), "seed {seed}: told twice");
    assert_eq!(read.into_iter().collect::<Vec<_>>(), all, "seed {seed}");
    println!("{} rows were read by their ids", all.len());
    assert!(all.len() > 30);
}
