//! Password authentication, from the client's side of SCRAM-SHA-256.

mod common;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use common::*;
use evenkeel_server::{Users, make_verifier};
use hmac::{Hmac, KeyInit, Mac};
use pgwire::api::auth::sasl::scram::gen_salted_password;
use sha2::{Digest, Sha256};

fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).unwrap();
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

fn fixture() -> Fixture {
    let mut users = Users::new();
    users.add("ann", &make_verifier("correct horse").unwrap()).unwrap();
    Fixture::with(&[("local_authentication", "scram-sha-256")], users)
}

/// Plays the exchange; the reply to the final message.
fn log_in(c: &mut Client, user: &str, password: &str) -> Reply {
    c.send(&[startup_packet(3 << 16, &[("user", user)])]);
    let offer = c.receive();
    assert_eq!(
        (offer.kind, &offer.body[..4], &offer.body[4..]),
        ('R', &[0, 0, 0, 10][..], &b"SCRAM-SHA-256\0\0"[..])
    );
    let first_bare = "n=,r=clientnonce";
    let first = format!("n,,{first_bare}");
    let mut body = b"SCRAM-SHA-256\0".to_vec();
    body.extend_from_slice(&(first.len() as i32).to_be_bytes());
    body.extend_from_slice(first.as_bytes());
    c.send(&[frame(b'p', &body)]);
    let server_first = String::from_utf8(c.receive().body[4..].to_vec()).unwrap();
    let part = |i: usize| server_first.split(',').nth(i).unwrap()[2..].to_string();
    let (nonce, salt, iterations) = (part(0), STANDARD.decode(part(1)).unwrap(), part(2).parse().unwrap());
    let salted = gen_salted_password(password, &salt, iterations);
    let client_key = hmac(&salted, b"Client Key");
    let without_proof = format!("c={},r={nonce}", STANDARD.encode("n,,"));
    let message = format!("{first_bare},{server_first},{without_proof}");
    let signature = hmac(&Sha256::digest(&client_key), message.as_bytes());
    let proof: Vec<u8> = client_key.iter().zip(&signature).map(|(a, b)| a ^ b).collect();
    c.send(&[frame(b'p', format!("{without_proof},p={}", STANDARD.encode(proof)).as_bytes())]);
    let reply = c.receive();
    if reply.kind == 'R' {
        let expected = STANDARD.encode(hmac(&hmac(&salted, b"Server Key"), message.as_bytes()));
        assert_eq!(reply.body[4..], *format!("v={expected}").as_bytes());
    }
    reply
}

#[test]
fn the_right_password_opens_a_session() {
    let f = fixture();
    let mut c = f.connect();
    assert_eq!(log_in(&mut c, "ann", "correct horse").kind, 'R');
    assert_eq!(kinds(&c.until_ready()), "RSKZi");
    assert_eq!(c.ask(&[query("rows 1")]), "TDCZi");
    assert_eq!(*f.toy.system_users.lock(), [Some("scram-sha-256:ann".to_owned())]);
}

#[test]
fn wrong_passwords_and_unknown_users_are_refused_alike() {
    let f = fixture();
    for (user, password) in [("ann", "incorrect"), ("bob", "correct horse")] {
        let e = log_in(&mut f.connect(), user, password);
        assert_eq!(e.field(b'C').unwrap(), "28P01");
        assert_eq!(e.field(b'M').unwrap(), format!("password authentication failed for user \"{user}\""));
    }
    assert!(f.toy.started.lock().is_empty());
}

#[test]
fn nothing_but_the_exchange_is_heard_before_it_is_over() {
    let f = fixture();
    for message in [query("rows 1"), sync(), frame(b'p', b""), frame(b'p', b"SCRAM-SHA-256-PLUS\0\0\0\0\0")] {
        let mut c = f.connect();
        c.send(&[startup_packet(3 << 16, &[("user", "ann")]), message]);
        assert_eq!(c.receive().kind, 'R');
        assert_eq!(c.last_words().field(b'S').unwrap(), "FATAL");
    }
}
