//! Connections that are kept for some.

mod common;

use std::net::TcpStream;

use common::sql::Sql;
use common::*;

#[test]
fn connections_are_kept_for_superusers_and_for_whom_they_are_reserved() {
    let kept = [("superuser_reserved_connections", "1"), ("reserved_connections", "1")];
    let sql = Sql::with_settings(&[("max_connections", "4"), kept[0], kept[1]]);
    let mut c = sql.session();
    for statement in [
        "CREATE ROLE plain LOGIN",
        "CREATE ROLE favoured LOGIN",
        "GRANT pg_use_reserved_connections TO favoured",
    ] {
        c.send(&[query(statement)]);
        c.until_ready();
    }
    c.send(&[query("SHOW superuser_reserved_connections")]);
    let shown = c.until_ready();
    assert_eq!(values(shown.iter().find(|r| r.kind == 'D').unwrap()), [Some("1".to_owned())]);
    let come = |user: &str| sql.session_with(&[("user", user), ("database", "postgres")]);
    let refused = |user: &str| {
        let mut c = Client::new(TcpStream::connect(sql.server.as_ref().unwrap().addresses()[0]).unwrap());
        c.send(&[startup_packet(3 << 16, &[("user", user), ("database", "postgres")])]);
        let e = c.last_words();
        assert_eq!(e.field(b'C').unwrap(), "53300");
        e.field(b'M').unwrap()
    };
    let _one = come("plain");
    assert_eq!(
        refused("plain"),
        "remaining connection slots are reserved for roles with privileges of the \"pg_use_reserved_connections\" role"
    );
    let _two = come("favoured");
    let of_superusers = "remaining connection slots are reserved for roles with the SUPERUSER attribute";
    assert_eq!(refused("favoured"), of_superusers);
    assert_eq!(refused("plain"), of_superusers);
    let _three = come("postgres");
    assert_eq!(refused("postgres"), "sorry, too many clients already");
}
