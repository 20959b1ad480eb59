//! Who may see what a server does: the holder of the token, and roles that may monitor.
//!
//! Invariants:
//! 1. Where somebody asks from says nothing: loopback is no exception. Whoever may log in to the machine may not see statements by that.
//! 2. A page of somebody else's, opened in a browser, gets nothing: the server is called by an address, as `localhost`, or by one of `metrics_hosts`; a name that somebody
//!    else has made to lead here is none of them.
//! 3. Who guesses waits: [`GUESS_DELAY`].
//! 4. A role that does not exist takes as long as a wrong password.
//!
//! It must not know what is shown.

use std::fs;
use std::net::{IpAddr, Ipv6Addr};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tracing::{debug, warn};

use crate::auth::Users;
use crate::backend::same;
use crate::http::{Answer, Request};
use crate::service::Service;

const GUESS_DELAY: Duration = Duration::from_millis(500);
/// The shortest token that is taken, and the longest, bytes.
const TOKEN_BYTES: std::ops::RangeInclusive<usize> = 16..=4096;

/// What is asked before anything is shown.
pub(super) struct Access<'a, S: Service> {
    pub service: &'a S,
    pub users: &'a Users,
    pub decoy_key: &'a [u8; 32],
    /// Names besides addresses (2).
    pub hosts: &'a [String],
    pub token: Option<&'a str>,
}

impl<S: Service> Access<'_, S> {
    /// `Err`: the answer to whoever may not.
    pub fn check(&self, request: &Request) -> Result<(), Answer> {
        if !request.host.as_deref().is_some_and(|host| self.is_known(host)) {
            let text = "This server is not called so: add the name to metrics_hosts.\n";
            return Err(Answer::new(421, "text/plain; charset=utf-8", text));
        }
        let shown = request.authorization.as_deref().unwrap_or_default();
        let (scheme, given) = shown.split_once(' ').unwrap_or((shown, ""));
        let given = given.trim();
        if scheme.eq_ignore_ascii_case("bearer") && self.is_token(given) {
            return Ok(());
        }
        if scheme.eq_ignore_ascii_case("basic")
            && let Some((user, password)) = basic(given)
        {
            // In a browser's form, which has no other place for it.
            if user.is_empty() && self.is_token(&password) {
                return Ok(());
            }
            if self.is_password(&user, &password) {
                return match self.service.may_monitor(&user) {
                    Ok(true) => Ok(()),
                    Ok(false) => Err(Answer::new(
                        403,
                        "text/plain; charset=utf-8",
                        "This role may not monitor: it is no member of pg_monitor.\n",
                    )),
                    Err(e) => Err(Answer::new(503, "text/plain; charset=utf-8", format!("{}\n", e.message))),
                };
            }
        }
        let text = "Show the token of metrics_token_file, or name and password of a member of pg_monitor.\n";
        let mut refused = Answer::new(401, "text/plain; charset=utf-8", text);
        refused.headers.push(("www-authenticate", "Basic realm=\"evenkeel\", charset=\"UTF-8\"".into()));
        if !shown.is_empty() {
            refused.delay = GUESS_DELAY; // (3)
        }
        Err(refused)
    }

    /// (2)
    fn is_known(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => host,
        };
        let bare = name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
        name.parse::<IpAddr>().is_ok()
            || bare.is_some_and(|n| n.parse::<Ipv6Addr>().is_ok())
            || name.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    fn is_token(&self, given: &str) -> bool {
        self.token.is_some_and(|token| same(token.as_bytes(), given.as_bytes()))
    }

    fn is_password(&self, user: &str, password: &str) -> bool {
        let mut one = Users::new();
        let verifier = match self.users.verifier(user) {
            Some(verifier) => Some(verifier.to_owned()),
            None => self.service.verifier(user).unwrap_or_default(),
        };
        if let Some(verifier) = verifier
            && let Err(e) = one.add(user, &verifier)
        {
            debug!(error = %e, "a role's password cannot be used");
        }
        one.is_password(user, password, self.decoy_key)
    }
}

/// Name and password.
fn basic(given: &str) -> Option<(String, String)> {
    let text = String::from_utf8(STANDARD.decode(given).ok()?).ok()?;
    let (user, password) = text.split_once(':')?;
    Some((user.to_owned(), password.to_owned()))
}

/// The token, out of its file; None: there is none, or it is not to be trusted, which is logged.
pub(super) fn read_token(path: &Path) -> Option<String> {
    let refuse = |why: &str| {
        warn!("metrics_token_file \"{}\": {why}; nobody gets in by it", path.display());
        None
    };
    let (meta, text) = match fs::metadata(path).and_then(|m| Ok((m, fs::read_to_string(path)?))) {
        Ok(read) => read,
        Err(e) => return refuse(&e.to_string()),
    };
    if meta.mode() & 0o077 != 0 {
        return refuse("others than its owner may read or write it (make it 0600)");
    }
    let token = text.trim();
    if !TOKEN_BYTES.contains(&token.len()) || !token.bytes().all(|b| b.is_ascii_graphic()) {
        return refuse("expected one word of 16 characters or more");
    }
    Some(token.to_owned())
}
