//! A client that speaks bytes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A message with its type and length.
fn frame(kind: u8, body: &[&[u8]]) -> Vec<u8> {
    let length: usize = body.iter().map(|b| b.len()).sum();
    let mut out = vec![kind];
    out.extend_from_slice(&(length as i32 + 4).to_be_bytes());
    body.iter().for_each(|b| out.extend_from_slice(b));
    out
}

/// A session. What comes is read through a buffer: megabytes of rows may lie in the sockets when a statement is canceled, and reading them one by one would be
/// counted as the server's reaction.
pub struct Client {
    stream: TcpStream,
    input: BufReader<TcpStream>,
    key: Vec<u8>,
    address: SocketAddr,
}

/// How a statement ended: its first error, or none.
pub type Answer = Option<(String, String)>;

impl Client {
    /// Connects as anybody.
    pub fn connect(address: SocketAddr) -> io::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.set_nodelay(true)?;
        let input = BufReader::with_capacity(1 << 18, stream.try_clone()?);
        let mut client = Client { stream, input, key: Vec::new(), address };
        let body = b"\0\x03\0\0user\0postgres\0\0";
        let mut packet = (body.len() as i32 + 4).to_be_bytes().to_vec();
        packet.extend_from_slice(body);
        client.stream.write_all(&packet)?;
        client.answer()?;
        Ok(client)
    }

    /// Sends a query string.
    pub fn send(&mut self, sql: &str) -> io::Result<()> {
        self.stream.write_all(&frame(b'Q', &[sql.as_bytes(), b"\0"]))
    }

    /// Sends it by Parse, Bind, Execute.
    pub fn send_extended(&mut self, sql: &str) -> io::Result<()> {
        let mut out = frame(b'P', &[b"\0", sql.as_bytes(), b"\0\0\0"]);
        out.extend(frame(b'B', &[b"\0\0\0\0\0\0\0\0"]));
        out.extend(frame(b'E', &[b"\0\0\0\0\0"]));
        out.extend(frame(b'S', &[]));
        self.stream.write_all(&out)
    }

    /// Takes everything up to ReadyForQuery.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let mut error = None;
        loop {
            let mut header = [0; 5];
            self.input.read_exact(&mut header)?;
            let mut left = i32::from_be_bytes([header[1], header[2], header[3], header[4]]) as usize - 4;
            let mut body = Vec::new();
            while left > 0 {
                let part = self.input.fill_buf()?;
                let n = left.min(part.len());
                if n == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                if header[0] != b'D' {
                    body.extend_from_slice(&part[..n]);
                }
                self.input.consume(n);
                left -= n;
            }
            match header[0] {
                b'Z' => return Ok(error),
                b'K' => self.key = body,
                b'G' => self.stream.write_all(&frame(b'f', &[b"no\0"]))?,
                b'E' if error.is_none() => {
                    let field = |code: u8| {
                        let mut fields = body.split(|b| *b == 0).filter(|f| f.first() == Some(&code));
                        fields
                            .next()
                            .map(|f| String::from_utf8_lossy(&f[1..]).into_owned())
                            .unwrap_or_default()
                    };
                    error = Some((field(b'C'), field(b'M')));
                }
                _ => {}
            }
        }
    }

    /// Sends a query string and takes the answer.
    pub fn ask(&mut self, sql: &str) -> io::Result<Answer> {
        self.send(sql)?;
        self.answer()
    }

    /// What cancels this session's statement.
    pub fn canceller(&self) -> impl Fn() -> io::Result<()> + Send + 'static {
        let (address, key) = (self.address, self.key.clone());
        move || {
            let mut stream = TcpStream::connect(address)?;
            let mut packet = (key.len() as i32 + 8).to_be_bytes().to_vec();
            packet.extend_from_slice(&80_877_102i32.to_be_bytes());
            packet.extend_from_slice(&key);
            stream.write_all(&packet)?;
            let _ = stream.read(&mut [0]);
            Ok(())
        }
    }
}
