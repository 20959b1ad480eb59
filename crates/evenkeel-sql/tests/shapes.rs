//! Statements found by their shape: what they give is what the statement as it is spelled gives, in a session that has never seen its like.

mod support;

use support::{Client, TestDb};

/// What a client is told of a statement: columns, rows and tag, or the error with all its fields.
fn told(c: &mut Client, sql: &str) -> String {
    match c.simple(sql, "") {
        Ok(outputs) => {
            let mut lines = Vec::new();
            for out in &outputs {
                lines.push(format!(
                    "{:?}",
                    out.columns.iter().map(|c| (&c.name, c.ty, c.typmod)).collect::<Vec<_>>()
                ));
                c.print(out, &mut lines);
            }
            lines.join("\n")
        }
        Err(e) => format!("{e:?}"),
    }
}

/// Whether a statement would be run by its shape.
fn is_found(c: &mut Client, sql: &str) -> bool {
    let found = c.session.parse_script(sql).is_ok_and(|s| !s[0].param_types().is_empty());
    c.session.sync().unwrap();
    found
}

const TABLES: [&str; 3] = [
    "create table t (id int primary key, b bigint, s smallint, n numeric(8,2), f float8, c char(5), v varchar(4), x text, o bool, d date,
     ts timestamptz, u text unique)",
    "create table k (a int, b text, v int check (v < 1000), primary key (a, b))",
    "insert into t (id, b, s, n, f, c, v, x, o, d, ts, u)
     select i, i * 10, i, i / 4.0, i / 8.0, 'c' || i, 'v' || i, 'x' || i, i % 2 = 0, date '2024-01-01' + i, '2024-01-01 00:00+00', 'u' || i
     from generate_series(1, 9) as i",
];

fn database() -> TestDb {
    let db = TestDb::new();
    let mut c = db.session();
    for sql in TABLES {
        c.ok(sql);
    }
    db
}

/// Statements of one shape each: the session that has seen the first ones and one that has not tell the same of each.
#[test]
fn every_statement_of_a_shape_is_answered_as_it_is_spelled() {
    let families: &[&[&str]] = &[
        &["select * from t where id = 3", "select * from t where id = 4", "select * from t where id = -5"],
        &[
            "select x, id + 1 from t where id = 1 and o = 'f'",
            "select x, id + 1 from t where id = 2 and o = 'maybe'",
        ],
        &[
            "select id from t where u = 'u3'",
            "select id from t where u = 'it''s'",
            "select id from t where u = 'u4'",
        ],
        &["select id from t where id = 2147483647", "select id from t where id = 2147483648"],
        &["select id from t where id = 99999999999999999999", "select id from t where id = 3.0"],
        &[
            "select id from t where id = 3 and d = '2024-01-04'",
            "select id from t where id = 3 and d = 'today'",
        ],
        &[
            "select id from t where id = 3 and d = '2024-01-05'",
            "select id from t where id = 3 and d = '2024-13-05'",
        ],
        &[
            "select id from t where id = 3 and ts > '2024-01-01 00:00+01'",
            "select id from t where id = 3 and ts > 'now'",
        ],
        &["select id from t where id = 3 and c = 'c3'", "select id from t where id = 3 and c = 'c3   '"],
        &["select id from t where id = 3 and v = 'v3'", "select id from t where id = 3 and v = 'v3   '"],
        &["select id from t where id = 4 and n = 1", "select id from t where id = 4 and n = 1.00"],
        &["select id from t where id = 4 and f = 0.5", "select id from t where id = 4 and f < 1"],
        &[
            "select id from t where id = 4 and s = 4 order by 1",
            "select id from t where id = 4 and s = 70000 order by 1",
        ],
        &[
            "select id = 4, x = 'x4' from t where id = 4 limit 1",
            "select id = 5, x = 'y' from t where id = 4 limit 1",
        ],
        &["select id from t where 1 = 0 and id = 4", "select id from t where 1 = 1 and id = 4"],
        &[
            "insert into k values (1, 'one', 1) returning *",
            "insert into k values (2, 'two', 1000) returning *",
            "insert into k values (1, 'one', -7) on conflict (a, b) do update set v = excluded.v + 7 returning v",
        ],
        &[
            "insert into k values (3, '3', 3), (4, '4', 4)",
            "insert into k values (5, '5', 5), (5, '5', 6)",
            "insert into k values (7, '7', 'x'), ('8', '8', 8)",
        ],
        &[
            "insert into t (id, v, n) values (20, 'abcd', 1.005)",
            "insert into t (id, v, n) values (21, 'abcde', 1)",
            "insert into t (id, v, n) values (22, 'abc', 12345678.5)",
            "insert into t (id, v, n) values ('23', 7, '7')",
        ],
        &[
            "insert into t (id, ts, d) values (30, 'epoch', 'tomorrow')",
            "insert into t (id, ts, d) values (31, '2024-02-30', '1')",
        ],
        &[
            "update k set v = v + 5 where a = 1 and b = 'one' returning v",
            "update k set v = v + -6 where a = 1 and b = 'one' returning v",
            "update k set v = v + 2147483647 where a = 1 and b = 'one' returning v",
        ],
        &[
            "update t set f = f - 1, x = 'é' where id = 3 returning f, x",
            "update t set f = f - 0.25, x = '' where id = 3 returning f, x",
        ],
        &[
            "update t set b = b - 5, o = 'yes' where id = 3 returning b",
            "update t set b = b - 5, o = 'x' where id = 3 returning b",
        ],
        &[
            "delete from k where a = 3 and b = '3' returning *",
            "delete from k where a = 4 and b = '5' returning *",
        ],
        &["select id from t where id = 3 and nothing = 5", "select id from t where id = 3 and x = 5"],
        &[
            "select x from t where id = '3'",
            "select x from t where id = 'three'",
            "select x from t where id = ' 4 '",
        ],
    ];
    for family in families {
        // Each on tables of its own: what is changed is the same for both.
        let (by_shape, as_spelled) = (database(), database());
        let mut warm = by_shape.session();
        for sql in *family {
            // So often that its shape is known.
            for _ in 0..3 {
                let _ = warm.session.parse_script(sql);
                warm.session.sync().unwrap();
            }
            assert_eq!(told(&mut warm, sql), told(&mut as_spelled.session(), sql), "{sql}");
        }
        let all = "select * from t order by id";
        assert_eq!(warm.rows(all), as_spelled.session().rows(all), "{family:?}");
        by_shape.check();
    }
}

#[test]
fn single_rows_are_found_by_their_shape_and_what_needs_its_literals_is_not() {
    let db = database();
    let mut c = db.session();
    let mut known = |sqls: [&str; 3]| sqls.map(|sql| is_found(&mut c, sql));
    let at_third = [false, true, true];
    assert_eq!(
        known([
            "select x from t where id = 1",
            "select x from t where id = 2",
            "select x from t where id = 3"
        ]),
        at_third
    );
    assert_eq!(
        known(["delete from t where id = 1", "delete from t where id = 2", "delete from t where id = 3"]),
        at_third
    );
    assert_eq!(
        known([
            "insert into k values (1, 'a', 1)",
            "insert into k values (2, 'b', 2)",
            "insert into k values (3, 'c', 3)"
        ]),
        at_third
    );
    let never = [false; 3];
    assert_eq!(
        known(["select x from t where b > 1", "select x from t where b > 2", "select x from t where b > 3"]),
        never
    );
    assert_eq!(
        known([
            "select x from t where id = 1 and b in (select 1)",
            "select x from t where id = 2 and b in (select 1)",
            "select x from t where id = 3 and b in (select 1)"
        ]),
        never
    );
}

#[test]
fn a_shape_is_made_again_when_definitions_change() {
    let db = database();
    let mut c = db.session();
    for n in 1..4 {
        c.ok(&format!("select x from t where id = {n}"));
        assert_eq!(c.err(&format!("select * from w where id = {n}")), "42P01");
    }
    c.ok("create table w (id int primary key, x int)");
    c.ok("insert into w values (1, 10)");
    for _ in 0..3 {
        assert_eq!(c.rows("select * from w where id = 1"), ["1|10"]);
    }
    // Another session's definitions count as well.
    db.session().ok("drop table w");
    assert_eq!(c.err("select * from w where id = 1"), "42P01");
    db.session().ok("create table w (x text, id text primary key)");
    db.session().ok("insert into w values ('here', '1')");
    assert_eq!(c.err("select * from w where id = 1"), "42883");
    assert_eq!(c.rows("select * from w where id = '1'"), ["here|1"]);
    assert!(is_found(&mut c, "select * from w where id = '2'"));
    assert_eq!(c.rows("select * from w where id = '1'"), ["here|1"]);
    // Between the search and the bind.
    let found = c.session.parse_script("select x from t where id = 7").unwrap().remove(0);
    assert!(!found.param_types().is_empty());
    db.session().ok("alter table t drop column x");
    assert_eq!(c.session.bind(&found, Vec::new()).err().unwrap().code.as_str(), "42703");
    c.session.fail();
    c.session.sync().unwrap();
    // A value that was read for another type is read again.
    for n in 1..4 {
        c.ok(&format!("select id from t where u = '{n}'"));
    }
    let found = c.session.parse_script("select id from t where u = '7'").unwrap().remove(0);
    assert_eq!(found.param_types(), [evenkeel_sql::Type::Text]);
    db.session().ok("alter table t drop column u, add column u int unique");
    assert!(c.session.bind(&found, Vec::new()).is_ok());
    c.session.sync().unwrap();
    db.check();
}

#[test]
fn a_parse_that_comes_again_means_what_it_would_mean_now() {
    let db = database();
    let mut c = db.session();
    let sql = "select x from t where id = $1";
    for _ in 0..3 {
        assert_eq!(c.extended(sql, &[Some("2")]).unwrap().rows.len(), 1);
    }
    // Other declared types are another statement.
    let int8 = c.session.prepare(sql, &[20]).unwrap();
    assert_eq!(int8.param_types(), [evenkeel_sql::Type::Int8]);
    let int4 = c.session.prepare(sql, &[]).unwrap();
    assert_eq!(int4.param_types(), [evenkeel_sql::Type::Int4]);
    c.session.sync().unwrap();
    db.session().ok("drop table t");
    db.session().ok("create table t (id text primary key, x int)");
    let now = c.session.prepare(sql, &[]).unwrap();
    assert_eq!(now.param_types(), [evenkeel_sql::Type::Text]);
    assert_eq!(now.columns().unwrap()[0].ty, evenkeel_sql::Type::Int4);
    c.session.sync().unwrap();
    // In a failed transaction nothing is prepared.
    c.ok("begin");
    assert_eq!(c.err("select 1/0"), "22012");
    assert_eq!(c.session.prepare(sql, &[]).err().unwrap().code.as_str(), "25P02");
    c.session.fail();
    c.ok("rollback");
}

#[test]
fn activity_shows_the_statement_as_it_is_spelled() {
    let db = database();
    let (mut c, mut other) = (db.session(), db.session());
    for n in 1..5 {
        c.ok(&format!(" select x from t where id = {n} ; "));
    }
    let sql = "select query from pg_stat_activity where query like '%where id = 4%' and query not like '%activity%'";
    assert_eq!(other.rows(sql), ["select x from t where id = 4"]);
}

#[test]
fn activity_shows_a_statement_that_did_not_come_to_run() {
    let db = database();
    let (mut c, mut other) = (db.session(), db.session());
    c.ok("begin");
    let shown = "select state, query from pg_stat_activity where state like 'idle in%'";
    for sql in ["select * from nosuch", "selec 1", "select 1/0"] {
        let _ = c.err(sql);
        let rows = other.rows(shown);
        assert_eq!(rows, [format!("idle in transaction (aborted)|{sql}")]);
        c.ok("rollback");
        c.ok("begin");
    }
}

/// What object-relational mappers nest without thinking of it: chains of OR, functions, CASE, subqueries.
#[test]
fn statements_nest_deeply() {
    let db = TestDb::new();
    let mut c = db.session();
    for (before, inner, after, n, expected) in [
        ("(", "false", " or true)", 500, "t"),
        ("replace(", "'a'", ", 'a', 'a')", 500, "a"),
        ("case when true then ", "1", " end", 500, "1"),
        ("(select ", "1", ")", 200, "1"),
    ] {
        let sql = format!("select {}{inner}{}", before.repeat(n), after.repeat(n));
        assert_eq!(c.value(&sql), expected, "{before}");
        let sql = format!("select {}{inner}{}", before.repeat(30_000), after.repeat(30_000));
        assert_eq!(c.err(&sql), "54001", "{before}");
    }
}

/// Drivers give the parameters of the query that a table is made of apart from the text.
#[test]
fn tables_are_created_from_queries_with_parameters() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (id int primary key, s text); insert into t values (1, 'a'), (2, 'b'), (3, 'c')");
    for (sql, params, tag, found) in [
        ("create temp table n as select $1::int as a, $2::text as b", &["5", "x"][..], "SELECT 1", "5|x"),
        ("create table n (x) as select id from t where s = $1", &["b"], "SELECT 1", "2"),
        ("select id, s into n from t where id > $1", &["2"], "SELECT 1", "3|c"),
        ("create table if not exists n as select $1::int with no data", &["1"], "CREATE TABLE AS", ""),
    ] {
        let params: Vec<Option<&str>> = params.iter().map(|p| Some(*p)).collect();
        assert_eq!(c.extended(sql, &params).unwrap().tag, tag, "{sql}");
        assert_eq!(c.rows("select * from n").join(","), found, "{sql}");
        c.ok("drop table n");
    }
    let kept = c.session.prepare("create table n as select id + $1 as a from t where id < $2", &[]).unwrap();
    assert_eq!(kept.param_types(), [evenkeel_sql::Type::Int4, evenkeel_sql::Type::Int4]);
    let fails = c.extended("create table n as select no from t where id = $1", &[Some("1")]);
    assert_eq!(fails.err().unwrap().code.as_str(), "42703");
    assert_eq!(c.err("create table n as select $1"), "42P02");
}
