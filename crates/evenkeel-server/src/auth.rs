//! Passwords: stored verifiers, and the server's side of SCRAM-SHA-256.
//!
//! Duty: keep the users' verifiers in PostgreSQL's notation, and run the exchange on `pgwire`'s SCRAM. A user that does not
//! exist gets the same exchange with made-up salt, so that nobody can probe for names.
//!
//! It must not know sockets.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use evenkeel_sql::{SqlError, SqlState};
use pgwire::api::auth::sasl::scram::{
    SCRAM_ITERATIONS, ScramSecret, ScramServerAuth, ScramServerAuthWaitingForClientFinal, gen_salted_password,
};
use pgwire::error::PgWireError;

use crate::backend::same;
use crate::errors::fatal;
use crate::wire::frontend::Reader;

/// The mechanism that is always on offer,
const MECHANISM: &str = "SCRAM-SHA-256";
/// and the one that binds a login to the server's certificate: whoever sits between and shows another one gets nowhere.
const MECHANISM_PLUS: &str = "SCRAM-SHA-256-PLUS";
const SALT_BYTES: usize = 16;
const KEY_BYTES: usize = 32;
/// Bounds of a verifier's iteration count; the client does the work.
const ITERATIONS: std::ops::RangeInclusive<usize> = 1..=10_000_000;

/// A verifier that is not in the form `SCRAM-SHA-256$<iterations>:<salt>$<stored key>:<server key>`.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "the verifier of user \"{0}\" is not of the form SCRAM-SHA-256$<iterations>:<salt>$<stored key>:<server key>"
)]
pub struct BadVerifier(pub String);

#[derive(Clone)]
struct Verifier {
    /// As it is written.
    text: String,
    iterations: usize,
    salt: Vec<u8>,
    stored_key: Vec<u8>,
    server_key: Vec<u8>,
}

/// The users that have a password.
#[derive(Clone, Default)]
pub struct Users {
    verifiers: HashMap<String, Verifier>,
}

impl std::fmt::Debug for Users {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.verifiers.keys()).finish()
    }
}

impl Users {
    /// Nobody.
    pub fn new() -> Users {
        Users::default()
    }

    /// Adds a user with a verifier as [`make_verifier`] makes them.
    pub fn add(&mut self, user: &str, verifier: &str) -> Result<(), BadVerifier> {
        let v = parse(verifier).ok_or_else(|| BadVerifier(user.to_string()))?;
        self.verifiers.insert(user.to_string(), v);
        Ok(())
    }

    /// Whether a user has a password here.
    pub fn has(&self, user: &str) -> bool {
        self.verifiers.contains_key(user)
    }

    /// A user's verifier, as it is written.
    pub(crate) fn verifier(&self, user: &str) -> Option<&str> {
        self.verifiers.get(user).map(|v| v.text.as_str())
    }

    /// The users with their verifiers, by name.
    pub fn verifiers(&self) -> Vec<(String, String)> {
        let mut all: Vec<_> = self.verifiers.iter().map(|(name, v)| (name.clone(), v.text.clone())).collect();
        all.sort();
        all
    }

    /// Whether nobody could log in with a password.
    pub fn is_empty(&self) -> bool {
        self.verifiers.is_empty()
    }

    /// Whether this is the password of `user`. It takes as long where there is no such user.
    pub(crate) fn is_password(&self, user: &str, password: &str, decoy_key: &[u8; 32]) -> bool {
        let known = self.verifiers.get(user);
        let (salt, iterations) = match known {
            Some(v) => (v.salt.as_slice(), v.iterations),
            None => (decoy_key.as_slice(), SCRAM_ITERATIONS),
        };
        let salted = gen_salted_password(password, salt, iterations);
        let derived = ScramSecret::verifier_from_salted_password(Vec::new(), salted, iterations);
        let ScramSecret::Verifier { stored_key, .. } = derived else { return false };
        known.is_some_and(|v| same(&v.stored_key, &stored_key))
    }

    /// Starts an exchange for `user`, known or not.
    /// `binding`: of the encryption that the client uses, if logins may be bound to it.
    pub(crate) fn exchange(
        &self,
        user: &str,
        decoy_key: &[u8; 32],
        binding: Option<&ScramServerAuth>,
    ) -> Exchange {
        let secret = match self.verifiers.get(user) {
            Some(v) => ScramSecret::Verifier {
                salt: v.salt.clone(),
                iterations: v.iterations,
                stored_key: v.stored_key.clone(),
                server_key: v.server_key.clone(),
            },
            None => decoy(user, decoy_key),
        };
        Exchange {
            user: user.to_string(),
            may_bind: binding.is_some(),
            scram: binding.cloned().unwrap_or_default(),
            step: Step::First(Some(secret)),
        }
    }
}

/// Makes the verifier of a password, with a random salt.
pub fn make_verifier(password: &str) -> std::io::Result<String> {
    let mut salt = [0; SALT_BYTES];
    fill_random(&mut salt)?;
    let salted = gen_salted_password(password, &salt, SCRAM_ITERATIONS);
    let ScramSecret::Verifier { stored_key, server_key, iterations, .. } =
        ScramSecret::verifier_from_salted_password(salt.to_vec(), salted, SCRAM_ITERATIONS)
    else {
        return Err(std::io::Error::other("no verifier was derived"));
    };
    let b = |x: &[u8]| STANDARD.encode(x);
    Ok(format!("{MECHANISM}${iterations}:{}${}:{}", b(&salt), b(&stored_key), b(&server_key)))
}

/// Fills `bytes` from the system's generator.
pub(crate) fn fill_random(bytes: &mut [u8]) -> std::io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        filled += rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(())
}

fn parse(verifier: &str) -> Option<Verifier> {
    let rest = verifier.strip_prefix(MECHANISM)?.strip_prefix('$')?;
    let (front, keys) = rest.split_once('$')?;
    let (iterations, salt) = front.split_once(':')?;
    let (stored, server) = keys.split_once(':')?;
    let key = |s: &str| STANDARD.decode(s).ok().filter(|k| k.len() == KEY_BYTES);
    let salt = STANDARD.decode(salt).ok().filter(|s| !s.is_empty())?;
    let iterations = iterations.parse().ok().filter(|i| ITERATIONS.contains(i))?;
    Some(Verifier {
        text: verifier.to_owned(),
        iterations,
        salt,
        stored_key: key(stored)?,
        server_key: key(server)?,
    })
}

/// A secret that nobody knows, with a salt that stays the same for a name as long as the server runs.
fn decoy(user: &str, decoy_key: &[u8; 32]) -> ScramSecret {
    let mut salt = gen_salted_password(user, decoy_key, 1);
    let stored_key = gen_salted_password(user, &salt, 1);
    salt.truncate(SALT_BYTES);
    ScramSecret::Verifier { salt, iterations: SCRAM_ITERATIONS, server_key: stored_key.clone(), stored_key }
}

enum Step {
    First(Option<ScramSecret>),
    Final(Box<ScramServerAuthWaitingForClientFinal>),
}

/// One client's authentication.
pub(crate) struct Exchange {
    user: String,
    may_bind: bool,
    scram: ScramServerAuth,
    step: Step,
}

/// What to answer.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Send this and wait for the next message.
    Continue(String),
    /// Send this: the client is who it says.
    Accept(String),
}

impl Exchange {
    /// Mechanisms on offer, the best first.
    pub fn mechanisms(&self) -> Vec<String> {
        let plus = self.may_bind.then_some(MECHANISM_PLUS);
        plus.into_iter().chain([MECHANISM]).map(str::to_owned).collect()
    }

    /// Takes the body of the client's next `p` message.
    pub fn message(&mut self, body: &[u8]) -> Result<Answer, SqlError> {
        match &mut self.step {
            Step::First(secret) => {
                let mut r = Reader { rest: body };
                let mechanism = r.string().map_err(SqlError::fatal)?;
                let binds = self.may_bind && mechanism == MECHANISM_PLUS;
                if mechanism != MECHANISM && !binds {
                    return Err(fatal(
                        SqlState::PROTOCOL_VIOLATION,
                        "client selected an invalid SASL authentication mechanism",
                    ));
                }
                let n = r.i32().map_err(SqlError::fatal)?;
                if n < 0 || n as usize != r.rest.len() {
                    return Err(malformed());
                }
                check_binding(r.rest, binds, self.may_bind)?;
                let secret = secret.take().ok_or_else(malformed)?;
                let scram = std::mem::take(&mut self.scram);
                let (reply, next) =
                    scram.on_client_first_message_with_secret(r.rest, secret).map_err(|e| self.refusal(e))?;
                self.step = Step::Final(Box::new(next));
                Ok(Answer::Continue(reply))
            }
            Step::Final(next) => {
                let reply = next.on_client_final_message(body);
                reply.map(Answer::Accept).map_err(|e| self.refusal(e))
            }
        }
    }

    fn refusal(&self, e: PgWireError) -> SqlError {
        match e {
            PgWireError::InvalidPassword(_) => fatal(
                SqlState::INVALID_PASSWORD,
                format!("password authentication failed for user \"{}\"", self.user),
            ),
            PgWireError::InvalidScramMessage(m) if m == "Channel binding mismatch" => {
                fatal(SqlState::INVALID_AUTHORIZATION_SPECIFICATION, "SCRAM channel binding check failed")
            }
            _ => malformed(),
        }
    }
}

/// What the client's first message says of binding has to go with the mechanism it chose, and with what it could have chosen.
fn check_binding(first: &[u8], binds: bool, may_bind: bool) -> Result<(), SqlError> {
    let wrong = |message: &str, detail: &str| {
        let code = match message {
            "malformed SCRAM message" => SqlState::PROTOCOL_VIOLATION,
            _ => SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
        };
        let mut e = fatal(code, message);
        e.detail = Some(detail.into());
        Err(e)
    };
    match first.first() {
        Some(b'n' | b'y') if binds => wrong(
            "malformed SCRAM message",
            "The client selected SCRAM-SHA-256-PLUS, but the SCRAM message does not include channel binding data.",
        ),
        Some(b'p') if !binds => wrong(
            "malformed SCRAM message",
            "The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel binding data.",
        ),
        Some(b'y') if may_bind => wrong(
            "SCRAM channel binding negotiation error",
            "The client supports SCRAM channel binding but thinks the server does not.  However, this server does support channel binding.",
        ),
        _ => Ok(()),
    }
}

fn malformed() -> SqlError {
    fatal(SqlState::PROTOCOL_VIOLATION, "malformed SCRAM message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verifier_of_postgresql_is_understood() {
        // RFC 7677's example password "pencil", in the form of pg_authid.rolpassword.
        let v = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";
        let mut users = Users::new();
        users.add("user", v).unwrap();
        assert!(!users.is_empty());
        let made = make_verifier("pencil").unwrap();
        users.add("other", &made).unwrap();
        assert_ne!(made, make_verifier("pencil").unwrap());
    }

    #[test]
    fn a_password_is_compared_with_its_verifier() {
        let mut users = Users::new();
        users.add("ann", &make_verifier("pencil").unwrap()).unwrap();
        assert!(users.is_password("ann", "pencil", &[1; 32]));
        assert!(!users.is_password("ann", "Pencil", &[1; 32]));
        assert!(!users.is_password("bob", "pencil", &[1; 32]));
    }

    #[test]
    fn broken_verifiers_are_refused() {
        let mut users = Users::new();
        for v in [
            "",
            "md5abc",
            "SCRAM-SHA-256$0:aa==$b:c",
            "SCRAM-SHA-256$4096:W22Z$AAAA:AAAA",
            "SCRAM-SHA-256$x:y",
        ] {
            assert!(users.add("u", v).is_err(), "{v}");
        }
    }

    #[test]
    fn an_unknown_user_is_led_on_with_a_steady_salt() {
        let first = |users: &Users| {
            let mut body = b"SCRAM-SHA-256\0\0\0\0\x0en,,n=,r=abcdef".to_vec();
            let n = body.len() - 18;
            body[14..18].copy_from_slice(&(n as i32).to_be_bytes());
            match users.exchange("nobody", &[1; 32], None).message(&body).unwrap() {
                Answer::Continue(s) => s.split(',').nth(1).unwrap().to_string(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(first(&Users::new()), first(&Users::new()));
    }

    #[test]
    fn hostile_messages_are_refused() {
        for body in [
            &b""[..],
            b"SCRAM-SHA-256\0",
            b"SCRAM-SHA-256\0\xff\xff\xff\xff",
            b"X\0\0\0\0\0",
            b"SCRAM-SHA-256\0\0\0\0\x01,",
        ] {
            let e = Users::new().exchange("u", &[1; 32], None).message(body).unwrap_err();
            assert!(e.severity_fatal);
        }
    }
}
