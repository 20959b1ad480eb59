//! Encrypted connections, from the client's side: handshakes good, half, hostile; who is let in by them; certificates that change.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use common::authority::{Authority, params, put};
use common::*;
use evenkeel_client::{ConnString, Connection};
use evenkeel_server::{Server, ServerSettings, StartError, Users, make_verifier};
use rcgen::{BasicConstraints, IsCa, KeyPair, date_time_ymd};

const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A server that encrypts, its folder, and the authority of its certificate.
struct Secured {
    dir: tempfile::TempDir,
    authority: Authority,
    fixture: Fixture,
}

fn files(dir: &Path) -> Vec<(String, String)> {
    let at = |name: &str| dir.join(name).display().to_string();
    vec![
        ("ssl".into(), "on".into()),
        ("ssl_cert_file".into(), at("server.crt")),
        ("ssl_key_file".into(), at("server.key")),
    ]
}

fn with(pairs: &[(String, String)]) -> ServerSettings {
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    settings(&pairs)
}

impl Secured {
    fn new(more: &[(&str, &str)], users: Users) -> Secured {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::new("an authority");
        let (cert, key) = authority.sign(&params("db", &["db.example", "127.0.0.1"]));
        put(dir.path(), "server.crt", &cert);
        put(dir.path(), "server.key", &key);
        put(dir.path(), "root.crt", &authority.0.pem());
        let mut pairs = files(dir.path());
        pairs.extend(
            more.iter().map(|(n, v)| (n.to_string(), v.replace("DIR", &dir.path().display().to_string()))),
        );
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let fixture = Fixture::with(&pairs, users);
        Secured { dir, authority, fixture }
    }

    fn to(&self, more: &str) -> ConnString {
        let dir = self.dir.path().display();
        let port = self.fixture.server.addresses()[0].port();
        // What the user that runs the test has at home is not to matter.
        let text = format!(
            "hostaddr=127.0.0.1 port={port} user=ann dbname=postgres password=secret sslcert={dir}/none {}",
            more.replace("DIR", &dir.to_string())
        );
        let text = if text.contains("sslrootcert") { text } else { format!("{text} sslrootcert={dir}/none") };
        text.parse().unwrap()
    }

    fn connect(&self, more: &str) -> Result<Connection, String> {
        Connection::open(&self.to(more), "test").map_err(|e| e.to_string())
    }

    fn refused(&self, more: &str) -> String {
        self.connect(more).map(|_| ()).expect_err("it is let in")
    }
}

#[test]
fn modes_go_as_far_as_they_say() {
    let s = Secured::new(&[], Users::new());
    for (mode, encrypted) in [
        ("sslmode=disable", false),
        ("sslmode=allow", false),
        ("sslmode=prefer", true),
        ("sslmode=require", true),
        ("sslmode=require sslrootcert=DIR/root.crt", true),
        ("sslmode=require sslnegotiation=direct", true),
        ("sslmode=verify-ca host=elsewhere sslrootcert=DIR/root.crt", true),
        ("sslmode=verify-full host=db.example sslrootcert=DIR/root.crt", true),
        ("sslmode=verify-full sslrootcert=DIR/root.crt", true),
    ] {
        let mut c = s.connect(mode).unwrap_or_else(|e| panic!("{mode}: {e}"));
        assert_eq!(c.is_encrypted(), encrypted, "{mode}");
        assert_eq!(c.query("rows 2").unwrap().len(), 2, "{mode}");
    }
    let plain = Fixture::new();
    let port = plain.server.addresses()[0].port();
    let to =
        |mode: &str| format!("host=127.0.0.1 port={port} user=ann {mode}").parse::<ConnString>().unwrap();
    assert!(!Connection::open(&to("sslmode=prefer"), "test").unwrap().is_encrypted());
    let e = Connection::open(&to("sslmode=require"), "test").map(|_| ()).unwrap_err().to_string();
    assert_eq!(e, "server does not support SSL, but SSL was required");
}

#[test]
fn a_server_that_is_another_is_not_talked_to() {
    let s = Secured::new(&[], Users::new());
    put(s.dir.path(), "other.crt", &Authority::new("another").0.pem());
    let e = s.refused("sslmode=verify-full host=elsewhere.example sslrootcert=DIR/root.crt");
    assert_eq!(
        e,
        "server certificate for \"db.example\" (and 1 other name) does not match host name \"elsewhere.example\""
    );
    assert!(s.refused("sslmode=verify-ca sslrootcert=DIR/other.crt").contains("UnknownIssuer"));
    assert!(s.refused("sslmode=require sslrootcert=DIR/other.crt").contains("UnknownIssuer"));
    assert!(s.refused("sslmode=verify-ca").contains("does not exist"));
    // As libpq: it goes on without encryption, which the mode allows.
    assert!(!s.connect("sslmode=prefer sslrootcert=DIR/other.crt").unwrap().is_encrypted());
}

#[test]
fn certificates_out_of_time_are_refused_and_those_that_signed_themselves_are_known() {
    let s = Secured::new(&[], Users::new());
    let mut p = params("db", &["db.example"]);
    p.is_ca = IsCa::Ca(BasicConstraints::Unconstrained); // as openssl req -x509 makes it
    let own = KeyPair::generate().unwrap();
    let pem = p.self_signed(&own).unwrap().pem();
    put(s.dir.path(), "server.crt", &pem);
    put(s.dir.path(), "server.key", &own.serialize_pem());
    let again = |s: &Secured| s.fixture.server.reload(&with(&files(s.dir.path())), Users::new(), Vec::new());
    again(&s);
    put(s.dir.path(), "own.crt", &pem);
    s.connect("sslmode=verify-full host=db.example sslrootcert=DIR/own.crt").unwrap();
    assert!(s.refused("sslmode=verify-ca sslrootcert=DIR/root.crt").contains("SSL error"));

    p.not_before = date_time_ymd(2000, 1, 1);
    p.not_after = date_time_ymd(2001, 1, 1);
    let pem = p.self_signed(&own).unwrap().pem();
    put(s.dir.path(), "server.crt", &pem);
    put(s.dir.path(), "own.crt", &pem);
    again(&s);
    assert!(s.refused("sslmode=verify-full host=db.example sslrootcert=DIR/own.crt").contains("Expired"));

    p.is_ca = IsCa::ExplicitNoCa;
    let (cert, key) = s.authority.sign(&p);
    put(s.dir.path(), "server.crt", &cert);
    put(s.dir.path(), "server.key", &key);
    again(&s);
    assert!(s.refused("sslmode=verify-ca sslrootcert=DIR/root.crt").contains("expired"));
    s.connect("sslmode=require").unwrap();
}

#[test]
fn passwords_are_bound_to_the_certificate() {
    let mut users = Users::new();
    users.add("ann", &make_verifier("secret").unwrap()).unwrap();
    let s = Secured::new(&[("local_authentication", "scram-sha-256")], users);
    for binding in ["require", "prefer", "disable"] {
        s.connect(&format!("sslmode=require channel_binding={binding}")).unwrap();
    }
    s.connect("sslmode=disable").unwrap();
    assert!(s.refused("sslmode=disable channel_binding=require").contains("SSL not in use"));
    let e = s.refused("sslmode=require password=wrong");
    assert_eq!(e, "password authentication failed for user \"ann\" (SQLSTATE 28P01)");
    let open = Secured::new(&[], Users::new());
    assert!(open.refused("sslmode=require channel_binding=require").contains("without channel binding"));
}

#[test]
fn clients_show_certificates_that_are_verified() {
    let s = Secured::new(&[("ssl_ca_file", "DIR/root.crt")], Users::new());
    for (name, by) in [("good", &s.authority), ("bad", &Authority::new("another"))] {
        let (cert, key) = by.sign(&params("ann", &[]));
        put(s.dir.path(), &format!("{name}.crt"), &cert);
        put(s.dir.path(), &format!("{name}.key"), &key);
    }
    let show = |name: &str| format!("sslmode=require sslcert=DIR/{name}.crt sslkey=DIR/{name}.key");
    s.connect(&show("good")).unwrap();
    s.connect("sslmode=require").unwrap();
    let e = s.refused(&show("bad"));
    assert!(e.contains("SSL error") || e.contains("closed") || e.contains("UnknownCA"), "{e}");
    std::fs::set_permissions(s.dir.path().join("good.key"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(s.refused(&show("good")).contains("has group or world access"));
}

#[test]
fn bytes_before_the_handshake_are_refused() {
    let s = Secured::new(&[], Users::new());
    let mut c = s.fixture.connect();
    // As somebody in between would: a question, and a start-up packet that nobody encrypted.
    c.send(&[SSL_REQUEST.to_vec(), startup_packet(3 << 16, &[("user", "ann")])]);
    let e = c.last_words();
    assert_eq!(e.field(b'C').unwrap(), "08P01");
    assert_eq!(e.field(b'M').unwrap(), "received unencrypted data after SSL request");
    assert!(s.fixture.toy.started.lock().is_empty());
}

#[test]
fn what_is_no_handshake_is_closed() {
    let s = Secured::new(&[("authentication_timeout", "1s")], Users::new());
    let address = s.fixture.server.addresses()[0];
    let closed = |mut stream: TcpStream, bytes: &[u8]| {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(bytes).unwrap();
        let mut all = Vec::new();
        // A reset is an end, too.
        if let Err(e) = stream.read_to_end(&mut all) {
            assert_eq!(e.kind(), std::io::ErrorKind::ConnectionReset);
        }
        all
    };
    // Plain bytes after the answer; a record of a handshake that is none; a length that is a lie; a hello cut short, where the time runs out.
    let asked = || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&SSL_REQUEST).unwrap();
        let mut answer = [0];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"S");
        stream
    };
    let junk = [0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0xff];
    for bytes in [&b"Q\0\0\0\x09rows 1\0"[..], &junk, &[0x16, 3, 1, 0xff, 0xff], &[0x16, 3, 1, 2, 0, 1]] {
        closed(asked(), bytes);
        closed(TcpStream::connect(address).unwrap(), bytes);
    }
    for n in 1..64u8 {
        let noise: Vec<u8> = (0..200).map(|i: u32| ((i * u32::from(n) * 37) >> 2) as u8).collect();
        drop(asked().write_all(&noise));
    }
    s.connect("sslmode=require").unwrap();
}

#[test]
fn many_who_begin_a_handshake_and_leave_it_keep_nobody_out() {
    let s = Secured::new(&[("max_connections", "4")], Users::new());
    let half: Vec<TcpStream> = (0..60)
        .map(|_| {
            let mut stream = TcpStream::connect(s.fixture.server.addresses()[0]).unwrap();
            stream.write_all(&SSL_REQUEST).unwrap();
            let _ = stream.write_all(&[0x16, 3, 1, 2]);
            stream
        })
        .collect();
    let mut c = s.connect("sslmode=require").unwrap();
    assert_eq!(c.query("rows 3").unwrap().len(), 3);
    drop(half);
}

#[test]
fn large_answers_and_large_questions_go_through_whole() {
    let s = Secured::new(&[("session_workers", "1")], Users::new());
    let mut slow = s.connect("sslmode=require").unwrap();
    let mut c = s.connect("sslmode=require").unwrap();
    let rows = c.query("rows 20000 100").unwrap();
    assert_eq!(rows.len(), 20_000);
    assert_eq!(rows[19_999][1].as_deref().unwrap().len(), 105);
    // Many questions at once: what lies decrypted already is not waited for.
    for c in [&mut c, &mut slow] {
        let mut burst = Vec::new();
        for _ in 0..2_000 {
            burst.extend(query("rows 1"));
        }
        c.write(&burst).unwrap();
        for n in 0..2_000 {
            assert_eq!(c.until_ready().unwrap().len(), 1, "{n}");
        }
    }
    let long = format!("rows 1 {}", " ".repeat(3 << 20));
    assert_eq!(c.query(&long).unwrap().len(), 1);
    assert_eq!(slow.query("rows 1").unwrap().len(), 1);
}

#[test]
fn a_statement_is_canceled_by_way_of_an_encrypted_connection() {
    let s = Secured::new(&[], Users::new());
    let mut plain = s.fixture.connect();
    plain.start(&[("user", "ann")]);
    plain.send(&[query("block")]);
    s.fixture.toy.wait_blocked(1);
    let mut cancel = raw_tls(&s, true).unwrap();
    let mut packet = vec![0, 0, 0, 16, 4, 210, 22, 46];
    packet.extend(plain.pid.to_be_bytes());
    packet.extend(&plain.secret);
    cancel.write_all(&packet).unwrap();
    let e = plain.receive();
    assert_eq!(e.field(b'C').unwrap(), "57014");
}

/// Any server is the right one here.
#[derive(Debug)]
struct Anybody;

impl rustls::client::danger::ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &rustls::pki_types::CertificateDer<'_>,
        _: &[rustls::pki_types::CertificateDer<'_>],
        _: &rustls::pki_types::ServerName<'_>,
        _: &[u8],
        _: rustls::pki_types::UnixTime,
    ) -> Result<rustls::client::danger::ServerCertVerified, rustls::Error> {
        Ok(rustls::client::danger::ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &rustls::pki_types::CertificateDer<'_>,
        _: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        Ok(rustls::client::danger::HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &rustls::pki_types::CertificateDer<'_>,
        _: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        Ok(rustls::client::danger::HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        let provider = rustls::crypto::ring::default_provider();
        provider.signature_verification_algorithms.supported_schemes()
    }
}

/// An encrypted stream that began without a question.
fn raw_tls(
    s: &Secured,
    alpn: bool,
) -> std::io::Result<rustls::StreamOwned<rustls::ClientConnection, TcpStream>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody))
        .with_no_client_auth();
    if alpn {
        config.alpn_protocols = vec![b"postgresql".to_vec()];
    }
    let name = "db.example".try_into().unwrap();
    let connection = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(s.fixture.server.addresses()[0])?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let mut stream = rustls::StreamOwned::new(connection, stream);
    stream.conn.complete_io(&mut stream.sock)?;
    Ok(stream)
}

#[test]
fn encryption_without_a_question_names_the_protocol() {
    let s = Secured::new(&[], Users::new());
    let hello = startup_packet(3 << 16, &[("user", "ann")]);
    let mut named = raw_tls(&s, true).unwrap();
    named.write_all(&hello).unwrap();
    let mut first = [0];
    named.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"R");
    // The handshake may look good from here before the server turns it down.
    let unnamed = raw_tls(&s, false).and_then(|mut stream| {
        stream.write_all(&hello)?;
        stream.read_exact(&mut first)
    });
    assert!(unnamed.is_err());
}

#[test]
fn certificates_change_under_load_and_bad_ones_change_nothing() {
    let s = Secured::new(&[], Users::new());
    let full = "sslmode=verify-full host=db.example sslrootcert=DIR/root.crt";
    let mut old = s.connect(full).unwrap();
    let reload = |pairs: &[(String, String)]| s.fixture.server.reload(&with(pairs), Users::new(), Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(s.connect(full).unwrap().query("rows 1").unwrap().len(), 1);
                }
            });
        }
        for round in 0..10 {
            if round % 2 == 0 {
                // A key that does not go with the certificate.
                put(s.dir.path(), "bad.key", &KeyPair::generate().unwrap().serialize_pem());
                let mut pairs = files(s.dir.path());
                pairs[2].1 = s.dir.path().join("bad.key").display().to_string();
                reload(&pairs);
            } else {
                let (cert, key) = s.authority.sign(&params("db", &["db.example"]));
                put(s.dir.path(), "next.crt", &cert);
                put(s.dir.path(), "next.key", &key);
                let mut pairs = files(s.dir.path());
                pairs[1].1 = s.dir.path().join("next.crt").display().to_string();
                pairs[2].1 = s.dir.path().join("next.key").display().to_string();
                reload(&pairs);
            }
        }
    });
    assert_eq!(old.query("rows 1").unwrap().len(), 1);
    reload(&[("ssl".into(), "off".into())]);
    assert!(s.refused("sslmode=require").contains("does not support SSL"));
    assert_eq!(old.query("rows 1").unwrap().len(), 1);
}

#[test]
fn versions_are_those_that_are_allowed() {
    let s = Secured::new(&[("ssl_max_protocol_version", "TLSv1.2")], Users::new());
    let c = raw_tls(&s, true).unwrap();
    assert_eq!(c.conn.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_2));
    let s = Secured::new(&[("ssl_min_protocol_version", "TLSv1.3")], Users::new());
    let c = raw_tls(&s, true).unwrap();
    assert_eq!(c.conn.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_3));
}

#[test]
fn files_that_are_no_good_are_told_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new("an authority");
    let (cert, key) = authority.sign(&params("db", &["db.example"]));
    let (_, other) = authority.sign(&params("db", &["db.example"]));
    put(dir.path(), "server.crt", &cert);
    let start = |more: &[(&str, &str)]| {
        let mut pairs = files(dir.path());
        pairs.extend(more.iter().map(|(n, v)| (n.to_string(), v.to_string())));
        let toy = Arc::new(ToyService(Arc::new(Toy::default())));
        match Server::start(toy, with(&pairs), Users::new(), Vec::new()) {
            Err(StartError::Tls(e)) => e.message,
            Err(e) => panic!("{e}"),
            Ok(_) => "started".into(),
        }
    };
    let at = |name: &str| dir.path().join(name).display().to_string();
    assert_eq!(
        start(&[]),
        format!("could not access private key file \"{}\": No such file or directory", at("server.key"))
    );
    put(dir.path(), "server.key", &key);
    assert_eq!(start(&[]), "started");
    std::fs::set_permissions(at("server.key"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(start(&[]), format!("private key file \"{}\" has group or world access", at("server.key")));
    put(dir.path(), "server.key", &other);
    assert!(start(&[]).starts_with("check of private key failed: "));
    put(dir.path(), "server.key", "no key");
    assert!(start(&[]).starts_with("could not load private key file"));
    put(dir.path(), "server.key", &key);
    put(dir.path(), "server.crt", "nothing");
    assert!(start(&[]).starts_with("could not load server certificate file"));
    put(dir.path(), "server.crt", &cert);
    assert!(start(&[("ssl_ca_file", "/none")]).starts_with("could not load root certificate file \"/none\""));
    assert_eq!(
        start(&[("ssl_min_protocol_version", "TLSv1.3"), ("ssl_max_protocol_version", "TLSv1.2")]),
        "could not set SSL protocol version range"
    );
}
