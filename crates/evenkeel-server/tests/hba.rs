//! `pg_hba.conf` from the client's side: every method, who is let in by it and who is not, and files that change.

mod common;

use std::path::Path;
use std::sync::Arc;

use common::authority::{Authority, params, put};
use common::*;
use evenkeel_client::{ConnString, Connection};
use evenkeel_server::{Listeners, Server, ServerSettings, StartError, Users, make_verifier};

/// A server in a folder with rules. It encrypts, and knows ann, whose password is "secret".
struct Ruled {
    dir: tempfile::TempDir,
    server: Server<ToyService>,
}

fn of(dir: &Path) -> ServerSettings {
    let sockets = dir.display().to_string();
    settings(&[("ssl", "on"), ("ssl_ca_file", "root.crt"), ("unix_socket_directories", &sockets)])
}

fn users() -> Users {
    let mut users = Users::new();
    users.add("ann", &make_verifier("secret").unwrap()).unwrap();
    users
}

fn start(dir: &Path) -> Result<Server<ToyService>, StartError> {
    let listeners = Listeners::bind(&of(dir), &users(), Some(dir))?;
    let toy = Arc::new(ToyService(Arc::new(Toy::default())));
    Server::start_on(listeners, toy, of(dir), users(), Vec::new())
}

/// A folder with rules, and certificates: of the server, of ann, of bob.
fn folder(rules: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new("an authority");
    put(dir.path(), "root.crt", &authority.0.pem());
    for name in ["server", "ann", "bob"] {
        let (cert, key) = authority.sign(&params(name, &[]));
        put(dir.path(), &format!("{name}.crt"), &cert);
        put(dir.path(), &format!("{name}.key"), &key);
    }
    put(dir.path(), "pg_hba.conf", rules);
    dir
}

impl Ruled {
    fn new(rules: &str) -> Ruled {
        let dir = folder(rules);
        Ruled { server: start(dir.path()).unwrap(), dir }
    }

    /// `local`: by the Unix socket. Otherwise encrypted, unless it says not.
    fn to(&self, how: &str) -> ConnString {
        let dir = self.dir.path().display();
        let port = self.server.addresses()[0].port();
        let (place, how) = match how.strip_prefix("local") {
            Some(rest) => (dir.to_string(), rest),
            None => ("127.0.0.1".into(), how),
        };
        let certificate = match how.split_once("as=") {
            Some((_, name)) => format!("sslcert={dir}/{name}.crt sslkey={dir}/{name}.key"),
            None => format!("sslcert={dir}/none"),
        };
        let how = how.split("as=").next().unwrap();
        let mode = if how.contains("sslmode") { "" } else { "sslmode=require" };
        format!(
            "user=ann dbname=postgres host={place} port={port} {mode} {certificate} sslrootcert={dir}/none {how}"
        )
        .parse()
        .unwrap()
    }

    fn knock(&self, how: &str) -> String {
        match Connection::open(&self.to(how), "test") {
            Ok(mut c) => c.query("rows 1").map_or_else(|e| e.to_string(), |_| "in".into()),
            Err(e) => e.to_string(),
        }
    }

    fn reload(&self) {
        self.server.reload(&of(self.dir.path()), users(), Vec::new());
    }
}

#[test]
fn each_method_lets_in_whom_it_should() {
    const PASSWORD: &str = "password authentication failed for user \"ann\" (SQLSTATE 28P01)";
    const CERT: &str = "certificate authentication failed for user \"ann\" (SQLSTATE 28000)";
    const VALID: &str = "connection requires a valid client certificate (SQLSTATE 28000)";
    for (rule, how, expected) in [
        ("host all all all trust", "", "in"),
        ("host all all all scram-sha-256", "password=secret", "in"),
        ("host all all all scram-sha-256", "password=wrong", PASSWORD),
        ("host all all all md5", "password=secret", "in"),
        ("host all all all password", "password=secret", "in"),
        ("host all all all password", "password=wrong", PASSWORD),
        ("host all all all password", "sslmode=disable password=secret", "in"),
        ("hostssl all all all cert", "as=ann", "in"),
        ("hostssl all all all cert", "as=bob", CERT),
        ("hostssl all all all cert", "", VALID),
        ("hostssl all all all cert map=m", "as=bob", "in"),
        ("hostssl all all all cert map=n", "as=bob", CERT),
        ("hostssl all all all cert clientname=DN map=m", "as=bob", "in"),
        ("hostssl all all all trust clientcert=verify-ca", "as=bob", "in"),
        ("hostssl all all all trust clientcert=verify-ca", "", VALID),
        ("hostssl all all all trust clientcert=verify-full", "as=ann", "in"),
        (
            "hostssl all all all trust clientcert=verify-full",
            "as=bob",
            "\"trust\" authentication failed for user \"ann\" (SQLSTATE 28000)",
        ),
        ("hostssl all all all scram-sha-256 clientcert=verify-full", "password=secret as=ann", "in"),
        ("hostssl all all all scram-sha-256 clientcert=verify-full", "password=secret as=bob", PASSWORD),
        (
            "hostssl all all all trust",
            "sslmode=disable",
            "no pg_hba.conf entry for host \"127.0.0.1\", user \"ann\", database \"postgres\", no encryption (SQLSTATE 28000)",
        ),
        (
            "hostnossl all all all trust",
            "",
            "no pg_hba.conf entry for host \"127.0.0.1\", user \"ann\", database \"postgres\", SSL encryption (SQLSTATE 28000)",
        ),
        // Where the mode allows both, the other one is tried.
        ("hostnossl all all all trust", "sslmode=prefer", "in"),
        ("hostssl all all all trust", "sslmode=allow", "in"),
        (
            "host all all all reject",
            "",
            "pg_hba.conf rejects connection for host \"127.0.0.1\", user \"ann\", database \"postgres\", SSL encryption (SQLSTATE 28000)",
        ),
        ("local all all trust", "local", "in"),
        (
            "host all all all trust",
            "local",
            "no pg_hba.conf entry for host \"[local]\", user \"ann\", database \"postgres\", no encryption (SQLSTATE 28000)",
        ),
        ("local all all peer", "local", "Peer authentication failed for user \"ann\" (SQLSTATE 28000)"),
        ("local all all peer map=me", "local", "in"),
        ("local all all scram-sha-256", "local password=secret", "in"),
    ] {
        let r = Ruled::new(rule);
        // Whoever runs the test is ann, by one map.
        put(r.dir.path(), "pg_ident.conf", "m bob ann\nm CN=bob ann\nn bob other\nme /. ann\n");
        r.reload();
        assert_eq!(r.knock(how), expected, "{rule}: {how}");
    }
}

#[test]
fn who_follows_the_log_needs_a_rule_of_his_own() {
    let knock = |rules: &str| {
        let r = Ruled::new(rules);
        let e = Connection::open_for_replication(&r.to("password=secret"), "test").map(|_| ()).err();
        e.map_or("in".into(), |e| e.to_string())
    };
    assert_eq!(
        knock("host all all all trust"),
        "no pg_hba.conf entry for replication connection from host \"127.0.0.1\", user \"ann\", SSL encryption (SQLSTATE 28000)"
    );
    assert_eq!(knock("host replication ann all scram-sha-256"), "in");
    assert!(knock("host replication bob all trust").starts_with("no pg_hba.conf entry for replication"));
    assert!(knock("host replication all all reject").starts_with("pg_hba.conf rejects replication"));
}

#[test]
fn a_file_that_changes_is_taken_up_and_a_bad_one_is_not() {
    let r = Ruled::new("host all all all reject");
    assert!(r.knock("").contains("rejects"));
    put(r.dir.path(), "pg_hba.conf", "host all all all trust");
    assert!(r.knock("").contains("rejects"), "not before it is read");
    r.reload();
    assert_eq!(r.knock(""), "in");
    for bad in ["host all all all nonsense", "host all all all reject\nlocal", "# nothing"] {
        put(r.dir.path(), "pg_hba.conf", bad);
        r.reload();
        assert_eq!(r.knock(""), "in", "{bad}");
        assert!(matches!(start(r.dir.path()), Err(StartError::Rules(_) | StartError::SocketInUse(_))));
    }
    put(r.dir.path(), "pg_hba.conf", "host all all all reject");
    r.reload();
    std::fs::remove_file(r.dir.path().join("pg_hba.conf")).unwrap();
    r.reload();
    assert!(r.knock("").contains("rejects"), "a file that has gone opens no doors");
}

#[test]
fn with_rules_any_address_may_be_listened_on() {
    let dir = folder("host all all all reject");
    let open = settings(&[("listen_addresses", "0.0.0.0")]);
    assert!(matches!(Listeners::bind(&open, &Users::new(), None), Err(StartError::NoPasswords(_))));
    Listeners::bind(&open, &Users::new(), Some(dir.path())).unwrap();
    std::fs::remove_file(dir.path().join("pg_hba.conf")).unwrap();
    assert!(Listeners::bind(&open, &Users::new(), Some(dir.path())).is_err());
}

#[test]
fn certificates_of_clients_need_a_root() {
    let r = Ruled::new("hostssl all all all trust clientcert=verify-ca");
    let s = settings(&[("ssl", "on")]);
    r.server.reload(&s, users(), Vec::new());
    assert_eq!(
        r.knock("as=ann"),
        "client certificates can only be checked if a root certificate store is available (SQLSTATE F0000)"
    );
}
