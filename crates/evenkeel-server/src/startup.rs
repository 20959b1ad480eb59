//! From an accepted connection to what its client asks for.
//!
//! Duty: answer encryption requests, take cancel requests, read the start-up packet.
//!
//! It must not know sessions.

use evenkeel_sql::{SqlError, SqlState};
use tracing::info;

use crate::backend::{Backend, Registry};
use crate::errors::{End, error, fatal};
use crate::stream::TlsFacts;
use crate::tls::Tls;
use crate::wire::input::InputBuffer;
use crate::wire::output::OutputBuffer;

const CANCEL_REQUEST: u32 = 80877102;
const SSL_REQUEST: u32 = 80877103;
const GSS_ENCRYPTION_REQUEST: u32 = 80877104;
/// The first byte of a TLS record with a part of a handshake.
const TLS_HANDSHAKE: u8 = 0x16;
const MAJOR_VERSION: u32 = 3;
/// Newest minor version: 3.2 brought longer cancel secrets.
const NEWEST_MINOR_VERSION: u32 = 2;

/// Longest name of a role or a database.
const NAME_BYTES_MAX: usize = 63;

/// What a client asked for in its start-up packet.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StartupRequest {
    /// 0 to 2.
    pub minor_version: u32,
    /// Protocol options that are not known here.
    pub unsupported_options: Vec<String>,
    /// The client wants a newer minor version than there is.
    pub newer_version_asked: bool,
    pub user: String,
    pub database: String,
    pub application_name: String,
    /// It wants the log or the files, not sessions.
    pub replication: bool,
    /// Settings for the session, in the order in which they count.
    pub settings: Vec<(String, String)>,
}

impl StartupRequest {
    /// Tells the client what of its wishes is not understood, if anything is.
    pub fn negotiate(&self, out: &mut OutputBuffer) {
        if self.newer_version_asked || !self.unsupported_options.is_empty() {
            let version = MAJOR_VERSION << 16 | self.minor_version;
            out.negotiate_protocol_version(version as i32, self.unsupported_options.clone());
        }
    }
}

/// Reads up to the start-up packet. None: the connection was for a cancel request, and is served.
pub(crate) fn read_request(
    input: &mut InputBuffer,
    backend: &Backend,
    registry: &Registry,
    tls: Option<&Tls>,
) -> Result<Option<StartupRequest>, End> {
    // No encryption within one machine, as PostgreSQL.
    let tls = tls.filter(|_| backend.stream.peer().is_some());
    let (mut ssl_asked, mut gss_asked) = (false, false);
    while input.first_byte().is_none() {
        read_more(input, backend)?;
    }
    if input.first_byte() == Some(TLS_HANDSHAKE) {
        // Without a question before it, as of PostgreSQL 17.
        let Some(tls) = tls else { return Err(End::Terminated) };
        if !encrypt(input, backend, tls)?.has_alpn {
            info!(
                pid = backend.pid,
                "received direct SSL connection request without ALPN protocol negotiation extension"
            );
            return Err(End::Terminated);
        }
        ssl_asked = true;
    }
    loop {
        let range = match input.next_startup_packet() {
            Ok(Some(range)) => range,
            Ok(None) => {
                read_more(input, backend)?;
                continue;
            }
            // As PostgreSQL, told to nobody but the log: who speaks another protocol would not understand it, and a client that says good-bye at once does not expect it.
            Err(e) => {
                info!(pid = backend.pid, "{}", e.message);
                return Err(End::Terminated);
            }
        };
        let packet = input.bytes(range);
        let (code, rest) = packet.split_at(4);
        match u32::from_be_bytes([code[0], code[1], code[2], code[3]]) {
            SSL_REQUEST if !ssl_asked && rest.is_empty() => {
                ssl_asked = true;
                let Some(tls) = tls else {
                    backend.stream.write_all(b"N")?;
                    continue;
                };
                // What has come already would be taken for what came encrypted, whoever sent it.
                if input.first_byte().is_some_and(|first| first != TLS_HANDSHAKE) {
                    let mut e =
                        fatal(SqlState::PROTOCOL_VIOLATION, "received unencrypted data after SSL request");
                    e.detail = Some("This could be either a client-software bug or evidence of an attempted man-in-the-middle attack.".into());
                    return Err(End::Fatal(e));
                }
                backend.stream.write_all(b"S")?;
                encrypt(input, backend, tls)?;
                // Of encryption within encryption nobody has anything.
                gss_asked = true;
            }
            GSS_ENCRYPTION_REQUEST if !gss_asked && rest.is_empty() => {
                gss_asked = true;
                backend.stream.write_all(b"N")?;
            }
            CANCEL_REQUEST => {
                if let Some((pid, secret)) = rest.split_at_checked(4) {
                    registry.cancel(i32::from_be_bytes([pid[0], pid[1], pid[2], pid[3]]), secret);
                }
                return Ok(None);
            }
            version if version >> 16 == MAJOR_VERSION => {
                return parse_request(version & 0xffff, rest).map(Some).map_err(End::Fatal);
            }
            version => {
                let message = format!(
                    "unsupported frontend protocol {}.{}: server supports 3.0 to 3.{NEWEST_MINOR_VERSION}",
                    version >> 16,
                    version & 0xffff
                );
                return Err(End::Fatal(fatal(SqlState::FEATURE_NOT_SUPPORTED, message)));
            }
        }
    }
}

/// The handshake. All that has come so far belongs to it.
fn encrypt<'b>(input: &mut InputBuffer, backend: &'b Backend, tls: &Tls) -> Result<&'b TlsFacts, End> {
    let early = input.take_all();
    let is_stopped = || backend.stop_reason().is_some();
    backend.stream.handshake(tls.config.clone(), &early, &is_stopped).map_err(|e| {
        info!(pid = backend.pid, "could not accept SSL connection: {e}");
        // Nothing more can be told that would be understood.
        End::Terminated
    })
}

/// Blocks for more bytes of a client that has not started its session.
pub(crate) fn read_more(input: &mut InputBuffer, backend: &Backend) -> Result<(), End> {
    let n = input.fill(&backend.stream)?;
    if let Some(reason) = backend.stop_reason() {
        return Err(End::Fatal(reason.to_error()));
    }
    match n {
        0 => Err(End::Terminated),
        _ => Ok(()),
    }
}

fn parse_request(minor: u32, mut rest: &[u8]) -> Result<StartupRequest, SqlError> {
    let layout = || {
        let message = "invalid startup packet layout: expected terminator as last byte";
        fatal(SqlState::PROTOCOL_VIOLATION, message)
    };
    let mut request = StartupRequest {
        minor_version: minor.min(NEWEST_MINOR_VERSION),
        newer_version_asked: minor > NEWEST_MINOR_VERSION,
        ..StartupRequest::default()
    };
    let mut options = None;
    let mut settings = Vec::new();
    loop {
        let name = take_string(&mut rest).ok_or_else(layout)??;
        if name.is_empty() {
            break;
        }
        let value = take_string(&mut rest).ok_or_else(layout)??.to_string();
        match name {
            "user" => request.user = value,
            "database" => request.database = value,
            "application_name" => request.application_name = value,
            "options" => options = Some(value),
            "replication" => match value.as_str() {
                "false" | "off" | "no" | "0" => {}
                "true" | "on" | "yes" | "1" => request.replication = true,
                "database" => {
                    let message = "logical replication connections are not supported";
                    return Err(fatal(SqlState::FEATURE_NOT_SUPPORTED, message));
                }
                other => {
                    let message = format!("invalid value for parameter \"replication\": \"{other}\"");
                    return Err(fatal(SqlState::INVALID_PARAMETER_VALUE, message));
                }
            },
            _ if name.starts_with("_pq_.") => request.unsupported_options.push(name.to_string()),
            _ => settings.push((name.to_string(), value)),
        }
    }
    if !rest.is_empty() {
        return Err(layout());
    }
    if request.user.is_empty() {
        let message = "no PostgreSQL user name specified in startup packet";
        return Err(fatal(SqlState::INVALID_AUTHORIZATION_SPECIFICATION, message));
    }
    if request.database.is_empty() {
        request.database.clone_from(&request.user);
    }
    // No name is longer.
    for name in [&mut request.user, &mut request.database] {
        name.truncate(name.floor_char_boundary(NAME_BYTES_MAX));
    }
    if let Some(options) = options {
        request.settings = parse_options(&options).map_err(SqlError::fatal)?;
    }
    request.settings.append(&mut settings);
    Ok(request)
}

fn take_string<'a>(rest: &mut &'a [u8]) -> Option<Result<&'a str, SqlError>> {
    let n = rest.iter().position(|&b| b == 0)?;
    let bytes = &rest[..n];
    *rest = &rest[n + 1..];
    Some(str::from_utf8(bytes).map_err(|e| crate::wire::frontend::bad_utf8(bytes, e).fatal()))
}

/// `-c name=value` and `--name=value`, separated by blanks; a backslash takes the next character as it is.
fn parse_options(options: &str) -> Result<Vec<(String, String)>, SqlError> {
    let invalid = |arg: &str| {
        let message = format!("invalid command-line argument for server process: {arg}");
        error(SqlState::SYNTAX_ERROR, message)
    };
    let mut args = split_options(options).into_iter();
    let mut settings = Vec::new();
    while let Some(arg) = args.next() {
        let (by, assignment) = if let Some(long) = arg.strip_prefix("--") {
            ("--", long.to_string())
        } else if arg == "-c" {
            ("-c ", args.next().ok_or_else(|| invalid(&arg))?)
        } else if let Some(attached) = arg.strip_prefix("-c") {
            ("-c ", attached.to_string())
        } else {
            return Err(invalid(&arg));
        };
        let Some((name, value)) = assignment.split_once('=') else {
            let message = format!("{by}{assignment} requires a value");
            return Err(error(SqlState::SYNTAX_ERROR, message));
        };
        settings.push((name.replace('-', "_"), value.to_string()));
    }
    Ok(settings)
}

fn split_options(options: &str) -> Vec<String> {
    let mut args = Vec::new();
    let mut arg: Option<String> = None;
    let mut chars = options.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_ascii_whitespace() => args.extend(arg.take()),
            '\\' => arg.get_or_insert_default().extend(chars.next()),
            c => arg.get_or_insert_default().push(c),
        }
    }
    args.extend(arg);
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_gives_user_database_and_settings() {
        let packet = b"user\0u\0application_name\0psql\0options\0-c a=1 --b-c=x\\ y\0DateStyle\0ISO\0\0";
        let r = parse_request(0, packet).unwrap();
        assert_eq!((r.user.as_str(), r.database.as_str(), r.application_name.as_str()), ("u", "u", "psql"));
        let pairs: Vec<_> = r.settings.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(pairs, [("a", "1"), ("b_c", "x y"), ("DateStyle", "ISO")]);
    }

    #[test]
    fn names_are_as_long_as_names_may_be() {
        let packet = format!("user\0{}\0database\0{}\0\0", "x".repeat(80), "é".repeat(40));
        let r = parse_request(0, packet.as_bytes()).unwrap();
        assert_eq!((r.user, r.database), ("x".repeat(63), "é".repeat(31)));
        let message = |options: &str| parse_options(options).unwrap_err().message.clone();
        assert_eq!(message("--work_mem"), "--work_mem requires a value");
        assert_eq!(message("-c work_mem"), "-c work_mem requires a value");
    }

    #[test]
    fn who_wants_to_follow_says_so() {
        let wants = |value: &str| parse_request(0, format!("user\0u\0replication\0{value}\0\0").as_bytes());
        for (value, expected) in [("true", true), ("1", true), ("off", false), ("0", false)] {
            assert_eq!(wants(value).unwrap().replication, expected, "{value}");
        }
        assert_eq!(wants("database").unwrap_err().code, SqlState::FEATURE_NOT_SUPPORTED);
        assert_eq!(wants("perhaps").unwrap_err().code, SqlState::INVALID_PARAMETER_VALUE);
    }

    #[test]
    fn newer_versions_and_unknown_options_are_negotiated() {
        let r = parse_request(9, b"user\0u\0_pq_.x\0on\0\0").unwrap();
        assert_eq!((r.minor_version, r.newer_version_asked), (2, true));
        let mut out = OutputBuffer::default();
        r.negotiate(&mut out);
        assert_eq!(out.bytes, b"v\0\0\0\x13\0\x03\0\x02\0\0\0\x01_pq_.x\0");
    }

    #[test]
    fn broken_packets_are_refused() {
        for packet in
            [&b""[..], b"user", b"user\0", b"user\0u\0", b"user\0u\0\0x", b"database\0d\0\0", b"\xff\0x\0\0"]
        {
            assert!(parse_request(0, packet).unwrap_err().severity_fatal, "{packet:?}");
        }
        for options in ["-c", "-c a", "x", "-d 5"] {
            assert!(parse_options(options).is_err(), "{options}");
        }
    }

    #[test]
    fn a_backslash_takes_the_next_character() {
        assert_eq!(split_options(r"  a\ b  c\\d \"), ["a b", r"c\d", ""]);
    }
}
