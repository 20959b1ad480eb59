//! Certificates for tests.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

/// An authority, and what it signs.
pub struct Authority(pub CertifiedIssuer<'static, KeyPair>);

/// Of a certificate.
pub fn params(common_name: &str, hosts: &[&str]) -> CertificateParams {
    let mut p = CertificateParams::new(hosts.iter().map(|h| h.to_string()).collect::<Vec<_>>()).unwrap();
    p.distinguished_name = rcgen::DistinguishedName::new();
    p.distinguished_name.push(DnType::CommonName, common_name);
    p
}

impl Authority {
    /// One that signs itself.
    pub fn new(name: &str) -> Authority {
        let mut p = params(name, &[]);
        p.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(p, KeyPair::generate().unwrap()).unwrap())
    }

    /// Certificate and key, PEM.
    pub fn sign(&self, p: &CertificateParams) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        (p.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }
}

/// A file that is its owner's alone.
pub fn put(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
}
