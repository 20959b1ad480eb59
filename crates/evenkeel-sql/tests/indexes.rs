//! Indexes that are not plain: answers are the same with them and without, entries agree with rows, and both outlive the process.

mod support;

use support::{Client, TestDb};

/// What is unique, with the rest of its definition.
const UNIQUE: [&str; 2] =
    ["unique index on t (id) include (a, c, n)", "unique index on t (k) where active is null"];

const OTHERS: [&str; 9] = [
    "index on t (a) where active",
    "index on t (lower(c), a desc)",
    "index on t ((a + b)) where b is not null",
    "index on t ((a % 7), upper(c)) include (n, d)",
    "index on t (b desc nulls last) where a > 10 and a <= 40",
    "index on t (a) where c in ('x', 'y', 'Z')",
    "index on t (n) where b < 3 or active is false",
    "index on t using hash (c)",
    "index on t ((case when a > 20 then c else 'small' end))",
];

fn rows(c: &mut Client, sql: &str) -> Vec<String> {
    let mut lines = c.rows(sql);
    if !sql.contains("order by") {
        lines.sort();
    }
    lines
}

struct Random(fastrand::Rng);

impl Random {
    fn number(&mut self, below: u32) -> u32 {
        self.0.u32(0..below)
    }

    fn of<'s>(&mut self, list: &[&'s str]) -> &'s str {
        list[self.number(list.len() as u32) as usize]
    }

    fn int(&mut self) -> String {
        if self.number(9) == 0 { "null".into() } else { self.number(50).to_string() }
    }

    fn text(&mut self) -> String {
        self.of(&["'x'", "'y'", "'Z'", "'X'", "'long name'", "'LONG name'", "null", "''"]).to_owned()
    }

    fn bool(&mut self) -> &'static str {
        self.of(&["true", "false", "null"])
    }

    fn condition(&mut self) -> String {
        let op = self.of(&["=", "<", ">", "<=", ">=", "<>"]);
        let (n, m) = (self.number(50), self.number(50));
        match self.number(20) {
            0 => "active".into(),
            1 => "not active".into(),
            2 => "active is null".into(),
            3 => format!("active = {}", self.bool()),
            4 => "active is false".into(),
            5 => format!("lower(c) {op} lower({})", self.text()),
            6 => format!("a + b {op} {n}"),
            7 => format!("a % 7 = {}", n % 7),
            8 => format!("upper(c) = {}", self.text()),
            9 => format!("a between {n} and {}", n + 9),
            10 => format!("a > {n}"),
            11 => format!("b {op} {m}"),
            12 => format!("c in ('x', {})", self.text()),
            13 => format!("c = {}", self.text()),
            14 => "b is not null".into(),
            15 => format!("(b < {} or active is false)", n % 5),
            16 => format!("case when a > 20 then c else 'small' end = {}", self.text()),
            17 => format!("id {op} {n}"),
            18 => format!("n < {n}"),
            _ => format!("k = {n}"),
        }
    }

    fn query(&mut self, table: &str) -> String {
        let what = self.of(&[
            "id, a, b, c, active",
            "count(*), sum(a)",
            "n, d",
            "id",
            "a, c",
            "k",
            "lower(c), a",
            "distinct a % 7, upper(c)",
        ]);
        let mut sql = format!("select {what} from {table}");
        for n in 0..self.number(4) {
            let condition = self.condition();
            sql.push_str(&format!(" {} {condition}", if n == 0 { "where" } else { "and" }));
        }
        match (what, self.number(3)) {
            ("id, a, b, c, active", 0) => sql + " order by lower(c), a desc, id",
            ("id, a, b, c, active", 1) => sql + " order by b desc nulls last, id limit 7",
            ("id", 0) => sql + " order by id desc limit 5",
            _ => sql,
        }
    }

    fn change(&mut self, table: &str, next_id: &mut u32) -> String {
        match self.number(10) {
            0..=4 => {
                *next_id += 1;
                let mut values = Vec::new();
                for n in 0..=self.number(3) {
                    values.push(format!(
                        "({}, {}, {}, {}, {}, {}, {}, {})",
                        *next_id + n,
                        self.int(),
                        self.int(),
                        self.text(),
                        self.bool(),
                        self.int(),
                        self.number(100_000),
                        self.text()
                    ));
                }
                *next_id += values.len() as u32;
                let end = self.of(&[
                    "",
                    " on conflict do nothing",
                    " on conflict (k) where active is null do nothing",
                    " on conflict (k) where active is null do update set a = excluded.a, c = excluded.c",
                    " on conflict (id) do update set active = excluded.active",
                ]);
                format!("insert into {table} values {}{end}", values.join(", "))
            }
            5..=7 => {
                let set = match self.number(6) {
                    0 => format!("a = {}", self.int()),
                    1 => format!("b = {}, c = {}", self.int(), self.text()),
                    2 => format!("active = {}", self.bool()),
                    3 => "a = a + 1, n = null".into(),
                    4 => format!("d = {}", self.text()),
                    _ => format!("c = upper(c), n = {}", self.number(1000)),
                };
                format!("update {table} set {set} where {}", self.condition())
            }
            8 => format!("delete from {table} where {} and {}", self.condition(), self.condition()),
            _ => format!("update {table} set k = {} where id = {}", self.int(), self.number(200)),
        }
    }
}

#[test]
fn answers_are_the_same_with_indexes_and_without() {
    let seed = std::env::var("EVENKEEL_SEED").ok().and_then(|s| s.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("EVENKEEL_SEED={seed}");
    let mut random = Random(fastrand::Rng::with_seed(seed));
    let mut db = TestDb::new();
    let mut c = db.session();
    for table in ["t", "plain"] {
        c.ok(&format!(
            "create table {table} (id int, a int, b int, c text, active bool, k int, n numeric(9,1), d text)"
        ));
        UNIQUE.iter().for_each(|i| _ = c.ok(&format!("create {}", i.replace(" t ", &format!(" {table} ")))));
    }
    let (early, late) = OTHERS.split_at(5);
    early.iter().for_each(|i| _ = c.ok(&format!("create {i}")));
    let mut next_id = 0;
    for round in 0..300 {
        let change = random.change("t", &mut next_id);
        match (c.simple(&change, ""), c.simple(&change.replacen(" t ", " plain ", 1), "")) {
            (Ok(one), Ok(other)) => assert_eq!(one[0].tag, other[0].tag, "{change}"),
            (Err(one), Err(other)) => assert_eq!(one.code, other.code, "{change}"),
            (one, other) => panic!("{change}: {:?} {:?}", one.err(), other.err()),
        }
        c.session.sync().ok();
        if round == 100 {
            late.iter().for_each(|i| _ = c.ok(&format!("create {i}")));
        }
        if round % 97 == 0 {
            c.ok("analyze t");
            db.check();
        }
        if round % 130 == 129 {
            drop(c);
            db = db.reopen();
            db.check();
            c = db.session();
        }
        for _ in 0..5 {
            let query = random.query("t");
            let plain = query.replace(" from t", " from plain");
            assert_eq!(rows(&mut c, &query), rows(&mut c, &plain), "{query}");
        }
    }
    c.ok("reindex table t");
    db.check();
}

/// Two sessions: rows that change under a statement are found, and written, by their newest version.
#[test]
fn a_row_that_another_session_changes_keeps_its_entries() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    a.ok("create table t (id int primary key, v text, done bool)");
    a.ok("create index t_open on t (lower(v)) include (id) where not done");
    a.ok("insert into t select g, 'V' || g, false from generate_series(1, 20) g");
    a.ok("begin");
    a.ok("update t set done = true where id = 3");
    let waiting = std::thread::spawn(move || {
        b.ok("update t set v = v || 'x' where lower(v) = 'v3' and not done");
        b.ok("update t set v = 'twice' where id = 3");
        b
    });
    while db.waiters() == 0 {
        std::thread::yield_now();
    }
    a.ok("commit");
    drop(waiting.join().unwrap());
    assert_eq!(a.rows("select v, done from t where id = 3"), ["twice|t"]);
    a.ok("update t set done = false where id = 3");
    assert_eq!(a.rows("select id from t where lower(v) = 'twice' and not done"), ["3"]);
    db.check();
}

fn value(r: &mut Random, depth: u32) -> String {
    match r.number(if depth > 2 { 5 } else { 8 }) {
        0 => "null".into(),
        1 => r.of(&["true", "false"]).into(),
        2 => r.of(&["1", "1.0", "2", "-3.50"]).into(),
        3 | 4 => format!("\"{}\"", r.of(&["a", "b", "c", ""])),
        5 => {
            let items: Vec<String> = (0..r.number(4)).map(|_| value(r, depth + 1)).collect();
            format!("[{}]", items.join(","))
        }
        _ => {
            let pairs: Vec<String> = (0..r.number(4))
                .map(|_| format!("\"{}\":{}", r.of(&["a", "b", "c", "d"]), value(r, depth + 1)))
                .collect();
            format!("{{{}}}", pairs.join(","))
        }
    }
}

fn list(r: &mut Random) -> String {
    let items: Vec<&str> = (0..r.number(4)).map(|_| r.of(&["a", "b", "c", "d", "NULL", "\"\""])).collect();
    format!("{{{}}}", items.join(","))
}

#[test]
fn inverted_indexes_find_what_is_found_without_them() {
    let seed = std::env::var("EVENKEEL_SEED").ok().and_then(|s| s.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("EVENKEEL_SEED={seed}");
    let mut random = Random(fastrand::Rng::with_seed(seed));
    let r = &mut random;
    let db = TestDb::new();
    let mut c = db.session();
    for table in ["t", "plain"] {
        c.ok(&format!("create table {table} (id int, doc jsonb, tags text[])"));
    }
    c.ok("create index on t using gin (doc)");
    c.ok("create index on t using gin (tags, (doc -> 'a')) where id % 2 = 0");
    for round in 0..400 {
        let (doc, tags) = (value(r, 0), list(r));
        let change = match r.number(6) {
            0..=3 => format!(
                "insert into t select g, '{doc}', '{tags}' from generate_series(1, {}) g",
                1 + r.number(3)
            ),
            4 => format!(
                "update t set doc = '{doc}', tags = nullif('{tags}'::text[], '{{}}') where tags && '{}'",
                list(r)
            ),
            _ => format!("delete from t where doc @> '{}' and tags <@ '{tags}'", value(r, 1)),
        };
        let plain = change.replacen(" t ", " plain ", 1);
        assert_eq!(c.ok(&change).tag, c.ok(&plain).tag, "{change}");
        if round == 200 {
            c.ok("create index on t using gin (doc jsonb_path_ops)");
            c.ok("create index on t using gin (tags)");
        }
        for _ in 0..3 {
            let one = |r: &mut Random| match r.number(9) {
                0 | 1 => format!("doc @> '{}'", value(r, 0)),
                2 => format!("doc ? '{}'", r.of(&["a", "b", "c", ""])),
                3 => format!("doc ?| '{}'", list(r)),
                4 => format!("doc ?& '{}'", list(r)),
                5 => format!("tags @> '{}'", list(r)),
                6 => format!("tags <@ '{}'", list(r)),
                7 => format!("tags = '{}' and id % 2 = 0", list(r)),
                _ => format!("'{}' && tags and doc -> 'a' @> '{}'", list(r), value(r, 2)),
            };
            let condition = format!("{} {} {}", one(r), r.of(&["and", "and", "or"]), one(r));
            let query = format!("select id, doc, tags from t where {condition}");
            let plain = query.replacen(" t ", " plain ", 1);
            assert_eq!(rows(&mut c, &query), rows(&mut c, &plain), "{query}");
        }
    }
    c.ok("analyze t");
    db.check();
    assert!(
        c.rows("explain select id from t where doc @> '{\"a\": [1, {\"b\": 2}]}'")
            .join("")
            .contains("Bitmap Index Scan")
    );
    drop(c);
    db.reopen().check();
}

/// An `hstore`, as a literal.
fn pairs(r: &mut Random) -> String {
    let pairs: Vec<String> = (0..r.number(4))
        .map(|_| {
            let value = r.of(&["1", "2", "NULL", "\"NULL\"", "\"\"", "a", "\"long, longer\""]);
            format!("{}=>{value}", r.of(&["a", "b", "ab", "\"\"", "c"]))
        })
        .collect();
    pairs.join(",")
}

#[test]
fn indexes_of_hstores_find_what_is_found_without_them_and_outlive_the_process() {
    let seed = std::env::var("EVENKEEL_SEED").ok().and_then(|s| s.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("EVENKEEL_SEED={seed}");
    let mut random = Random(fastrand::Rng::with_seed(seed));
    let r = &mut random;
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create extension hstore");
    for table in ["t", "plain"] {
        c.ok(&format!("create table {table} (id int, h hstore default 'a=>1', hs hstore[])"));
    }
    c.ok("create index on t using gin (h)");
    c.ok("create index on t (h desc nulls last, id)");
    c.ok("create index on t using hash (h) where id % 2 = 0");
    let query = |r: &mut Random| {
        let one = |r: &mut Random| match r.number(9) {
            0 | 1 => format!("h @> '{}'", pairs(r)),
            2 => format!("h ? '{}'", r.of(&["a", "b", "ab", ""])),
            3 => format!("h ?| '{}'", list(r)),
            4 => format!("h ?& '{}'", list(r)),
            5 => format!("h = '{}' and id % 2 = 0", pairs(r)),
            6 => format!("h <@ '{}'", pairs(r)),
            7 => format!("h in ('{}', '{}')", pairs(r), pairs(r)),
            _ => format!("'{}' <@ h and h -> 'a' is null", pairs(r)),
        };
        let order = r.of(&["", " order by h desc nulls last, id limit 9", " order by h, id"]);
        format!("select id, h, hs from t where {} {} {}{order}", one(r), r.of(&["and", "or"]), one(r))
    };
    let compare = |c: &mut Client, r: &mut Random| {
        let query = query(r);
        let plain = query.replacen(" t ", " plain ", 1);
        assert_eq!(rows(c, &query), rows(c, &plain), "{query}");
    };
    for _ in 0..200 {
        let h = pairs(r);
        let change = match r.number(6) {
            0..=3 => format!(
                "insert into t select g, '{h}', array['{}', null]::hstore[] from generate_series(1, {}) g",
                pairs(r),
                1 + r.number(3)
            ),
            4 => format!("update t set h['b'] = 'x', h['c'] = null where h @> '{h}' and id = 1"),
            _ => format!("delete from t where h @> '{h}' and h ? 'ab'"),
        };
        let plain = change.replacen(" t ", " plain ", 1);
        assert_eq!(c.ok(&change).tag, c.ok(&plain).tag, "{change}");
        for _ in 0..3 {
            compare(&mut c, r);
        }
    }
    c.ok("analyze t");
    db.check();
    let before = c.rows("select id, h, hs, h -> 'a' from plain order by h, id, hs");
    drop(c);
    let db = db.reopen();
    db.check();
    let mut c = db.session();
    assert_eq!(c.rows("select id, h, hs, h -> 'a' from t order by h, id, hs"), before);
    for _ in 0..50 {
        compare(&mut c, r);
    }
}
