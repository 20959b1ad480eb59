//! What an operator sees by HTTP: metrics that agree with the views, who may see them, and clients that are slow, many or hostile.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::authority::{Authority, params, put};
use common::open_metrics::Metrics;
use common::*;
use evenkeel::{Database, Options};
use evenkeel_server::{Server, SqlService, StartError, Users};
use evenkeel_sql::Instance;

const TOKEN: &str = "a-token-of-this-test";

/// A server that shows metrics, on a new database.
struct Watched {
    server: Option<Server<SqlService>>,
    database: Database,
    _folder: tempfile::TempDir,
}

impl Watched {
    fn new(more: &[(&str, &str)]) -> Watched {
        Watched::of(&[("fsync", "off")], more)
    }

    fn of(of_database: &[(&str, &str)], more: &[(&str, &str)]) -> Watched {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "token", TOKEN);
        let token = folder.path().join("token").display().to_string();
        let mut set = vec![("metrics_listen", "127.0.0.1:0"), ("metrics_token_file", token.as_str())];
        set.extend(more);
        let archive = folder.path().join("archive").display().to_string();
        let options = [("shared_buffers", "16MB"), ("archive_url", &archive)]
            .iter()
            .chain(of_database)
            .fold(Options::default(), |options, (name, value)| options.with(name, value).unwrap());
        let database = Database::open(folder.path().join("db"), options).unwrap();
        let service = Arc::new(SqlService::new(Instance::open(database.clone()).unwrap()));
        let server = Server::start(service, settings(&set), Users::new(), Vec::new()).unwrap();
        Watched { server: Some(server), database, _folder: folder }
    }

    fn session(&self) -> Client {
        let mut c = Client::new(TcpStream::connect(self.server().addresses()[0]).unwrap());
        c.start(&[("user", "postgres"), ("database", "postgres")]);
        c
    }

    fn server(&self) -> &Server<SqlService> {
        self.server.as_ref().unwrap()
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.server().metrics_address().unwrap()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// The answer's head and body.
    fn ask(&self, head: &str) -> (String, String) {
        answer(self.connect(), head)
    }

    fn metrics(&self) -> Metrics {
        let (head, body) =
            self.ask(&format!("{}Accept: application/openmetrics-text\r\n", get("/metrics", &bearer(TOKEN))));
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.contains("application/openmetrics-text; version=1.0.0"), "{head}");
        Metrics::parse(&body).unwrap_or_else(|e| panic!("{e}\n{body}"))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        drop(self.server.take());
        let _ = self.database.close();
    }
}

fn answer(mut stream: impl Read + Write, head: &str) -> (String, String) {
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    (head.to_owned(), body.to_owned())
}

fn get(path: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:1\r\n{more}")
}

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

fn basic(user: &str, password: &str) -> String {
    use base64::Engine;
    let both = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    format!("Authorization: Basic {both}\r\n")
}

fn run(c: &mut Client, sql: &str) -> Vec<Vec<Option<String>>> {
    c.send(&[query(sql)]);
    let replies = c.until_ready();
    assert!(replies.iter().all(|r| r.kind != 'E'), "{sql}: {replies:?}");
    replies.iter().filter(|r| r.kind == 'D').map(values).collect()
}

#[test]
fn metrics_agree_with_what_was_done_and_with_the_views() {
    let w = Watched::new(&[]);
    let mut c = w.session();
    run(&mut c, "CREATE TABLE t (id int PRIMARY KEY, v int)");
    let before = w.metrics();
    for id in 0..20 {
        run(&mut c, &format!("INSERT INTO t VALUES ({id}, 0), ({}, 0)", id + 100));
    }
    run(&mut c, "BEGIN");
    run(&mut c, "UPDATE t SET v = 1 WHERE id < 10");
    run(&mut c, "ROLLBACK");
    run(&mut c, "DELETE FROM t WHERE id >= 100");
    run(&mut c, "SELECT * FROM t");
    c.error(&[query("SELECT nothing")]);
    c.error(&[query("INSERT INTO t VALUES (1, 1)")]);
    let after = w.metrics();
    let grown = |name: &str| after.value(name) - before.value(name);
    for (name, by) in [
        ("evenkeel_statement_duration_seconds_count{kind=\"insert\"}", 20.0),
        ("evenkeel_statement_duration_seconds_count{kind=\"update\"}", 1.0),
        ("evenkeel_statement_duration_seconds_count{kind=\"delete\"}", 1.0),
        ("evenkeel_statement_duration_seconds_count{kind=\"select\"}", 1.0),
        ("evenkeel_statement_duration_seconds_count{kind=\"transaction\"}", 2.0),
        ("evenkeel_statement_rows_total{kind=\"insert\"}", 40.0),
        ("evenkeel_statement_rows_total{kind=\"select\"}", 20.0),
        ("evenkeel_transactions_total{end=\"written\"}", 21.0),
        ("evenkeel_transactions_total{end=\"read\"}", 1.0),
        ("evenkeel_commits_total", 21.0),
        ("evenkeel_statement_errors_total{class=\"syntax_error_or_access_rule_violation\"}", 1.0),
        ("evenkeel_statement_errors_total{class=\"integrity_constraint_violation\"}", 1.0),
        ("evenkeel_metrics_scrapes_total", 1.0),
    ] {
        assert_eq!(grown(name), by, "{name}");
    }
    // The one that rolled back itself, and those that failed.
    assert!(grown("evenkeel_transactions_total{end=\"rolled_back\"}") >= 2.0);
    assert_eq!(after.value("evenkeel_sessions{state=\"idle\"}"), 1.0);
    assert_eq!(after.value("evenkeel_checkpoint_partition_dirty_pages{partition=\"0\"}").fract(), 0.0);

    assert!(grown("evenkeel_io_duration_seconds_count{file=\"log\",operation=\"write\"}") >= 1.0);
    assert!(
        grown("evenkeel_io_bytes_total{file=\"log\",direction=\"write\"}")
            >= grown("evenkeel_log_inserted_bytes_total")
    );
    assert!(after.value("evenkeel_io_duration_seconds_count{file=\"other\",operation=\"write\"}") >= 1.0);

    // Nothing happens but the reading: what the views say and what is exported is the same.
    for (sql, name) in [
        ("SELECT wal_records FROM pg_stat_wal", "evenkeel_log_records_total"),
        ("SELECT wal_bytes FROM pg_stat_wal", "evenkeel_log_inserted_bytes_total"),
        ("SELECT buffers_alloc FROM pg_stat_bgwriter", "evenkeel_pool_allocations_total"),
        (
            "SELECT samples FROM evenkeel_stat_commit WHERE measure = 'gang_size'",
            "evenkeel_log_gang_commits_count",
        ),
        (
            "SELECT rounds FROM evenkeel_stat_checkpoint_partitions WHERE partition = 3",
            "evenkeel_checkpoint_partition_rounds_total{partition=\"3\"}",
        ),
    ] {
        // The engine's own duties may change one of them meanwhile.
        let agree = (0..20).any(|_| {
            let shown: f64 = run(&mut c, sql)[0][0].as_ref().unwrap().parse().unwrap();
            shown == w.metrics().value(name)
        });
        assert!(agree, "{name}");
    }
    // What is counted by databases has the readers' transactions, too, each other's not.
    let shown = |c: &mut Client, columns: &str| -> Vec<f64> {
        let sql = format!("SELECT {columns} FROM pg_stat_database WHERE datname = 'postgres'");
        run(c, &sql)[0].iter().map(|v| v.as_ref().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(shown(&mut c, "tup_inserted, tup_updated, tup_deleted"), [40.0, 10.0, 20.0]);
    let before = shown(&mut c, "xact_commit, xact_rollback");
    let after = shown(&mut c, "xact_commit, xact_rollback");
    assert!(before[0] >= 22.0 && after[0] > before[0] && before[1] >= 2.0, "{before:?} {after:?}");
}

#[test]
fn waits_and_deadlocks_are_seen() {
    let w = Watched::new(&[]);
    let (mut a, mut b) = (w.session(), w.session());
    run(&mut a, "CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 0), (2, 0)");
    run(&mut a, "BEGIN");
    run(&mut a, "UPDATE t SET v = 1 WHERE id = 1");
    b.send(&[query("UPDATE t SET v = 2 WHERE id = 1")]);
    let until = |what: &str, is: &dyn Fn(&Metrics) -> bool| {
        let began = Instant::now();
        while !is(&w.metrics()) {
            assert!(began.elapsed() < Duration::from_secs(30), "{what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    until("a waiter", &|m| m.value("evenkeel_lock_waiters{lock=\"row\"}") == 1.0);
    let m = w.metrics();
    assert_eq!(m.value("evenkeel_lock_wait_duration_seconds_count{lock=\"row\"}"), 0.0);
    assert!(m.value("evenkeel_lock_entries") >= 2.0);
    assert!(m.value("evenkeel_oldest_transaction_age_seconds") > 0.0);
    assert_eq!(m.value("evenkeel_sessions{state=\"idle in transaction\"}"), 1.0);
    run(&mut a, "COMMIT");
    b.until_ready();
    let m = w.metrics();
    assert_eq!(m.value("evenkeel_lock_waiters{lock=\"row\"}"), 0.0);
    assert_eq!(m.value("evenkeel_lock_wait_duration_seconds_count{lock=\"row\"}"), 1.0);

    // A waits for a table, then both for each other.
    run(&mut b, "BEGIN; UPDATE t SET v = 3 WHERE id = 2");
    run(&mut a, "BEGIN; UPDATE t SET v = 3 WHERE id = 1");
    a.send(&[query("LOCK TABLE t")]);
    until("a waiter for the table", &|m| m.value("evenkeel_lock_waiters{lock=\"table\"}") == 1.0);
    b.send(&[query("UPDATE t SET v = 4 WHERE id = 1")]);
    let of_b = b.until_ready();
    run(&mut b, "ROLLBACK");
    let of_a = a.until_ready();
    let failed = of_a.iter().chain(&of_b).filter(|r| r.field(b'C').as_deref() == Some("40P01")).count();
    assert_eq!(failed, 1, "{of_a:?} {of_b:?}");
    let m = w.metrics();
    assert_eq!(m.value("evenkeel_deadlocks_total"), 1.0);
    assert_eq!(m.value("evenkeel_statement_errors_total{class=\"deadlock_detected\"}"), 1.0);
    assert_eq!(m.value("evenkeel_lock_wait_duration_seconds_count{lock=\"table\"}"), 1.0);
}

#[test]
fn only_who_may_monitor_sees_metrics_loopback_or_not() {
    let w = Watched::new(&[("metrics_hosts", "db.example")]);
    let mut c = w.session();
    run(&mut c, "CREATE ROLE mona LOGIN PASSWORD 'secret'; CREATE ROLE may LOGIN PASSWORD 'secret'");
    run(
        &mut c,
        "CREATE ROLE su SUPERUSER LOGIN PASSWORD 'secret'; CREATE ROLE off NOLOGIN PASSWORD 'secret'",
    );
    run(&mut c, "GRANT pg_monitor TO may, off");
    let status = |head: &str| w.ask(head).0.split(' ').nth(1).unwrap_or_default().to_owned();
    for (authorization, wanted) in [
        (String::new(), "401"),
        (bearer(TOKEN), "200"),
        (bearer("a-token-of-this-tesT"), "401"),
        (bearer(""), "401"),
        (basic("may", "secret"), "200"),
        (basic("su", "secret"), "200"),
        (basic("", TOKEN), "200"),
        (basic("may", "Secret"), "401"),
        (basic("mona", "secret"), "403"),
        (basic("off", "secret"), "403"),
        (basic("nobody", "secret"), "401"),
        (basic("postgres", ""), "401"),
        ("Authorization: Basic !!!\r\n".into(), "401"),
        ("Authorization: Digest x\r\n".into(), "401"),
        (format!("{}{}", bearer(TOKEN), bearer(TOKEN)), "401"),
    ] {
        assert_eq!(status(&get("/metrics", &authorization)), wanted, "{authorization}");
    }
    let (head, body) = w.ask(&get("/metrics", ""));
    assert!(head.contains("www-authenticate: Basic") && !body.contains("evenkeel_"), "{head} {body}");
    // A name that somebody else made to lead here is refused before the token is looked at.
    let as_host = |host: &str| format!("GET /metrics HTTP/1.1\r\n{host}{}", bearer(TOKEN));
    for (host, wanted) in [
        ("Host: 127.0.0.1\r\n", "200"),
        ("Host: [::1]:9187\r\n", "200"),
        ("Host: LOCALHOST:9187\r\n", "200"),
        ("Host: db.example:9187\r\n", "200"),
        ("Host: rebound.example:9187\r\n", "421"),
        ("Host: db.example.evil.example\r\n", "421"),
        ("Host: 127.0.0.1.evil.example\r\n", "421"),
        ("Host: localhost:9187:x\r\n", "421"),
        ("Host: localhost\r\nHost: localhost\r\n", "421"),
        ("", "421"),
    ] {
        assert_eq!(status(&as_host(host)), wanted, "{host}");
    }
    assert_eq!(status(&get("/nothing", &bearer(TOKEN))), "404");
    assert_eq!(status(&get("/metrics?x=1", &bearer(TOKEN))), "200");
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"] {
        let head = get("/metrics", &bearer(TOKEN)).replacen("GET", method, 1);
        assert_eq!(status(&head), "405", "{method}");
    }
    let (head, body) = w.ask(&get("/metrics", &bearer(TOKEN)).replacen("GET", "HEAD", 1));
    assert!(head.starts_with("HTTP/1.1 200") && body.is_empty(), "{head}");
}

#[test]
fn who_is_slow_many_or_hostile_holds_up_nobody() {
    let w = Watched::new(&[]);
    let mut c = w.session();
    // Twice as many as there may be, who say half a request and nothing more.
    let mut slow: Vec<TcpStream> = (0..64).map(|_| w.connect()).collect();
    for s in &mut slow {
        s.write_all(b"GET /metrics HTTP/1.1\r\nHost: ").unwrap();
    }
    w.metrics();
    assert_eq!(run(&mut c, "SELECT 1").len(), 1);
    // Those that came first were given up for those that came later.
    let mut text = Vec::new();
    let _ = slow[0].read_to_end(&mut text);
    assert!(text.is_empty());
    drop(slow);

    let long = format!("{}X-Long: {}\r\n", get("/metrics", &bearer(TOKEN)), "x".repeat(1 << 20));
    let many = format!("{}{}", get("/metrics", &bearer(TOKEN)), "A: b\r\n".repeat(1000));
    let binary: String = (0u8..=127).map(char::from).collect();
    for head in [
        &long,
        &many,
        &binary,
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "GET /metrics HTTP/9.9\r\n",
        "GET http://[::1:/metrics HTTP/1.1\r\n",
        "GET /metrics HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    ] {
        let mut stream = w.connect();
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(b"\r\n\r\n"));
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text);
        assert!(!text.starts_with("HTTP/1.1 2"), "{}: {text}", &head[..head.len().min(80)]);
    }
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..200 {
        let mut bytes = get("/metrics", &bearer(TOKEN)).into_bytes();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        let mut stream = w.connect();
        let _ = stream.write_all(&bytes).and_then(|()| stream.write_all(b"Connection: close\r\n\r\n"));
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    // Many at once, while the server works.
    std::thread::scope(|s| {
        for _ in 0..8 {
            s.spawn(|| (0..5).for_each(|_| _ = w.metrics()));
        }
        for n in 0..50 {
            run(&mut c, &format!("SELECT {n}"));
        }
    });
    // Whoever is connected and silent does not keep the server from ending.
    let _silent = w.connect();
    let began = Instant::now();
    drop(w);
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn metrics_are_encrypted_where_ssl_is_on_and_stay_at_home_where_it_is_off() {
    let all = [("metrics_listen", "0.0.0.0:0"), ("unix_socket_directories", "")];
    let refused =
        Server::start(Arc::new(ToyService(Arc::default())), settings(&all), Users::new(), Vec::new());
    assert!(matches!(refused.map(|_| ()), Err(StartError::MetricsInTheOpen(_))));
    for bad in ["9187", "localhost", "127.0.0.1:x"] {
        let bad = settings(&[("metrics_listen", bad), ("unix_socket_directories", "")]);
        let refused = Server::start(Arc::new(ToyService(Arc::default())), bad, Users::new(), Vec::new());
        assert!(matches!(refused.map(|_| ()), Err(StartError::BadAddress { .. })));
    }

    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new("an authority");
    let (cert, key) = authority.sign(&params("db", &["localhost"]));
    put(dir.path(), "server.crt", &cert);
    put(dir.path(), "server.key", &key);
    let at = |name: &str| dir.path().join(name).display().to_string();
    let (cert, key) = (at("server.crt"), at("server.key"));
    let w = Watched::new(&[
        ("ssl", "on"),
        ("ssl_cert_file", &cert),
        ("ssl_key_file", &key),
        ("metrics_listen", "0.0.0.0:0"),
    ]);
    let port = w.server().metrics_address().unwrap().port();
    let connect = || TcpStream::connect(("127.0.0.1", port)).unwrap();
    let (plain, _) = answer(connect(), &get("/metrics", &bearer(TOKEN)));
    assert!(!plain.contains("HTTP/1.1 200"), "{plain}");

    let mut roots = rustls::RootCertStore::empty();
    roots.add(authority.0.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = builder.unwrap().with_root_certificates(roots).with_no_client_auth();
    // As a browser does.
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let client = rustls::ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let stream = rustls::StreamOwned::new(client, connect());
    let (head, body) = answer(stream, &get("/metrics", &bearer(TOKEN)));
    assert!(head.starts_with("HTTP/1.1 200") && body.contains("evenkeel_up 1"), "{head}");
}

#[test]
fn promtool_takes_the_metrics() {
    let w = Watched::new(&[]);
    let (head, body) = w.ask(&get("/metrics", &bearer(TOKEN)));
    assert!(head.contains("text/plain; version=0.0.4"), "{head}");
    let promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut promtool) = promtool else {
        println!("promtool is not there: metrics are checked by our own reader only");
        return;
    };
    promtool.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
    let out = promtool.wait_with_output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success() && said.is_empty(), "{said}");
}

/// Names of metrics in an expression of Prometheus.
fn names_in(expression: &str) -> Vec<&str> {
    let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|w| w.starts_with("evenkeel_") || w.starts_with("process_")).collect()
}

#[test]
fn the_dashboard_and_the_alerts_ask_for_what_there_is() {
    let ops = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ops");
    let dashboard = std::fs::read_to_string(ops.join("grafana/evenkeel.json")).unwrap();
    let rules = std::fs::read_to_string(ops.join("prometheus/evenkeel.rules.yml")).unwrap();
    let dashboard: serde_json::Value = serde_json::from_str(&dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|p| p["targets"].as_array()).flatten();
    let mut expressions: Vec<&str> = targets.map(|t| t["expr"].as_str().unwrap()).collect();
    assert!(expressions.len() > 50, "{}", expressions.len());
    expressions.push(dashboard["templating"]["list"][1]["query"]["query"].as_str().unwrap());
    let alerts: Vec<&str> = rules.lines().filter_map(|l| l.trim().strip_prefix("expr: ")).collect();
    assert_eq!(alerts.len(), rules.matches("alert: ").count());
    expressions.extend(alerts);

    // A server that has all there is to be asked for: a backup, a follower, a slot.
    let w = Watched::new(&[]);
    let made = w.database.backup(&Default::default(), &mut |_| std::ops::ControlFlow::Continue(()));
    made.unwrap();
    let mut follower = Client::new(TcpStream::connect(w.server().addresses()[0]).unwrap());
    follower.start(&[("user", "postgres"), ("replication", "true"), ("application_name", "f\"\\\nü")]);
    run(&mut follower, "CREATE_REPLICATION_SLOT s PHYSICAL (RESERVE_WAL)");
    let at = w.database.slots()[0].restart.unwrap();
    follower.send(&[query(&format!("START_REPLICATION SLOT s PHYSICAL {at} (life '0', compression 'off')"))]);
    assert_eq!(follower.receive().kind, 'W');
    // The archive is looked through on another thread, and the follower is told of once something was sent.
    let wanted = ["evenkeel_backup_age_seconds", "evenkeel_replication_lag_bytes"];
    let began = Instant::now();
    while !wanted.iter().all(|name| w.metrics().names().contains(name)) {
        assert!(began.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(10));
    }
    let metrics = w.metrics();
    assert_eq!(metrics.value("evenkeel_replication_followers"), 1.0);
    assert_eq!(metrics.value("evenkeel_replication_slot_active{slot=\"s\"}"), 1.0);
    let mut known = metrics.names();
    // A standby's, which `export.rs` has a test of.
    known.extend(["evenkeel_standby_connected", "evenkeel_standby_replay_lag_bytes"]);
    for expression in expressions {
        let names = names_in(expression);
        assert!(!names.is_empty(), "{expression}");
        for name in names {
            assert!(known.contains(name), "{name} of {expression}");
        }
    }
    match Command::new("promtool")
        .args(["check", "rules"])
        .arg(ops.join("prometheus/evenkeel.rules.yml"))
        .output()
    {
        Ok(out) => assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr)),
        Err(_) => println!("promtool is not there: the alerts are checked by their names only"),
    }
}

/// What is slow on a slow disk is the wait for the log, behind all that a statement itself does.
#[test]
fn times_of_statements_have_the_wait_for_the_log() {
    const WAIT_S: f64 = 0.05;
    let w = Watched::of(&[("commit_delay", "50ms"), ("commit_siblings", "0")], &[]);
    let mut c = w.session();
    run(&mut c, "CREATE TABLE t (id int PRIMARY KEY, v int)");
    run(&mut c, "SELECT pg_stat_statements_reset()");
    let before = w.metrics();
    run(&mut c, "INSERT INTO t VALUES (1, 0)");
    let insert = |portal: &str, id: i32| {
        let values = format!("INSERT INTO t VALUES ({id}, 0)");
        [parse("", &values, &[]), bind(portal, "", &[], &[], &[]), execute(portal, 0)].concat()
    };
    // One that is all of its batch, and three of which the last one's wait is that of all.
    for batch in [2..3, 3..6] {
        c.send(&batch.map(|id| insert("", id)).chain([sync()]).collect::<Vec<_>>());
        c.until_ready();
    }
    c.send(&[query("COPY t FROM STDIN")]);
    while c.receive().kind != 'G' {}
    c.send(&[frame(b'd', b"6\t0\n"), frame(b'c', b"")]);
    c.until_ready();
    run(&mut c, "BEGIN");
    run(&mut c, "UPDATE t SET v = 1");
    run(&mut c, "COMMIT");
    run(&mut c, "SELECT * FROM t");
    let after = w.metrics();
    let of = |what: &str, kind: &str| {
        let name = format!("evenkeel_statement_duration_seconds_{what}{{kind=\"{kind}\"}}");
        after.value(&name) - before.value(&name)
    };
    for (kind, count, waits) in [
        ("insert", 5.0, 3.0),
        ("copy", 1.0, 1.0),
        ("transaction", 2.0, 1.0),
        ("update", 1.0, 0.0),
        ("select", 1.0, 0.0),
    ] {
        assert_eq!(of("count", kind), count, "{kind}");
        let took = of("sum", kind);
        assert!(took >= waits * WAIT_S && took < (waits + 0.9) * WAIT_S, "{kind}: {took}");
    }
    // Each commit, whoever waits for the log on behalf of whom.
    let waits = |what: &str| {
        let name = format!("evenkeel_commit_wait_duration_seconds_{what}");
        after.value(&name) - before.value(&name)
    };
    assert_eq!(waits("count"), 5.0);
    assert!(waits("sum") > 5.0 * 0.9 * WAIT_S, "{}", waits("sum"));
    // The execution alone, as in PostgreSQL.
    let took = "SELECT max(max_exec_time) < 50 FROM pg_stat_statements WHERE query ~ 'INSERT|COMMIT|COPY'";
    assert_eq!(run(&mut c, took)[0][0].as_deref(), Some("t"));
    let active = "SELECT active_time >= 250 FROM pg_stat_database WHERE datname = 'postgres'";
    assert_eq!(run(&mut c, active)[0][0].as_deref(), Some("t"));
}

#[test]
fn the_alerts_fire_when_they_should_and_say_what_is() {
    let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/alerts.yml");
    match Command::new("promtool").args(["test", "rules"]).arg(cases).output() {
        Ok(out) => {
            let said = [out.stdout, out.stderr].concat();
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&said));
        }
        Err(_) => println!("promtool is not there: the alerts are not run"),
    }
}

#[test]
fn the_live_page_shows_waits_and_needs_nothing_from_elsewhere() {
    let w = Watched::new(&[]);
    for path in ["/", "/live.css", "/live.js", "/live.json"] {
        assert!(w.ask(&get(path, "")).0.starts_with("HTTP/1.1 401"), "{path}");
    }
    let mut page = String::new();
    for path in ["/", "/live.css", "/live.js"] {
        let (head, body) = w.ask(&get(path, &bearer(TOKEN)));
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("default-src 'none'"), "{head}");
        page.push_str(&body.replace("http://www.w3.org/2000/svg", ""));
    }
    for elsewhere in ["http:", "https:", "//cdn", "@import", "url(", "innerHTML", "eval("] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }

    let (mut a, mut b, mut c) = (w.session(), w.session(), w.session());
    run(&mut a, "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, '<b>')");
    run(&mut a, "BEGIN; UPDATE t SET v = 'x' WHERE id = 1");
    b.send(&[query("UPDATE t SET v = '<script>' WHERE id = 1")]);
    let live = || {
        let (head, body) = w.ask(&get("/live.json", &bearer(TOKEN)));
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        serde_json::from_str::<serde_json::Value>(&body).unwrap()
    };
    let until = |wanted: u64| {
        let began = Instant::now();
        loop {
            let now = live();
            if now["waiters"] == wanted {
                return now;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "{now}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    until(1);
    c.send(&[query("BEGIN; LOCK TABLE t")]);
    let now = until(2);
    let shown = |pid: i32| now["sessions"].as_array().unwrap().iter().find(|s| s["pid"] == pid).unwrap();
    assert_eq!(shown(b.pid)["waits_for"], "transactionid");
    assert_eq!(shown(b.pid)["blocked_by"], serde_json::json!([a.pid]));
    assert_eq!(shown(c.pid)["waits_for"], "relation");
    let by = shown(c.pid)["blocked_by"].as_array().unwrap();
    assert!(by.contains(&a.pid.into()) && by.contains(&b.pid.into()), "{by:?}");
    assert_eq!(shown(a.pid)["state"], "idle in transaction");
    let told =
        |by: &[i32]| Some(format!("{{{}}}", by.iter().map(i32::to_string).collect::<Vec<_>>().join(",")));
    let mut d = w.session();
    for (pid, by) in [(a.pid, &[][..]), (b.pid, &[a.pid]), (c.pid, &[a.pid.min(b.pid), a.pid.max(b.pid)])] {
        assert_eq!(run(&mut d, &format!("SELECT pg_blocking_pids({pid})"))[0][0], told(by));
    }
    run(&mut a, "COMMIT");
    b.until_ready();
    c.until_ready();
    run(&mut c, "COMMIT");
    let now = until(0);
    assert!(now["partitions"].as_array().unwrap().len() > 1);
    assert_eq!(now["latency"].as_array().unwrap().len(), 120);
    let is_update = |t: &serde_json::Value| t["text"].as_str().unwrap().starts_with("UPDATE t");
    let began = Instant::now();
    while !live()["top"].as_array().unwrap().iter().any(is_update) {
        assert!(began.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(50));
    }
}
