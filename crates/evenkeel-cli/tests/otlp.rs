//! Spans of statements reach a collector, without the statements' values; without the feature the setting is refused.
//!
//! The collector is a listener that keeps what it is sent: texts stand in protobuf's messages as they are.

mod common;

use common::Serving;
#[cfg(not(feature = "otlp"))]
use common::{run, stderr};

#[cfg(not(feature = "otlp"))]
#[test]
fn without_the_feature_the_setting_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("db");
    let output =
        run(&["serve", "--data", data.to_str().unwrap(), "--set", "otlp_endpoint=http://127.0.0.1:4318"]);
    assert!(!output.status.success());
    let said = stderr(&output);
    assert!(said.contains("--features otlp"), "{said}");
    // And nothing is in the way of a server that does not ask for it.
    Serving::start(&data, &[]);
}

#[cfg(feature = "otlp")]
mod with {
    use super::*;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc;
    use std::time::Duration;

    /// One request: its path and its body.
    fn request(stream: TcpStream) -> Option<(String, Vec<u8>)> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let header = header.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        reader
            .get_mut()
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .ok()?;
        Some((path, body))
    }

    fn has(body: &[u8], part: &[u8]) -> bool {
        body.windows(part.len()).any(|w| w == part)
    }

    #[test]
    fn spans_reach_a_collector_without_values() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("otlp_endpoint=http://{}", listener.local_addr().unwrap());
        let (send, received) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(found) = request(stream)
                    && send.send(found).is_err()
                {
                    return;
                }
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let server = Serving::start(&folder.path().join("db"), &["--set", &endpoint]);
        let mut client = server.client();
        client.query("create table t (a int primary key, secret text)");
        client.query("insert into t values (1, 'a value to hide')");
        let traced = "/*traceparent='00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-01'*/";
        client.query(&format!("select * from t where a = 1 {traced}"));
        client.query("insert into t values (1, 'another')");
        client.query("create role r password 'a secret'");
        server.signal(rustix::process::Signal::TERM);
        // What is left is sent before the end.
        let mut all = Vec::new();
        while let Ok((path, body)) = received.recv_timeout(Duration::from_secs(30)) {
            assert_eq!(path, "/v1/traces");
            all.extend(body);
            if has(&all, b"create role") {
                break;
            }
        }
        for wanted in [
            &b"insert into t values ($1, $2)"[..],
            b"select * from t where a = $1",
            b"create role r password $1",
            b"db.query.text",
            b"23505",
            b"answer",
            b"\x5b\xd6\x6e\xf5\x09\x53\x69\xc7\xb0\xd1\xf8\xf4\xbd\x33\x71\x6a",
            b"\xc5\x32\xcb\x40\x98\xac\x3d\xd2",
        ] {
            assert!(has(&all, wanted), "{} is missing", String::from_utf8_lossy(wanted));
        }
        for hidden in [&b"a value to hide"[..], b"another", b"a secret"] {
            assert!(!has(&all, hidden), "{} has left", String::from_utf8_lossy(hidden));
        }
        let (code, log) = server.finish();
        assert_eq!(code, 0, "{log}");
    }
}
