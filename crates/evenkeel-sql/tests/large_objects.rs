//! Large objects over crashes, copies of databases, and where they are larger than what a statement may take.

mod support;

use support::pair::Pair;
use support::{Client, TestDb};

const MB: usize = 1 << 20;

fn within(db: &TestDb, database: &str) -> Client {
    Client::within(&db.instance, database, &[]).expect("session begins")
}

/// The n-th of an object, as an expression: one byte, again and again.
fn megabyte(n: usize) -> String {
    format!("convert_to(repeat('{}', {MB}), 'UTF8')", char::from(b'A' + (n % 26) as u8))
}

/// Writes an object of so many times 1 MB in pieces, and gives its number.
fn write_large(c: &mut Client, mb: usize) -> String {
    c.ok("begin");
    let oid = c.value("select lo_creat(-1)");
    assert_eq!(c.value(&format!("select lo_open({oid}, x'20000'::int)")), "0");
    for n in 0..mb {
        let written = c.value(&format!("select lowrite(0, {})", megabyte(n)));
        assert_eq!(written, MB.to_string());
    }
    c.ok("commit");
    oid
}

#[test]
fn what_is_committed_is_there_after_a_crash_and_nothing_else_is() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create role lob_owner");
    let large = write_large(&mut c, 3);
    c.ok("select lo_from_bytea(4711, 'kept')");
    c.ok("alter large object 4711 owner to lob_owner");
    c.ok("comment on large object 4711 is 'a comment'");
    c.ok("select lo_from_bytea(4712, 'unlinked')");
    c.ok("select lo_unlink(4712)");
    db.send(&c);
    let mut other = db.session();
    other.ok("begin");
    other.ok("select lo_from_bytea(4713, 'not committed')");
    other.ok("select lo_put(4711, 0, 'LOST')");
    other.ok(&format!("select lo_unlink({large})"));
    let db2 = db.after_crash();
    let mut c = db2.session();
    assert_eq!(c.value("select convert_from(lo_get(4711), 'UTF8')"), "kept");
    assert_eq!(
        c.value("select lomowner::regrole from pg_largeobject_metadata where oid = 4711"),
        "lob_owner"
    );
    assert_eq!(c.value("select obj_description(4711, 'pg_largeobject')"), "a comment");
    assert_eq!(c.value("select count(*) from pg_largeobject_metadata"), "2");
    assert_eq!(c.value(&format!("select count(*) from pg_largeobject where loid = {large}")), "1536");
    assert_eq!(c.value(&format!("select lo_get({large}, 2 * 1048576 - 1, 2)")), "\\x4243");
    assert_eq!(c.value("select lo_create(4713)"), "4713");
    db2.check();
    drop(c);
    let db3 = db2.reopen();
    let mut c = db3.session();
    assert_eq!(c.value("select convert_from(lo_get(4711), 'UTF8')"), "kept");
    assert_eq!(c.value("select lo_unlink(4711)"), "1");
    assert_eq!(c.value("select count(*) from pg_description where objoid = 4711"), "0");
    db3.check();
}

#[test]
fn a_copy_of_a_database_has_objects_of_its_own() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create database original");
    let mut o = within(&db, "original");
    o.ok("select lo_from_bytea(4711, 'first')");
    drop(o);
    assert_eq!(c.value("select count(*) from pg_largeobject_metadata"), "0");
    c.ok("create database copied template original");
    let mut copy = within(&db, "copied");
    assert_eq!(copy.value("select convert_from(lo_get(4711), 'UTF8')"), "first");
    copy.ok("select lo_put(4711, 0, 'other')");
    let mut o = within(&db, "original");
    assert_eq!(o.value("select convert_from(lo_get(4711), 'UTF8')"), "first");
    drop((o, copy));
    c.ok("drop database original");
    db.check();
    c.ok("drop database copied");
    db.check();
}

#[test]
fn an_object_may_be_larger_than_the_memory_of_a_statement() {
    let db = TestDb::new();
    let mut c = db.session(); // its statements may take 32 MB
    let oid = write_large(&mut c, 50);
    c.ok("begin");
    c.ok(&format!("select lo_open({oid}, x'40000'::int)"));
    assert_eq!(c.value("select lo_lseek(0, 0, 2)"), (50 * MB).to_string());
    c.ok("select lo_lseek(0, 0, 0)");
    for n in 0..50 {
        let same = format!("select loread(0, {MB}) = {}", megabyte(n));
        assert_eq!(c.value(&same), "t");
    }
    // No more is taken than is asked for, and than there is.
    assert_eq!(c.value("select length(loread(0, 2147483647))"), "0");
    c.ok("commit");
    assert_eq!(
        c.value(&format!(
            "select count(*) || '/' || sum(length(data)) from pg_largeobject where loid = {oid}"
        )),
        "25600/52428800"
    );
    assert_eq!(c.err(&format!("select lo_get({oid})")), "53200");
    assert_eq!(c.value(&format!("select lo_get({oid}, 50 * 1048576 - 2, 100)")), "\\x5858");
    c.ok(&format!("select lo_unlink({oid})"));
    assert_eq!(c.value("select count(*) from pg_largeobject"), "0");
}

/// Two sessions that make the first object of a database at the same time.
#[test]
fn the_first_objects_do_not_wait_for_each_other() {
    let db = TestDb::new();
    let (mut a, mut b) = (db.session(), db.session());
    a.ok("begin isolation level repeatable read");
    a.ok("select 1");
    b.ok("begin isolation level repeatable read");
    b.ok("select 1");
    a.ok("select lo_from_bytea(1, 'a')");
    b.ok("select lo_from_bytea(2, 'b')");
    a.ok("rollback");
    assert_eq!(b.value("select convert_from(lo_get(2), 'UTF8')"), "b");
    b.ok("commit");
    assert_eq!(a.value("select string_agg(oid::text, ',') from pg_largeobject_metadata"), "2");
    db.check();
}

#[test]
fn a_standby_reads_what_the_primary_writes_and_goes_on_with_it() {
    let pair = Pair::new("create table t (id int primary key)");
    let mut p = pair.session();
    // The standby's session is there before the first object is, and so before there is a tree of them.
    let mut s = pair.reader();
    assert_eq!(s.err("select lo_get(4711)"), "42704");
    assert_eq!(s.value("select count(*) from pg_largeobject_metadata"), "0");
    p.ok("select lo_from_bytea(4711, 'first')");
    pair.catch_up();
    assert_eq!(s.value("select convert_from(lo_get(4711), 'UTF8')"), "first");
    s.ok("begin");
    s.ok("select lo_open(4711, x'40000'::int)");
    p.ok("select lo_put(4711, 5, ' and more')");
    pair.catch_up();
    assert_eq!(s.value("select convert_from(loread(0, 100), 'UTF8')"), "first");
    assert_eq!(s.value("select convert_from(lo_get(4711), 'UTF8')"), "first and more");
    s.ok("commit");
    for refused in ["lo_create(1)", "lo_open(4711, x'20000'::int)", "lo_unlink(4711)", "lo_put(4711, 0, '')"]
    {
        assert_eq!(s.err(&format!("select {refused}")), "25006");
    }
}
