//! Whether a client comes in: the rules of `pg_hba.conf`, or, where there are none, the settings; and the proof that is asked for.
//!
//! Invariants
//! 1. Nobody comes in but by way of [`admit`]; whoever follows the log, too.
//! 2. Who is told why he stays out learns no more than PostgreSQL tells; the log has the rest.
//!
//! It must not know sessions.

use evenkeel_sql::{SqlError, SqlState};
use pgwire::messages::startup::Authentication;
use tracing::info;

use crate::auth::{Answer, Users};
use crate::backend::Backend;
use crate::errors::{End, fatal};
use crate::hba::{self, ClientCert, Mapping, Method, Rule, Visitor};
use crate::settings::{Id, ServerSettings};
use crate::startup::{StartupRequest, read_more};
use crate::tls::Tls;
use crate::wire::input::{InputBuffer, STARTUP_BYTES_MAX};
use crate::wire::output::OutputBuffer;

/// What decides.
pub(crate) struct Doors<'a> {
    pub settings: &'a ServerSettings,
    /// Gives those who have a password, the one who knocks among them.
    pub users: &'a dyn Fn() -> Result<Users, SqlError>,
    /// Whether a user is a member of a role.
    pub is_member: &'a dyn Fn(&str, &str) -> bool,
    pub tls: Option<&'a Tls>,
    /// None: there is no file of rules.
    pub rules: Option<&'a [Rule]>,
    pub mappings: &'a [Mapping],
    pub decoy_key: &'a [u8; 32],
    /// Why there is no password of a user that could be compared, for the log.
    pub why_no_password: &'a dyn Fn(&str) -> Option<String>,
}

/// Lets a client in, or not: by which method, and as whom it was authenticated (`SYSTEM_USER`). `out` has what it is told first.
pub(crate) fn admit(
    doors: &Doors<'_>,
    request: &StartupRequest,
    input: &mut InputBuffer,
    backend: &Backend,
    out: &mut OutputBuffer,
) -> Result<Option<String>, End> {
    let stream = &backend.stream;
    if stream.is_owner() {
        return Ok(None);
    }
    let (user, logs) = (&*request.user, doors.settings.logs_connections().authentication);
    let Some(rules) = doors.rules else {
        let trusted = stream.is_local() && doors.settings.show(Id::LocalAuthentication) == "trust";
        if trusted {
            if logs {
                tell_authenticated(request, backend, &None, Method::Trust, "");
            }
            return Ok(None);
        }
        authenticate(doors, user, input, backend, out).map_err(|end| {
            match of_log(doors, Method::Scram, user) {
                Some(why) => with_log(end, why),
                None => end,
            }
        })?;
        let found = Some(identity(Method::Scram, user));
        if logs {
            tell_authenticated(request, backend, &found, Method::Scram, "");
        }
        return Ok(found);
    };
    let visitor = Visitor {
        address: stream.peer().map(|peer| peer.ip().to_canonical()),
        is_encrypted: stream.tls().is_some(),
        user: &request.user,
        database: &request.database,
        replication: request.replication,
    };
    let rule = hba::find(rules, &visitor, &hba::interfaces, doors.is_member).map_err(End::Fatal)?;
    let found = by_rule(rule, doors, request, input, backend, out).map_err(|end| {
        let matched =
            format!("Connection matched file \"{}\" line {}: \"{}\"", rule.file, rule.line, rule.raw);
        with_log(
            end,
            match of_log(doors, rule.method, user) {
                Some(why) => format!("{why}\n{matched}"),
                None => matched,
            },
        )
    })?;
    if logs {
        tell_authenticated(request, backend, &found, rule.method, &format!(" ({}:{})", rule.file, rule.line));
    }
    Ok(found)
}

/// Who was not let in is not told why: the log is.
fn with_log(mut end: End, why: String) -> End {
    if let End::Fatal(e) = &mut end
        && matches!(e.code, SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION)
        && e.detail.is_none()
    {
        e.detail_log = Some(why);
    }
    end
}

/// Why a password was not taken, in PostgreSQL's words: of SCRAM only where there was none to be taken.
fn of_log(doors: &Doors<'_>, method: Method, user: &str) -> Option<String> {
    match method {
        Method::Scram | Method::Md5 | Method::Password => {}
        _ => return None,
    }
    let is_known = (doors.users)().is_ok_and(|users| users.has(user));
    match (is_known, method) {
        (false, _) => (doors.why_no_password)(user),
        (true, Method::Password) => Some(format!("Password does not match for user \"{user}\".")),
        (true, _) => None,
    }
}

/// `log_connections`: `found` is what a method has found out, as [`identity`] tells it.
fn tell_authenticated(
    request: &StartupRequest,
    backend: &Backend,
    found: &Option<String>,
    method: Method,
    place: &str,
) {
    let (user, database) = (&*request.user, &*request.database);
    let peer = backend.stream.peer();
    let who = match found.as_ref().and_then(|found| found.split_once(':')) {
        Some((_, name)) => format!("identity=\"{name}\""),
        None => format!("user=\"{user}\""),
    };
    info!(
        pid = backend.pid,
        started_us = backend.log_origin.unix_us(),
        line = backend.log_origin.next_line(),
        host = peer.map(|p| p.ip().to_canonical().to_string()),
        port = peer.map(|p| i64::from(p.port())),
        user,
        database,
        tag = "authentication",
        "connection authenticated: {who} method={}{place}",
        method.name()
    );
}

fn by_rule(
    rule: &Rule,
    doors: &Doors<'_>,
    request: &StartupRequest,
    input: &mut InputBuffer,
    backend: &Backend,
    out: &mut OutputBuffer,
) -> Result<Option<String>, End> {
    let user = request.user.as_str();
    let mut found = match rule.method {
        Method::Scram | Method::Md5 | Method::Password => Some(identity(rule.method, user)),
        _ => None,
    };
    let client = backend.stream.tls().and_then(|tls| tls.client.as_deref());
    if rule.client_cert != ClientCert::Off {
        if !doors.tls.is_some_and(|tls| tls.verifies_clients) {
            let message = "client certificates can only be checked if a root certificate store is available";
            return Err(End::Fatal(fatal(SqlState::CONFIG_FILE_ERROR, message)));
        }
        if client.is_none() {
            let message = "connection requires a valid client certificate";
            return Err(End::Fatal(fatal(SqlState::INVALID_AUTHORIZATION_SPECIFICATION, message)));
        }
    }
    match rule.method {
        // A certificate is looked at below.
        Method::Trust | Method::Cert => {}
        Method::Reject => unreachable!("a rule that rejects is not found"),
        Method::Peer => {
            let name = backend.stream.peer_uid().ok().and_then(hba::system_user);
            let Some(name) = name.filter(|name| may_be(rule, doors, name, user)) else {
                return Err(failed(rule, user));
            };
            found = Some(identity(rule.method, &name));
        }
        Method::Scram | Method::Md5 => authenticate(doors, user, input, backend, out)?,
        Method::Password => {
            out.authentication(&Authentication::CleartextPassword);
            let body = ask(input, backend, out, "password")?;
            let password = body.strip_suffix(&[0]).and_then(|text| str::from_utf8(text).ok());
            match password {
                None => {
                    let message = "invalid password packet size";
                    return Err(End::Fatal(fatal(SqlState::PROTOCOL_VIOLATION, message)));
                }
                Some("") => {
                    let message = "empty password returned by client";
                    return Err(End::Fatal(fatal(SqlState::INVALID_PASSWORD, message)));
                }
                Some(password) if password_is(doors, user, password)? => {}
                Some(_) => return Err(failed(rule, user)),
            }
        }
    }
    if rule.client_cert == ClientCert::Full {
        let name = match client {
            Some(client) if rule.by_dn => Ok(Some(client.subject_rfc2253())),
            Some(client) => client.common_name(),
            None => Ok(None),
        };
        let name = name.unwrap_or_else(|e| {
            info!(pid = backend.pid, "{e}");
            None
        });
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            info!(
                pid = backend.pid,
                "certificate authentication failed for user \"{user}\": client certificate contains no user name"
            );
            return Err(failed(rule, user));
        };
        if !may_be(rule, doors, &name, user) {
            if rule.method != Method::Cert {
                let what = if rule.by_dn { "DN" } else { "CN" };
                info!(
                    pid = backend.pid,
                    "certificate validation (clientcert=verify-full) failed for user \"{user}\": {what} mismatch"
                );
            }
            return Err(failed(rule, user));
        }
    }
    // Of a certificate it is always the whole subject.
    if rule.method == Method::Cert {
        found = client.map(|client| identity(rule.method, &client.subject_rfc2253()));
    }
    Ok(found)
}

fn may_be(rule: &Rule, doors: &Doors<'_>, system_user: &str, user: &str) -> bool {
    hba::may_be(doors.mappings, rule.map.as_deref(), system_user, user, doors.is_member)
}

fn password_is(doors: &Doors<'_>, user: &str, password: &str) -> Result<bool, End> {
    let users = (doors.users)().map_err(|e| End::Fatal(e.fatal()))?;
    Ok(users.is_password(user, password, doors.decoy_key))
}

/// Who was authenticated, as `SYSTEM_USER` tells it.
fn identity(method: Method, name: &str) -> String {
    format!("{}:{name}", method.name())
}

/// In PostgreSQL's words.
fn failed(rule: &Rule, user: &str) -> End {
    let (code, what) = match rule.method {
        Method::Scram | Method::Md5 | Method::Password => {
            (SqlState::INVALID_PASSWORD, "password authentication")
        }
        Method::Peer => (SqlState::INVALID_AUTHORIZATION_SPECIFICATION, "Peer authentication"),
        Method::Cert => (SqlState::INVALID_AUTHORIZATION_SPECIFICATION, "certificate authentication"),
        Method::Trust => (SqlState::INVALID_AUTHORIZATION_SPECIFICATION, "\"trust\" authentication"),
        Method::Reject => unreachable!("a rule that rejects is not found"),
    };
    End::Fatal(fatal(code, format!("{what} failed for user \"{user}\"")))
}

/// Sends what is in `out`, and waits for the answer to it. Blocks.
fn ask(
    input: &mut InputBuffer,
    backend: &Backend,
    out: &mut OutputBuffer,
    what: &str,
) -> Result<Vec<u8>, End> {
    backend.stream.write_all(&out.bytes)?;
    out.clear();
    let frame = loop {
        match input.next_frame(STARTUP_BYTES_MAX).map_err(End::Fatal)? {
            Some(frame) => break frame,
            None => read_more(input, backend)?,
        }
    };
    match frame.kind {
        b'p' => Ok(input.body(&frame).unwrap_or_default().to_vec()),
        b'X' => Err(End::Terminated),
        kind => {
            let message = format!("expected {what} response, got message type {kind}");
            Err(End::Fatal(fatal(SqlState::PROTOCOL_VIOLATION, message)))
        }
    }
}

/// Makes the client prove that it is `user`.
fn authenticate(
    doors: &Doors<'_>,
    user: &str,
    input: &mut InputBuffer,
    backend: &Backend,
    out: &mut OutputBuffer,
) -> Result<(), End> {
    let users = (doors.users)().map_err(|e| End::Fatal(e.fatal()))?;
    let tls = doors.tls.filter(|_| backend.stream.tls().is_some());
    let mut exchange = users.exchange(user, doors.decoy_key, tls.and_then(|tls| tls.binding.as_ref()));
    out.authentication(&Authentication::SASL(exchange.mechanisms()));
    loop {
        let body = ask(input, backend, out, "SASL")?;
        match exchange.message(&body).map_err(End::Fatal)? {
            Answer::Continue(reply) => out.authentication(&Authentication::SASLContinue(reply.into())),
            Answer::Accept(reply) => {
                out.authentication(&Authentication::SASLFinal(reply.into()));
                return Ok(());
            }
        }
    }
}
