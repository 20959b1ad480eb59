//! Replication connections, byte by byte: what is answered, what is refused, and what a follower may not do.

mod common;

use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::*;
use evenkeel::{Database, Options, TxnOptions};
use evenkeel_server::{Server, SqlService, Users};
use evenkeel_sql::Instance;

/// Long enough for anything that ends at all.
const LONG: Duration = Duration::from_secs(60);

struct Primary {
    server: Option<Server<SqlService>>,
    database: Database,
    _folder: tempfile::TempDir,
}

impl Primary {
    fn new(set: &[(&str, &str)]) -> Primary {
        let folder = tempfile::tempdir().unwrap();
        let options =
            Options::default().with("shared_buffers", "16MB").unwrap().with("fsync", "off").unwrap();
        let database = Database::open(folder.path(), options).unwrap();
        let instance = Instance::open(database.clone()).unwrap();
        let service = Arc::new(SqlService::new(instance));
        let server = Server::start(service, settings(set), Users::new(), Vec::new()).unwrap();
        Primary { server: Some(server), database, _folder: folder }
    }

    fn connect(&self, params: &[(&str, &str)]) -> Client {
        let mut c = Client::new(TcpStream::connect(self.server.as_ref().unwrap().addresses()[0]).unwrap());
        c.start(params);
        c
    }

    fn follower(&self) -> Client {
        self.connect(&[("user", "postgres"), ("replication", "true"), ("application_name", "f")])
    }

    /// A follower of slot `s`, from its begin on.
    fn following(&self) -> Client {
        let mut c = self.follower();
        ok(&mut c, "CREATE_REPLICATION_SLOT s PHYSICAL (RESERVE_WAL)");
        c.send(&[query(&self.start("SLOT s "))]);
        assert_eq!(c.receive().kind, 'W');
        c
    }

    fn start(&self, slot: &str) -> String {
        let at = self.database.slots().first().and_then(|s| s.restart).unwrap();
        format!("START_REPLICATION {slot}PHYSICAL {at} (life '0', compression 'off')")
    }

    fn is_slot_active(&self) -> bool {
        self.database.slots()[0].is_active
    }

    fn wait_until_inactive(&self) {
        let began = Instant::now();
        while self.is_slot_active() {
            assert!(began.elapsed() < LONG, "the slot is in use for ever");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        drop(self.server.take());
        let _ = self.database.close();
    }
}

fn ok(c: &mut Client, command: &str) -> Vec<Option<String>> {
    c.send(&[query(command)]);
    let replies = c.until_ready();
    assert!(!replies.iter().any(|r| r.kind == 'E'), "{command}: {replies:?}");
    replies.iter().find(|r| r.kind == 'D').map(values).unwrap_or_default()
}

fn until_end(c: &mut Client) -> Vec<Reply> {
    std::iter::from_fn(|| c.try_receive()).collect()
}

fn code(c: &mut Client, command: &str) -> String {
    c.error(&[query(command)]).field(b'C').unwrap()
}

#[test]
fn commands_are_answered_and_nonsense_is_refused() {
    let primary = Primary::new(&[]);
    let mut c = primary.follower();
    let who = ok(&mut c, "IDENTIFY_SYSTEM");
    assert_eq!(who[0].as_deref(), Some(&primary.database.database_id().to_string()[..]));
    assert_eq!((who.len(), who[1].as_deref(), &who[3]), (6, Some("1"), &None));
    assert_eq!(ok(&mut c, "SHOW wal_sender_images"), [Some("strip".to_owned())]);
    assert_eq!(ok(&mut c, "SHOW max_wal_size"), [Some("1GB".to_owned())]);
    assert_eq!(ok(&mut c, "SHOW data_directory_mode"), [Some("0700".to_owned())]);
    let made = ok(&mut c, "CREATE_REPLICATION_SLOT \"a\" PHYSICAL");
    assert_eq!((made[0].as_deref(), made[1].as_deref()), (Some("a"), Some("0/0")));
    assert_eq!(ok(&mut c, "READ_REPLICATION_SLOT a")[0].as_deref(), Some("physical"));
    assert_eq!(ok(&mut c, "READ_REPLICATION_SLOT none"), [None, None, None]);
    for (command, expected) in [
        ("SELECT 1", "42601"),
        ("SHOW nonsense", "42704"),
        ("CREATE_REPLICATION_SLOT a PHYSICAL", "42710"),
        ("CREATE_REPLICATION_SLOT \"A b\" PHYSICAL", "22023"),
        ("CREATE_REPLICATION_SLOT l LOGICAL pgoutput", "0A000"),
        ("DROP_REPLICATION_SLOT none", "42704"),
        ("TIMELINE_HISTORY 1", "0A000"),
        // PostgreSQL's own programs.
        ("BASE_BACKUP (LABEL 'x', PROGRESS)", "0A000"),
        ("START_REPLICATION SLOT a 0/1000 TIMELINE 1", "0A000"),
        ("BASE_BACKUP (SLOT 'none')", "42704"),
        // It keeps no log.
        ("BASE_BACKUP (SLOT 'a')", "22023"),
        ("START_REPLICATION SLOT none PHYSICAL 0/1000 (life '0')", "42704"),
        ("START_REPLICATION PHYSICAL FFFF/0 (life '0')", "22023"),
        ("START_REPLICATION PHYSICAL 0/10000 (life '123')", "22023"),
        ("PROMOTE", "55000"),
    ] {
        assert_eq!(code(&mut c, command), expected, "{command}");
    }
    ok(&mut c, "DROP_REPLICATION_SLOT a");
    // Statements have no place here, nor the extended protocol.
    let refused = c.error(&[frame(b'P', b"\0select 1\0\0\0")]);
    assert_eq!(refused.field(b'C').unwrap(), "08P01");
    ok(&mut c, "IDENTIFY_SYSTEM");
}

#[test]
fn a_slot_has_one_user_and_temporary_ones_go() {
    let primary = Primary::new(&[]);
    let streaming = primary.following();
    assert!(primary.is_slot_active());
    let mut other = primary.follower();
    assert_eq!(code(&mut other, &primary.start("SLOT s ")), "55006");
    assert_eq!(code(&mut other, "DROP_REPLICATION_SLOT s"), "55006");
    drop(streaming);
    primary.wait_until_inactive();
    ok(&mut other, "DROP_REPLICATION_SLOT s");
    ok(&mut other, "CREATE_REPLICATION_SLOT t TEMPORARY PHYSICAL RESERVE_WAL");
    let mut c = primary.connect(&[("user", "postgres")]);
    let shown = ok(&mut c, "SELECT slot_name, temporary, active, active_pid > 0 FROM pg_replication_slots");
    let shown: Vec<&str> = shown.iter().map(|v| v.as_deref().unwrap_or("null")).collect();
    assert_eq!(shown, ["t", "t", "t", "t"]);
    // It is nobody else's.
    let mut third = primary.follower();
    assert_eq!(code(&mut third, &primary.start("SLOT t ")), "55006");
    assert_eq!(code(&mut third, "DROP_REPLICATION_SLOT t"), "55006");
    assert_eq!(code(&mut c, "SELECT pg_drop_replication_slot('t')"), "55006");
    ok(&mut other, "DROP_REPLICATION_SLOT t");
    ok(&mut other, "CREATE_REPLICATION_SLOT t TEMPORARY PHYSICAL");
    assert_eq!(primary.database.slots().len(), 1);
    drop(other);
    let began = Instant::now();
    while !primary.database.slots().is_empty() {
        assert!(began.elapsed() < LONG, "a temporary slot stays");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn slots_are_made_and_dropped_by_sql_too() {
    let primary = Primary::new(&[]);
    let mut c = primary.connect(&[("user", "postgres")]);
    let value = |c: &mut Client, sql: &str| ok(c, sql)[0].clone().unwrap();
    assert_eq!(value(&mut c, "SELECT pg_create_physical_replication_slot('a')"), "(a,)");
    assert!(value(&mut c, "SELECT pg_create_physical_replication_slot('b', true)").starts_with("(b,0/"));
    let shown =
        ok(&mut c, "SELECT slot_name, active, restart_lsn IS NULL, wal_status FROM pg_replication_slots");
    let shown: Vec<&str> = shown.iter().map(|v| v.as_deref().unwrap_or("null")).collect();
    assert_eq!(shown, ["a", "f", "t", "null"]);
    assert_eq!(value(&mut c, "SELECT pg_drop_replication_slot('a')"), "");
    assert_eq!(value(&mut c, "SELECT count(*) FROM pg_replication_slots"), "1");
    assert_eq!(value(&mut c, "SELECT pg_wal_lsn_diff('1/10', '0/FFFFFFFF')"), "17");
    assert_eq!(value(&mut c, "SELECT pg_wal_lsn_diff('0/0', '0/10')"), "-16");
    for (sql, expected) in [
        ("SELECT pg_create_physical_replication_slot('b')", "42710"),
        ("SELECT pg_create_physical_replication_slot('x', true, true)", "0A000"),
        ("SELECT pg_drop_replication_slot('a')", "42704"),
        ("SELECT pg_wal_lsn_diff('12', '0/0')", "22P02"),
    ] {
        assert_eq!(code(&mut c, sql), expected, "{sql}");
    }
}

#[test]
fn log_is_sent_as_it_becomes_durable_and_what_is_confirmed_counts() {
    let primary = Primary::new(&[]);
    let mut c = primary.following();
    let (mut end, mut kinds) = (0, Vec::new());
    let mut take_to = |c: &mut Client, to: u64| {
        while end < to {
            let data = c.receive();
            assert_eq!(data.kind, 'd', "{data:?}");
            if data.body[0] == b'w' {
                let at = u64::from_be_bytes(data.body[1..9].try_into().unwrap());
                let told = u64::from_be_bytes(data.body[9..17].try_into().unwrap());
                kinds.push(data.body[25]);
                if data.body[25] == b'R' {
                    end = at + data.body.len() as u64 - 26;
                    assert!(end <= told, "nothing that may not be told");
                }
            }
        }
        end
    };
    let mut t = primary.database.begin(TxnOptions::default());
    let tree = t.create_tree().unwrap();
    t.put(tree, b"k", b"v").unwrap();
    t.commit().unwrap();
    let told = primary.database.durable_lsn().0;
    let end = take_to(&mut c, told);
    let mut status = vec![b'r'];
    // Whatever it claims, no more than there is.
    for lsn in [u64::MAX, u64::MAX, 0] {
        status.extend_from_slice(&lsn.to_be_bytes());
    }
    status.extend_from_slice(&[0; 9]);
    c.send(&[frame(b'd', &status)]);
    let began = Instant::now();
    while primary.database.slots()[0].restart.unwrap().0 < end {
        assert!(began.elapsed() < LONG);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(primary.database.slots()[0].restart.unwrap() <= primary.database.durable_lsn());
    // It ends when the follower wants no more, and the connection goes on.
    c.send(&[frame(b'c', b"")]);
    let rest = c.until_ready();
    assert!(rest.iter().any(|r| r.kind == 'c') && rest.iter().all(|r| r.kind != 'E'), "{rest:?}");
    ok(&mut c, "IDENTIFY_SYSTEM");
    primary.wait_until_inactive();
}

#[test]
fn a_follower_that_talks_nonsense_or_says_nothing_is_let_go() {
    let primary = Primary::new(&[("wal_sender_timeout", "300ms")]);
    for (kind, body) in
        [(b'd', &b"x"[..]), (b'd', b""), (b'd', b"r1234"), (b'Q', b"SELECT 1\0"), (b'f', b"\0")]
    {
        let mut c = primary.following();
        c.send(&[frame(kind, body)]);
        let told = until_end(&mut c);
        let error = told.iter().find(|r| r.kind == 'E').unwrap_or_else(|| panic!("{kind}: {told:?}"));
        assert_eq!(error.field(b'C').unwrap(), "08P01", "{kind}");
        primary.wait_until_inactive();
        primary.database.drop_slot("s").unwrap();
    }
    let mut silent = primary.following();
    let told = until_end(&mut silent);
    assert!(
        told.iter().any(|r| r.kind == 'd' && r.body[0] == b'k' && r.body[17] == 1),
        "it was asked: {told:?}"
    );
    primary.wait_until_inactive();
}

#[test]
fn there_are_as_many_as_the_setting_says_and_a_shutdown_ends_them() {
    let primary = Primary::new(&[
        ("max_wal_senders", "1"),
        ("max_connections", "1"),
        ("superuser_reserved_connections", "0"),
    ]);
    let session = primary.connect(&[("user", "postgres")]);
    let mut first = primary.following();
    let mut c = Client::new(TcpStream::connect(primary.server.as_ref().unwrap().addresses()[0]).unwrap());
    c.send(&[startup_packet(3 << 16, &[("user", "postgres"), ("replication", "true")])]);
    assert_eq!(c.last_words().field(b'C').unwrap(), "53300");
    drop(session);
    // It confirms nothing, and is not waited for for ever; but all that there is was sent to it.
    let mut t = primary.database.begin(TxnOptions::default());
    t.create_tree().unwrap();
    t.commit().unwrap();
    let told = primary.database.durable_lsn().0;
    primary.server.as_ref().unwrap().shutdown();
    let replies = until_end(&mut first);
    let end = |r: &Reply| {
        let at = u64::from_be_bytes(r.body[1..9].try_into().unwrap());
        at + r.body.len() as u64 - 26
    };
    let sent = replies.iter().filter(|r| r.kind == 'd' && r.body[0] == b'w' && r.body[25] == b'R').map(end);
    assert_eq!(sent.max(), Some(told));
    assert_eq!(replies.iter().find(|r| r.kind == 'E').unwrap().field(b'C').unwrap(), "57P01");
}

/// REPLICATION is the right to follow the log, and no more: neither to end a standby's following, nor to see what only some may see.
#[test]
fn who_follows_may_do_no_more_than_that() {
    let primary = Primary::new(&[]);
    let mut admin = primary.connect(&[("user", "postgres"), ("database", "postgres")]);
    for sql in [
        "CREATE ROLE plain LOGIN",
        "CREATE ROLE repl LOGIN REPLICATION",
        "CREATE ROLE reader LOGIN REPLICATION",
        "GRANT pg_read_all_settings TO reader",
    ] {
        admin.send(&[query(sql)]);
        assert!(!admin.until_ready().iter().any(|r| r.kind == 'E'), "{sql}");
    }
    let as_role = |role: &str| primary.connect(&[("user", role), ("replication", "true")]);
    let mut repl = as_role("repl");
    assert_eq!(code(&mut repl, "PROMOTE"), "42501");
    assert_eq!(code(&mut repl, "SHOW data_directory"), "42501");
    assert_eq!(code(&mut repl, "SHOW metrics_token_file"), "42501");
    assert_eq!(ok(&mut repl, "SHOW max_wal_size"), [Some("1GB".to_owned())]);
    let mut reader = as_role("reader");
    assert_ne!(code(&mut reader, "SHOW no_such"), "42501");
    reader.send(&[query("SHOW unix_socket_directories")]);
    assert!(!reader.until_ready().iter().any(|r| r.field(b'C').as_deref() == Some("42501")));
    assert_eq!(code(&mut reader, "PROMOTE"), "42501");
}
