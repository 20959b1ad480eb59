//! Parameters as an application gives them to the session, without a protocol that makes them what they have to be.

mod support;

use evenkeel_sql::Datum;
use support::{Output, TestDb};

/// Whoever embeds may give anything: it is refused before it is stored as what it is not.
#[test]
fn parameters_of_other_types_are_refused() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key, b text, c numeric[])");
    let insert = c.session.prepare("insert into t values ($1, $2, $3)", &[]).unwrap();
    let text = |s: &str| Datum::Text(s.into());
    for params in [
        vec![text("12"), text("b"), Datum::Null],
        vec![Datum::Int8(12), text("b"), Datum::Null],
        vec![Datum::Bool(true), text("b"), Datum::Null],
        vec![Datum::Int4(12), Datum::Int4(1), Datum::Null],
        vec![Datum::Int4(12), text("b"), Datum::Int4(1)],
    ] {
        let refused = c.session.bind(&insert, params).err().expect("other types");
        assert_eq!(refused.code, "42804", "{}", refused.message);
        c.session.fail();
    }
    let refused = c.session.bind(&insert, vec![text("12"), text("b"), Datum::Null]).err().unwrap();
    assert_eq!(refused.message, "parameter $1 of type text cannot be coerced to the expected type integer");
    c.session.fail();
    let mut portal = c
        .session
        .bind(&insert, vec![Datum::Int4(12), text("b"), Datum::Null])
        .unwrap_or_else(|e| panic!("{e}"));
    let mut out = Output::of(&portal);
    c.session.run(&mut portal, 0, &mut out).unwrap();
    c.session.sync().unwrap();
}
