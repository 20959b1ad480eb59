//! Logging in: from the start-up packet to the server that is ready.
//!
//! Invariants
//! 1. A server that asks for much hashing, or does not prove that it knows the password, is not gone along with.
//! 2. A login that has to be bound to the server's certificate is, or fails.
//!
//! It must not know how a connection is made.

use postgres_protocol::authentication::sasl::{
    ChannelBinding as Binding, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256,
};

use crate::certificate::Certificate;
use crate::connection::{Connection, Message, WireError, nonsense, protocol, server_error};
use crate::{ChannelBinding, ConnString};

/// More rounds of hashing would only keep us busy.
const ITERATIONS_MAX: u32 = 1_000_000;

/// Answers what the server asks, until it is ready. Blocks.
pub(crate) fn log_in(c: &mut Connection, to: &ConnString) -> Result<(), WireError> {
    let mut scram: Option<ScramSha256> = None;
    let mut bound = false;
    let mut minor = *to.protocol_minor.end();
    let must_bind = to.channel_binding == ChannelBinding::Require;
    if must_bind && !c.is_encrypted() {
        return Err(protocol("channel binding required, but SSL not in use"));
    }
    loop {
        let (kind, body) = c.read()?;
        if kind != b'R' {
            match kind {
                b'Z' => return Ok(()),
                b'E' => return Err(server_error(&body)),
                b'v' => {
                    let version = body.first_chunk::<4>().ok_or_else(nonsense)?;
                    let version = u32::from_be_bytes(*version);
                    minor = u16::try_from(version.wrapping_sub(3 << 16)).map_err(|_| nonsense())?;
                    if minor > *to.protocol_minor.end() {
                        return Err(protocol("the server asks for a newer protocol than it was offered"));
                    }
                }
                // Parameters, the key for cancelling, notices.
                _ => {}
            }
            continue;
        }
        // What was to be negotiated has been.
        let min = *to.protocol_minor.start();
        if minor < min {
            return Err(protocol(format!(
                "server only supports protocol version 3.{minor}, but \"min_protocol_version\" was set to 3.{min}"
            )));
        }
        let (what, rest) = body.split_at_checked(4).ok_or_else(nonsense)?;
        let password = || {
            to.password
                .as_deref()
                .ok_or_else(|| protocol("the server asks for a password, but none is given"))
        };
        let mut reply = Message::new(b'p');
        match (u32::from_be_bytes([what[0], what[1], what[2], what[3]]), &mut scram) {
            (0, _) if must_bind && !bound => {
                return Err(protocol(
                    "channel binding required, but server authenticated client without channel binding",
                ));
            }
            (0, _) => continue,
            (3, _) if !must_bind => {
                reply.text(password()?)?;
            }
            (10, _) => {
                let offers = |name: &str| rest.split(|b| *b == 0).any(|n| n == name.as_bytes());
                let (name, binding) = choose(c, to, &offers)?;
                bound = name == SCRAM_SHA_256_PLUS;
                let begun = ScramSha256::new(password()?.as_bytes(), binding);
                let first = begun.message();
                reply.text(name)?.i32(first.len() as i32).bytes(first);
                scram = Some(begun);
            }
            (11, Some(scram)) => {
                check_iterations(rest)?;
                scram.update(rest).map_err(|e| protocol(e.to_string()))?;
                reply.bytes(scram.message());
            }
            (12, Some(scram)) => {
                let unproven = |_| protocol("the server did not prove that it knows the password");
                scram.finish(rest).map_err(unproven)?;
                continue;
            }
            (5, _) => return Err(protocol("the server wants an MD5 password; use SCRAM or trust")),
            (n, _) => return Err(protocol(format!("the server wants authentication method {n}"))),
        }
        c.write(&reply.end())?;
    }
}

/// The mechanism, and what its first message says of binding (2).
fn choose(
    c: &Connection,
    to: &ConnString,
    offers: &dyn Fn(&str) -> bool,
) -> Result<(&'static str, Binding), WireError> {
    let wants = to.channel_binding != ChannelBinding::Disable;
    let digest = c
        .server_certificate()
        .filter(|_| wants)
        .and_then(|der| Certificate::parse(der).ok().and_then(|read| read.end_point_digest()));
    if offers(SCRAM_SHA_256_PLUS)
        && let Some(digest) = digest
    {
        return Ok((SCRAM_SHA_256_PLUS, Binding::tls_server_end_point(digest)));
    }
    if to.channel_binding == ChannelBinding::Require {
        return Err(protocol(
            "channel binding is required, but server did not offer an authentication method that supports channel binding",
        ));
    }
    if !offers(SCRAM_SHA_256) {
        return Err(protocol("the server offers no way to log in that is known here"));
    }
    // A server that could would have offered it, unless somebody in between has left it out: it learns of that.
    let could = digest.is_some();
    Ok((SCRAM_SHA_256, if could { Binding::unrequested() } else { Binding::unsupported() }))
}

/// Refuses to be kept busy by a server's first SCRAM message.
fn check_iterations(server_first: &[u8]) -> Result<(), WireError> {
    let text = std::str::from_utf8(server_first).map_err(|_| nonsense())?;
    let iterations = text.split(',').find_map(|part| part.strip_prefix("i=")?.parse::<u32>().ok());
    match iterations {
        Some(1..=ITERATIONS_MAX) => Ok(()),
        _ => Err(protocol(format!("the server's SCRAM message is malformed: {text}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashing_is_bounded() {
        assert!(check_iterations(b"r=a,s=b,i=4096").is_ok());
        for bad in [&b"r=a,s=b"[..], b"r=a,s=b,i=0", b"i=1000001", b"i=x", b"\xff"] {
            assert!(check_iterations(bad).is_err(), "{bad:?}");
        }
    }
}
