//! SCRAM-SHA-256, the client's side (RFC 5802, 7677), without channel binding.
//!
//! It must not know how messages travel.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// More rounds would only keep us busy.
const ITERATIONS_MAX: u32 = 1_000_000;
const GS2_HEADER: &str = "n,,";

/// An exchange under way.
pub struct Scram {
    password: Vec<u8>,
    nonce: String,
    /// What the server has to prove in the end.
    expected: Option<String>,
}

fn mac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).expect("any length of key will do");
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// PBKDF2 with one block.
fn salted(password: &[u8], salt: &[u8], iterations: u32) -> [u8; 32] {
    let mut round = mac(password, &[salt, &[0, 0, 0, 1]].concat());
    let mut sum = round;
    for _ in 1..iterations {
        round = mac(password, &round);
        sum.iter_mut().zip(round).for_each(|(s, r)| *s ^= r);
    }
    sum
}

impl Scram {
    /// Begins; `random` are fresh bytes.
    pub fn new(password: &str, random: &[u8]) -> Scram {
        Scram { password: password.as_bytes().to_vec(), nonce: STANDARD.encode(random), expected: None }
    }

    /// The client's first message. The user's name is that of the connection.
    pub fn first(&self) -> String {
        format!("{GS2_HEADER}n=,r={}", self.nonce)
    }

    /// The answer to the server's first message.
    pub fn answer(&mut self, server_first: &str) -> Result<String, String> {
        let bad = || format!("the server's SCRAM message is malformed: {server_first}");
        let part = |name: &str| server_first.split(',').find_map(|p| p.strip_prefix(name)).ok_or_else(bad);
        let (nonce, salt, iterations) = (part("r=")?, part("s=")?, part("i=")?);
        let salt = STANDARD.decode(salt).map_err(|_| bad())?;
        let iterations: u32 = iterations.parse().map_err(|_| bad())?;
        if !nonce.starts_with(&self.nonce) || iterations == 0 || iterations > ITERATIONS_MAX {
            return Err(bad());
        }
        let key = salted(&self.password, &salt, iterations);
        let without_proof = format!("c={},r={nonce}", STANDARD.encode(GS2_HEADER));
        let message = format!("n=,r={},{server_first},{without_proof}", self.nonce);
        let client_key = mac(&key, b"Client Key");
        let stored_key: [u8; 32] = Sha256::digest(client_key).into();
        let signature = mac(&stored_key, message.as_bytes());
        let proof: Vec<u8> = client_key.iter().zip(signature).map(|(k, s)| k ^ s).collect();
        self.expected = Some(STANDARD.encode(mac(&mac(&key, b"Server Key"), message.as_bytes())));
        Ok(format!("{without_proof},p={}", STANDARD.encode(proof)))
    }

    /// Checks the server's last message: it knows the password, too.
    pub fn finish(&self, server_final: &str) -> Result<(), String> {
        match (server_final.strip_prefix("v="), &self.expected) {
            (Some(given), Some(expected)) if given == expected => Ok(()),
            _ => Err("the server did not prove that it knows the password".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7677, whose user has a name.
    #[test]
    fn the_key_is_that_of_the_standard() {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let key = salted(b"pencil", &salt, 4096);
        let message = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
            s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
        let signature = STANDARD.encode(mac(&mac(&key, b"Server Key"), message.as_bytes()));
        assert_eq!(signature, "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    #[test]
    fn a_server_that_does_not_continue_our_nonce_or_prove_itself_is_refused() {
        let mut scram = Scram::new("x", b"123456");
        for bad in ["", "r=other,s=AAAA,i=4096", "r=MTIzNDU2x,s=AAAA,i=0", "r=MTIzNDU2x,s=?,i=1"] {
            assert!(scram.answer(bad).is_err(), "{bad}");
        }
        scram.answer("r=MTIzNDU2more,s=AAAA,i=1").unwrap();
        assert!(scram.finish("v=AAAA").is_err());
    }
}
