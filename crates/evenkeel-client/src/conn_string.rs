//! Connection strings, as PostgreSQL's programs take them: a URI or `name=value` pairs.
//!
//! It must not know how a connection is made.

use std::fmt;
use std::ops::RangeInclusive;
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
    /// Where `host` is, if it is not to be looked up.
    pub hostaddr: Option<String>,
    /// Encryption.
    pub ssl: SslOptions,
    /// Whether a login has to be bound to the server's certificate.
    pub channel_binding: ChannelBinding,
    /// The newest version of the protocol that is asked for, and the oldest that will do: minor numbers of version 3.
    pub protocol_minor: RangeInclusive<u16>,
    /// What the connection calls itself; `None`: what whoever opens it says.
    pub application_name: Option<String>,
}

/// How far a connection is encrypted, and whom the server has to be: libpq's `sslmode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SslMode {
    /// Not at all.
    Disable,
    /// Where the server wants it.
    Allow,
    /// Where the server can.
    #[default]
    Prefer,
    /// Always, whoever the server is.
    Require,
    /// By a server whose certificate is signed by one of `sslrootcert`.
    VerifyCa,
    /// And which was made for the host.
    VerifyFull,
}

/// Options of encryption, by libpq's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SslOptions {
    /// `sslmode`
    pub mode: SslMode,
    /// `sslrootcert`: a file, or `system`.
    pub root_cert: Option<String>,
    /// `sslcert`
    pub cert: Option<String>,
    /// `sslkey`
    pub key: Option<String>,
    /// `sslcrl`
    pub crl: Option<String>,
    /// `sslnegotiation=direct`: without a question before the handshake.
    pub is_direct: bool,
}

/// libpq's `channel_binding`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChannelBinding {
    /// Never.
    Disable,
    /// Where it can be.
    #[default]
    Prefer,
    /// Or not at all.
    Require,
}

impl ConnString {
    /// By the Unix socket in `folder`, with no password.
    pub fn local(folder: String, port: u16, user: &str, database: &str) -> ConnString {
        ConnString {
            host: folder,
            port,
            user: user.to_owned(),
            password: None,
            database: database.to_owned(),
            connect_timeout: None,
            hostaddr: None,
            ssl: SslOptions { mode: SslMode::Disable, ..SslOptions::default() },
            channel_binding: ChannelBinding::Prefer,
            protocol_minor: 0..=0,
            application_name: None,
        }
    }

    /// What libpq's programs have to be told of encryption and of where the host is, as `name=value` pairs, values not quoted.
    pub fn ssl_pairs(&self) -> Vec<(&'static str, String)> {
        let mode = match self.ssl.mode {
            SslMode::Disable => "disable",
            SslMode::Allow => "allow",
            SslMode::Prefer => "prefer",
            SslMode::Require => "require",
            SslMode::VerifyCa => "verify-ca",
            SslMode::VerifyFull => "verify-full",
        };
        let mut pairs = vec![("sslmode", mode.to_owned())];
        let ssl = &self.ssl;
        let named = [("sslrootcert", &ssl.root_cert), ("sslcert", &ssl.cert), ("sslkey", &ssl.key)];
        let more = [("sslcrl", &ssl.crl), ("hostaddr", &self.hostaddr)];
        let given = named.into_iter().chain(more);
        pairs.extend(given.filter_map(|(name, value)| Some((name, value.clone()?))));
        // Older ones know neither word, and need none where nothing was asked for.
        if ssl.is_direct {
            pairs.push(("sslnegotiation", "direct".into()));
        }
        match self.channel_binding {
            ChannelBinding::Prefer => {}
            ChannelBinding::Disable => pairs.push(("channel_binding", "disable".into())),
            ChannelBinding::Require => pairs.push(("channel_binding", "require".into())),
        }
        pairs
    }
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
                "host" => given.host = Some(value),
                "hostaddr" => given.hostaddr = Some(value),
                "port" => given.port = Some(value),
                "user" => given.user = Some(value),
                "password" => given.password = Some(value),
                "dbname" => given.database = Some(value),
                name if let Some(place) = MORE.iter().position(|(n, _)| *n == name) => {
                    given.more[place] = Some(value);
                }
                "connect_timeout" => given.connect_timeout = Some(value),
                _ => return Err(format!("unknown connection parameter \"{name}\"")),
            }
        }
        given.completed(|name| std::env::var(name).ok().filter(|v| !v.is_empty()))
    }
}

/// Further parameters, and the variables that they come from where they are not given.
const MORE: [(&str, &str); 11] = [
    ("application_name", "PGAPPNAME"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("sslcrl", "PGSSLCRL"),
    ("sslnegotiation", "PGSSLNEGOTIATION"),
    ("channel_binding", "PGCHANNELBINDING"),
    ("min_protocol_version", "PGMINPROTOCOLVERSION"),
    ("max_protocol_version", "PGMAXPROTOCOLVERSION"),
    ("gssencmode", "PGGSSENCMODE"),
];

#[derive(Default)]
struct Given {
    host: Option<String>,
    hostaddr: Option<String>,
    more: [Option<String>; MORE.len()],
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
        let hostaddr = full(self.hostaddr).or_else(|| env("PGHOSTADDR"));
        let host = full(self.host).or_else(|| env("PGHOST"));
        let mut more = self.more;
        let mut option = |name: &str| {
            let place = MORE.iter().position(|(n, _)| *n == name)?;
            full(more[place].take()).or_else(|| env(MORE[place].1))
        };
        if let Some(mode) = option("gssencmode").filter(|mode| mode != "disable" && mode != "prefer") {
            return Err(format!(
                "gssencmode value \"{mode}\" invalid when GSSAPI support is not compiled in"
            ));
        }
        Ok(ConnString {
            connect_timeout,
            ssl: ssl_options(&mut option)?,
            channel_binding: match option("channel_binding").as_deref() {
                None | Some("prefer") => ChannelBinding::Prefer,
                Some("disable") => ChannelBinding::Disable,
                Some("require") => ChannelBinding::Require,
                Some(other) => return Err(invalid("channel_binding", other)),
            },
            protocol_minor: protocol_versions(&mut option)?,
            application_name: option("application_name"),
            host: host.or_else(|| hostaddr.clone()).unwrap_or_else(|| "127.0.0.1".into()),
            hostaddr,
            port,
            password: full(self.password).or_else(|| env("PGPASSWORD")),
            database: full(self.database).or_else(|| env("PGDATABASE")).unwrap_or_else(|| user.clone()),
            user,
        })
    }
}

fn invalid(name: &str, value: &str) -> String {
    format!("invalid {name} value: \"{value}\"")
}

fn ssl_options(option: &mut dyn FnMut(&str) -> Option<String>) -> Result<SslOptions, String> {
    let root_cert = option("sslrootcert");
    let is_system = root_cert.as_deref() == Some("system");
    let mode = option("sslmode");
    let mode_name = mode.as_deref().unwrap_or(if is_system { "verify-full" } else { "prefer" });
    let mode = match mode_name {
        "disable" => SslMode::Disable,
        "allow" => SslMode::Allow,
        "prefer" => SslMode::Prefer,
        "require" => SslMode::Require,
        "verify-ca" => SslMode::VerifyCa,
        "verify-full" => SslMode::VerifyFull,
        other => return Err(invalid("sslmode", other)),
    };
    if is_system && mode != SslMode::VerifyFull {
        return Err(format!(
            "weak sslmode \"{mode_name}\" may not be used with sslrootcert=system (use \"verify-full\")"
        ));
    }
    let is_direct = match option("sslnegotiation").as_deref() {
        None | Some("postgres") => false,
        Some("direct") if mode < SslMode::Require => {
            return Err(format!(
                "weak sslmode \"{mode_name}\" may not be used with sslnegotiation=direct (use \"require\", \"verify-ca\", or \"verify-full\")"
            ));
        }
        Some("direct") => true,
        Some(other) => return Err(invalid("sslnegotiation", other)),
    };
    let (cert, key, crl) = (option("sslcert"), option("sslkey"), option("sslcrl"));
    Ok(SslOptions { mode, root_cert, cert, key, crl, is_direct })
}

/// As libpq 18: 3.0, unless a newer one is asked for.
fn protocol_versions(option: &mut dyn FnMut(&str) -> Option<String>) -> Result<RangeInclusive<u16>, String> {
    let mut version = |name: &str| match option(name).as_deref() {
        None => Ok(None),
        Some("3.0") => Ok(Some(0)),
        Some("3.2" | "latest") => Ok(Some(2)),
        Some(other) => Err(invalid(name, other)),
    };
    let (min, max) = (version("min_protocol_version")?, version("max_protocol_version")?);
    let (min, max) = (min.unwrap_or(0), max.unwrap_or_else(|| min.unwrap_or(0)));
    if min > max {
        return Err("\"min_protocol_version\" is greater than \"max_protocol_version\"".into());
    }
    Ok(min..=max)
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
        let b = parse("host=db.example port=6000 user=ann password='s@c' dbname = b sslmode=disable");
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
    fn a_connection_has_the_name_that_it_is_given() {
        let named = |text: &str| parse(text).application_name;
        assert_eq!(named("host=h application_name='s 1'").as_deref(), Some("s 1"));
        assert_eq!(named("postgres://h/b?application_name=s1").as_deref(), Some("s1"));
    }

    #[test]
    fn options_of_encryption_are_taken() {
        let none = |_: &str| None;
        let c = Given::default().completed(none).unwrap();
        assert_eq!((c.ssl.mode, c.channel_binding), (SslMode::Prefer, ChannelBinding::Prefer));
        assert_eq!(c.protocol_minor, 0..=0);
        let c = parse(
            "hostaddr=10.0.0.1 host=db sslmode=verify-full sslrootcert=/ca sslcert=c sslkey=k sslnegotiation=direct channel_binding=require min_protocol_version=3.2",
        );
        assert_eq!((c.host.as_str(), c.hostaddr.as_deref()), ("db", Some("10.0.0.1")));
        assert_eq!((c.ssl.mode, c.ssl.is_direct), (SslMode::VerifyFull, true));
        assert_eq!(c.ssl.root_cert.as_deref(), Some("/ca"));
        let pairs: Vec<String> = c.ssl_pairs().iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(
            pairs.join(" "),
            "sslmode=verify-full sslrootcert=/ca sslcert=c sslkey=k hostaddr=10.0.0.1 sslnegotiation=direct channel_binding=require"
        );
        assert_eq!((c.channel_binding, c.protocol_minor), (ChannelBinding::Require, 2..=2));
        assert_eq!(parse("hostaddr=10.0.0.1 sslrootcert=system").ssl.mode, SslMode::VerifyFull);
        assert_eq!(parse("hostaddr=10.0.0.1").host, "10.0.0.1");
        let env = |name: &str| (name == "PGSSLMODE").then(|| "require".to_string());
        assert_eq!(Given::default().completed(env).unwrap().ssl.mode, SslMode::Require);
    }

    #[test]
    fn mistakes_are_told() {
        for (text, part) in [
            ("host", "name=value"),
            ("port=x user=a", "port"),
            ("colour=red", "colour"),
            ("host='a", "quote"),
            ("postgres://a%zz@h/", "hexadecimal"),
            ("postgres://h/?sslmode=full", "invalid sslmode"),
            ("sslrootcert=system sslmode=require", "weak sslmode \"require\""),
            ("sslnegotiation=direct", "weak sslmode \"prefer\""),
            ("sslnegotiation=x", "sslnegotiation"),
            ("channel_binding=x", "channel_binding"),
            ("min_protocol_version=3.1", "min_protocol_version"),
            ("min_protocol_version=latest max_protocol_version=3.0", "greater"),
            ("gssencmode=require", "GSSAPI"),
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
