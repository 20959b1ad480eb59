//! Connection strings, as PostgreSQL's programs take them: a URI or `name=value` pairs.
//!
//! It must not know how a connection is made.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

const DEFAULT_PORT: u16 = 5432;
const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];

/// Where to connect, as whom.
#[derive(Clone, PartialEq, Eq)]
pub struct ConnString {
    /// A name or address; one that begins with `/` is the folder of a Unix socket.
    pub host: String,
    /// Port, also part of a Unix socket's name.
    pub port: u16,
    /// User.
    pub user: String,
    /// Only sent when the server asks.
    pub password: Option<String>,
    /// Database.
    pub database: String,
    /// A server that does not answer, or lets nobody in, for so long is given up.
    pub connect_timeout: Option<Duration>,
}

/// Without the password.
impl fmt::Display for ConnString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        write!(f, "{host}:{}/{}", self.port, self.database)
    }
}

impl fmt::Debug for ConnString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{self}", self.user)
    }
}

impl FromStr for ConnString {
    type Err = String;

    /// Missing parts: PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE, then 127.0.0.1, 5432, the system's user, the user's name.
    fn from_str(text: &str) -> Result<ConnString, String> {
        let pairs = match SCHEMES.iter().find_map(|s| text.strip_prefix(s)) {
            Some(rest) => uri_pairs(rest)?,
            None => keyword_pairs(text)?,
        };
        let mut given = Given::default();
        for (name, value) in pairs {
            match name.as_str() {
                "host" | "hostaddr" => given.host = Some(value),
                "port" => given.port = Some(value),
                "user" => given.user = Some(value),
                "password" => given.password = Some(value),
                "dbname" => given.database = Some(value),
                "sslmode" if matches!(value.as_str(), "disable" | "allow" | "prefer") => {}
                "sslmode" => {
                    return Err("encrypted connections are not supported: use sslmode=disable".into());
                }
                "connect_timeout" => given.connect_timeout = Some(value),
                "application_name" => {}
                _ => return Err(format!("unknown connection parameter \"{name}\"")),
            }
        }
        given.completed(|name| std::env::var(name).ok().filter(|v| !v.is_empty()))
    }
}

#[derive(Default)]
struct Given {
    host: Option<String>,
    port: Option<String>,
    user: Option<String>,
    password: Option<String>,
    database: Option<String>,
    connect_timeout: Option<String>,
}

impl Given {
    fn completed(self, env: impl Fn(&str) -> Option<String>) -> Result<ConnString, String> {
        let full = |v: Option<String>| v.filter(|v| !v.is_empty());
        let user = full(self.user).or_else(|| env("PGUSER")).or_else(|| env("USER"));
        let user = user.unwrap_or_else(|| "postgres".into());
        let port = match full(self.port).or_else(|| env("PGPORT")) {
            None => DEFAULT_PORT,
            Some(port) => port.parse().map_err(|_| format!("invalid port \"{port}\""))?,
        };
        let connect_timeout = match full(self.connect_timeout).or_else(|| env("PGCONNECT_TIMEOUT")) {
            None => None,
            Some(seconds) => match seconds.parse::<i32>() {
                // As libpq has it: not less than two seconds, and for ever.
                Ok(1) => Some(Duration::from_secs(2)),
                Ok(n) => Some(Duration::from_secs(n.max(0) as u64)).filter(|d| !d.is_zero()),
                Err(_) => return Err(format!("invalid connect_timeout \"{seconds}\"")),
            },
        };
        Ok(ConnString {
            connect_timeout,
            host: full(self.host).or_else(|| env("PGHOST")).unwrap_or_else(|| "127.0.0.1".into()),
            port,
            password: full(self.password).or_else(|| env("PGPASSWORD")),
            database: full(self.database).or_else(|| env("PGDATABASE")).unwrap_or_else(|| user.clone()),
            user,
        })
    }
}

type Pairs = Vec<(String, String)>;

/// `[user[:password]@][host][:port][/database][?name=value&…]`
fn uri_pairs(rest: &str) -> Result<Pairs, String> {
    let mut pairs = Vec::new();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (place, database) = rest.split_once('/').unwrap_or((rest, ""));
    let (login, place) = place.rsplit_once('@').unwrap_or(("", place));
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let (host, port) = match place.strip_prefix('[') {
        Some(v6) => {
            let (host, port) = v6.split_once(']').ok_or("a \"]\" is missing after the address")?;
            (host, port.strip_prefix(':').unwrap_or(port))
        }
        None => place.split_once(':').unwrap_or((place, "")),
    };
    if place.contains(',') {
        return Err("one host only".into());
    }
    let parts =
        [("host", host), ("port", port), ("user", user), ("password", password), ("dbname", database)];
    for (name, value) in parts.into_iter().filter(|(_, v)| !v.is_empty()) {
        pairs.push((name.to_string(), decoded(value)?));
    }
    for pair in query.split('&').filter(|p| !p.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(|| format!("\"{pair}\" is not name=value"))?;
        pairs.push((decoded(name)?, decoded(value)?));
    }
    Ok(pairs)
}

/// Resolves %XX.
fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let hex = after.get(..2).and_then(|h| std::str::from_utf8(h).ok());
        let byte = hex.and_then(|h| u8::from_str_radix(h, 16).ok());
        bytes.push(byte.ok_or_else(|| format!("\"{text}\": % must be followed by two hexadecimal digits"))?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).map_err(|_| format!("\"{text}\" is not UTF-8"))
}

/// `host=… port=…`; values with spaces stand in single quotes, \ escapes.
fn keyword_pairs(text: &str) -> Result<Pairs, String> {
    let mut pairs = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        if chars.peek().is_none() {
            return Ok(pairs);
        }
        let mut name = String::new();
        while let Some(c) = chars.next_if(|c| *c != '=' && !c.is_whitespace()) {
            name.push(c);
        }
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        if chars.next() != Some('=') || name.is_empty() {
            return Err(format!(
                "\"{name}\" is not followed by a value (expected a URI, or name=value pairs)"
            ));
        }
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        let quoted = chars.next_if_eq(&'\'').is_some();
        let mut value = String::new();
        loop {
            match chars.next() {
                Some('\'') if quoted => break,
                Some('\\') => value.extend(chars.next()),
                Some(c) if !quoted && c.is_whitespace() => break,
                Some(c) => value.push(c),
                None if quoted => return Err("a quote is not closed".into()),
                None => break,
            }
        }
        pairs.push((name, value));
    }
}

/// An argument of a command line as it may be shown: passwords of connection strings are left out.
pub fn redacted(argument: &str) -> String {
    let mut out = argument.to_string();
    if let Some(scheme) = SCHEMES.iter().find_map(|s| argument.find(s).map(|at| at + s.len())) {
        let end = argument[scheme..].find(['/', '?']).map_or(argument.len(), |n| scheme + n);
        if let Some(at) = argument[scheme..end].rfind('@').map(|n| scheme + n)
            && let Some(colon) = argument[scheme..at].find(':').map(|n| scheme + n)
        {
            out.replace_range(colon + 1..at, "***");
        }
    }
    let Some(at) = out.find("password") else { return out };
    let value = at + "password".len();
    let from = out[value..].find(|c: char| c != '=' && !c.is_whitespace()).map_or(out.len(), |n| value + n);
    let stop: &[char] = if out[from..].starts_with('\'') { &[] } else { &[' ', '&'] };
    let to = out[from..].find(stop).map_or(out.len(), |n| from + n);
    if from > value && to > from {
        out.replace_range(from..to, "***");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ConnString {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn uris_and_pairs_say_the_same() {
        let a = parse("postgresql://ann:s%40c@db.example:6000/b?sslmode=disable");
        let b = parse("host=db.example port=6000 user=ann password='s@c' dbname = b");
        assert_eq!(a, b);
        assert_eq!(a.password.as_deref(), Some("s@c"));
        assert_eq!(parse("postgres://[::1]:6000/b").host, "::1");
        assert_eq!(parse("postgres:///b?host=/run/pg&user=ann").host, "/run/pg");
    }

    #[test]
    fn what_is_missing_comes_from_the_environment_then_from_defaults() {
        let env = |name: &str| (name == "PGUSER").then(|| "bob".to_string());
        let c = Given::default().completed(env).unwrap();
        assert_eq!((c.host.as_str(), c.port, c.user.as_str()), ("127.0.0.1", 5432, "bob"));
        assert_eq!(c.database, "bob");
    }

    #[test]
    fn mistakes_are_told() {
        for (text, part) in [
            ("host", "name=value"),
            ("port=x user=a", "port"),
            ("colour=red", "colour"),
            ("host='a", "quote"),
            ("postgres://a%zz@h/", "hexadecimal"),
            ("postgres://h/?sslmode=require", "encrypted"),
            ("postgres://a,b/", "one host"),
            ("postgres://[::1/", "]"),
        ] {
            let e = text.parse::<ConnString>().unwrap_err();
            assert!(e.contains(part), "{text}: {e}");
        }
    }

    #[test]
    fn passwords_are_never_shown() {
        assert_eq!(redacted("postgres://ann:se:cret@h/b"), "postgres://ann:***@h/b");
        assert_eq!(redacted("--url=postgres://ann:secret@h"), "--url=postgres://ann:***@h");
        assert_eq!(redacted("postgres://ann@h/b?password=secret&x=1"), "postgres://ann@h/b?password=***&x=1");
        assert_eq!(redacted("host=h password=secret user=a"), "host=h password=*** user=a");
        assert_eq!(redacted("password = 'a b' user=a"), "password = ***");
        assert_eq!(redacted("--clients"), "--clients");
        assert!(!format!("{:?}", parse("postgres://ann:secret@h/b")).contains("secret"));
    }
}
