//! A client of the simple query protocol, as small as it can be: both servers must let the user in without a password.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Longest message that is believed.
const MAX_MESSAGE_BYTES: usize = 1 << 24;
/// Whoever says nothing for so long will not: a run must end, with what it was about.
const ANSWER_MAX: Duration = Duration::from_secs(300);

/// Where a server is: `host=… port=… user=… dbname=…`; a host that is a path is the folder of its socket.
#[derive(Clone)]
pub struct Place {
    pub host: String,
    pub port: u16,
    pub user: String,
    pub database: String,
}

impl Place {
    /// Reads a connection string.
    pub fn parse(text: &str) -> Result<Place, String> {
        let mut p = Place {
            host: "127.0.0.1".into(),
            port: 5432,
            user: "postgres".into(),
            database: "postgres".into(),
        };
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').ok_or_else(|| format!("{word} is no NAME=VALUE"))?;
            match name {
                "host" => p.host = value.into(),
                "port" => p.port = value.parse().map_err(|_| format!("port {value} is no number"))?,
                "user" => p.user = value.into(),
                "dbname" => p.database = value.into(),
                _ => return Err(format!("{name} is not understood: host, port, user and dbname are")),
            }
        }
        Ok(p)
    }
}

/// What a query string gave.
#[derive(Default, Debug, PartialEq, Eq, Clone)]
pub struct Answer {
    /// Its rows, values joined by `|`.
    pub rows: Vec<String>,
    /// The last command tag.
    pub tag: String,
    /// SQLSTATE and message.
    pub error: Option<(String, String)>,
}

trait Stream: Read + Write + Send {
    fn read_within(&self, time: Duration) -> std::io::Result<()>;
}

impl Stream for TcpStream {
    fn read_within(&self, time: Duration) -> std::io::Result<()> {
        self.set_read_timeout(Some(time))
    }
}

#[cfg(unix)]
impl Stream for UnixStream {
    fn read_within(&self, time: Duration) -> std::io::Result<()> {
        self.set_read_timeout(Some(time))
    }
}

fn stream(place: &Place) -> std::io::Result<Box<dyn Stream>> {
    #[cfg(unix)]
    if place.host.starts_with('/') {
        return Ok(Box::new(UnixStream::connect(format!("{}/.s.PGSQL.{}", place.host, place.port))?));
    }
    let stream = TcpStream::connect((&*place.host, place.port))?;
    stream.set_nodelay(true)?;
    Ok(Box::new(stream))
}

/// A connection.
pub struct Client {
    stream: Box<dyn Stream>,
    /// Bytes read and not yet used.
    pending: Vec<u8>,
    answer: Answer,
    /// The server's process or session.
    pub pid: i32,
}

fn failed(e: std::io::Error) -> String {
    format!("the connection failed: {e}")
}

impl Client {
    /// Connects.
    pub fn connect(place: &Place) -> Result<Client, String> {
        Client::connect_within(place, Duration::from_secs(60))
    }

    /// Connects, if that is done in time.
    pub fn connect_within(place: &Place, time: Duration) -> Result<Client, String> {
        let stream = stream(place).map_err(failed)?;
        let mut body = 196_608_i32.to_be_bytes().to_vec();
        for word in ["user", &place.user, "database", &place.database, ""] {
            body.extend_from_slice(word.as_bytes());
            body.push(0);
        }
        let mut client = Client { stream, pending: Vec::new(), answer: Answer::default(), pid: 0 };
        let len = (body.len() as i32 + 4).to_be_bytes();
        client.stream.write_all(&[&len[..], &body].concat()).map_err(failed)?;
        match client.poll(time)?.map(|answer| answer.error) {
            Some(None) => Ok(client),
            Some(Some((code, message))) => Err(format!("{code}: {message}")),
            None => Err("the server does not answer".into()),
        }
    }

    /// Sends a query string.
    pub fn start(&mut self, sql: &str) -> Result<(), String> {
        self.answer = Answer::default();
        let mut message = vec![b'Q'];
        message.extend_from_slice(&(sql.len() as i32 + 5).to_be_bytes());
        message.extend_from_slice(sql.as_bytes());
        message.push(0);
        self.stream.write_all(&message).map_err(failed)
    }

    /// Waits for the answer.
    pub fn finish(&mut self) -> Result<Answer, String> {
        let answer = self.poll(ANSWER_MAX)?;
        answer.ok_or_else(|| format!("the server does not answer within {} s", ANSWER_MAX.as_secs()))
    }

    /// Sends a query string and waits for the answer.
    pub fn query(&mut self, sql: &str) -> Result<Answer, String> {
        self.start(sql)?;
        self.finish()
    }

    /// The answer, if it comes in time.
    pub fn poll(&mut self, time: Duration) -> Result<Option<Answer>, String> {
        self.stream.read_within(time).map_err(failed)?;
        loop {
            while let Some((kind, body)) = self.message()? {
                if self.take(kind, &body)? {
                    return Ok(Some(std::mem::take(&mut self.answer)));
                }
            }
            let mut piece = [0; 8192];
            match self.stream.read(&mut piece) {
                Ok(0) => return Err("the server has gone".into()),
                Ok(n) => self.pending.extend_from_slice(&piece[..n]),
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return Ok(None),
                Err(e) => return Err(failed(e)),
            }
        }
    }

    fn message(&mut self) -> Result<Option<(u8, Vec<u8>)>, String> {
        let Some(head) = self.pending.get(..5) else { return Ok(None) };
        let len = i32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if !(4..=MAX_MESSAGE_BYTES).contains(&len) {
            return Err("the server sent something else than a message".into());
        }
        if self.pending.len() < len + 1 {
            return Ok(None);
        }
        let message: Vec<u8> = self.pending.drain(..len + 1).collect();
        Ok(Some((message[0], message[5..].to_vec())))
    }

    /// Uses a message; true if it ends the answer.
    fn take(&mut self, kind: u8, body: &[u8]) -> Result<bool, String> {
        let number = |at: usize| body.get(at..at + 4).map(|b| i32::from_be_bytes([b[0], b[1], b[2], b[3]]));
        match kind {
            b'R' if number(0) != Some(0) => return Err("the server wants a password".into()),
            b'K' => self.pid = number(0).unwrap_or(0),
            b'D' => self.answer.rows.push(row(body)),
            b'C' => self.answer.tag = text(body),
            b'E' => {
                let field = |name: u8| {
                    body.split(|b| *b == 0).find(|f| f.first() == Some(&name)).map(|f| text(&f[1..]))
                };
                self.answer.error = Some((field(b'C').unwrap_or_default(), field(b'M').unwrap_or_default()));
                if self.pid == 0 {
                    return Ok(true); // before the first ReadyForQuery nothing follows
                }
            }
            b'Z' => return Ok(true),
            _ => {}
        }
        Ok(false)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|b| *b == 0).next().unwrap_or(bytes)).into_owned()
}

/// The values of a DataRow.
fn row(body: &[u8]) -> String {
    let (mut values, mut at) = (Vec::new(), 2);
    while let Some(len) = body.get(at..at + 4) {
        let len = i32::from_be_bytes([len[0], len[1], len[2], len[3]]);
        at += 4;
        match usize::try_from(len) {
            Ok(len) => {
                values.push(String::from_utf8_lossy(body.get(at..at + len).unwrap_or_default()).into_owned());
                at += len;
            }
            Err(_) => values.push("NULL".into()),
        }
    }
    values.join("|")
}
