//! What the tests against a real S3 server share: the server that the environment names, buckets of their own, and a proxy that spoils connections.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use evenkeel_archive::CloudStore;

/// Names the server, as `127.0.0.1:5000`. It needs no real credentials.
const VARIABLE: &str = "EVENKEEL_TEST_S3";
/// Longest head of a request.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The server, if there is one: `cargo xtask s3` starts it.
pub fn server() -> Option<SocketAddr> {
    let Ok(named) = std::env::var(VARIABLE) else {
        eprintln!("not run: no S3 server ({VARIABLE}); cargo xtask s3 starts one");
        return None;
    };
    Some(named.parse().expect("an address and a port"))
}

/// A request without a signature, which the test server takes. Gives the status.
pub fn request(server: SocketAddr, method: &str, path: &str) -> u16 {
    let mut stream = TcpStream::connect(server).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {server}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let text = String::from_utf8_lossy(&answer);
    text.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

/// A new, empty bucket.
pub fn bucket(server: SocketAddr) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("evenkeel-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    assert_eq!(request(server, "PUT", &format!("/{name}")), 200);
    name
}

/// An archive in a bucket, by way of an address: the server's, or a proxy's.
pub fn store(at: SocketAddr, bucket: &str) -> CloudStore {
    let endpoint = format!("http://{at}");
    let options = [
        ("aws_endpoint", endpoint.as_str()),
        ("aws_allow_http", "true"),
        ("aws_region", "us-east-1"),
        ("aws_access_key_id", "test"),
        ("aws_secret_access_key", "test"),
    ];
    CloudStore::with(&format!("s3://{bucket}/an/archive"), &options).unwrap()
}

/// What becomes of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoiled {
    /// Nothing.
    Not,
    /// It is cut after so many bytes of the request.
    CutRequest(u64),
    /// It is cut after so many bytes of the answer: what was asked for has been done.
    CutAnswer(u64),
    /// It is answered with this status and body, without the server.
    Answer(u16, &'static str),
    /// Each piece comes late.
    Slow(Duration),
}

/// Says what becomes of each new connection.
pub type Spoiler = Box<dyn FnMut() -> Spoiled + Send>;

/// Stands between a store and the server.
pub struct Proxy {
    pub address: SocketAddr,
    spoiler: Arc<Mutex<Spoiler>>,
    thread: Option<JoinHandle<()>>,
    pub connections: Arc<AtomicU64>,
    closing: Arc<std::sync::atomic::AtomicBool>,
}

impl Proxy {
    pub fn new(server: SocketAddr, spoiler: Spoiler) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let spoiler = Arc::new(Mutex::new(spoiler));
        let connections = Arc::new(AtomicU64::new(0));
        let closing = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (s, n, end) = (spoiler.clone(), connections.clone(), closing.clone());
        let thread = std::thread::spawn(move || {
            while let Ok((client, _)) = listener.accept() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                n.fetch_add(1, Ordering::Relaxed);
                let spoiled = (s.lock().unwrap())();
                std::thread::spawn(move || drop(serve(client, server, spoiled)));
            }
        });
        Proxy { address, spoiler, thread: Some(thread), connections, closing }
    }

    pub fn set(&self, spoiler: Spoiler) {
        *self.spoiler.lock().unwrap() = spoiler;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(mut client: TcpStream, server: SocketAddr, spoiled: Spoiled) -> io::Result<()> {
    if let Spoiled::Answer(status, body) = spoiled {
        read_request(&mut client)?;
        let answer = format!(
            "HTTP/1.1 {status} Spoiled\r\ncontent-type: application/xml\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        return client.write_all(answer.as_bytes());
    }
    let upstream = TcpStream::connect(server)?;
    let limit = |cut: Option<u64>| cut.unwrap_or(u64::MAX);
    let (request, answer, pause) = match spoiled {
        Spoiled::CutRequest(n) => (Some(n), None, Duration::ZERO),
        Spoiled::CutAnswer(n) => (None, Some(n), Duration::ZERO),
        Spoiled::Slow(pause) => (None, None, pause),
        _ => (None, None, Duration::ZERO),
    };
    let (from, to) = (client.try_clone()?, upstream.try_clone()?);
    let there = std::thread::spawn(move || forward(from, to, limit(request), pause));
    forward(upstream, client, limit(answer), pause);
    let _ = there.join();
    Ok(())
}

/// Passes bytes on until one side ends or so many have gone; then both directions end.
fn forward(mut from: TcpStream, mut to: TcpStream, mut left: u64, pause: Duration) {
    let mut bytes = [0; 4096];
    while left > 0 {
        let n = match from.read(&mut bytes) {
            Ok(0) => break,
            Ok(n) => (n as u64).min(left) as usize,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        if !pause.is_zero() {
            std::thread::sleep(pause); // a slow network is one that takes time
        }
        left -= n as u64;
        if to.write_all(&bytes[..n]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// Reads a request's head, and its body as long as the head says.
fn read_request(client: &mut TcpStream) -> io::Result<()> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|l| l.strip_prefix("content-length:")?.trim().parse().ok());
            let mut left = length.unwrap_or(0usize).saturating_sub(bytes.len() - end - 4);
            while left > 0 {
                match client.read(&mut piece)? {
                    0 => break,
                    n => left = left.saturating_sub(n),
                }
            }
            return Ok(());
        }
        match client.read(&mut piece)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            n => bytes.extend_from_slice(&piece[..n]),
        }
        if bytes.len() > HEAD_BYTES_MAX {
            return Err(ErrorKind::InvalidData.into());
        }
    }
}
