//! Index entries that are written after their rows: the same as if they had been written with them, whatever becomes of the statement.

mod support;

use support::TestDb;

const TABLE: &str = "create table m (id int primary key, k int, t text, d date);
    create index m_k on m (k);
    create index m_t on m (t desc, k nulls first);
    create unique index m_d on m (d)";
const ROWS: &str = "select g, case when g % 7 > 0 then g * 7919 % 1000 end, case when g % 5 > 0 then md5(g::text) end, date '2000-01-01' + g";

/// What the indexes say, against what the rows say.
fn agree(c: &mut support::Client, db: &TestDb, rows: usize) {
    assert_eq!(c.value("select count(*) from m"), rows.to_string());
    for (by, order) in [("k", "k, id"), ("t", "t desc, k nulls first, id")] {
        // A sort of all columns reads the rows; few of one order come by the index.
        let sorted =
            c.rows(&format!("select * from (select * from m where {by} is not null order by {order}) x"));
        let some: Vec<String> = sorted.iter().take(3).cloned().collect();
        let found = c.rows(&format!("select * from m where {by} is not null order by {order} limit 3"));
        assert_eq!(found, some);
    }
    let many = "select count(*), sum(id) from m where k = 500";
    let one_by_one = "select count(*), sum(id) from m where k + 0 = 500";
    assert!(c.rows(&format!("explain {many}")).join("").contains("m_k"));
    assert_eq!(c.rows(many), c.rows(one_by_one));
    db.check();
}

#[test]
fn many_rows_have_all_their_entries() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok(TABLE);
    // Some of them are written with their rows, the others in turns.
    c.ok("set maintenance_work_mem = '1MB'");
    c.ok(&format!("insert into m {ROWS} from generate_series(1, 30000) g"));
    agree(&mut c, &db, 30000);
    // Changed and removed in the same transaction.
    c.ok("begin");
    c.ok(&format!("insert into m {ROWS} from generate_series(30001, 32000) g"));
    c.ok("update m set k = 500 where id > 31000");
    c.ok("delete from m where id between 30500 and 31500");
    c.ok("commit");
    agree(&mut c, &db, 30999);
    let db = db.reopen();
    agree(&mut db.session(), &db, 30999);
}

#[test]
fn a_copy_has_all_its_entries() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok(TABLE);
    let lines = |ids: std::ops::RangeInclusive<i64>| -> String {
        ids.map(|g| format!("{g}\t{}\tx{g}\t\\N\n", g * 7919 % 1000)).collect()
    };
    assert!(c.simple("copy m from stdin", &lines(1..=5000)).is_ok());
    agree(&mut c, &db, 5000);
    // One that fails leaves nothing.
    let fails = lines(5001..=7000) + &lines(1..=1);
    let failed = c.simple("copy m from stdin", &fails).map(drop).unwrap_err();
    assert_eq!(failed.code.to_string(), "23505");
    assert!(failed.context.iter().any(|c| c.contains("COPY m, line 2001")), "{failed:?}");
    agree(&mut c, &db, 5000);
}

#[test]
fn a_statement_that_fails_leaves_none() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok(TABLE);
    c.ok("begin");
    c.ok(&format!("insert into m {ROWS} from generate_series(1, 1000) g"));
    c.ok("savepoint s");
    // The last row has the key of the first.
    let twice =
        format!("insert into m {ROWS} from (select generate_series(1001, 4000) g union all select 1) x");
    assert_eq!(c.err(&twice), "23505");
    c.ok("rollback to s");
    agree(&mut c, &db, 1000);
    c.ok(&format!("insert into m {ROWS} from generate_series(1001, 4000) g"));
    agree(&mut c, &db, 4000);
    c.ok("rollback to s");
    c.ok("commit");
    agree(&mut c, &db, 1000);
}
