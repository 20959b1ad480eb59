//! What a certificate says: whose it is, for which hosts, and its digest for channel binding.
//!
//! Invariants
//! 1. Bytes come from strangers: what cannot be read is an error. A name with a zero byte is none: it could be taken for a shorter one.
//!
//! It must not know whether a certificate is to be trusted, nor connections.

use std::fmt::Write as _;
use std::net::IpAddr;

use ring::digest;
use x509_cert::der::asn1::{ObjectIdentifier, PrintableStringRef, TeletexStringRef};
use x509_cert::der::{Decode, Reader, SliceReader, Tag, TagNumber, Tagged};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::name::Name;
use x509_cert::spki::AlgorithmIdentifierOwned;

const COMMON_NAME: &str = "2.5.4.3";
const RSASSA_PSS: &str = "1.2.840.113549.1.1.10";

/// Names of attributes, as OpenSSL shortens them.
const ATTRIBUTES: &[(&str, &str)] = &[
    (COMMON_NAME, "CN"),
    ("2.5.4.4", "SN"),
    ("2.5.4.5", "serialNumber"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "street"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("2.5.4.12", "title"),
    ("2.5.4.42", "GN"),
    ("2.5.4.43", "initials"),
    ("2.5.4.46", "dnQualifier"),
    ("0.9.2342.19200300.100.1.1", "UID"),
    ("0.9.2342.19200300.100.1.25", "DC"),
    ("1.2.840.113549.1.9.1", "emailAddress"),
];

/// Algorithms that certificates are signed with, and algorithms of digests, with the digest that channel binding takes (RFC 5929: in place of MD5 and SHA-1, SHA-256).
const DIGESTS: &[(&str, &digest::Algorithm)] = &[
    ("1.2.840.113549.1.1.4", &digest::SHA256),
    ("1.2.840.113549.1.1.5", &digest::SHA256),
    ("1.2.840.113549.1.1.11", &digest::SHA256),
    ("1.2.840.113549.1.1.12", &digest::SHA384),
    ("1.2.840.113549.1.1.13", &digest::SHA512),
    ("1.2.840.10045.4.1", &digest::SHA256),
    ("1.2.840.10045.4.3.2", &digest::SHA256),
    ("1.2.840.10045.4.3.3", &digest::SHA384),
    ("1.2.840.10045.4.3.4", &digest::SHA512),
    ("1.3.14.3.2.26", &digest::SHA256),
    ("2.16.840.1.101.3.4.2.1", &digest::SHA256),
    ("2.16.840.1.101.3.4.2.2", &digest::SHA384),
    ("2.16.840.1.101.3.4.2.3", &digest::SHA512),
];

/// A certificate that was read.
#[derive(Clone, Debug)]
pub struct Certificate {
    read: x509_cert::Certificate,
    der: Vec<u8>,
}

/// The bytes are no certificate, or not one that can be understood.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(String);

impl Certificate {
    /// Reads DER.
    pub fn parse(der: &[u8]) -> Result<Certificate, Malformed> {
        let read = x509_cert::Certificate::from_der(der)
            .map_err(|e| Malformed(format!("malformed certificate: {e}")))?;
        Ok(Certificate { read, der: der.to_vec() })
    }

    /// Whose it is, as PostgreSQL writes it: `/C=…/CN=…`.
    pub fn subject(&self) -> String {
        slashed(&self.read.tbs_certificate.subject)
    }

    /// Whose it is, as RFC 2253 writes it: `CN=…,C=…`.
    pub fn subject_rfc2253(&self) -> String {
        self.read.tbs_certificate.subject.to_string()
    }

    /// Who signed it, as PostgreSQL writes it.
    pub fn issuer(&self) -> String {
        slashed(&self.read.tbs_certificate.issuer)
    }

    /// Its number, in decimal.
    pub fn serial(&self) -> String {
        decimal(self.read.tbs_certificate.serial_number.as_bytes())
    }

    /// The first common name of its subject, if it has one. (1)
    pub fn common_name(&self) -> Result<Option<String>, Malformed> {
        let subject = &self.read.tbs_certificate.subject;
        let mut attributes = subject.0.iter().flat_map(|set| set.0.iter());
        let Some(found) = attributes.find(|a| a.oid.to_string() == COMMON_NAME) else { return Ok(None) };
        match text(&found.value) {
            Some(name) if name.contains('\0') => {
                Err(Malformed("SSL certificate's common name contains embedded null".into()))
            }
            name => Ok(name),
        }
    }

    /// It is in force at this time, seconds since the Unix epoch.
    pub fn is_valid_at(&self, unix_s: u64) -> bool {
        let validity = &self.read.tbs_certificate.validity;
        let [from, to] = [validity.not_before, validity.not_after].map(|t| t.to_unix_duration().as_secs());
        (from..=to).contains(&unix_s)
    }

    /// The digest of `tls-server-end-point` (RFC 5929); None where none is defined for how the certificate is signed.
    pub fn end_point_digest(&self) -> Option<Vec<u8>> {
        let algorithm = &self.read.signature_algorithm;
        let found = match algorithm.oid.to_string().as_str() {
            RSASSA_PSS => digest_of(&pss_digest(algorithm)?)?,
            name => digest_of(name)?,
        };
        Some(digest::digest(found, &self.der).as_ref().to_vec())
    }

    /// Whether it was given to this host: by its alternative names, or, where those name no host, by its common name. As libpq decides it.
    pub fn is_for(&self, host: &str) -> Result<(), Malformed> {
        let address = host.parse::<IpAddr>().ok();
        let names = self.read.tbs_certificate.get::<SubjectAltName>();
        let names = names.map_err(|e| Malformed(format!("malformed certificate: {e}")))?;
        let mut named = Vec::new();
        let mut only_common_name = true;
        for name in names.iter().flat_map(|(_, names)| &names.0) {
            match name {
                GeneralName::DnsName(name) => {
                    only_common_name = false;
                    named.push(name.to_string());
                    if address.is_none() && matches(name.as_str(), host) {
                        return Ok(());
                    }
                }
                GeneralName::IpAddress(bytes) => {
                    only_common_name &= address.is_none();
                    let is = match bytes.as_bytes() {
                        b if b.len() == 4 => <[u8; 4]>::try_from(b).map(IpAddr::from).ok(),
                        b => <[u8; 16]>::try_from(b).map(IpAddr::from).ok(),
                    };
                    named.extend(is.map(|a| a.to_string()));
                    if is.is_some() && is == address {
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        if only_common_name && let Some(name) = self.common_name()? {
            if matches(&name, host) {
                return Ok(());
            }
            named.insert(0, name);
        }
        Err(Malformed(match &named[..] {
            [] => "could not get server's host name from server certificate".into(),
            [name] => format!("server certificate for \"{name}\" does not match host name \"{host}\""),
            [name, others @ ..] => format!(
                "server certificate for \"{name}\" (and {} other name{}) does not match host name \"{host}\"",
                others.len(),
                if others.len() == 1 { "" } else { "s" }
            ),
        }))
    }
}

/// A host's name against one of a certificate; `*.` stands for one label, and does so only at the beginning.
fn matches(pattern: &str, host: &str) -> bool {
    if pattern.contains('\0') {
        return false;
    }
    if pattern.eq_ignore_ascii_case(host) {
        return true;
    }
    match (pattern.strip_prefix("*."), host.split_once('.')) {
        (Some(rest), Some((first, domain))) => {
            !first.is_empty() && !rest.is_empty() && rest.eq_ignore_ascii_case(domain)
        }
        _ => false,
    }
}

fn digest_of(name: &str) -> Option<&'static digest::Algorithm> {
    DIGESTS.iter().find(|(n, _)| *n == name).map(|(_, digest)| *digest)
}

/// The digest that RSASSA-PSS was used with: the first of its parameters; SHA-1 where it is left out.
fn pss_digest(algorithm: &AlgorithmIdentifierOwned) -> Option<String> {
    let parameters = algorithm.parameters.as_ref()?;
    let bytes = parameters.value();
    if bytes.is_empty() {
        return Some("1.3.14.3.2.26".into());
    }
    let mut reader = SliceReader::new(bytes).ok()?;
    let first = reader.peek_tag().ok()?;
    if first != (Tag::ContextSpecific { constructed: true, number: TagNumber::N0 }) {
        return Some("1.3.14.3.2.26".into());
    }
    let explicit = reader.tlv_bytes().ok()?;
    let inner = x509_cert::der::AnyRef::from_der(explicit).ok()?;
    let name = AlgorithmIdentifierOwned::from_der(inner.value()).ok()?.oid;
    Some(name.to_string())
}

fn short(oid: &ObjectIdentifier) -> String {
    let dotted = oid.to_string();
    ATTRIBUTES.iter().find(|(o, _)| *o == dotted).map_or(dotted, |(_, name)| (*name).into())
}

/// A string of whichever type; None: it is of none that is known.
fn text(value: &x509_cert::der::Any) -> Option<String> {
    match value.tag() {
        Tag::Utf8String => std::str::from_utf8(value.value()).ok().map(str::to_owned),
        Tag::PrintableString => PrintableStringRef::new(value.value()).ok().map(|s| s.as_str().to_owned()),
        Tag::Ia5String => str::from_utf8(value.value()).ok().map(str::to_owned),
        Tag::TeletexString => TeletexStringRef::new(value.value()).ok().map(|s| s.as_str().to_owned()),
        Tag::BmpString => {
            let units = value.value().chunks(2).map(|pair| match *pair {
                [high, low] => u16::from_be_bytes([high, low]),
                _ => 0xd800,
            });
            char::decode_utf16(units).collect::<Result<_, _>>().ok()
        }
        _ => None,
    }
}

fn slashed(name: &Name) -> String {
    let mut out = String::new();
    for attribute in name.0.iter().flat_map(|set| set.0.iter()) {
        let _ = write!(out, "/{}=", short(&attribute.oid));
        match text(&attribute.value) {
            Some(value) => out.extend(value.chars().flat_map(|c| {
                // Nobody is to be taken in by what a terminal would hide.
                let hidden = c.is_control().then(|| format!("\\{:02X}", c as u32));
                let shown = if hidden.is_some() { None } else { Some(c) };
                hidden.into_iter().flat_map(|h| h.chars().collect::<Vec<_>>()).chain(shown)
            })),
            None => attribute.value.value().iter().for_each(|b| _ = write!(out, "\\{b:02X}")),
        }
    }
    out
}

/// A whole number, most significant byte first, in decimal.
fn decimal(bytes: &[u8]) -> String {
    let mut digits: Vec<u8> = vec![0];
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            let n = u32::from(*digit) * 256 + carry;
            (*digit, carry) = ((n % 10) as u8, n / 10);
        }
        while carry > 0 {
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
    }
    digits.iter().rev().map(|d| char::from(b'0' + d)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, DnType, KeyPair};

    fn made(names: &[&str], common_name: Option<&str>) -> Certificate {
        let mut p = CertificateParams::new(names.iter().map(|n| n.to_string()).collect::<Vec<_>>()).unwrap();
        p.distinguished_name = rcgen::DistinguishedName::new();
        p.distinguished_name.push(DnType::CountryName, "SE");
        if let Some(name) = common_name {
            p.distinguished_name.push(DnType::CommonName, name);
        }
        p.serial_number = Some(rcgen::SerialNumber::from(vec![1, 0, 0, 2]));
        let key = KeyPair::generate().unwrap();
        Certificate::parse(p.self_signed(&key).unwrap().der()).unwrap()
    }

    #[test]
    fn a_certificate_says_whose_it_is() {
        let c = made(&[], Some("ann"));
        assert_eq!((c.subject(), c.issuer()), ("/C=SE/CN=ann".into(), "/C=SE/CN=ann".into()));
        assert_eq!(c.subject_rfc2253(), "CN=ann,C=SE");
        assert_eq!(c.common_name().unwrap().as_deref(), Some("ann"));
        assert_eq!(c.serial(), "16777218");
        assert_eq!(c.end_point_digest().unwrap(), digest::digest(&digest::SHA256, &c.der).as_ref());
        assert!(c.is_valid_at(1_700_000_000) && !c.is_valid_at(0));
        assert!(made(&[], None).common_name().unwrap().is_none());
        assert!(made(&[], Some("a\0b")).common_name().is_err());
    }

    #[test]
    fn hosts_are_found_as_libpq_finds_them() {
        let c = made(&["db.example", "*.sub.example", "10.0.0.1"], Some("other.example"));
        for host in ["db.example", "DB.Example", "x.sub.example", "10.0.0.1"] {
            c.is_for(host).unwrap();
        }
        for host in ["sub.example", "a.b.sub.example", "other.example", "10.0.0.2", "", ".sub.example"] {
            assert!(c.is_for(host).is_err(), "{host}");
        }
        let c = made(&["10.0.0.1"], Some("db.example"));
        c.is_for("db.example").unwrap();
        assert!(c.is_for("10.0.0.2").is_err());
        made(&[], Some("10.0.0.1")).is_for("10.0.0.1").unwrap();
        let e = made(&["a", "b"], None).is_for("c").unwrap_err().to_string();
        assert_eq!(e, "server certificate for \"a\" (and 1 other name) does not match host name \"c\"");
        assert!(made(&[], None).is_for("c").is_err());
    }

    #[test]
    fn broken_bytes_are_refused() {
        let whole = made(&["db.example"], Some("ann")).der;
        for n in 0..whole.len() {
            assert!(Certificate::parse(&whole[..n]).is_err());
            let mut bent = whole.clone();
            bent[n] ^= 0x55;
            if let Ok(c) = Certificate::parse(&bent) {
                let _ = (c.subject(), c.serial(), c.common_name(), c.is_for("x"), c.end_point_digest());
            }
        }
    }

    #[test]
    fn long_numbers_are_written_in_decimal() {
        assert_eq!(decimal(&[]), "0");
        assert_eq!(decimal(&[0xff; 8]), u64::MAX.to_string());
        assert_eq!(decimal(&[1; 20]), "5731378969925109483151705226338364782964441345");
    }
}
