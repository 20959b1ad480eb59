//! Orders of texts that are not by bytes: indexes answer as tables without them do, all agree with the collation itself, and what an index keeps outlives
//! the process. Rules that have changed are told, and REINDEX mends them.

mod support;

use evenkeel::{Direction, KeyRange, TreeId, TxnOptions};
use evenkeel_types::{Collation, Datum};
use support::{Client, TestDb};

const LOCALES: [&str; 4] = ["en-US", "sv", "tr", "de"];

/// Letters of which many are alike in some respect.
const LETTERS: [&str; 24] = [
    "a", "A", "ä", "Å", "b", "B", "z", "Z", "i", "I", "ı", "ß", "ss", "o", "Ö", " ", "-", "_", "1", "10",
    "é", "e\u{301}", "'", "日",
];

fn seed() -> u64 {
    let seed = support::started::seed();
    println!("seed {seed}");
    seed
}

fn text(rng: &mut fastrand::Rng) -> String {
    (0..rng.usize(0..5)).map(|_| LETTERS[rng.usize(0..LETTERS.len())]).collect()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The texts in the order of a collation.
fn sorted(locale: &str, texts: &[String]) -> Vec<String> {
    let collation = Collation::of_locale(1, locale).expect("a locale");
    let mut keys: Vec<(Vec<u8>, &String)> = texts
        .iter()
        .map(|t| match collation.sort_key(Datum::text(t.as_str())) {
            Datum::Bytes(key) => (key.to_vec(), t),
            other => panic!("{other:?} is no sort key"),
        })
        .collect();
    keys.sort();
    keys.into_iter().map(|(_, t)| t.clone()).collect()
}

/// A question that both tables are asked.
fn question(rng: &mut fastrand::Rng) -> String {
    let (x, y) = (quoted(&text(rng)), quoted(&text(rng)));
    let op = ["<", "<=", ">", ">=", "=", "<>"][rng.usize(0..6)];
    let by = ["", " desc", " collate \"C\""][rng.usize(0..3)];
    match rng.u8(0..9) {
        0 => format!("select x, n from T where x {op} {x} order by x{by}, n"),
        1 => format!("select x, n from T where x between {x} and {y} order by n"),
        2 => format!("select x, n from T where x in ({x}, {y}) order by n"),
        3 => format!("select x from T where x >= {x} order by x limit 3"),
        4 => format!("select x from T where x < {x} order by x desc limit 3"),
        5 => format!("select min(x), max(x), count(*) from T where x {op} {x}"),
        6 => format!("select x, n from T where (x, n) > ({x}, {}) order by x, n limit 4", rng.u8(..)),
        7 => format!("select n from T where lower(x) {op} lower({x}) order by n"),
        _ => format!("select n from T where x {op} {x} collate \"C\" order by n"),
    }
}

fn asked(c: &mut Client, question: &str) {
    let (with, without) = (question.replace('T', "indexed"), question.replace('T', "plain"));
    assert_eq!(c.rows(&with), c.rows(&without), "{question}");
}

fn uses_index(c: &mut Client, question: &str) -> bool {
    let plan = c.rows(&format!("explain {}", question.replace('T', "indexed")));
    plan.iter().any(|line| line.contains("Index"))
}

#[test]
fn indexes_answer_as_tables_do() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for (round, locale) in LOCALES.iter().enumerate() {
        let mut db = TestDb::new();
        // A column's collation, and the database's.
        let (database, column) = match round % 2 {
            0 => ("one", format!("text collate \"{locale}-x-icu\"")),
            _ => ("other", "text".to_owned()),
        };
        db.session().ok("create database one");
        db.session().ok(&format!(
            "create database other template template0 locale_provider icu icu_locale '{locale}'"
        ));
        let within = |db: &TestDb| Client::within(&db.instance, database, &[]).expect("session begins");
        let mut c = within(&db);
        for table in ["plain", "indexed"] {
            c.ok(&format!("create table {table} (n int, x {column})"));
        }
        c.ok("create index on indexed (x); create index on indexed (x desc, n); create index on indexed (lower(x))");
        c.ok("create unique index on indexed (x, n)");
        if database == "other" {
            // Texts within arrays of rows have the database's order, too.
            c.ok("create type item as (t text, n int)");
            let rows =
                "values (array[row('b', 1)::item]), (array[row('B', 1)::item]), (array[row('a', 2)::item])";
            let ordered = c.rows(&format!("select a from ({rows}) v(a) order by a"));
            assert_eq!(ordered, [r#"{"(a,2)"}"#, r#"{"(b,1)"}"#, r#"{"(B,1)"}"#], "{locale}");
        }
        let mut texts = Vec::new();
        for n in 0..600 {
            let x = text(&mut rng);
            let value = quoted(&x);
            c.ok(&format!(
                "insert into plain values ({n}, {value}); insert into indexed values ({n}, {value})"
            ));
            texts.push(x);
        }
        c.ok("analyze");
        let expected = sorted(locale, &texts);
        assert_eq!(c.rows("select x from plain order by x"), expected, "{locale}");
        assert_eq!(c.rows("select x from indexed order by x"), expected, "{locale}");
        assert!(uses_index(&mut c, "select x from T order by x limit 5"));
        assert!(uses_index(&mut c, "select n from T where x > 'zz'"));
        for turn in 0..3 {
            for _ in 0..80 {
                asked(&mut c, &question(&mut rng));
            }
            let (x, y, n) = (quoted(&text(&mut rng)), quoted(&text(&mut rng)), rng.usize(0..600));
            for table in ["plain", "indexed"] {
                c.ok(&format!("update {table} set x = x || {y} where x > {x} and n % 3 = {turn}"));
                c.ok(&format!("delete from {table} where x < {y} and n % 7 = {turn}; update {table} set x = {x} where n = {n}"));
            }
            db.check();
            drop(c);
            db = if turn == 0 { db.reopen() } else { db.after_crash() };
            c = within(&db);
        }
        db.check();
    }
}

#[test]
fn keys_of_other_rules_are_told_and_made_again() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (x text collate \"de-x-icu\" primary key, y text); create table r (x text references t); create table r2 (x text)");
    c.ok("create index ty on t (y); insert into t values ('b', 'b'), ('A', 'A'), ('ä', 'ä')");
    // The catalog's rows say by which rules an index was made: as if it had been other ones.
    const CATALOG: TreeId = TreeId(16);
    let version = evenkeel_types::collation::VERSION;
    let other = version.replace(|c: char| c.is_ascii_digit(), "0");
    let engine = db.engine();
    let mut txn = engine.begin(TxnOptions::default());
    let mut rows = Vec::new();
    let mut cursor = txn.cursor(CATALOG, KeyRange::all(), Direction::Forward).expect("catalog");
    while let Some((key, value)) = cursor.next(&mut txn).expect("catalog") {
        if let Some(at) = value.windows(version.len()).position(|w| w == version.as_bytes()) {
            let mut value = value.to_vec();
            value[at..at + version.len()].copy_from_slice(other.as_bytes());
            rows.push((key.to_vec(), value));
        }
    }
    drop(cursor);
    assert_eq!(rows.len(), 1, "one table has such an index");
    for (key, value) in rows {
        txn.put(CATALOG, &key, &value).expect("written");
    }
    txn.commit().expect("committed");
    drop(c);
    let db = db.reopen();
    let mut c = db.session();
    for sql in [
        "select * from t where x = 'b'",
        "insert into t values ('q')",
        "select count(*) from t",
        "insert into r values ('b')",
        "alter table r2 add foreign key (x) references t",
    ] {
        assert_eq!(c.err(sql), "XX002", "{sql}");
    }
    c.ok("alter table r2 add constraint k foreign key (x) references t not valid");
    assert_eq!(c.err("alter table r2 validate constraint k"), "XX002");
    assert_eq!(c.rows("select 1"), ["1"]);
    let mut told = Vec::new();
    evenkeel_sql::check::check_indexes(db.engine(), &mut |p| told.push(p.to_owned())).expect("check runs");
    assert!(
        matches!(&told[..], [only] if only.contains("t_pkey") && only.contains("other rules")),
        "{told:?}"
    );
    c.ok("reindex index t_pkey");
    assert_eq!(c.rows("select x from t order by x"), ["A", "ä", "b"]);
    c.ok("insert into r values ('b'); alter table r2 validate constraint k");
    drop(c);
    let db = db.reopen();
    assert_eq!(db.session().rows("select x from t where x > 'a' order by x"), ["A", "ä", "b"]);
    db.check();
}

/// What a database's order holds for beside columns of texts.
#[test]
fn all_texts_of_a_database_have_its_order() {
    let db = TestDb::new();
    db.session().ok("create database other template template0 locale_provider icu icu_locale 'de'");
    let mut c = Client::within(&db.instance, "other", &[]).expect("session begins");
    c.ok("create extension citext");
    c.ok("create table t (n int, a citext, b char(4), d name, s text collate \"sv-x-icu\", x text)");
    c.ok("create index on t (a); create index on t (b); create index on t (x)");
    for (n, x) in ["b", "A", "ä", "z", "Z", "B"].iter().enumerate() {
        c.ok(&format!("insert into t values ({n}, '{x}', '{x}', '{x}', '{x}', '{x}')"));
    }
    for (sql, expected) in [
        ("select a from t order by a, n", &["A", "ä", "b", "B", "z", "Z"][..]),
        ("select a from t where a > 'B' order by a, n", &["z", "Z"]),
        ("select n from t where a = 'Ä'", &["2"]),
        ("select max(a), min(a) from t where n <> 4", &["z|A"]),
        ("select max(a collate \"sv-x-icu\"), greatest(min(a), 'B') from t", &["ä|B"]),
        ("select b::text from t order by b", &["A", "ä", "b", "B", "z", "Z"]),
        ("select length(max(b)::text), max(b) = 'Z', octet_length(max(b)) from t", &["1|t|4"]),
        ("select d from t order by d", &["A", "B", "Z", "b", "z", "ä"]),
        ("select d from t order by d::text collate \"default\"", &["A", "ä", "b", "B", "z", "Z"]),
        ("select row(d, 1) from t order by row(d, 1) limit 3", &["(A,1)", "(B,1)", "(Z,1)"]),
        ("select row(x, s) from t order by row(n > 2, x) limit 3", &["(A,A)", "(ä,ä)", "(b,b)"]),
        ("select row(s) from t order by row(s) desc limit 2", &["(ä)", "(Z)"]),
        ("select max(row(x)), max(row(s)) from t", &["(Z)|(ä)"]),
        ("select u from unnest(array['z', 'ä']) u order by u", &["ä", "z"]),
        ("select x from t where x < 'b' order by x desc", &["ä", "A"]),
        ("select n from t where d = x and s = x and x = 'z'", &["3"]),
        (
            "select mode() within group (order by b), percentile_disc(1) within group (order by x) from t",
            &["A   |Z"],
        ),
    ] {
        assert_eq!(c.rows(sql), expected, "{sql}");
    }
    assert_eq!(c.rows("select percentile_disc(1) within group (order by a) from t where n <> 4"), ["z"]);
    assert_eq!(c.err("select n from t where d = s"), "42P22");
    db.check();
}
