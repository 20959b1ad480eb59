//! What the settings of encryption come to: certificate, key, whom clients' certificates have to be signed by.
//!
//! Duty: read the files that `ssl_cert_file` and its like name, as PostgreSQL does and with its messages, and make what handshakes are made with of them.
//!
//! Invariants
//! 1. A key that others can read is refused.
//! 2. What was read is complete: a reload that fails has changed nothing.
//!
//! It must not know connections.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use evenkeel_client::certificate::Certificate;
use pgwire::api::auth::sasl::scram::ScramServerAuth;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion, version};

use crate::settings::{Id, ServerSettings};

/// PostgreSQL's protocol, as clients name it within the handshake.
const ALPN: &[u8] = b"postgresql";
/// The one that browsers speak here.
const ALPN_HTTP: &[u8] = b"http/1.1";
/// Larger files are no certificates, bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// What is wrong with the settings of encryption, or with a file of theirs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", detail.as_ref().map(|d| format!(" ({d})")).unwrap_or_default())]
pub struct TlsError {
    /// PostgreSQL's words.
    pub message: String,
    /// More of them.
    pub detail: Option<String>,
}

fn wrong(message: String) -> TlsError {
    TlsError { message, detail: None }
}

/// What handshakes are made with.
#[derive(Debug)]
pub(crate) struct Tls {
    pub config: Arc<ServerConfig>,
    /// The same for HTTP.
    pub http: Arc<ServerConfig>,
    /// Logins may be bound to the server's certificate: knows its digest.
    pub binding: Option<ScramServerAuth>,
    /// Certificates of clients are asked for.
    pub verifies_clients: bool,
}

impl Tls {
    /// Reads what the settings name, relative to `folder`; None: encryption is off.
    pub fn load(settings: &ServerSettings, folder: Option<&Path>) -> Result<Option<Arc<Tls>>, TlsError> {
        if settings.number(Id::Ssl) == 0 {
            return Ok(None);
        }
        let file = |id| {
            let name = settings.text(id);
            (!name.is_empty()).then(|| folder.unwrap_or(Path::new("")).join(name))
        };
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone());
        let builder =
            builder.with_protocol_versions(&versions(settings)?).map_err(|e| wrong(e.to_string()))?;

        let certificate = file(Id::SslCertFile).unwrap_or_default();
        if !certificate.exists() {
            let path = certificate.display();
            return Err(wrong(format!(
                "could not load server certificate file \"{path}\": there is none (evenkeel tls create makes one)"
            )));
        }
        let chain = certificates(&certificate, "server certificate file")?;
        let key = private_key(&file(Id::SslKeyFile).unwrap_or_default())?;
        let builder = match file(Id::SslCaFile) {
            None => builder.with_no_client_auth(),
            Some(roots) => {
                builder.with_client_cert_verifier(verifier(&roots, file(Id::SslCrlFile), &provider)?)
            }
        };
        let binding = binding(&chain[0]);
        let mut config = builder.with_single_cert(chain, key).map_err(|e| match e {
            rustls::Error::InconsistentKeys(_) => wrong(format!("check of private key failed: {e}")),
            e => wrong(format!("could not load server certificate file \"{}\": {e}", certificate.display())),
        })?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        // As PostgreSQL: nothing is resumed, every session is one of its own.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        let mut http = config.clone();
        http.alpn_protocols = vec![ALPN_HTTP.to_vec()];
        let verifies_clients = !settings.text(Id::SslCaFile).is_empty();
        Ok(Some(Arc::new(Tls { config: Arc::new(config), http: Arc::new(http), binding, verifies_clients })))
    }
}

/// The server's certificate and those that lead to its root, in DER; with it all that encryption needs is looked at. None, if it is off.
///
/// # Errors
/// Of any of the files, as a start with these settings would have it.
pub fn server_certificates(
    settings: &ServerSettings,
    folder: Option<&Path>,
) -> Result<Vec<Vec<u8>>, TlsError> {
    if Tls::load(settings, folder)?.is_none() {
        return Ok(Vec::new());
    }
    let path = folder.unwrap_or(Path::new("")).join(settings.text(Id::SslCertFile));
    Ok(certificates(&path, "server certificate file")?.iter().map(|c| c.to_vec()).collect())
}

/// What `ssl_min_protocol_version` and `ssl_max_protocol_version` leave.
fn versions(settings: &ServerSettings) -> Result<Vec<&'static SupportedProtocolVersion>, TlsError> {
    let known = [("TLSv1.2", &version::TLS12), ("TLSv1.3", &version::TLS13)];
    let place = |id, missing| {
        let name = settings.show(id);
        known.iter().position(|(known, _)| *known == name).unwrap_or(missing)
    };
    let (min, max) = (place(Id::SslMinProtocolVersion, 0), place(Id::SslMaxProtocolVersion, 1));
    if min > max {
        return Err(TlsError {
            message: "could not set SSL protocol version range".into(),
            detail: Some(
                "\"ssl_min_protocol_version\" cannot be higher than \"ssl_max_protocol_version\"".into(),
            ),
        });
    }
    Ok(known[min..=max].iter().map(|(_, version)| *version).collect())
}

fn read(path: &Path, what: &str) -> Result<Vec<u8>, TlsError> {
    let failed =
        |why: &dyn std::fmt::Display| wrong(format!("could not load {what} \"{}\": {}", path.display(), why));
    let m = std::fs::metadata(path).map_err(|e| failed(&plain(&e)))?;
    if m.len() > FILE_BYTES_MAX {
        return Err(failed(&"the file is too large"));
    }
    std::fs::read(path).map_err(|e| failed(&plain(&e)))
}

/// The system's words without its number.
fn plain(e: &std::io::Error) -> String {
    let text = e.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

fn certificates(path: &Path, what: &str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let pem = read(path, what)?;
    let failed =
        |why: &dyn std::fmt::Display| wrong(format!("could not load {what} \"{}\": {why}", path.display()));
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let all = all.map_err(|e| failed(&e))?;
    if all.is_empty() {
        return Err(failed(&"no certificate in it"));
    }
    Ok(all)
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let m = std::fs::metadata(path).map_err(|e| {
        wrong(format!("could not access private key file \"{}\": {}", path.display(), plain(&e)))
    })?;
    check_permissions(path, &m, rustix::process::geteuid().as_raw())?;
    let pem = read(path, "private key file")?;
    let failed = |why: &dyn std::fmt::Display| {
        wrong(format!("could not load private key file \"{}\": {why}", path.display()))
    };
    if pem.windows(9).any(|w| w == b"ENCRYPTED") {
        return Err(failed(&"it is protected by a passphrase, which is not supported"));
    }
    PrivateKeyDer::from_pem_slice(&pem).map_err(|e| failed(&e))
}

/// Invariant 1.
fn check_permissions(path: &Path, m: &Metadata, me: u32) -> Result<(), TlsError> {
    let path = path.display();
    if !m.is_file() {
        return Err(wrong(format!("private key file \"{path}\" is not a regular file")));
    }
    if m.uid() != me && m.uid() != 0 {
        return Err(wrong(format!("private key file \"{path}\" must be owned by the database user or root")));
    }
    // A root's key is often shared with a group, by the system's package.
    let forbidden = if m.uid() == me { 0o077 } else { 0o037 };
    if m.mode() & forbidden != 0 && !(m.uid() == 0 && m.mode() & 0o037 == 0) {
        return Err(TlsError {
            message: format!("private key file \"{path}\" has group or world access"),
            detail: Some("File must have permissions u=rw (0600) or less if owned by the database user, or permissions u=rw,g=r (0640) or less if owned by root.".into()),
        });
    }
    Ok(())
}

/// Clients without a certificate are let through: rules say who needs one.
fn verifier(
    roots: &Path,
    revoked: Option<PathBuf>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn rustls::server::danger::ClientCertVerifier>, TlsError> {
    let mut store = RootCertStore::empty();
    for certificate in certificates(roots, "root certificate file")? {
        store.add(certificate).map_err(|e| {
            wrong(format!("could not load root certificate file \"{}\": {e}", roots.display()))
        })?;
    }
    let mut builder = WebPkiClientVerifier::builder_with_provider(Arc::new(store), provider.clone());
    if let Some(path) = revoked {
        let what = "SSL certificate revocation list file";
        let failed = |why: &dyn std::fmt::Display| {
            wrong(format!("could not load {what} \"{}\": {why}", path.display()))
        };
        let pem = read(&path, what)?;
        let lists: Result<Vec<_>, _> = CertificateRevocationListDer::pem_slice_iter(&pem).collect();
        let lists = lists.map_err(|e| failed(&e))?;
        if lists.is_empty() {
            return Err(failed(&"no revocation list in it"));
        }
        builder = builder.with_crls(lists).enforce_revocation_expiration();
    }
    builder
        .allow_unauthenticated()
        .build()
        .map_err(|e| wrong(format!("could not load root certificate file \"{}\": {e}", roots.display())))
}

/// For logins that are bound to this certificate; None where no digest is defined for how it is signed.
fn binding(certificate: &CertificateDer<'_>) -> Option<ScramServerAuth> {
    Certificate::parse(certificate).ok()?.end_point_digest()?;
    let pem = format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        STANDARD.encode(certificate.as_ref())
    );
    let mut scram = ScramServerAuth::new();
    scram.configure_certificate(pem.as_bytes()).ok()?;
    Some(scram)
}
